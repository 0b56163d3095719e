/// For C++: the same calls under shorter names, with types. Conventions: acl_rt.h. acl.h leaves this header
/// out. Each is the function that it names; what that says holds.
#ifndef SOMA_ACL_RT_API_H
#define SOMA_ACL_RT_API_H

#include "acl/acl_rt.h"

#ifdef __cplusplus

/// With a limit in milliseconds: aclrtSynchronizeDeviceWithTimeout and its kin.
inline aclError aclrtSynchronizeDevice(int32_t timeout) { return aclrtSynchronizeDeviceWithTimeout(timeout); }

/// aclrtSynchronizeStreamWithTimeout, in milliseconds.
inline aclError aclrtSynchronizeStream(aclrtStream stream, int32_t timeout) {
  return aclrtSynchronizeStreamWithTimeout(stream, timeout);
}

/// aclrtSynchronizeEventWithTimeout, in milliseconds.
inline aclError aclrtSynchronizeEvent(aclrtEvent event, int32_t timeout) {
  return aclrtSynchronizeEventWithTimeout(event, timeout);
}

/// With a limit in seconds: aclrtStreamWaitEventWithTimeout.
inline aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return aclrtStreamWaitEventWithTimeout(stream, event, timeout);
}

/// aclrtSetOpExecuteTimeOutV2.
inline aclError aclrtSetOpExecuteTimeOut(uint64_t timeout, uint64_t* actualTimeout) {
  return aclrtSetOpExecuteTimeOutV2(timeout, actualTimeout);
}

/// aclrtCreateStreamWithConfig.
inline aclError aclrtCreateStream(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return aclrtCreateStreamWithConfig(stream, priority, flag);
}

/// aclrtCreateEventExWithFlag: an event of the NEW kind, whereas aclrtCreateEvent without a flag makes an OLD
/// one.
inline aclError aclrtCreateEvent(aclrtEvent* event, uint32_t flag) {
  return aclrtCreateEventExWithFlag(event, flag);
}

/// aclrtMallocWithCfg and aclrtMallocHostWithCfg. Sizes are in bytes, whatever T is.
template <class T>
aclError aclrtMalloc(T** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg = nullptr) {
  return aclrtMallocWithCfg(reinterpret_cast<void**>(devPtr), size, policy, cfg);
}

/// The same, from huge pages if there are any.
template <class T>
aclError aclrtMalloc(T** devPtr, size_t size, aclrtMallocConfig* cfg = nullptr) {
  return aclrtMallocWithCfg(reinterpret_cast<void**>(devPtr), size, ACL_MEM_MALLOC_HUGE_FIRST, cfg);
}

/// aclrtMallocHostWithCfg. Sizes are in bytes, whatever T is.
template <class T>
aclError aclrtMallocHost(T** hostPtr, size_t size, aclrtMallocConfig* cfg = nullptr) {
  return aclrtMallocHostWithCfg(reinterpret_cast<void**>(hostPtr), size, cfg);
}

/// Copies between addresses of any types; sizes are in bytes.
template <class T, class U>
aclError aclrtMemcpy(T* dst, size_t destMax, const U* src, size_t count, aclrtMemcpyKind kind) {
  return aclrtMemcpy(static_cast<void*>(dst), destMax, static_cast<const void*>(src), count, kind);
}

/// The same as a task of the stream.
template <class T, class U>
aclError aclrtMemcpyAsync(T* dst, size_t destMax, const U* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  return aclrtMemcpyAsync(static_cast<void*>(dst), destMax, static_cast<const void*>(src), count, kind,
                          stream);
}

/// aclrtMemcpy2d, between addresses of any types: rows of `width` bytes. Pitches are in bytes, too.
template <class T, class U>
aclError aclrtMemcpy2d(T* dst, size_t dpitch, const U* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  return aclrtMemcpy2d(static_cast<void*>(dst), dpitch, static_cast<const void*>(src), spitch, width, height,
                       kind);
}

/// aclrtMemcpy2dAsync, between addresses of any types: the same as a task of the stream.
template <class T, class U>
aclError aclrtMemcpy2dAsync(T* dst, size_t dpitch, const U* src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream) {
  return aclrtMemcpy2dAsync(static_cast<void*>(dst), dpitch, static_cast<const void*>(src), spitch, width,
                            height, kind, stream);
}

/// aclrtMemcpyBatch, between addresses of any types; sizes are in bytes. Without `failIndex` it is
/// aclrtMemcpyBatchV2.
template <class T, class U>
aclError aclrtMemcpyBatch(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                          size_t* failIndex = nullptr) {
  void** const to = reinterpret_cast<void**>(dsts);
  void** const from = reinterpret_cast<void**>(srcs);
  if (failIndex == nullptr)
    return aclrtMemcpyBatchV2(to, destMaxs, from, sizes, numBatches, attrs, attrsIndexes, numAttrs);
  return aclrtMemcpyBatch(to, destMaxs, from, sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex);
}

/// The same with one attribute for all copies.
template <class T, class U>
aclError aclrtMemcpyBatch(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr attr, size_t* failIndex = nullptr) {
  size_t first = 0;
  return aclrtMemcpyBatch<T, U>(dsts, destMaxs, srcs, sizes, numBatches, &attr, &first, 1, failIndex);
}

/// aclrtMemcpyBatchAsyncV2, between addresses of any types: the copies as one task of the stream. Sizes are
/// in bytes. Which copy is wrong is not told.
template <class T, class U>
aclError aclrtMemcpyBatchAsync(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                               aclrtStream stream) {
  return aclrtMemcpyBatchAsyncV2(reinterpret_cast<void**>(dsts), destMaxs, reinterpret_cast<void**>(srcs),
                                 sizes, numBatches, attrs, attrsIndexes, numAttrs, stream);
}

/// aclrtMemcpyBatchAsync, between addresses of any types; sizes are in bytes. `*failIndex` is the copy that
/// is wrong.
template <class T, class U>
aclError aclrtMemcpyBatchAsync(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes, size_t numAttrs,
                               size_t* failIndex, aclrtStream stream) {
  return aclrtMemcpyBatchAsync(reinterpret_cast<void**>(dsts), destMaxs, reinterpret_cast<void**>(srcs),
                               sizes, numBatches, attrs, attrsIndexes, numAttrs, failIndex, stream);
}

/// aclrtMemcpyBatchAsyncV2 with one attribute for all copies. It is read before the call returns.
template <class T, class U>
aclError aclrtMemcpyBatchAsync(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr attr, aclrtStream stream) {
  size_t first = 0;
  return aclrtMemcpyBatchAsync<T, U>(dsts, destMaxs, srcs, sizes, numBatches, &attr, &first, 1, stream);
}

/// aclrtMemcpyBatchAsync with one attribute for all copies.
template <class T, class U>
aclError aclrtMemcpyBatchAsync(T** dsts, size_t* destMaxs, U** srcs, size_t* sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr attr, size_t* failIndex, aclrtStream stream) {
  size_t first = 0;
  return aclrtMemcpyBatchAsync<T, U>(dsts, destMaxs, srcs, sizes, numBatches, &attr, &first, 1, failIndex,
                                     stream);
}

/// aclrtPointerGetAttributes, for an address of any type.
template <class T>
aclError aclrtPointerGetAttributes(const T* ptr, aclrtPtrAttributes* attributes) {
  return aclrtPointerGetAttributes(static_cast<const void*>(ptr), attributes);
}

/// Registration of host memory; with flags it is aclrtHostRegisterV2.
template <class T>
aclError aclrtHostRegister(T* ptr, uint64_t size, aclrtHostRegisterType type, T** devPtr) {
  return aclrtHostRegister(static_cast<void*>(ptr), size, type, reinterpret_cast<void**>(devPtr));
}

/// aclrtHostRegisterV2.
template <class T>
aclError aclrtHostRegister(T* ptr, uint64_t size, uint32_t flag) {
  return aclrtHostRegisterV2(static_cast<void*>(ptr), size, flag);
}

/// aclrtHostGetDevicePointer, for any types.
template <class T>
aclError aclrtHostGetDevicePointer(T* pHost, T** pDevice, uint32_t flag) {
  return aclrtHostGetDevicePointer(static_cast<void*>(pHost), reinterpret_cast<void**>(pDevice), flag);
}

/// aclrtHostUnregister, for any type.
template <class T>
aclError aclrtHostUnregister(T* ptr) {
  return aclrtHostUnregister(static_cast<void*>(ptr));
}

/// aclrtMemAllocManaged. The size is in bytes, whatever T is.
template <class T>
aclError aclrtMemAllocManaged(T** devPtr, size_t size, uint32_t flags = ACL_RT_MEM_ATTACH_GLOBAL) {
  return aclrtMemAllocManaged(reinterpret_cast<void**>(devPtr), size, flags);
}

/// aclrtMemManagedPrefetchAsync, for an address of any type. The size is in bytes, whatever T is.
template <class T>
aclError aclrtMemManagedPrefetchAsync(const T* ptr, size_t size, aclrtMemManagedLocation location,
                                      uint32_t flags, aclrtStream stream) {
  return aclrtMemManagedPrefetchAsync(static_cast<const void*>(ptr), size, location, flags, stream);
}

/// aclrtMemManagedPrefetchBatchAsync, for addresses of any type. Sizes are in bytes.
template <class T>
aclError aclrtMemManagedPrefetchBatchAsync(const T** ptrs, size_t* sizes, size_t count,
                                           aclrtMemManagedLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                           size_t numPrefetchLocs, uint64_t flags, aclrtStream stream) {
  return aclrtMemManagedPrefetchBatchAsync(reinterpret_cast<const void**>(ptrs), sizes, count, prefetchLocs,
                                           prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

/// The same with one place for all ranges.
template <class T>
aclError aclrtMemManagedPrefetchBatchAsync(const T** ptrs, size_t* sizes, size_t count,
                                           aclrtMemManagedLocation prefetchLoc, uint64_t flags,
                                           aclrtStream stream) {
  size_t first = 0;
  return aclrtMemManagedPrefetchBatchAsync<T>(ptrs, sizes, count, &prefetchLoc, &first, 1, flags, stream);
}

#endif

#endif
