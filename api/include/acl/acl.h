/// The one header a program written for CANN includes. soma has the runtime part only: no models
/// and no operators. Memory pools are in acl/acl_rt_memory_soma.h, which this header leaves out.
#ifndef SOMA_ACL_H
#define SOMA_ACL_H

#include "acl/acl_rt.h"

#endif
