/// More ways to allocate, and host memory of the program that device tasks use.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_MEMORY_HOST_H
#define SOMA_ACL_RT_MEMORY_HOST_H

#include "acl/acl_base.h"
#include "acl/acl_rt_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- allocation ---

/// More about an allocation. soma: everything in it is a hint.
typedef enum {
  ACL_RT_MEM_ATTR_RSV = 0,
  ACL_RT_MEM_ATTR_MODULE_ID = 1,
  ACL_RT_MEM_ATTR_DEVICE_ID = 2,
  ACL_RT_MEM_ATTR_VA_FLAG = 3
} aclrtMallocAttrType;

/// The value of an attribute, in the member that belongs to it.
typedef union {
  uint16_t moduleId;
  uint32_t deviceId;
  uint32_t vaFlag;
  uint8_t rsv[8];
} aclrtMallocAttrValue;

/// An attribute of an allocation and its value.
typedef struct {
  aclrtMallocAttrType attr;
  aclrtMallocAttrValue value;
} aclrtMallocAttribute;

/// `numAttrs` attributes, in memory of the caller that is read during the call only.
typedef struct {
  aclrtMallocAttribute* attrs;
  size_t numAttrs;
} aclrtMallocConfig;

/// Variants of aclrtMalloc, freed by aclrtFree alike. What is asked for is rounded up to 32 bytes, without
/// the 32 bytes that aclrtMalloc adds, except by aclrtMallocCached, which adds them. aclrtMallocCached knows
/// the policies HUGE_FIRST, HUGE_ONLY, NORMAL_ONLY and HUGE1G_ONLY; any other counts as none. `cfg` may be
/// NULL. soma: memory of all of them is alike. Threads: any but the device's. Errors: those of aclrtMalloc;
/// 100000 `cfg` has a number of attributes and no array of them.
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy);
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy);
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig* cfg);
ACL_FUNC_VISIBILITY aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size,
                                                         aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg);

/// As aclrtMallocHost, with more about it; `cfg` may be NULL.
/// Threads: any but the device's. Errors: as above, and those of aclrtMallocHost.
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg);

/// As aclrtFree and aclrtFreeHost, but they first wait for the current device, if the thread has one. The
/// memory is freed also if a task has failed.
/// Threads: any but the device's. Errors: those of the functions they are named after.
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void* devPtr);
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void* hostPtr);

/// Write a cache back, and forget what is in it. soma: there is no cache; only the arguments are checked.
/// Threads: any. Errors: 100000 `devPtr` is NULL or `size` is 0.
ACL_FUNC_VISIBILITY aclError aclrtMemFlush(void* devPtr, size_t size);
ACL_FUNC_VISIBILITY aclError aclrtMemInvalidate(void* devPtr, size_t size);

// -- registration ---

/// How memory is registered: for tasks to use (MAPPED, HOST_REG_MAPPED), memory of a device (IOMEMORY), only
/// to be read, or only kept in place (PINNED).
typedef enum {
  ACL_HOST_REGISTER_MAPPED = 0,
  ACL_HOST_REGISTER_IOMEMORY = 0x04,
  ACL_HOST_REGISTER_READONLY = 0x08
} aclrtHostRegisterType;

/// Flags of aclrtHostRegisterV2.
#define ACL_HOST_REG_MAPPED 0x2UL
#define ACL_HOST_REG_IOMEMORY 0x4UL
#define ACL_HOST_REG_READONLY 0x8UL
#define ACL_HOST_REG_PINNED 0x10000000UL

/// Registers `size` bytes at `ptr` for tasks to use, until they are unregistered. Copies in streams need not
/// wait for registered memory. aclrtMallocHost's memory may be registered, too. soma: tasks can use all
/// memory of the process, registered or not, and no page is locked, so `ptr` need be no multiple of a page.
/// Threads: any but the device's.
/// Errors: 100000 `ptr` is NULL or `size` is 0; 107000 `flag` has an unknown bit, or none; 107002; 207006;
/// 507910 part of it is registered already.
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag);

/// The same with a type, or READONLY together with IOMEMORY; `*devPtr` is the address for tasks.
/// Threads: any but the device's.
/// Errors: 100000 a pointer is NULL or `size` is 0; 107002; 207000 another type; 207006; 507910.
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type,
                                               void** devPtr);

/// The address by which tasks use registered memory. soma: it is the same.
/// Threads: any.
/// Errors: 100000 a pointer is NULL; 107000 `flag` is not 0; 507911 it is not registered.
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag);

/// Ends a registration. The caller sees to it that no task uses the memory any more.
/// Threads: any but the device's.
/// Errors: 100000 `ptr` is NULL; 207006; 507911 no registration begins there.
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void* ptr);

/// The parts of a device that may use host memory.
typedef enum {
  ACL_RT_HAC_TYPE_STARS = 0,
  ACL_RT_HAC_TYPE_AICPU = 1,
  ACL_RT_HAC_TYPE_AIC = 2,
  ACL_RT_HAC_TYPE_AIV = 3,
  ACL_RT_HAC_TYPE_PCIEDMA = 4,
  ACL_RT_HAC_TYPE_RDMA = 5,
  ACL_RT_HAC_TYPE_SDMA = 6,
  ACL_RT_HAC_TYPE_DVPP = 7,
  ACL_RT_HAC_TYPE_UDMA = 8,
  ACL_RT_HAC_TYPE_CCU = 9
} aclrtHacType;

/// The answer of aclrtHostMemMapCapabilities.
typedef enum {
  ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
  ACL_RT_HOST_MEM_MAP_SUPPORTED = 1
} aclrtHostMemMapCapability;

/// Whether a part of a device can use registered memory. soma: kernels (AIC, AIV, AICPU) and copies (SDMA,
/// PCIEDMA) can; the other parts do not exist.
/// Threads: any. Errors: 100000 `capabilities` is NULL, or `hacType` is unknown; 107001.
ACL_FUNC_VISIBILITY aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
                                                         aclrtHostMemMapCapability* capabilities);

#ifdef __cplusplus
}
#endif

#endif
