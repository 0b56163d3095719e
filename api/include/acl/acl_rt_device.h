/// Devices and contexts: which device a thread works on, and the contexts that own its streams and
/// events. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_DEVICE_H
#define SOMA_ACL_RT_DEVICE_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes the device's primary context the calling thread's current one; what
/// aclrtSetCurrentContext set is dropped. The first call for a device makes its primary context
/// and that context's default stream. Each call adds one to the process's count for the device.
/// Threads: any but the device's. Errors: 107001 there is no such device; 207001; 207006.
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/// Takes one off the device's count. At 0 it waits for the device's tasks and destroys the primary
/// context and its default stream.
/// Threads: any but the device's.
/// Errors: 107001 there is no such device; 507007 one reset too many; 207006.
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/// As aclrtResetDevice at 0, whatever the count is: other threads lose the primary context too.
/// Threads: any but the device's. Errors: 107001 there is no such device; 207006.
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/// The device of the calling thread's current context.
/// Threads: any. Errors: 100000 `deviceId` is NULL; 107002.
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t* deviceId);

/// How many devices there are; their ids are 0 to one less. Needs no context.
/// Threads: any. Errors: 100000 `count` is NULL.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t* count);

/// Waits until every task submitted so far to any stream of the current device has run. soma: it
/// is a release point, where pools give idle memory above their threshold back.
/// Threads: any but the device's.
/// Errors: 107002; 207006; else the error of a task that failed, such as 507035.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/// As aclrtSynchronizeDevice, for at most `timeout` milliseconds; -1 waits for ever. When the time
/// is up only the waiting ends, not the tasks.
/// Threads: any but the device's.
/// Errors: 107000 `timeout` is 0 or below -1; 507046 the time is up; and aclrtSynchronizeDevice's.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/// Makes a context on a device, with a default stream of its own, and makes it the calling
/// thread's current one. The caller destroys it with aclrtDestroyContext.
/// Threads: any but the device's. Errors: 100000 `context` is NULL; 107001 there is no such device;
/// 207001; 207006.
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId);

/// Destroys a context that aclrtCreateContext made, with its default stream. If it is the calling
/// thread's current one, the thread has none afterwards.
/// Threads: any but the device's.
/// Errors: 100000 `context` is NULL; 107002 it was destroyed before, was never made, or is a
/// primary context (use aclrtResetDevice); 207006.
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/// Makes a context the calling thread's current one. Several threads may share one.
/// Threads: any. Errors: 100000 `context` is NULL; 107000 it is not a live context.
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/// The calling thread's current context. The handle stays its maker's to destroy.
/// Threads: any. Errors: 100000 `context` is NULL; 107002.
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext* context);

/// The handle of the current context's default stream. It lives as long as the context and must
/// not be destroyed. Needed where NULL is not taken for it, as by the memory pools.
/// Threads: any. Errors: 100000 `stream` is NULL; 107002.
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream);

#ifdef __cplusplus
}
#endif

#endif
