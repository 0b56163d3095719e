/// Streams beyond the common calls (acl_rt_stream.h): configurations, attributes, limits, ending work, and
/// calls when streams come and go. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_STREAM_CONTROL_H
#define SOMA_ACL_RT_STREAM_CONTROL_H

#include "acl/acl_base.h"
#include "acl/acl_rt_device_info.h"
#include "acl/acl_rt_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A part of a stream's configuration: memory for the stream to work with, which is ignored, its flags
/// and its priority.
typedef enum {
  ACL_RT_STREAM_WORK_ADDR_PTR = 0,
  ACL_RT_STREAM_WORK_SIZE = 1,
  ACL_RT_STREAM_FLAG = 2,
  ACL_RT_STREAM_PRIORITY = 3
} aclrtStreamConfigAttr;

/// A configuration; it is made and set by the functions below, not by hand.
typedef struct aclrtStreamConfigHandle {
  void* workptr;
  size_t workSize;
  size_t flag;
  uint32_t priority;
} aclrtStreamConfigHandle;

/// Makes a configuration with everything 0; NULL if no memory is left. The caller destroys it.
/// Threads: any.
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void);

/// Destroys a configuration. Threads: any. Errors: 100000 `handle` is NULL.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle);

/// Sets a part. `valueSize` is the size of what `attrValue` points to: a pointer (WORK_ADDR_PTR), a size_t
/// (WORK_SIZE, FLAG), or a uint32_t (PRIORITY, and also FLAG).
/// Threads: any, one at a time.
/// Errors: 100000 a pointer is NULL, `attr` is unknown, `valueSize` is wrong, or a priority is above 7.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle,
                                                     aclrtStreamConfigAttr attr, const void* attrValue,
                                                     size_t valueSize);

/// As aclrtCreateStreamWithConfig, with what the configuration says.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL; and those of aclrtCreateStreamWithConfig.
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle);

/// The flags and the priority that the stream was made with. NULL means the default stream.
/// Threads: any. Errors: 100000 the result's pointer is NULL; 107002; 107003; 107017.
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags);
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority);

/// How many more streams can be made: at most 1984 exist at a time.
/// Threads: any. Errors: 100000 `streamCount` is NULL; 107002.
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t* streamCount);

/// Sets or gets an attribute. ACL_STREAM_ATTR_FAILURE_MODE is aclrtSetStreamFailureMode, but not for a
/// default stream; FLOAT_OVERFLOW_CHECK is aclrtSetStreamOverflowSwitch; the others are noted.
/// Threads: any.
/// Errors: 100000 `value` is NULL; 107000 `stmAttrType` is unknown, or a priority is above 7; those of the
/// calls named here.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue* value);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue* value);

/// Whether the stream's tasks are watched for numbers that are too large: 0 or 1. It needs the mode
/// ACL_RT_OVERFLOW_MODE_SATURATION (aclrtSetDeviceSatMode). NULL means the default stream.
/// soma: sums of floats by aclrtReduceAsync are watched; kernels and host functions calculate as the host
/// does. Threads: any. Errors: 100000 `flag` is NULL; 107000 `flag` is not 0 or 1; 107002; 107003; 107017;
/// 207000 the device is in another mode.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag);

/// Writes 64 bytes to device memory in the stream's order; the first uint32_t is 1 if a number was too large
/// in a task of any watched stream of the device, else 0. `outputSize` is the room at `outputAddr`. Threads:
/// any but the device's. Errors: 100000 `outputAddr` is NULL; 107000 `outputSize` is below 64; 107002;
/// 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream);

/// Sets the device's status back to 0 in the stream's order.
/// Threads: any but the device's. Errors: 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

/// The most cores of a kind that the stream's kernels are to use; reset goes back to the device's limit.
/// The thread that uses a stream's limits gets them from aclrtGetResInCurrentThread; unuse ends that.
/// NULL means the default stream. soma: noted.
/// Threads: any.
/// Errors: 100000 `value` is NULL or `type` is unknown; 107000 `value` is 0 or more than there are;
/// 107002; 107003; 107017.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                                    uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                                    uint32_t* value);
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/// Ends the stream's running task, which counts as failed: the next synchronise returns 507000. What is
/// queued stays. Returns at once. soma: a kernel ends between two of its blocks, or when it asks
/// (somaKernelStopRequested) and returns; a wait for a value, a notify or a callback's thread ends at once.
/// Threads: any. Errors: 107000 `stream` is NULL; 107002; 107003; 107017.
ACL_FUNC_VISIBILITY aclError aclrtStreamStop(aclrtStream stream);

/// Ends the stream's running task, as aclrtStreamStop does, and drops all that are queued; returns when
/// none runs any more. Threads that wait for the stream get 107023. NULL means the default stream.
/// soma: frees and records among the tasks take effect, and waits for events stay, since memory may have
/// been given to the stream on the strength of them.
/// Threads: any but the device's. Errors: 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

/// What has just happened to a stream, or is about to.
typedef enum { ACL_RT_STREAM_STATE_CREATE_POST = 1, ACL_RT_STREAM_STATE_DESTROY_PRE = 2 } aclrtStreamState;

/// A function that is told of streams, with what was given when it was registered.
typedef void (*aclrtStreamStateCallback)(aclrtStream stm, aclrtStreamState state, void* args);

/// Has a function called after any stream is made and before it is destroyed, in the thread that makes the
/// call. Default streams are left out. `callback` NULL takes the name's function away. Needs no context.
/// Threads: any. Errors: 100000 `regName` is NULL; 107000 the name is taken.
ACL_FUNC_VISIBILITY aclError aclrtRegStreamStateCallback(const char* regName,
                                                         aclrtStreamStateCallback callback, void* args);

#ifdef __cplusplus
}
#endif

#endif
