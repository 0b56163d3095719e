/// Questions about memory. Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_MEMORY_QUERY_H
#define SOMA_ACL_RT_MEMORY_QUERY_H

#include "acl/acl_base.h"
#include "acl/acl_rt_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where memory is, and the size of its pages in bytes.
typedef struct {
  aclrtMemLocation location;
  uint32_t pageSize;
  uint32_t rsv[4];
} aclrtPtrAttributes;

/// What is at this address: DEVICE and the device's id; HOST for memory from aclrtMallocHost and for
/// registered memory; MANAGED; UNREGISTERED for all other memory, with a page size of 0. Needs no context.
/// soma: pages are 4096 bytes, or 2 MiB or 1 GiB where these were asked for; memory of pools has pages of 2
/// MiB. Threads: any. Errors: 100000 a pointer is NULL.
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes);

/// Types of memory for aclrtCheckMemType; they can be combined.
#define ACL_RT_MEM_TYPE_DEV (0x2U)
#define ACL_RT_MEM_TYPE_DVPP (0x8U)
#define ACL_RT_MEM_TYPE_RSVD (0x10U)

/// Whether all of these addresses are memory of one of the wanted types: 1 in `*checkResult`, else 0. soma:
/// there is only the type DEV.
/// Threads: any.
/// Errors: 100000 a pointer is NULL, `size` is 0, `memType` has no known bit or an unknown one, or `reserve`
/// is not 0.
ACL_FUNC_VISIBILITY aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType,
                                               uint32_t* checkResult, uint32_t reserve);

/// The allocation that `ptr` is in: where it begins, and its size with what was added by rounding. One of the
/// results may be NULL.
/// Threads: any. Errors: 100000 `ptr` is NULL; 107000 both results are NULL, or `ptr` is in no allocation.
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize);

/// The memory of a module of the software, in bytes.
typedef struct {
  char name[32];
  uint64_t curMemSize;
  uint64_t memPeakSize;
  size_t reserved[8];
} aclrtMemUsageInfo;

/// How much memory each module of the software uses. soma: there are no modules, so 207000, as CANN gives
/// where a product does not know.
/// Threads: any.
/// Errors: 100000 a pointer is NULL, or `inputNum` is 0; 107001; 207000.
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo,
                                                  size_t inputNum, size_t* outputNum);

#ifdef __cplusplus
}
#endif

#endif
