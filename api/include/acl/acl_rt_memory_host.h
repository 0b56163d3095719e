/// Host memory of the program that device tasks use, and variants of allocation.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_MEMORY_HOST_H
#define SOMA_ACL_RT_MEMORY_HOST_H

#include "acl/acl_base.h"
#include "acl/acl_rt_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How memory is registered: for tasks to use (MAPPED, HOST_REG_MAPPED), memory of a device (IOMEMORY), only
/// to be read, or only kept in place (PINNED).
typedef enum {
  ACL_HOST_REGISTER_MAPPED = 0,
  ACL_HOST_REGISTER_IOMEMORY = 0x04,
  ACL_HOST_REGISTER_READONLY = 0x08
} aclrtHostRegisterType;

#define ACL_HOST_REG_MAPPED 0x2UL
#define ACL_HOST_REG_IOMEMORY 0x4UL
#define ACL_HOST_REG_READONLY 0x8UL
#define ACL_HOST_REG_PINNED 0x10000000UL

/// Registers `size` bytes at `ptr` for tasks to use, until they are unregistered. aclrtMallocHost's memory
/// may be registered, too. soma: tasks can use all memory of the process, registered or not. Threads: any.
/// Errors: 100000 `ptr` is NULL or `size` is 0; 107000 `flag` has an unknown bit, or none; 107002;
/// 507910 part of it is registered already.
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag);

/// The same with a type, or READONLY together with IOMEMORY; `*devPtr` is the address for tasks.
/// Threads: any.
/// Errors: 100000 a pointer is NULL or `size` is 0; 107002; 207000 another type; 507910.
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type,
                                               void** devPtr);

/// The address by which tasks use registered memory. soma: it is the same.
/// Threads: any.
/// Errors: 100000 a pointer is NULL; 107000 `flag` is not 0; 507911 it is not registered.
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag);

/// Ends a registration. The caller sees to it that no task uses the memory any more.
/// Threads: any. Errors: 100000 `ptr` is NULL; 507911 no registration begins there.
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void* ptr);

/// Memory of one address for host and device. soma: not built; CANN returns this where a device lacks it.
#define ACL_RT_MEM_ATTACH_GLOBAL 0x01U
/// Threads: any. Errors: 100000 `ptr` is NULL or `size` is 0; 107000 `flag` is not GLOBAL; else 207000.
ACL_FUNC_VISIBILITY aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag);

/// More about an allocation. soma: everything in it is a hint.
typedef enum {
  ACL_RT_MEM_ATTR_RSV = 0,
  ACL_RT_MEM_ATTR_MODULE_ID = 1,
  ACL_RT_MEM_ATTR_DEVICE_ID = 2,
  ACL_RT_MEM_ATTR_VA_FLAG = 3
} aclrtMallocAttrType;

typedef union {
  uint16_t moduleId;
  uint32_t deviceId;
  uint32_t vaFlag;
  uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct {
  aclrtMallocAttrType attr;
  aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct {
  aclrtMallocAttribute* attrs;
  size_t numAttrs;
} aclrtMallocConfig;

/// As aclrtMalloc and aclrtMallocHost, with more about it; `cfg` may be NULL.
/// Threads: any but the device's.
/// Errors: those of aclrtMalloc and aclrtMallocHost; 100000 `cfg` has a number of attributes and none there.
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig* cfg);
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg);

#ifdef __cplusplus
}
#endif

#endif
