/// Host functions: functions of the program that run as tasks of a stream.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_CALLBACK_H
#define SOMA_ACL_RT_CALLBACK_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A host function. `args` is the pointer that was given at the launch. It runs on a thread of the
/// device, and later tasks of its stream run after it has returned. soma: in it, calls that
/// allocate, free, launch or wait return 207006; queries and reading attributes are allowed.
typedef void (*aclrtHostFunc)(void* args);

/// Queues a host function. NULL means the default stream. `args` may be NULL; what it points to
/// stays the caller's and must live until the function has run. soma: a C++ exception or a fatal
/// signal in `fn` is a failed task, reported as 507035 by the stream's next synchronise.
/// Threads: any but the device's. Errors: 107000 `fn` is NULL; 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args);

#ifdef __cplusplus
}
#endif

#endif
