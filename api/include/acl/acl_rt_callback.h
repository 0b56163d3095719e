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

/// A function for a thread of the program to call, when a stream has got there.
typedef void (*aclrtCallback)(void* userData);

/// Whether the stream waits until the function has returned.
typedef enum { ACL_CALLBACK_NO_BLOCK = 0, ACL_CALLBACK_BLOCK = 1 } aclrtCallbackBlockType;

/// Has the callbacks of a stream called by a thread, by its number (pthread_self). NULL means the default
/// stream. A stream has one such thread; a thread may serve many streams of one device.
/// Threads: any but the device's.
/// Errors: 107002; 107003; 107011 the stream has a thread, or its host functions are run by the device;
/// 107012 the thread serves another device; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/// Ends that. Callbacks of the stream that were not called are dropped; a stream that waits for one goes on.
/// Threads: any but the device's.
/// Errors: 107002; 107003; 107011 the stream has no thread; 107012 it has another; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/// Queues a call by the stream's thread. NULL means the default stream. `userData` may be NULL and stays the
/// caller's. With ACL_CALLBACK_BLOCK the stream's next task runs after `fn` has returned. In `fn`, calls that
/// allocate, free, launch or wait are an error of the program: they may wait for the very task.
/// Threads: any but the device's.
/// Errors: 100000 `blockType` is unknown; 107000 `fn` is NULL; 107002; 107003; 107011 the stream's host
/// functions are run by the device; 107015 it has no thread; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void* userData,
                                                 aclrtCallbackBlockType blockType, aclrtStream stream);

/// To be called in a subscribed thread: waits until a stream has got to a callback, for at most `timeout`
/// milliseconds (-1: for ever), and then calls all that are ready, in order. A stream that has failed changes
/// nothing for the thread.
/// Threads: the subscribed one.
/// Errors: 100000 `timeout` is 0 or below -1; 107012 the thread is not subscribed; 507012 the time is up.
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

/// The same for a stream's host functions (aclrtLaunchHostFunc), which are then called by this thread and not
/// by the device; the stream waits for each. A stream may have a thread for both.
/// Threads: as for the functions above.
/// Errors: as there, but 107000 for a bad `timeout`; 107011 also if the device has run one already.
ACL_FUNC_VISIBILITY aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);
ACL_FUNC_VISIBILITY aclError aclrtProcessHostFunc(int32_t timeout);

/// Queues a host function. NULL means the default stream. `args` may be NULL; what it points to
/// stays the caller's and must live until the function has run. soma: a C++ exception or a fatal
/// signal in `fn` is a failed task, reported as 507035 by the stream's next synchronise.
/// Threads: any but the device's.
/// Errors: 107000 `fn` is NULL; 107002; 107003; 107011 the stream has a thread for callbacks and none for
/// host functions; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args);

#ifdef __cplusplus
}
#endif

#endif
