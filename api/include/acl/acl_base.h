/// The base types together with all error codes.
#ifndef SOMA_ACL_BASE_H
#define SOMA_ACL_BASE_H

#include "acl/acl_base_data.h"
#include "acl/acl_base_platform.h"
#include "acl/acl_base_rt.h"
#include "acl/error_codes/rt_error_codes.h"

#endif
