/// Memory of the device and of the host, copies and fills. Memory here is not ordered with
/// streams: it is there when the allocation returns and gone when the free returns. Memory that
/// follows streams comes from the pools of acl_rt_memory_soma.h. soma: device memory is memory of
/// this process, so the host can read it too, but only after it has synchronised with the tasks
/// that write it. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_MEMORY_H
#define SOMA_ACL_RT_MEMORY_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Which pages an allocation would like; the last three can be combined with the others.
typedef enum {
  ACL_MEM_MALLOC_HUGE_FIRST = 0,
  ACL_MEM_MALLOC_HUGE_ONLY = 1,
  ACL_MEM_MALLOC_NORMAL_ONLY = 2,
  ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
  ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
  ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
  ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
  ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
  ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
  ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
  ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000
} aclrtMemMallocPolicy;

/// From where to where a copy goes. DEFAULT: the library finds out from the addresses.
/// HOST_TO_BUF_TO_DEVICE: the source may be used again when the call returns.
typedef enum {
  ACL_MEMCPY_HOST_TO_HOST = 0,
  ACL_MEMCPY_HOST_TO_DEVICE = 1,
  ACL_MEMCPY_DEVICE_TO_HOST = 2,
  ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
  ACL_MEMCPY_DEFAULT = 4,
  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
  ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
} aclrtMemcpyKind;

/// Which memory aclrtGetMemInfo is asked about.
typedef enum {
  ACL_DDR_MEM = 0,
  ACL_HBM_MEM = 1,
  ACL_DDR_MEM_HUGE = 2,
  ACL_DDR_MEM_NORMAL = 3,
  ACL_HBM_MEM_HUGE = 4,
  ACL_HBM_MEM_NORMAL = 5,
  ACL_DDR_MEM_P2P_HUGE = 6,
  ACL_DDR_MEM_P2P_NORMAL = 7,
  ACL_HBM_MEM_P2P_HUGE = 8,
  ACL_HBM_MEM_P2P_NORMAL = 9,
  ACL_HBM_MEM_HUGE1G = 10,
  ACL_HBM_MEM_P2P_HUGE1G = 11,
  ACL_MEM_NORMAL = 12,
  ACL_MEM_HUGE = 13,
  ACL_MEM_HUGE1G = 14,
  ACL_MEM_P2P_NORMAL = 15,
  ACL_MEM_P2P_HUGE = 16,
  ACL_MEM_P2P_HUGE1G = 17
} aclrtMemAttr;

/// What kind of place memory is in.
typedef enum {
  ACL_MEM_LOCATION_TYPE_HOST = 0,
  ACL_MEM_LOCATION_TYPE_DEVICE = 1,
  ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
  ACL_MEM_LOCATION_TYPE_MANAGED = 3,
  ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4
} aclrtMemLocationType;

/// A place: of this kind, the one with this id. The id comes first.
typedef struct {
  uint32_t id;
  aclrtMemLocationType type;
} aclrtMemLocation;

/// Whether memory stays where it is. There is only one way.
typedef enum { ACL_MEM_ALLOCATION_TYPE_PINNED = 0 } aclrtMemAllocationType;

/// How memory could be shared with another process. There is no 1.
typedef enum { ACL_MEM_HANDLE_TYPE_NONE = 0, ACL_MEM_HANDLE_TYPE_POSIX = 2 } aclrtMemHandleType;

/// Allocates at least `size` bytes on the current device, at a multiple of 64 bytes. Contents are
/// not set. `policy` is a hint; an unknown one counts as none. The caller frees with aclrtFree.
/// soma: on failure `*devPtr` is NULL.
/// Threads: any but the device's.
/// Errors: 100000 `devPtr` is NULL, or `size` is 0 or too large to be rounded up; 107002; 207001;
/// 207006.
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy);

/// Frees what aclrtMalloc gave out, or a block of a memory pool. Needs no context. Takes effect at
/// once and waits for no task: the caller sees to it that none still uses the memory. soma: a
/// pool's block becomes idle and stays with the pool, subject to its release threshold.
/// Threads: any but the device's.
/// Errors: 100000 `devPtr` is NULL; 107000 freed before, inside a block, or never given out:
/// nothing changes; 207006.
ACL_FUNC_VISIBILITY aclError aclrtFree(void* devPtr);

/// Allocates at least `size` bytes of host memory that stays in place, at a multiple of 64 bytes,
/// so that copies to and from it need not wait. Contents are not set. The caller frees with
/// aclrtFreeHost. soma: on failure `*hostPtr` is NULL.
/// Threads: any but the device's.
/// Errors: 100000 `hostPtr` is NULL or `size` is 0; 107002; 207001; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void** hostPtr, size_t size);

/// Frees what aclrtMallocHost gave out, at once. The caller sees to it that no task still uses it.
/// Threads: any but the device's.
/// Errors: 100000 `hostPtr` is NULL; 107000 freed before, inside a block, or never given out;
/// 207006.
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void* hostPtr);

/// Copies `count` bytes and returns when that is done. Does not wait for streams (but see docs/porting.md on
/// short kernels): the caller synchronises first. `destMax` is the room at `dst`, in bytes. `kind` is a hint,
/// as the addresses tell the direction; host memory may be of any origin. `count` 0 succeeds, whatever the
/// rest is; so does `dst` equal to `src`, and copies nothing. Threads: any but the device's. Errors: 100000
/// `dst` or `src` is NULL, or `kind` is not 0 to 5; 107000 `count` is above `destMax`; 107002 one side is
/// device memory and there is no context; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                                         aclrtMemcpyKind kind);

/// Queues a copy of `count` bytes. NULL means the default stream. Both sides must stay valid until
/// it has run; with HOST_TO_BUF_TO_DEVICE the source only until the return. Where host memory is
/// not from aclrtMallocHost, the call waits for the stream and then copies itself. `count` 0
/// succeeds and queues nothing.
/// Threads: any but the device's.
/// Errors: 100000 `dst` or `src` is NULL, or `kind` is not 0 to 5; 107000 `count` is above
/// `destMax`, or `kind` contradicts the addresses; 107002; 107003; 107017; 207000 HOST_TO_HOST,
/// also when DEFAULT finds that; 207006; where the call waits, the error of a failed task, and
/// then nothing is copied.
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                                              aclrtMemcpyKind kind, aclrtStream stream);

/// Sets `count` bytes to the low byte of `value` and returns when that is done. `maxCount` is the
/// room at `devPtr`, in bytes. The memory may be the device's or the host's. Does not wait for
/// streams. `count` 0 succeeds, whatever the rest is.
/// Threads: any but the device's.
/// Errors: 100000 `devPtr` is NULL; 107000 `count` is above `maxCount`; 107002 it is device memory
/// and there is no context; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count);

/// Queues what aclrtMemset does. NULL means the default stream. The memory must stay valid until
/// the task has run. `count` 0 succeeds and queues nothing.
/// Threads: any but the device's.
/// Errors: 100000 `devPtr` is NULL; 107000 `count` is above `maxCount`; 107002; 107003; 107017;
/// 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                                              aclrtStream stream);

/// The free and the total memory of the current device, in bytes. soma: one memory stands for all
/// kinds, so every known `attr` gives the same numbers.
/// Threads: any. Errors: 100000 a pointer is NULL; 107002; 107016 `attr` is unknown.
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total);

#ifdef __cplusplus
}
#endif

#endif
