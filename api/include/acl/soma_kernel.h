/// soma's own addition: kernels that are functions of this process. A registered kernel is
/// launched with the calls of acl_rt_kernel.h. No acl.h of CANN has this header; a program that is
/// to run on both keeps it behind a condition.
#ifndef SOMA_ACL_SOMA_KERNEL_H
#define SOMA_ACL_SOMA_KERNEL_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A kernel. A launch runs it once for each `block` from 0 to `blocks` - 1, on threads of the
/// device; the stream's next task runs after the last of them. `args` are the packed arguments,
/// `argsBytes` bytes, to be read only and only during the call.
/// It returns 0, or anything else for failure. A failed task is what follows from that, and also
/// from a C++ exception that leaves the kernel and from a fatal signal (SIGSEGV, SIGBUS, SIGFPE,
/// SIGILL, SIGTRAP) on the device's thread. It is reported as 507035 by the stream's next
/// synchronise; the process lives on. After a signal, destructors and unlocks of the kernel have
/// not run.
/// Inside, calls that allocate, free, launch or wait return 207006.
typedef int (*somaKernel)(const void* args, size_t argsBytes, uint32_t block, uint32_t blocks);

/// Registers a kernel under a name and gives a handle that launches it. Needs no context. The name
/// is copied. The kernel stays registered, and must stay callable, until the process ends; the
/// handle lasts as long. The same name with the same kernel again gives the same handle.
/// Threads: any.
/// Errors: 100000 an argument is NULL; 107000 the name is taken by another kernel, and `*function`
/// is NULL; 207001.
ACL_FUNC_VISIBILITY aclError somaKernelRegister(const char* name, somaKernel kernel,
                                                aclrtFuncHandle* function);

/// Finds a registered kernel by its name: the handle that somaKernelRegister gave. Needs no
/// context.
/// Threads: any.
/// Errors: 100000 an argument is NULL; 107000 there is no such name, and `*function` is NULL.
ACL_FUNC_VISIBILITY aclError somaKernelFind(const char* name, aclrtFuncHandle* function);

/// Whether the kernel or host function that calls this is to end (aclrtStreamStop, aclrtStreamAbort): 1 or 0.
/// One that runs for long asks now and then, and returns when it is 1.
/// Threads: the device's; elsewhere it is 0.
ACL_FUNC_VISIBILITY int somaKernelStopRequested(void);

#ifdef __cplusplus
}
#endif

#endif
