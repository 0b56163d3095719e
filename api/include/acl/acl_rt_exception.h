/// Tasks that fail: functions that are called for each, what a device tells of its faults, and limits of
/// time. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_EXCEPTION_H
#define SOMA_ACL_RT_EXCEPTION_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rtExceptionInfo;
/// A failed task, valid only during the call that gets it.
typedef struct rtExceptionInfo aclrtExceptionInfo;

/// Called for a task that has failed, on the device's thread that ran it, before the stream goes on. The
/// same calls are refused in it as in a host function.
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo* exceptionInfo);

/// Sets the one function of the process, or takes it away (NULL). Needs no context.
/// Threads: any.
ACL_FUNC_VISIBILITY aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/// Adds a function beside that one, or takes it away. One function counts once; to take away what was not
/// added is no error. Needs no context.
/// Threads: any. Errors: 100000 `callback` is NULL.
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/// The task, as aclrtGetThreadLastTaskId told the thread that launched it; its stream, as
/// aclrtStreamGetId tells; the system's number of that thread; the device; and the code that the next
/// synchronise returns. 0xFFFFFFFF for NULL.
/// Threads: only in the call.
ACL_FUNC_VISIBILITY uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info);

/// The kernel's arguments, and its handle. NULL and 0, if the task was no kernel.
/// Threads: only in the call. Errors: 100000 a pointer is NULL.
ACL_FUNC_VISIBILITY aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info, void** devArgsPtr,
                                                           uint32_t* devArgsLen);
ACL_FUNC_VISIBILITY aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info,
                                                                 aclrtFuncHandle* func);

/// A number for the last task that the calling thread submitted; 0 if there is none.
/// Threads: any. Errors: 100000 `taskId` is NULL; 107002.
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t* taskId);

/// What is wrong with a device.
typedef enum {
  ACL_RT_NO_ERROR = 0,
  ACL_RT_ERROR_MEMORY = 1,
  ACL_RT_ERROR_L2 = 2,
  ACL_RT_ERROR_AICORE = 3,
  ACL_RT_ERROR_LINK = 4,
  ACL_RT_ERROR_L3_PORT = 5,
  ACL_RT_ERROR_OTHERS = 0xFFFF
} aclrtErrorType;

/// What is wrong with a core.
typedef enum {
  ACL_RT_AICORE_ERROR_UNKNOWN = 0,
  ACL_RT_AICORE_ERROR_SW = 1,
  ACL_RT_AICORE_ERROR_HW_LOCAL = 2
} aclrtAicoreErrorType;

/// Lengths of the arrays below, and of those that programs pass.
#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128
#define UCE_INFO_RESERVED_SIZE 14
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20
#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 20U

/// Memory that the device cannot correct.
typedef struct aclrtMemUceInfo {
  void* addr;
  size_t len;
  size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

/// Several ranges of such memory; the first `arraySize` count.
typedef struct aclrtMemUceInfoArray {
  size_t arraySize;
  aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;

/// What is known of an error, in the member that belongs to its type.
typedef union aclrtErrorInfoDetail {
  aclrtMemUceInfoArray uceInfo;
  aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

/// An error of the device, whether it can be mended, and whether more is known.
typedef struct aclrtErrorInfo {
  uint8_t tryRepair;
  uint8_t hasDetail;
  uint8_t reserved[2];
  aclrtErrorType errorType;
  aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

/// What is wrong with the device. soma: its memory and cores do not break, so it is ACL_RT_NO_ERROR.
/// Threads: any. Errors: 100000 `errorInfo` is NULL; 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo);

/// Mends what aclrtGetErrorVerbose told. With ACL_RT_NO_ERROR there is nothing to do.
/// Threads: any.
/// Errors: 100000 `errorInfo` is NULL; 107001 there is no such device; 207000 for anything else.
ACL_FUNC_VISIBILITY aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo);

/// Memory that cannot be corrected, and mending it. soma: there is none, so `*retSize` is 0.
/// Threads: any.
/// Errors: 100000 a pointer is NULL or `arraySize` is 0 or above 128; 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray,
                                                size_t arraySize, size_t* retSize);
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray,
                                               size_t arraySize);

/// How long a kernel may run: in seconds, milliseconds, or microseconds; V2 tells what is really used. 0
/// sets the default of 1868 seconds. soma: it is noted, and no kernel is ended by it.
/// Threads: any. Errors: 100000 the result's pointer is NULL; 107002.
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout);
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t* timeoutMs);

#ifdef __cplusplus
}
#endif

#endif
