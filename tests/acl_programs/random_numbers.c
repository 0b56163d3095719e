/* Random numbers of five kinds, looked at as far as the distribution says something. */
#include <string.h>

#include "check.h"

enum { count = 128 };

static void *result, *counter;
static aclrtStream stream;

static void set(aclrtRandomParaInfo* parameter, const void* value, size_t bytes) {
  memset(parameter, 0, sizeof *parameter);
  memcpy(parameter->valueOrAddr, value, bytes);
  parameter->size = (uint8_t)bytes;
}

/* Makes numbers of a type whose two parameters have `bytes` bytes each, and copies them to the host. */
static void make(aclrtRandomNumFuncType kind, aclDataType type, const void* one, const void* other,
                 size_t bytes, void* host, size_t host_bytes) {
  const uint64_t seed = 0;
  const uint64_t numbers = count;
  aclrtRandomNumTaskInfo task;
  memset(&task, 0, sizeof task);
  task.dataType = type;
  task.randomNumFuncParaInfo.funcType = kind;
  set(&task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min, one, bytes); /* all kinds begin with one */
  if (kind != ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK)
    set(&task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max, other, bytes);
  set(&task.randomSeed, &seed, sizeof seed);
  set(&task.randomNum, &numbers, sizeof numbers);
  task.randomResultAddr = result;
  task.randomCounterAddr = counter;
  OK(aclrtRandomNumAsync(&task, stream, NULL));
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtMemcpy(host, host_bytes, result, host_bytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

int main(void) {
  float floats[count];
  uint16_t halves[count];
  int32_t numbers[count];
  uint8_t mask[count / 8];
  int differ = 0;
  int bits = 0;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtMalloc(&result, count * sizeof(uint64_t), ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMalloc(&counter, 16, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemset(counter, 16, 0, 16));

  const float mean = 3, deviation = 2;
  make(ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS, ACL_FLOAT, &mean, &deviation, 4, floats, sizeof floats);
  for (int at = 0; at < count; ++at)
    differ += floats[at] != floats[0];
  HOLDS(differ > count / 2);

  const uint16_t brain_one = 0x3F80, brain_two = 0x4000; /* at most 1 + 2 * 2, at least 1 - 2 * 2 */
  make(ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS, ACL_BF16, &brain_one, &brain_two, 2, halves,
       sizeof halves);
  for (int at = 0; at < count; ++at)
    HOLDS((halves[at] & 0x7FFF) <= 0x40A0);

  const uint16_t half_one = 0x3C00, half_two = 0x4000;
  make(ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, ACL_FLOAT16, &half_one, &half_two, 2, halves, sizeof halves);
  for (int at = 0; at < count; ++at)
    HOLDS(halves[at] >= half_one && halves[at] <= half_two);

  const int32_t least = 1, most = 100;
  make(ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, ACL_INT32, &least, &most, 4, numbers, sizeof numbers);
  for (int at = 0; at < count; ++at)
    HOLDS(numbers[at] >= least && numbers[at] <= most);

  const float dropped = 0.4F;
  make(ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK, ACL_FLOAT, &dropped, NULL, 4, mask, sizeof mask);
  for (int at = 0; at < count; ++at)
    bits += (mask[at / 8] >> (at % 8)) & 1;
  HOLDS(bits > count / 4 && bits < count);

  OK(aclrtFree(result));
  OK(aclrtFree(counter));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
