/// Streams: queues of tasks. Tasks of one stream run in the order of submission; tasks of two
/// streams in any, unless events order them. Submitting never waits for tasks to run, except where
/// a comment says so. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_STREAM_H
#define SOMA_ACL_RT_STREAM_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Flags of aclrtCreateStreamWithConfig. FAST_LAUNCH and FAST_SYNC trade memory and host time for
/// speed; PERSISTENT keeps tasks for a model; HUGE has no effect; CPU_SCHEDULE and DEVICE_USE_ONLY
/// are for queues that the device serves itself. DEVICE_USE_ONLY must stand alone.
#define ACL_STREAM_FAST_LAUNCH 0x00000001U
#define ACL_STREAM_FAST_SYNC 0x00000002U
#define ACL_STREAM_PERSISTENT 0x00000004U
#define ACL_STREAM_HUGE 0x00000008U
#define ACL_STREAM_CPU_SCHEDULE 0x00000010U
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U

/// Modes of aclrtSetStreamFailureMode.
#define ACL_CONTINUE_ON_FAILURE 0x00000000U
#define ACL_STOP_ON_FAILURE 0x00000001U

/// Whether all tasks of a stream have run.
typedef enum {
  ACL_STREAM_STATUS_COMPLETE = 0,
  ACL_STREAM_STATUS_NOT_READY = 1,
  ACL_STREAM_STATUS_RESERVED = 0xFFFF
} aclrtStreamStatus;

/// Names a property of a stream. The first is 1.
typedef enum {
  ACL_STREAM_ATTR_FAILURE_MODE = 1,
  ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
  ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
  ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
  ACL_STREAM_ATTR_PRIORITY = 5
} aclrtStreamAttr;

/// The value of a property, in the member that belongs to it.
typedef union {
  uint64_t failureMode;
  uint32_t overflowSwitch;
  uint32_t userCustomTag;
  uint32_t cacheOpInfoSwitch;
  uint32_t streamPriority;
  uint32_t reserve[4];
} aclrtStreamAttrValue;

/// Makes a stream in the current context, with priority 0 and no flags. The caller destroys it.
/// Threads: any but the device's. Errors: 100000 `stream` is NULL; 107002; 207001; 207008 no stream
/// is left; 207006.
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream* stream);

/// As aclrtCreateStream with a priority from 0 (highest) to 7 (lowest; above is taken as 7) and
/// flags. Unknown bits are ignored.
/// Threads: any but the device's. Errors: those of aclrtCreateStream; 207006.
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,
                                                         uint32_t flag);

/// Waits until the stream's tasks have run, then destroys it. The handle is dead afterwards.
/// Memory that was allocated or freed on it stays as it is in its pool.
/// Threads: any but the device's. Errors: 100000 `stream` is NULL; 107000 it is a default
/// stream; 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/// Destroys a stream without waiting. soma: returns at once, but for a kernel that this thread has just
/// launched (100 milliseconds at most, docs/porting.md). The tasks that were submitted still run, and frees
/// among them count. Threads: any but the device's. Errors: 100000 `stream` is NULL; 107000 it is a default
/// stream; 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/// Waits until every task submitted so far has run. NULL means the default stream; the stream may
/// belong to another context. What has run by then counts as seen by the host: it orders the frees
/// among it before everything that is submitted later, to any stream. soma: it is a release point,
/// where pools give idle memory above their threshold back.
/// Threads: any but the device's.
/// Errors: 107002 (for NULL); 107017; 207006; else the error of a task of the stream that failed
/// and was not reported yet, such as 507035 for a kernel or host function. The error is then gone.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/// As aclrtSynchronizeStream, for at most `timeout` milliseconds; -1 waits for ever. When the time
/// is up only the waiting ends, not the tasks.
/// Threads: any but the device's.
/// Errors: 107000 `timeout` is 0 or below -1; 507046 the time is up; and aclrtSynchronizeStream's.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/// Asks, without waiting, whether every task submitted so far has run. NULL means the default
/// stream. An answer of COMPLETE counts as seen by the host, as after a synchronise.
/// Threads: any. Errors: 100000 `status` is NULL; 107002; 107003; 107017.
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);

/// What happens after a failed task. ACL_CONTINUE_ON_FAILURE, the default: later tasks run.
/// ACL_STOP_ON_FAILURE: the stream, then every stream of its context, drops what is queued and
/// refuses more; setting it puts the whole context into this mode. Only bit 0 of `mode` counts.
/// Setting what is set already succeeds. NULL means the default stream. Frees take effect always.
/// Threads: any.
/// Errors: 107002; 107003; 107017; 207000 from stop back to continue, or a DEVICE_USE_ONLY stream.
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/// A number for the stream, for logs. No two live streams have the same. NULL means the default
/// stream.
/// Threads: any. Errors: 100000 `streamId` is NULL; 107002; 107003; 107017.
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId);

/// As aclrtStreamWaitEvent, for at most `timeout` seconds, counted from when the stream gets there; 0 has no
/// limit but that of aclrtSetOpWaitTimeout. A longer wait is a failure: 107020 at the next synchronise.
/// soma: it does not end before the record is reached all the same, since memory may have been given to
/// the stream on the strength of it.
/// Threads: any but the device's.
/// Errors: those of aclrtStreamWaitEvent; 107000 `timeout` is below 0.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
                                                             int32_t timeout);

/// The same with `flag` ACL_EVENT_WAIT_DEFAULT or ACL_EVENT_WAIT_EXTERNAL. soma: no graphs are captured, so
/// both mean the same.
/// Threads: any but the device's.
/// Errors: those of aclrtStreamWaitEvent; 107000 `flag` is another.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event,
                                                          uint32_t timeout, uint32_t flag);

/// The limit, in seconds, of waits for events that are submitted from now on without one of their own; 0:
/// none. The process has one.
/// Threads: any. Errors: 107002.
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/// Queues a wait: tasks submitted to the stream later run after the event's record. NULL means the
/// default stream. The wait is for the record that is the latest when this call is made; recording
/// again or destroying the event does not change it. For events of the new kind (acl_rt_event.h)
/// no record yet means no wait, and so does a record on the same stream.
/// Threads: any but the device's.
/// Errors: 100000 `event` is NULL; 107000 an event of the old kind has no record yet; 107002;
/// 107003; 107017; 207000 the event was made without ACL_EVENT_SYNC; 207006.
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

#ifdef __cplusplus
}
#endif

#endif
