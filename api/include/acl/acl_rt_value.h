/// Words in memory by which streams signal each other, and notifies.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_VALUE_H
#define SOMA_ACL_RT_VALUE_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A notify: a flag that one stream sets and another waits for and clears.
typedef void* aclrtNotify;
/// A notify with a count.
typedef void* aclrtCntNotify;

/// How aclrtValueWait compares the word (mem) with the value, both of 64 bits:
/// GEQ (int64_t)(mem - value) >= 0; EQ equal; AND (mem & value) != 0; NOR ~(mem | value) != 0.
#define ACL_STREAM_WAIT_VALUE_GEQ 0x00000000U
#define ACL_STREAM_WAIT_VALUE_EQ 0x00000001U
#define ACL_STREAM_WAIT_VALUE_AND 0x00000002U
#define ACL_STREAM_WAIT_VALUE_NOR 0x00000003U

/// Queues storing 8 bytes. NULL means the default stream.
/// Threads: any but the device's.
/// Errors: 100000 `devAddr` is NULL; 107000 it is not at a multiple of 8 bytes, or `flag` is not 0;
/// 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag,
                                             aclrtStream stream);

/// Queues a wait: the stream goes on when the word at `devAddr` passes the test `flag`. Whoever writes it,
/// a task of another stream or the host, does not matter. The host is not blocked. NULL means the default
/// stream. soma: it orders nothing for memory pools and the race detector; use events for that.
/// Threads: any but the device's.
/// Errors: 100000 `devAddr` is NULL; 107000 it is not at a multiple of 8 bytes, or `flag` is above 3;
/// 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream);

/// Flags of notifies.
#define ACL_NOTIFY_DEFAULT 0x00000000U
#define ACL_NOTIFY_DEVICE_USE_ONLY 0x00000001U
#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x02UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x02UL

/// Makes a notify on the current device. The caller destroys it. At most 8192 exist at a time.
/// Threads: any but the device's.
/// Errors: 100000 `notify` is NULL; 107000 `flag` is above 1; 107002; 207009 no notify is left; 207006.
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag);

/// Destroys a notify; tasks that are queued keep it. Threads: any but the device's.
/// Errors: 100000 `notify` is NULL; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

/// Queues setting the notify. Setting it twice is as setting it once. NULL means the default stream.
/// Threads: any but the device's. Errors: 100000 `notify` is NULL; 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/// Queues a wait until the notify is set, and clears it then. `timeout` is in seconds; 0 and UINT32_MAX wait
/// for ever; a wait that takes longer is a failed task (107020). NULL means the default stream.
/// Threads: any but the device's. Errors: 100000 `notify` is NULL; 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,
                                                     uint32_t timeout);

/// Clears notifies at once. Threads: any.
/// Errors: 100000 `notifies` is NULL, `num` is 0, or one of them is NULL; 107017.
ACL_FUNC_VISIBILITY aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num);

/// A number for the notify, for logs. Threads: any. Errors: 100000 a pointer is NULL; 107017.
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId);

/// A text by which another process of this machine gets the notify. `len` is the room at `key`: 65 or
/// more. Only processes that aclrtNotifySetImportPid names may, or all with DISABLE_PID_VALIDATION.
/// Threads: any.
/// Errors: 100000 a pointer is NULL; 107000 `len` is below 65 or `flags` is neither 0 nor 2; 107017;
/// 507899 the system has no shared memory left.
ACL_FUNC_VISIBILITY aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len,
                                                     uint64_t flags);

/// Names processes (aclrtDeviceGetBareTgid) that may import the notify: 16 at most.
/// Threads: any.
/// Errors: 100000 a pointer is NULL or `num` is 0; 107000 there are more than 16, or the notify was not
/// exported; 107017.
ACL_FUNC_VISIBILITY aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num);

/// The notify that another process exported, as a notify of this one, on the current device. The caller
/// destroys it.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL; 107000 `flags` is neither 0 nor 2, or nothing was exported by this key;
/// 107002; 207006 this process may not, or as above.
ACL_FUNC_VISIBILITY aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags);

/// How a record changes the count of a notify that has one, and what a wait waits for.
typedef enum {
  ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
  ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
  ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,
  ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4
} aclrtCntNotifyRecordMode;

/// When a wait for a count ends: how the count compares with the wait's value.
typedef enum {
  ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4
} aclrtCntNotifyWaitMode;

/// A record of a notify with a count.
typedef struct {
  aclrtCntNotifyRecordMode mode;
  uint32_t value;
} aclrtCntNotifyRecordInfo;

/// A wait for a notify with a count; `isClear`: whether it clears the count.
typedef struct {
  aclrtCntNotifyWaitMode mode;
  uint32_t value;
  uint32_t timeout;
  uint8_t isClear;
  uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

/// The chip that is simulated has no notifies with counts, as CANN says of it: all of these return 207000.
/// Threads: any.
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag);
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                                                  aclrtCntNotifyRecordInfo* info);
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
                                                           aclrtCntNotifyWaitInfo* info);
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId);

#ifdef __cplusplus
}
#endif

#endif
