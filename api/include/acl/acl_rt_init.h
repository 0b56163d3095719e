/// Start and end of the library, its version, and what went wrong last.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_INIT_H
#define SOMA_ACL_RT_INIT_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the interface.
#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 17
#define ACL_PATCH_VERSION 0

/// Where the program runs: on the device or on the host beside it.
typedef enum { ACL_DEVICE = 0, ACL_HOST = 1 } aclrtRunMode;

/// Whose last error is meant. There is only the calling thread's.
typedef enum { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;

/// Starts the library, or counts one more user of it. `configPath` names a JSON file; NULL and an
/// empty file mean defaults. The file is read during the call. After a full finalize the library
/// can be started again.
/// Threads: any; concurrent calls run one after the other.
/// Errors: 100002 it runs already: the count went up all the same, the file was not read, and a
/// caller may go on; 100003 the file cannot be opened; 100006 it is not JSON or nests too deep;
/// 100000 started again with a file whose content differs from that of the process's first start.
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);

/// Ends the library for all its users at once. Resets no device: do that first.
/// Threads: any but the device's. Errors: 100037 it does not run; 207006.
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/// Takes one user off, and ends the library when none is left. `*refCount` gets what remains;
/// `refCount` may be NULL.
/// Threads: any but the device's. Errors: 100037 there is none; 207006.
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t* refCount);

/// Whom a function that is called at the start or the end serves. For soma they are names only; functions are
/// called in the order of these numbers.
typedef enum {
  ACL_REG_TYPE_ACL_MODEL = 0,
  ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
  ACL_REG_TYPE_ACL_OP_CBLAS = 2,
  ACL_REG_TYPE_ACL_OP_COMPILER = 3,
  ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
  ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
  ACL_REG_TYPE_ACL_DVPP = 6,
  ACL_REG_TYPE_ACL_RETR = 7,
  ACL_REG_TYPE_OTHER = 0xFFFF
} aclRegisterCallbackType;

/// Called when the library starts, with the text of its configuration, which is "" without a file and lasts
/// for the call. Anything but 0 ends the start, and is what aclInit returns.
typedef aclError (*aclInitCallbackFunc)(const char* configStr, size_t len, void* userData);

/// Called when the library ends; anything but 0 is what aclFinalize returns.
typedef aclError (*aclFinalizeCallbackFunc)(void* userData);

/// Registers a function to be called at each start; if the library runs, it is called at once as well.
/// `userData` may be NULL and stays the caller's. There is one function for each type, but any number of
/// ACL_REG_TYPE_OTHER. Threads: any. Errors: 100000 `cbFunc` is NULL or the type unknown; 500000 the type has
/// its function.
ACL_FUNC_VISIBILITY aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc,
                                                     void* userData);

/// Takes it away again.
/// Threads: any. Errors: 100000 `cbFunc` is NULL or the type unknown; 500000 it is not registered.
ACL_FUNC_VISIBILITY aclError aclInitCallbackUnRegister(aclRegisterCallbackType type,
                                                       aclInitCallbackFunc cbFunc);

/// The same for the library's end; nothing is called at once.
/// Threads and errors: as above.
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
                                                         aclFinalizeCallbackFunc cbFunc, void* userData);
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                                           aclFinalizeCallbackFunc cbFunc);

/// The text of the calling thread's recent failures, newest first, or NULL if there are none since
/// the last call. Reading takes it away. The text is the library's, and lasts until the thread's
/// next call of this function. soma: when a pool cannot serve a request, it names what was wanted,
/// what is used, idle and allowed, the largest block to be had, and the streams whose pending
/// frees would give more.
/// Threads: any.
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

/// Returns the calling thread's last error and sets it to 0. It is set by failures from below the
/// argument checks and by failed tasks that a synchronise reported; the checks that give 100000
/// leave it alone.
/// Threads: any. Errors: 100000 (as the result) `level` is not ACL_RT_THREAD_LEVEL.
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/// As aclrtGetLastError, but the value stays.
/// Threads: any. Errors: 100000 (as the result) `level` is not ACL_RT_THREAD_LEVEL.
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/// The version as numbers: ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION. Needs no
/// context. Deprecated in CANN.
/// Threads: any. Errors: 100000 a pointer is NULL.
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion,
                                             int32_t* patchVersion);

/// The name of the chip, or NULL on failure. Needs no context. The text is the library's, lasts as
/// long as the process, and does not change. soma: it names the chip that is simulated.
/// Threads: any.
ACL_FUNC_VISIBILITY const char* aclrtGetSocName(void);

/// Where the program runs: always ACL_HOST. Needs no context.
/// Threads: any. Errors: 100000 `runMode` is NULL.
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode* runMode);

#ifdef __cplusplus
}
#endif

#endif
