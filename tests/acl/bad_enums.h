/* Calls with numbers that are no values of their enums, which only C can make. */
#ifndef SOMA_TESTS_ACL_BAD_ENUMS_H
#define SOMA_TESTS_ACL_BAD_ENUMS_H

#include "acl/acl.h"

#ifdef __cplusplus
extern "C" {
#endif

aclError set_device_limit_of(int type);
aclError get_limit_here_of(int type);
aclError set_option_of(int option);
aclError set_context_option_of(int option);
aclError set_configuration_of(aclrtStreamConfigHandle* handle, int part, const void* value, size_t bytes);
aclError launch_callback_of(int block_type, aclrtStream stream);
aclError register_start_of(int type, aclInitCallbackFunc function);
aclError make_random_numbers_of(int distribution, void* memory, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
