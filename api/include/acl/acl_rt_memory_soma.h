/// Stream-ordered memory pools. Malloc and free are placed in a stream: the memory may be used by
/// tasks behind the malloc and in front of the free, on that stream or on others that events order
/// so. Neither makes the caller wait for tasks. Not included by acl.h, as in CANN.
///
/// A block is busy from its malloc to its free. From then on it belongs to the position of the
/// free, on the stream that was given to the free, and is idle: the pool keeps its physical memory
/// until it is used again or released. reserved = busy + idle, used = busy, both counted in blocks
/// rounded up to 2 MiB (2097152 bytes) and changed at the call, not when the task runs.
///
/// soma: the rules of reuse. A stream may get an idle block
///   1. whose free is on the same stream: always;
///   2. whose free it is ordered after, by events: with FOLLOW_EVENT_DEPENDENCIES; or because the
///      host has seen the free complete, by a synchronise or a query: always;
///   3. whose free has run, though no order says so: with ALLOW_OPPORTUNISTIC;
///   4. any other, by making the stream wait for the free: with ALLOW_INTERNAL_DEPENDENCIES, and
///      only when the pool has no new memory left.
/// They are tried as 1, 2, 3, new memory, 4, and within each the block closest in size is taken,
/// then the lowest address. Only 3 depends on timing; otherwise the same calls give the same reuse.
/// At the end of each stream, event or device synchronise, idle memory whose free has run is
/// released until no more than the threshold is idle. Released memory goes back to the operating
/// system.
///
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_MEMORY_SOMA_H
#define SOMA_ACL_RT_MEMORY_SOMA_H

#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A pool. Pools belong to the process, not to a context.
typedef void* aclrtMemPool;

/// What can be set and read. The three REUSE switches are uint32_t, 0 or 1, and 0 in a new pool.
/// The others are uint64_t numbers of bytes, 0 in a new pool. HIGH is the largest value of CURRENT;
/// writing 0 resets it, and it reads 0 until the next malloc lifts it to the then-current value.
typedef enum {
  ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES = 0x1,
  ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC = 0x2,
  ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 0x3,
  ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD = 0x4,
  ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT = 0x5,
  ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH = 0x6,
  ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT = 0x7,
  ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH = 0x8
} aclrtMemPoolAttr;

/// How a pool is to be made. `allocType` PINNED; `handleType` POSIX to share it (soma_pool_sharing.h), or
/// any; `location` type DEVICE and the device's id; `maxSize` bytes, 0 for all of the device; `reserved` all
/// 0.
typedef struct {
  aclrtMemAllocationType allocType;
  aclrtMemHandleType handleType;
  aclrtMemLocation location;
  size_t maxSize;
  unsigned char reserved[32];
} aclrtMemPoolProps;

/// The layout is part of the binary interface, on systems with 64-bit pointers.
#if UINTPTR_MAX == UINT64_MAX
#if defined(__cplusplus)
#define SOMA_LAYOUT(condition) static_assert(condition, #condition)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SOMA_LAYOUT(condition) _Static_assert(condition, #condition)
#endif
#ifdef SOMA_LAYOUT
SOMA_LAYOUT(sizeof(aclrtMemPoolProps) == 56);
SOMA_LAYOUT(offsetof(aclrtMemPoolProps, allocType) == 0);
SOMA_LAYOUT(offsetof(aclrtMemPoolProps, handleType) == 4);
SOMA_LAYOUT(offsetof(aclrtMemPoolProps, location) == 8);
SOMA_LAYOUT(offsetof(aclrtMemPoolProps, maxSize) == 16);
SOMA_LAYOUT(offsetof(aclrtMemPoolProps, reserved) == 24);
SOMA_LAYOUT(sizeof(aclrtMemLocation) == 8);
SOMA_LAYOUT(offsetof(aclrtMemLocation, type) == 4);
#undef SOMA_LAYOUT
#endif
#endif

/// Makes a pool. Only address space is taken; used and reserved are 0. `poolProps` is read during
/// the call. The size is `maxSize` rounded up to 2 MiB, or for 0 the device's total rounded down.
/// Several pools may together be larger than the device. `*memPool` is written on success only.
/// The caller destroys it.
/// Threads: any but the device's. Errors: 100000 a pointer is NULL, `allocType` or the location's
/// type is another, or a byte of `reserved` is not 0; 107000 the size is larger than the device or
/// cannot be rounded up; 107001 there is no such device; 107002; 207001; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps);

/// Destroys a pool, at once and without waiting. The handle is dead. soma: blocks that are busy
/// stay usable and can be freed; the pool's memory goes when the last free has run.
/// Threads: any but the device's. Errors: 100000 `memPool` is NULL; 107002; 507000 it is no live
/// pool; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemPoolDestroy(aclrtMemPool memPool);

/// Sets an attribute. `value` points to a uint32_t for the REUSE switches (anything but 0 counts as
/// 1), else to a uint64_t; it is read during the call. Releases nothing by itself. soma: any
/// threshold is accepted, up to UINT64_MAX for "keep all".
/// Threads: any.
/// Errors: 100000 `memPool` is NULL; 107000 `value` is NULL, it is no live pool, or `attr` is
/// unknown or one of the two CURRENT; 107002 (not for the switches); 507000 a HIGH is set to
/// anything but 0. Nothing changes then.
ACL_FUNC_VISIBILITY aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value);

/// Reads an attribute into the caller's uint32_t (REUSE switches) or uint64_t (the others).
/// Threads: any, the device's included.
/// Errors: 100000 `memPool` is NULL; 107000 `value` is NULL, it is no live pool, or `attr` is
/// unknown; 107002 (not for the switches).
ACL_FUNC_VISIBILITY aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value);

/// Queues a malloc of `size` bytes, rounded up to 2 MiB. `*ptr` is known at the return; the memory
/// may be used from the malloc's position in the stream on. Contents are not set. The address is a
/// multiple of 2 MiB from the pool's start. The caller frees it. soma: on failure `*ptr` is NULL
/// and nothing changes.
/// Threads: any but the device's.
/// Errors: 100000 `ptr`, `memPool` or `stream` is NULL (there is no default stream here), or `size`
/// is 0 (soma); 107000 `size` cannot be rounded up; 107003 (also without a context); 107017;
/// 207006; 507000 it is no live pool, or the pool cannot serve the request though all that may be
/// reused or released was tried: aclGetRecentErrMsg says why.
ACL_FUNC_VISIBILITY aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool,
                                                     aclrtStream stream);

/// Queues the free of a block, on any stream of the current context. The caller orders it behind
/// the last use. used falls at the call; the physical memory stays with the pool. It takes effect
/// also when a task in front of it failed. Memory of aclrtMalloc may be given too: it is freed when
/// the stream gets there.
/// Threads: any but the device's.
/// Errors: 100000 `ptr` is NULL; 107000 freed before (also while that free has not run), inside a
/// block, or never given out: nothing changes; 107003; 107017; 207006; 507000 `stream` is NULL
/// (there is no default stream here).
ACL_FUNC_VISIBILITY aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream);

/// Releases idle memory, whatever the threshold is, until reserved is down to `minBytesToKeep`
/// bytes rounded up to 2 MiB, or to used if that is more. Busy memory is never touched. Waits for
/// nothing: a block whose free has not run yet is kept. soma: asking for less than used is no
/// error.
/// Threads: any.
/// Errors: 100000 `memPool` is NULL; 107002; 507000 it is no live pool, or `minBytesToKeep` is
/// above the pool's size.
ACL_FUNC_VISIBILITY aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep);

#ifdef __cplusplus
}
#endif

#endif
