/// Copies of rectangles and of several ranges at once, copies whose addresses are in device memory, and fills
/// with 32-bit values. Conventions and the codes without a reason: acl_rt.h; what is said of aclrtMemcpy and
/// aclrtMemcpyAsync (acl_rt_memory.h) about kinds, contexts and host memory holds here, too.
#ifndef SOMA_ACL_RT_MEMORY_COPY_H
#define SOMA_ACL_RT_MEMORY_COPY_H

#include "acl/acl_base.h"
#include "acl/acl_rt_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Copies `height` rows of `width` bytes, which begin every `dpitch` and `spitch` bytes. Kinds:
/// HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT. A width or height of 0 succeeds, whatever the
/// rest is. Threads: any but the device's. Errors: 100000 `dst` or `src` is NULL, `width` is above a pitch,
/// or `kind` is another; 107002; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch,
                                           size_t width, size_t height, aclrtMemcpyKind kind);

/// Queues what aclrtMemcpy2d does. NULL means the default stream.
/// Threads: any but the device's.
/// Errors: as above; 107000 `width` is above 5000000 or `height` above 5242880, or `kind` contradicts the
/// addresses; 107003; 107017; 207000 from host to host.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                                                size_t width, size_t height, aclrtMemcpyKind kind,
                                                aclrtStream stream);

/// Where the memory of copies is; `rsv` all 0.
typedef struct {
  aclrtMemLocation dstLoc;
  aclrtMemLocation srcLoc;
  uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/// Makes `numBatches` copies: `sizes[i]` bytes from `srcs[i]` to `dsts[i]`, where there is room for
/// `destMaxs[i]`. attrs[k] holds from copy attrsIndexes[k] on; attrsIndexes begins with 0 and rises.
/// `*failIndex` (it may be NULL) is the copy that is wrong, or SIZE_MAX if the fault is in none of them. If
/// all sizes are 0, nothing is done. On an error nothing is copied. Threads: any but the device's. Errors:
/// 100000 an array is NULL, `numBatches` or `numAttrs` is 0, a size is above its room, an index or a
/// location's type is wrong, or a byte of `rsv` is not 0; 107000 an address is not where the attribute says;
/// 107002; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                              size_t numBatches, aclrtMemcpyBatchAttr* attrs,
                                              size_t* attrsIndexes, size_t numAttrs, size_t* failIndex);
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                                size_t numBatches, aclrtMemcpyBatchAttr* attrs,
                                                size_t* attrsIndexes, size_t numAttrs);

/// Queues the copies as one task. NULL means the default stream. Host memory must be from aclrtMallocHost or
/// registered.
/// Threads: any but the device's. Errors: as above; 107000 other host memory; 107003; 107017.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs, size_t* sizes,
                                                   size_t numBatches, aclrtMemcpyBatchAttr* attrs,
                                                   size_t* attrsIndexes, size_t numAttrs, size_t* failIndex,
                                                   aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs,
                                                     size_t* sizes, size_t numBatches,
                                                     aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                                     size_t numAttrs, aclrtStream stream);

/// As aclrtMemcpyAsync, but never waits: host memory must be from aclrtMallocHost or registered.
/// Threads: any but the device's. Errors: those of aclrtMemcpyAsync; 107000 other host memory.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src,
                                                           size_t count, aclrtMemcpyKind kind,
                                                           aclrtStream stream);

/// A copy that is described in device memory and read when the task runs. The size of a description; writing
/// one (`desc` is device memory at a multiple of 64 bytes; `config` is NULL); queueing the copy. The only
/// kind is INNER_DEVICE_TO_DEVICE. Threads: any; writing and queueing: any but the device's. Errors: 100000 a
/// pointer is NULL (`config`: is not), or `kind` is another; 107000 `desc` is no device memory or not
/// aligned, or `count` is 0; 107002; 107003; 107017; 207006. A task whose description was never written
/// fails.
ACL_FUNC_VISIBILITY aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize);
ACL_FUNC_VISIBILITY aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr,
                                                void* dstAddr, size_t count, void* config);
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream);

/// Queues a copy between addresses that are read from device memory when the task runs: `count` bytes from
/// `*src + srcDataOffset` to `*dst + dstDataOffset`. The only kind is INNER_DEVICE_TO_DEVICE.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL, or `kind` is another; 107000 `count` with `dstDataOffset` is above
/// `destMax`; 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset,
                                                        void** src, size_t count, size_t srcDataOffset,
                                                        aclrtMemcpyKind kind, aclrtStream stream);

/// Sets `N` 32-bit words at `ptr` to `value`, now, or as a task of the stream (NULL: the default stream). `N`
/// 0 succeeds, whatever the rest is. The memory is the device's, or from aclrtMallocHost, or registered.
/// Threads: any but the device's.
/// Errors: 100000 `ptr` is NULL, no multiple of 4, or other memory, or `memSize` is below 4 * `N`; 107002;
/// 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N);
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value, size_t N,
                                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
