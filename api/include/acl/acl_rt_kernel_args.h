/// Putting a kernel's arguments together: Init, then Append for each argument, then Finalize, then
/// aclrtLaunchKernelWithConfig. What the kernel gets is one packed buffer in which each argument
/// starts at a multiple of 8 bytes. A placeholder is an 8-byte pointer to data that travels with
/// the arguments. At most 128 arguments and 64 KiB.
/// An args handle is for one thread at a time.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_KERNEL_ARGS_H
#define SOMA_ACL_RT_KERNEL_ARGS_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Starts an empty list of arguments for a kernel. The handle is the calling thread's only one:
/// its next call of this function starts it anew. It needs no destroying.
/// Threads: any, each its own handle. Errors: 100000 an argument is NULL; 107017; 207001.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle* argsHandle);

/// As aclrtKernelArgsInit, in the caller's memory: `argsHandle` points to as many bytes as
/// aclrtKernelArgsGetHandleMemSize says, `userHostMem` to `actualArgsSize` bytes, which
/// aclrtKernelArgsGetMemSize tells. Both stay the caller's and must last until the last launch
/// with them has returned. A thread may have many.
/// Threads: any. Errors: 100000 a pointer is NULL or `actualArgsSize` is 0; 107017.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
                                                          aclrtArgsHandle argsHandle, void* userHostMem,
                                                          size_t actualArgsSize);

/// How many bytes the caller has to provide for a handle.
/// Threads: any. Errors: 100000 an argument is NULL; 107017.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t* memSize);

/// How many bytes the caller has to provide for arguments that take `userArgsSize` bytes, data
/// behind placeholders included.
/// Threads: any. Errors: 100000 `funcHandle` or `actualArgsSize` is NULL; 107017.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize,
                                                       size_t* actualArgsSize);

/// Adds an argument: copies `paramSize` bytes from `param` during the call. `*paramHandle` names it
/// and lasts as long as the list.
/// Threads: one at a time for one list.
/// Errors: 100000 a pointer is NULL or `paramSize` is 0; 107000 too many or too large; 107017;
/// 207000 after Finalize or after aclrtKernelArgsGetPlaceHolderBuffer.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param, size_t paramSize,
                                                   aclrtParamHandle* paramHandle);

/// Adds a placeholder: an 8-byte slot that will hold the address of its data.
/// Threads: one at a time for one list. Errors: those of aclrtKernelArgsAppend.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                                              aclrtParamHandle* paramHandle);

/// Gives a placeholder `dataSize` bytes of data and returns, in `*bufferAddr`, where the caller
/// writes them. The buffer is the list's. From then on no argument can be added.
/// Threads: one at a time for one list.
/// Errors: 100000 a pointer is NULL or `dataSize` is 0; 107000 not a placeholder, or too large;
/// 107017.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                                                 aclrtParamHandle paramHandle,
                                                                 size_t dataSize, void** bufferAddr);

/// Replaces the value of an ordinary argument; its size stays. Finalize again before a launch.
/// Threads: one at a time for one list.
/// Errors: 100000 a pointer is NULL or `paramSize` is 0; 107000 a placeholder, or another size;
/// 107017.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
                                                       aclrtParamHandle paramHandle, void* param,
                                                       size_t paramSize);

/// Closes the list, which can then be launched, as often as wanted.
/// Threads: one at a time for one list. Errors: 100000 `argsHandle` is NULL; 107002; 107017.
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

#ifdef __cplusplus
}
#endif

#endif
