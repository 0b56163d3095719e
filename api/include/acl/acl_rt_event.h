/// Events: marks in streams. A record puts the mark behind what the stream holds at that moment;
/// it is reached when all that has run. Waiting for events is in acl_rt_stream.h.
///
/// There are two kinds. OLD: from aclrtCreateEvent and aclrtCreateEventWithFlag. NEW: from
/// aclrtCreateEventExWithFlag.
///   before the first record    OLD                     NEW
///   aclrtStreamWaitEvent       107000                  does nothing
///   aclrtQueryEventStatus      NOT_READY               COMPLETE
///   aclrtQueryEvent            COMPLETE                207000, always
///   aclrtQueryEventWaitStatus  as its comment says     207000, always
///   aclrtResetEvent            allowed                 207000, always
/// A second record takes the place of the first; waits that were submitted before it keep the
/// first. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_EVENT_H
#define SOMA_ACL_RT_EVENT_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an event can do. SYNC: streams wait for it. CAPTURE_STREAM_PROGRESS: marks progress.
/// TIME_LINE: takes the time. DEVICE_USE_ONLY, EXTERNAL and IPC stand alone.
#define ACL_EVENT_SYNC 0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE 0x00000008U
#define ACL_EVENT_DEVICE_USE_ONLY 0x00000010U
#define ACL_EVENT_EXTERNAL 0x00000020U
#define ACL_EVENT_IPC 0x00000040U

/// Flags of aclrtRecordEventWithFlag and aclrtStreamWaitEventWithFlag.
#define ACL_EVENT_RECORD_DEFAULT 0x0U
#define ACL_EVENT_RECORD_EXTERNAL 0x01U
#define ACL_EVENT_WAIT_DEFAULT 0x0U
#define ACL_EVENT_WAIT_EXTERNAL 0x01U

/// What another process gets an event by; a value to be handed on as it is.
#define ACL_IPC_EVENT_HANDLE_SIZE 64U
typedef struct aclrtIpcEventHandle {
  char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

/// The answer of aclrtQueryEvent.
typedef enum {
  ACL_EVENT_STATUS_COMPLETE = 0,
  ACL_EVENT_STATUS_NOT_READY = 1,
  ACL_EVENT_STATUS_RESERVED = 2
} aclrtEventStatus;

/// The answer of aclrtQueryEventStatus. Beware: the numbers are the reverse of aclrtEventStatus.
typedef enum {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
  ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

/// The answer of aclrtQueryEventWaitStatus.
typedef enum {
  ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
  ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
  ACL_EVENT_WAIT_STATUS_RESERVED = 0xFFFF
} aclrtEventWaitStatus;

/// Makes an OLD event in the current context that streams can wait for and that takes the time.
/// The caller destroys it.
/// Threads: any but the device's. Errors: 100000 `event` is NULL; 107002; 207001; 207007 no event
/// is left; 207006.
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent* event);

/// Makes an OLD event that can do what `flag` says. The caller destroys it.
/// Threads: any but the device's. Errors: those of aclrtCreateEvent; 107000 `flag` is 0 or has an
/// unknown bit, or DEVICE_USE_ONLY or EXTERNAL does not stand alone; 207006.
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);

/// Makes a NEW event that can do what `flag` says: SYNC, CAPTURE_STREAM_PROGRESS and TIME_LINE in
/// any mix, or IPC alone. The caller destroys it.
/// Threads: any but the device's. Errors: those of aclrtCreateEvent; 107000 any other `flag`;
/// 207006.
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);

/// Destroys an event, without waiting. The handle is dead. Records and waits that were submitted
/// stay in force.
/// Threads: any but the device's. Errors: 100000 `event` is NULL; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/// Queues a record. NULL means the default stream. When the call returns, a wait on another stream
/// already finds this record.
/// Threads: any but the device's.
/// Errors: 100000 `event` is NULL; 107000 a DEVICE_USE_ONLY event; 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/// As aclrtRecordEvent, with `flag` ACL_EVENT_RECORD_DEFAULT or ACL_EVENT_RECORD_EXTERNAL, the same for
/// each record of an event. soma: no graphs are captured, so both mean the same.
/// Threads: any but the device's.
/// Errors: those of aclrtRecordEvent; 107000 another flag, or not that of the record before.
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag);

/// Queues a reset: when the stream gets there, the OLD event is as if it had no record. NULL means
/// the default stream.
/// Threads: any but the device's.
/// Errors: 100000 `event` is NULL; 107002; 107003; 107017; 207000 a NEW event; 207006.
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/// Asks whether an OLD event's latest record has been reached; COMPLETE if it has none. Deprecated
/// in CANN: use aclrtQueryEventStatus, whose values are the other way round.
/// Threads: any. Errors: 100000 a pointer is NULL; 107017; 207000 a NEW event.
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);

/// Asks whether the latest record has been reached. With no record, an OLD event is NOT_READY and
/// a NEW one COMPLETE. soma: COMPLETE for a record counts as seen by the host, as after a
/// synchronise.
/// Threads: any. Errors: 100000 a pointer is NULL; 107017.
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status);

/// Asks whether all waits for an OLD event that were submitted so far are over.
/// Threads: any. Errors: 100000 a pointer is NULL; 107017; 207000 a NEW event.
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status);

/// Waits until the latest record has been reached; returns at once if there is none. What lies in
/// front of the record then counts as seen by the host: frees among it are ordered before all that
/// is submitted later, to any stream. soma: it is a release point, where pools give idle memory
/// above their threshold back.
/// Threads: any but the device's.
/// Errors: 100000 `event` is NULL; 107017; 207000 an EXTERNAL event; 207006; else the error of a
/// failed task of the record's stream, such as 507035.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/// As aclrtSynchronizeEvent, for at most `timeout` milliseconds; -1 waits for ever.
/// Threads: any but the device's.
/// Errors: 107000 `timeout` is 0 or below -1; 507047 the time is up; and aclrtSynchronizeEvent's.
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/// A number for the event, for logs. No two live events have the same.
/// Threads: any. Errors: 100000 a pointer is NULL; 107017.
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId);

/// How many more events can be made: at most 65536 exist at a time.
/// Threads: any. Errors: 100000 `eventCount` is NULL; 107002.
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t* eventCount);

/// What another process of this machine gets an event by that was made with ACL_EVENT_IPC.
/// Threads: any. Errors: 100000 a pointer is NULL; 107000 another event; 107017.
ACL_FUNC_VISIBILITY aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle);

/// The event behind a handle from another process, as an event of this one, on the current device. Each
/// process records, waits, synchronises and asks as for its own; waits are for the latest record of any.
/// soma: a record orders nothing for memory pools and the race detector in the other process. The caller
/// destroys the event.
/// Threads: any but the device's.
/// Errors: 100000 `event` is NULL; 107000 no such event exists any more; 107002; 207006.
ACL_FUNC_VISIBILITY aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event);

/// The time from one record to another, in MILLISECONDS; negative if `endEvent` was reached first.
/// Both events need ACL_EVENT_TIME_LINE.
/// Threads: any.
/// Errors: 100000 a pointer is NULL; 107006 a record has not been reached yet; 107017; 507000 an
/// event has no record or takes no time.
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent);

/// When the latest record was reached, in MICROSECONDS of a clock that only serves for
/// differences. Needs ACL_EVENT_TIME_LINE.
/// Threads: any. Errors: those of aclrtEventElapsedTime.
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp);

#ifdef __cplusplus
}
#endif

#endif
