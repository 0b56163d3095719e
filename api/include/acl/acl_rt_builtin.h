/// Tasks that the device brings along: reductions and random numbers.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_BUILTIN_H
#define SOMA_ACL_RT_BUILTIN_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What aclrtReduceAsync makes of two elements.
typedef enum {
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13
} aclrtReduceKind;

/// Queues dst = dst op src for the elements in `count` bytes: sum, largest, smallest, or (EQUAL) src itself.
/// The types are ACL_INT8, INT16, INT32, FLOAT16, FLOAT and BF16; integers wrap. NULL means the default
/// stream. Both sides must stay valid until the task has run.
/// Threads: any but the device's.
/// Errors: 100000 `dst` or `src` is NULL, `reserve` is not, or `type` is another one; 107000 `kind` is
/// unknown, or `count` is 0, no multiple of the element's size, or for SUM above 4 GiB; 107002; 107003;
/// 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count,
                                              aclrtReduceKind kind, aclDataType type, aclrtStream stream,
                                              void* reserve);

/// What aclrtRandomNumAsync makes.
typedef enum {
  ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3
} aclrtRandomNumFuncType;

/// A parameter of `size` bytes: in `valueOrAddr` itself (isAddr 0), or at the address that is there
/// (isAddr 1), which is read when the task runs.
typedef struct {
  uint8_t isAddr;
  uint8_t valueOrAddr[8];
  uint8_t size;
  uint8_t rsv[6];
} aclrtRandomParaInfo;

/// The share of bits that are kept is 1 less this.
typedef struct {
  aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;

/// Numbers from min to max, without max for floats.
typedef struct {
  aclrtRandomParaInfo min;
  aclrtRandomParaInfo max;
} aclrtUniformDisInfo;

/// Truncated: not further from the mean than twice the standard deviation.
typedef struct {
  aclrtRandomParaInfo mean;
  aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;

/// What is to be made, and the parameters that belong to it.
typedef struct {
  aclrtRandomNumFuncType funcType;
  union {
    aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
    aclrtUniformDisInfo uniformDisInfo;
    aclrtNormalDisInfo normalDisInfo;
  } paramInfo;
} aclrtRandomNumFuncParaInfo;

/// `randomNum` numbers (for a mask: bits, in whole bytes) go to `randomResultAddr`. The parameters of a
/// distribution have the type `dataType`; `randomSeed` and `randomNum` are whole numbers.
/// `randomCounterAddr` is 16 bytes of device memory with the generator's state, which the task moves on:
/// the same seed and state give the same numbers. `randomParaAddr` is not used.
typedef struct {
  aclDataType dataType;
  aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
  void* randomParaAddr;
  void* randomResultAddr;
  void* randomCounterAddr;
  aclrtRandomParaInfo randomSeed;
  aclrtRandomParaInfo randomNum;
  uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

/// Queues making random numbers. Types: for a mask FLOAT16, FLOAT and BF16 (of the ratio); uniform these and
/// INT32, INT64, UINT32 and UINT64; normal FLOAT16, FLOAT and BF16. NULL means the default stream. soma:
/// which numbers come out is not the same as on a device. Threads: any but the device's. Errors: 100000
/// `taskInfo` or one of its addresses is NULL, `reserve` is not, the distribution is unknown, or has no such
/// type; 107002; 107003; 107017; 207006.
ACL_FUNC_VISIBILITY aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo, aclrtStream stream,
                                                 void* reserve);

#ifdef __cplusplus
}
#endif

#endif
