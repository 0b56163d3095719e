/// Kernels: where they come from and how they are launched. soma: a kernel is a function of this
/// process of the type somaKernel (soma_kernel.h), run by a thread of the device once for each
/// block index. Putting arguments together is in acl_rt_kernel_args.h.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_KERNEL_H
#define SOMA_ACL_RT_KERNEL_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Values of ACL_RT_BINARY_LOAD_OPT_MAGIC: the kind of core a file was made for.
#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U

/// Names a load option. LAZY_MAGIC is another name of MAGIC.
typedef enum {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3
} aclrtBinaryLoadOptionType;

/// The value of a load option, in the member that belongs to it.
typedef union {
  uint32_t isLazyLoad;
  uint32_t magic;
  int32_t cpuKernelMode;
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

/// A load option and its value.
typedef struct {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

/// `numOpt` options, in memory of the caller that is read during the call only.
typedef struct {
  aclrtBinaryLoadOption* options;
  size_t numOpt;
} aclrtBinaryLoadOptions;

/// The cores a kernel runs on: cube (AIC) or vector (AIV).
typedef enum { ACL_RT_ENGINE_TYPE_AIC = 0, ACL_RT_ENGINE_TYPE_AIV = 1 } aclrtEngineType;

/// A time limit of 64 bits in two halves, in microseconds.
typedef struct {
  uint32_t timeoutLow;
  uint32_t timeoutHigh;
} aclrtTimeoutUs;

/// Names a launch attribute. TIMEOUT is in seconds, TIMEOUT_US in microseconds; they exclude each
/// other. LOCAL_MEMORY_SIZE and DYN_UBUF_SIZE are the same attribute, in bytes.
typedef enum {
  ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
  ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
  ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9
} aclrtLaunchKernelAttrId;

/// The value of a launch attribute, in the member that belongs to it.
typedef union {
  uint8_t schemMode;
  uint32_t localMemorySize;
  uint32_t dynUBufSize;
  aclrtEngineType engineType;
  uint32_t blockDimOffset;
  uint8_t isBlockTaskPrefetch;
  uint8_t isDataDump;
  uint16_t timeout;
  aclrtTimeoutUs timeoutUs;
  uint8_t enableProfiling;
  uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

/// A launch attribute and its value.
typedef struct {
  aclrtLaunchKernelAttrId id;
  aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

/// `numAttrs` attributes, in memory of the caller that is read during the call only.
typedef struct {
  aclrtLaunchKernelAttr* attrs;
  size_t numAttrs;
} aclrtLaunchKernelCfg;

/// Loads a file of kernels. `options` may be NULL. The caller unloads it with aclrtBinaryUnLoad.
/// soma: the file is a shared library of this computer, and its kernels are the functions of the
/// type somaKernel that it exports with C names; programs of an Ascend core cannot run here.
/// Threads: any.
/// Errors: 100000 `binPath` or `binHandle` is NULL; 107000 the file cannot be read or is not such
/// a library; 207001.
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options,
                                                     aclrtBinHandle* binHandle);

/// Unloads a file. Its handle and those of its functions are dead (107017). The caller first
/// synchronises with the kernels it has launched from it.
/// Threads: any. Errors: 100000 `binHandle` is NULL; 107017.
ACL_FUNC_VISIBILITY aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/// Finds a kernel of a loaded file by its name. The handle is the file's and lasts as long as it.
/// Threads: any.
/// Errors: 100000 an argument is NULL; 107000 there is no such kernel, and `*funcHandle` is NULL;
/// 107002; 107017.
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunction(aclrtBinHandle binHandle, const char* kernelName,
                                                    aclrtFuncHandle* funcHandle);

/// Writes a kernel's name and a 0 byte into the caller's `name`, which has room for `maxLen` bytes.
/// Threads: any.
/// Errors: 100000 `funcHandle` or `name` is NULL; 107000 the name with its 0 byte needs more room;
/// 107017.
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char* name);

/// Queues a kernel with `numBlocks` blocks. `argsData` is device memory of the caller that holds
/// the packed arguments, `argsSize` bytes; it is read when the kernel runs and must stay as it is
/// until then. soma: memory of aclrtMallocHost counts as device memory here; other host memory is
/// accepted, too, and copied during the call. NULL means the default stream.
/// Threads: any but the device's.
/// Errors: 100000 `funcHandle` or `argsData` is NULL; 107000 `numBlocks` is 0; 107002; 107003;
/// 107017; 207006. A kernel that fails is 507035 at the stream's next synchronise.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                               const void* argsData, size_t argsSize, aclrtStream stream);

/// As aclrtLaunchKernel, with attributes; `cfg` may be NULL. Unknown attributes are ignored.
/// Threads: any but the device's.
/// Errors: those of aclrtLaunchKernel; 107000 `cfg` has no attrs, has both TIMEOUT and TIMEOUT_US,
/// or an unknown schemMode.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                 const void* argsData, size_t argsSize,
                                                 aclrtLaunchKernelCfg* cfg, aclrtStream stream);

/// Queues a kernel with the arguments of a finalized `argsHandle`. They are copied during the
/// call, so the handle may be changed or used again at once. `cfg` may be NULL, `reserve` must be.
/// NULL means the default stream.
/// Threads: any but the device's, one at a time for one `argsHandle`.
/// Errors: 100000 `funcHandle` or `argsHandle` is NULL, `numBlocks` is 0, or `reserve` is not NULL;
/// 107000 the arguments are not finalized or were updated since, or what aclrtLaunchKernelV2 says
/// about `cfg`; 107002; 107003; 107017; 207006. A kernel that fails is 507035 at the stream's next
/// synchronise.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                         aclrtStream stream, aclrtLaunchKernelCfg* cfg,
                                                         aclrtArgsHandle argsHandle, void* reserve);

/// A pointer among arguments in host memory: the 8 bytes at `addrOffset` are to hold the address of the data
/// that begin at `dataOffset`. Both are bytes from the arguments' begin.
typedef struct {
  uint32_t addrOffset;
  uint32_t dataOffset;
} aclrtPlaceHolderInfo;

/// As aclrtLaunchKernelV2 with arguments in host memory, which are copied during the call, with the data
/// behind them. Each of the `placeHolderNum` entries of `placeHolderArray` (NULL if there are none) becomes a
/// pointer into the copy. NULL means the default stream. Threads: any but the device's. Errors: 100000
/// `funcHandle` or `hostArgs` is NULL; 107000 `numBlocks` or `argsSize` is 0, an entry is not within the
/// arguments, there are entries but no array, or what aclrtLaunchKernelV2 says about `cfg`; 107002; 107003;
/// 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                           aclrtStream stream, aclrtLaunchKernelCfg* cfg,
                                                           void* hostArgs, size_t argsSize,
                                                           aclrtPlaceHolderInfo* placeHolderArray,
                                                           size_t placeHolderNum);

#ifdef __cplusplus
}
#endif

#endif
