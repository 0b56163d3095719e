/// Managed memory: one address for the host and all devices. Conventions and the codes without a reason:
/// acl_rt.h. soma: all memory is in one process, so hints are kept to be read again, for each allocation as a
/// whole, and change nothing.
#ifndef SOMA_ACL_RT_MEMORY_MANAGED_H
#define SOMA_ACL_RT_MEMORY_MANAGED_H

#include "acl/acl_base.h"
#include "acl/acl_rt_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The one flag of aclrtMemAllocManaged: memory for the host and all devices.
#define ACL_RT_MEM_ATTACH_GLOBAL 0x01U

/// Allocates managed memory, rounded up to 2 MiB. aclrtFree frees it. It counts for no device's memory.
/// Threads: any but the device's.
/// Errors: 100000 `ptr` is NULL or `size` is 0; 107000 `flag` is not GLOBAL, or `size` is above 3 TiB;
/// 107002; 207001; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag);

/// The kinds of places in hints.
typedef enum {
  ACL_MEM_LOCATIONTYPE_INVALID = 0,
  ACL_MEM_LOCATIONTYPE_DEVICE = 1,
  ACL_MEM_LOCATIONTYPE_HOST = 2,
  ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,
  ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4
} aclrtMemManagedLocationType;

/// A place in a hint.
typedef struct {
  aclrtMemManagedLocationType type;
  int32_t id;
} aclrtMemManagedLocation;

/// Hints on the use of managed memory. soma: they are noted, and change nothing.
typedef enum {
  ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,
  ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,
  ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
  ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
  ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
  ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5
} aclrtMemManagedAdviseType;

/// Threads: any but the device's.
/// Errors: 100000 `ptr` is NULL, `size` is 0, or the advice is no value; 107000 the range is not managed, or
/// the location is no value; 107001; 207006.
ACL_FUNC_VISIBILITY aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size,
                                                   aclrtMemManagedAdviseType advise,
                                                   aclrtMemManagedLocation location);

/// Queues moving managed memory to a place: a task of the stream that does nothing. `flags` is 0.
/// Threads: any but the device's.
/// Errors: as above; 107000 `flags` is not 0; 107002; 107003; 107017.
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size,
                                                          aclrtMemManagedLocation location, uint32_t flags,
                                                          aclrtStream stream);

/// The same for several ranges. locations[k] holds from range locIndexs[k] on; locIndexs begins with 0 and
/// rises. On an error nothing is queued.
/// Threads: any but the device's. Errors: as above; 100000 an array is NULL, a count is 0, or an index is
/// wrong.
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchBatchAsync(const void** ptrs, size_t* sizes, size_t count,
                                                               aclrtMemManagedLocation* locations,
                                                               size_t* locIndexs, size_t numLocs,
                                                               uint64_t flags, aclrtStream stream);

/// What can be asked of managed memory.
typedef enum {
  ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
  ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8
} aclrtMemManagedRangeAttribute;

/// Reads what all of a range has in common into `data`, an array of int32_t (`dataSize` is in bytes): 1
/// number, or for ACCESSED_BY as many as there is room for. Places are device ids, -1 the host, -2 none. Of a
/// type, an aclrtMemManagedLocationType, 0 is none. Threads: any. Errors: 100000 a pointer is NULL, a size is
/// 0 or `dataSize` no multiple of 4, or the attribute is no value; 107000 the range is not managed.
ACL_FUNC_VISIBILITY aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void* ptr,
                                                    size_t size, void* data, size_t dataSize);

/// Several at once: data[i] has room for dataSizes[i] bytes.
/// Threads: any. Errors: as above; 100000 `numAttributes` is 0.
ACL_FUNC_VISIBILITY aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes,
                                                     size_t numAttributes, const void* ptr, size_t size,
                                                     void** data, size_t* dataSizes);

#ifdef __cplusplus
}
#endif

#endif
