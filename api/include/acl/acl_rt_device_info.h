/// What can be asked of a device, and what can be set for it beyond choosing it (acl_rt_device.h).
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_DEVICE_INFO_H
#define SOMA_ACL_RT_DEVICE_INFO_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A number of a device.
typedef enum {
  ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
  ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
  ACL_DEV_ATTR_WARP_SIZE = 202,
  ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
  ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
  ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
  ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
  ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
  ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
  ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
  ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
  ACL_DEV_ATTR_SMP_ID = 401,
  ACL_DEV_ATTR_PHY_CHIP_ID = 402,
  ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
  ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
  ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
  ACL_DEV_ATTR_SUPER_POD_ID = 405,
  ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
  ACL_DEV_ATTR_MAINBOARD_ID = 407,
  ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
  ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
  ACL_DEV_ATTR_IS_VIRTUAL = 501,
  ACL_DEV_ATTR_NPU_ARCH = 601
} aclrtDevAttr;

/// Values of ACL_DEV_ATTR_HD_CONNECT_TYPE and ACL_DEV_ATTR_DEVICE_FORM_FACTOR.
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB 2
#define ACL_DEVICE_FORM_FACTOR_POD 0
#define ACL_DEVICE_FORM_FACTOR_A_K 1
#define ACL_DEVICE_FORM_FACTOR_A_X 2
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD 3

/// Something that a device can or cannot do, and the two answers.
typedef enum {
  ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
  ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21
} aclrtDevFeatureType;

/// The answers for aclrtDevFeatureType.
#define ACL_DEV_FEATURE_NOT_SUPPORT 0x00000000
#define ACL_DEV_FEATURE_SUPPORT 0x00000001

/// The answer of aclrtQueryDeviceStatus.
typedef enum {
  ACL_RT_DEVICE_STATUS_NORMAL = 0,
  ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
  ACL_RT_DEVICE_STATUS_END = 0xFFFF
} aclrtDeviceStatus;

/// Not used: there is nothing more to tell.
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

/// In percent; -1 where it is not known. `utilizationExtend` must be NULL.
typedef struct aclrtUtilizationInfo {
  int32_t cubeUtilization;
  int32_t vectorUtilization;
  int32_t aicpuUtilization;
  int32_t memoryUtilization;
  aclrtUtilizationExtendInfo* utilizationExtend;
} aclrtUtilizationInfo;

/// What is limited by aclrtSetDeviceResLimit and its kin.
typedef enum { ACL_RT_DEV_RES_CUBE_CORE = 0, ACL_RT_DEV_RES_VECTOR_CORE = 1 } aclrtDevResLimitType;

/// What arithmetic does with numbers that are too large.
typedef enum {
  ACL_RT_OVERFLOW_MODE_SATURATION = 0,
  ACL_RT_OVERFLOW_MODE_INFNAN = 1,
  ACL_RT_OVERFLOW_MODE_UNDEF = 2
} aclrtFloatOverflowMode;

/// A size that kernels get on the device.
typedef enum {
  ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,
  ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
  ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
  ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
  ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4
} aclrtDeviceLimit;

/// A switch of the whole process or of a context.
typedef enum {
  ACL_OPT_DETERMINISTIC = 0,
  ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
  ACL_OPT_STRONG_CONSISTENCY = 2,
  ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

/// Whether the device works: soma: NORMAL, unless its part of the runtime has ended by a fault.
/// Threads: any. Errors: 100000 `deviceStatus` is NULL; 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus);

/// A number of the device. soma: those of one Ascend 910B1, but for the memory, which is what the
/// environment says; what the simulation does not have is 0.
/// Threads: any.
/// Errors: 100000 `value` is NULL; 107001 there is no such device; 107000 `attr` is unknown.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value);

/// Whether the device can do it: ACL_DEV_FEATURE_SUPPORT or _NOT_SUPPORT. soma: it can do neither.
/// Threads: any.
/// Errors: 100000 `value` is NULL or the feature is unknown; 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType,
                                                      int32_t* value);

/// How busy the device is. soma: all three kinds of cores show the share of the host's processors
/// that the device's threads keep busy now; memory is not known.
/// Threads: any.
/// Errors: 100000 a pointer is NULL or `utilizationExtend` is not; 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
                                                           aclrtUtilizationInfo* utilizationInfo);

/// The range of priorities of streams: the least is 7, the greatest 0. Either pointer may be NULL.
/// Threads: any.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority,
                                                               int32_t* greatestPriority);

/// Whether the device's primary context exists: `*active` is 1 after aclrtSetDevice, `*flags` is 0.
/// Either pointer may be NULL. Threads: any. Errors: 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active);

/// The number of this process in the system, as its host sees it.
/// Threads: any. Errors: 100000 `pid` is NULL.
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t* pid);

/// What arithmetic on the current device does with numbers that are too large. soma: it is so for the sums of
/// aclrtReduceAsync; kernels and host functions calculate as the host does. INFNAN at first.
/// Threads: any. Errors: 100000 `mode` is NULL or unknown; 107002.
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode);

/// The stacks and the buffers for printing of kernels, in bytes. soma: noted; kernels run on the stacks
/// of threads of the host.
/// Threads: any. Errors: 100000 `value` is NULL or `limit` is unknown; 107000 `value` is 0; 107002.
ACL_FUNC_VISIBILITY aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value);
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value);

/// Switches of the process, and of the current context. soma: noted.
/// Threads: any.
/// Errors: 100000 `value` is NULL or `opt` is unknown; 107002 (for a context's); 107021 it was never set.
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value);
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value);

/// The most cores of a kind that this process uses on the device; reset goes back to all that there
/// are. soma: noted, and told to whoever asks; a kernel has as many blocks as its launch says.
/// Threads: any.
/// Errors: 100000 `value` is NULL or `type` is unknown; 107000 `value` is 0 or more than there are;
/// 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                                    uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                                    uint32_t* value);
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

/// What the calling thread's next kernels may use: the limit of the stream that it uses
/// (aclrtUseStreamResInCurrentThread in acl_rt_stream_control.h), else that of the current device.
/// Threads: any. Errors: 100000 `value` is NULL or `type` is unknown; 107002.
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value);

#ifdef __cplusplus
}
#endif

#endif
