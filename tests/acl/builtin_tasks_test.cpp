// Reductions, random numbers, registered host memory and allocators of the program's own.

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "acl/bad_enums.h"
#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class BuiltinTasks : public acl_fixture {
protected:
  template <class T>
  std::vector<T> reduced(std::vector<T> to, std::vector<T> from, aclrtReduceKind kind, aclDataType type) {
    EXPECT_EQ(aclrtReduceAsync(to.data(), from.data(), to.size() * sizeof(T), kind, type, s1_, nullptr),
              ACL_SUCCESS);
    EXPECT_EQ(settle(s1_), ACL_SUCCESS);
    return to;
  }

  template <class T>
  static aclrtRandomParaInfo parameter(T value) {
    aclrtRandomParaInfo made{};
    std::memcpy(made.valueOrAddr, &value, sizeof value);
    made.size = sizeof value;
    return made;
  }

  /// Numbers from one parameter to the other, or about them.
  template <class T>
  std::vector<T> drawn(aclrtRandomNumFuncType kind, aclDataType type, T one, T other, std::uint64_t seed) {
    std::vector<T> result(1000);
    aclrtRandomNumTaskInfo task{};
    task.dataType = type;
    task.randomNumFuncParaInfo.funcType = kind;
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo = {parameter(one), parameter(other)};
    task.randomSeed = parameter(seed);
    task.randomNum = parameter(std::uint64_t{result.size()});
    task.randomResultAddr = result.data();
    task.randomCounterAddr = counter_.data();
    EXPECT_EQ(aclrtRandomNumAsync(&task, s1_, nullptr), ACL_SUCCESS);
    EXPECT_EQ(settle(s1_), ACL_SUCCESS);
    return result;
  }

  std::array<std::uint64_t, 2> counter_{};
};

TEST_F(BuiltinTasks, Reductions) {
  using vector8 = std::vector<std::int8_t>;
  EXPECT_EQ(reduced<std::int32_t>({1, -2}, {3, -4}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32),
            (std::vector<std::int32_t>{4, -6}));
  EXPECT_EQ(reduced<std::int8_t>({127, 5}, {1, 6}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8),
            (vector8{-128, 11}));
  EXPECT_EQ(reduced<std::int8_t>({127, 5}, {1, 6}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT8),
            (vector8{127, 6}));
  EXPECT_EQ(reduced<std::int8_t>({127, 5}, {1, 6}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN, ACL_INT8),
            (vector8{1, 5}));
  EXPECT_EQ(reduced<std::int8_t>({127, 5}, {1, 6}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, ACL_INT8),
            (vector8{1, 6}));
  EXPECT_EQ(reduced<float>({0.5F}, {2}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT),
            std::vector<float>{2.5F});
  EXPECT_EQ(reduced<std::uint16_t>({0x3C00}, {0x4000}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT16),
            std::vector<std::uint16_t>{0x4200});
  EXPECT_EQ(reduced<std::uint16_t>({0x3F80}, {0x4000}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_BF16),
            std::vector<std::uint16_t>{0x4040});
}

// Sums of floats that are too large: infinities, or the largest numbers where the device saturates.
TEST_F(BuiltinTasks, SumsThatAreTooLarge) {
  constexpr float most = std::numeric_limits<float>::max();
  constexpr float infinite = std::numeric_limits<float>::infinity();
  const auto halves = [this] {
    return reduced<std::uint16_t>({0x7BFF, 0xFBFF}, {0x7BFF, 0xFBFF}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                                  ACL_FLOAT16);
  };
  const auto brains = [this] {
    return reduced<std::uint16_t>({0x7F7F, 0xFF7F}, {0x7F7F, 0xFF7F}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
                                  ACL_BF16);
  };
  const auto floats = [this] {
    return reduced<float>({most, -most}, {most, -most}, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT);
  };
  EXPECT_EQ(halves(), (std::vector<std::uint16_t>{0x7C00, 0xFC00}));
  EXPECT_EQ(brains(), (std::vector<std::uint16_t>{0x7F80, 0xFF80}));
  EXPECT_EQ(floats(), (std::vector<float>{infinite, -infinite}));
  ASSERT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), ACL_SUCCESS);
  EXPECT_EQ(halves(), (std::vector<std::uint16_t>{0x7BFF, 0xFBFF}));
  EXPECT_EQ(brains(), (std::vector<std::uint16_t>{0x7F7F, 0xFF7F}));
  EXPECT_EQ(floats(), (std::vector<float>{most, -most}));
  ASSERT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), ACL_SUCCESS);
}

// The status is the device's: set by streams whose switch is on, read and reset in the order of any stream.
TEST_F(BuiltinTasks, OverflowStatus) {
  std::array<std::uint32_t, 16> status{};
  const auto overflow = [](aclrtStream stream) {
    static std::array<float, 1> sum;
    static const float from = std::numeric_limits<float>::max();
    sum = {from};
    EXPECT_EQ(aclrtReduceAsync(sum.data(), &from, sizeof from, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT,
                               stream, nullptr),
              ACL_SUCCESS);
    EXPECT_EQ(settle(stream), ACL_SUCCESS);
  };
  const auto is_told = [&](aclrtStream stream) {
    status.fill(7);
    EXPECT_EQ(aclrtGetOverflowStatus(status.data(), sizeof status, stream), ACL_SUCCESS);
    EXPECT_EQ(settle(stream), ACL_SUCCESS);
    EXPECT_EQ(status[15], 0U);
    return status[0] == 1;
  };
  overflow(s1_);
  EXPECT_FALSE(is_told(s1_)) << "the device does not saturate";
  ASSERT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), ACL_SUCCESS);
  overflow(s1_);
  EXPECT_FALSE(is_told(s1_)) << "the stream's switch is off";
  ASSERT_EQ(aclrtSetStreamOverflowSwitch(s1_, 1), ACL_SUCCESS);
  overflow(s1_);
  EXPECT_TRUE(is_told(s1_));
  EXPECT_TRUE(is_told(s2_));
  EXPECT_EQ(aclrtResetOverflowStatus(s2_), ACL_SUCCESS);
  EXPECT_FALSE(is_told(s2_));
  gate held;
  overflow(s1_);
  hold(s2_, held);
  EXPECT_EQ(aclrtResetOverflowStatus(s2_), ACL_SUCCESS);
  EXPECT_TRUE(is_told(s1_)) << "the reset is a task, which has not run";
  held.open();
  EXPECT_FALSE(is_told(s2_));
  ASSERT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), ACL_SUCCESS);
}

TEST_F(BuiltinTasks, RandomNumbersFollowSeedAndCounter) {
  const auto draw = [this](std::uint64_t seed) {
    return drawn<float>(ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, ACL_FLOAT, 0, 1, seed);
  };
  const auto first = draw(1);
  const auto second = draw(1);
  EXPECT_NE(first, second);
  counter_ = {};
  EXPECT_EQ(draw(1), first);
  counter_ = {};
  EXPECT_NE(draw(2), first);
}

TEST_F(BuiltinTasks, RandomNumbersFollowTheirDistribution) {
  for (const auto number : drawn<float>(ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, ACL_FLOAT, -1, 3, 1)) {
    EXPECT_TRUE(number >= -1 && number < 3);
  }
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  bool negative = false;
  for (const auto number : drawn(ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, ACL_INT64, least, most, 1)) {
    negative = negative || number < 0;
  }
  EXPECT_TRUE(negative);
  for (const auto number :
       drawn<std::uint32_t>(ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS, ACL_UINT32, 5, 6, 1)) {
    EXPECT_TRUE(number == 5 || number == 6);
  }
  double sum = 0;
  for (const auto number :
       drawn<float>(ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS, ACL_FLOAT, 10, 2, 1)) {
    EXPECT_LE(std::abs(number - 10), 4.001F);
    sum += static_cast<double>(number);
  }
  EXPECT_NEAR(sum / 1000, 10, 0.5);
}

TEST_F(BuiltinTasks, Errors) {
  std::array<float, 4> memory{};
  void* const at = memory.data();
  constexpr auto sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
  const auto reduce = [this](void* to, const void* from, std::uint64_t bytes, aclrtReduceKind kind,
                             aclDataType type) {
    return aclrtReduceAsync(to, from, bytes, kind, type, s1_, nullptr);
  };
  aclrtRandomNumTaskInfo task{};
  task.dataType = ACL_FLOAT;
  task.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS;
  task.randomResultAddr = at;
  task.randomCounterAddr = at;
  const auto changed = [task](const auto& change) {
    auto copy = task;
    change(copy);
    return copy;
  };
  const auto no_result = changed([](auto& of) { of.randomResultAddr = nullptr; });
  const auto no_counter = changed([](auto& of) { of.randomCounterAddr = nullptr; });
  const auto whole = changed([](auto& of) { of.dataType = ACL_INT32; });
  check_failures({
      {"aclrtReduceAsync", 100000, "dst", [&] { return reduce(nullptr, at, 4, sum, ACL_FLOAT); }},
      {"aclrtReduceAsync", 100000, "src", [&] { return reduce(at, nullptr, 4, sum, ACL_FLOAT); }},
      {"aclrtReduceAsync", 100000, "type is 11", [&] { return reduce(at, at, 4, sum, ACL_DOUBLE); }},
      {"aclrtReduceAsync", 100000, "reserve",
       [&] { return aclrtReduceAsync(at, at, 4, sum, ACL_FLOAT, s1_, at); }},
      {"aclrtReduceAsync", 107000, "count is 0", [&] { return reduce(at, at, 0, sum, ACL_FLOAT); }},
      {"aclrtReduceAsync", 107000, "count is 5", [&] { return reduce(at, at, 5, sum, ACL_FLOAT); }},
      {"aclrtReduceAsync", 107000, "kind is 14",
       [&] { return reduce(at, at, 4, static_cast<aclrtReduceKind>(14), ACL_FLOAT); }},
      {"aclrtReduceAsync", 107000, "4 GiB",
       [&] { return reduce(at, at, std::uint64_t{5} << 30, sum, ACL_FLOAT); }},
      {"aclrtRandomNumAsync", 100000, "taskInfo", [&] { return aclrtRandomNumAsync(nullptr, s1_, nullptr); }},
      {"aclrtRandomNumAsync", 100000, "reserve", [&] { return aclrtRandomNumAsync(&task, s1_, at); }},
      {"aclrtRandomNumAsync", 100000, "randomResultAddr",
       [&] { return aclrtRandomNumAsync(&no_result, s1_, nullptr); }},
      {"aclrtRandomNumAsync", 100000, "randomCounterAddr",
       [&] { return aclrtRandomNumAsync(&no_counter, s1_, nullptr); }},
      {"aclrtRandomNumAsync", 100000, "dataType is 3",
       [&] { return aclrtRandomNumAsync(&whole, s1_, nullptr); }},
      {"aclrtRandomNumAsync", 100000, "funcType is 4", [&] { return make_random_numbers_of(4, at, s1_); }},
  });
}

TEST_F(BuiltinTasks, RegisteredMemory) {
  std::array<char, 100> memory{};
  char* const at = memory.data();
  void* device = nullptr;
  EXPECT_EQ(aclrtHostRegisterV2(at + 10, 50, ACL_HOST_REG_MAPPED), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostGetDevicePointer(at + 59, &device, 0), ACL_SUCCESS);
  EXPECT_EQ(device, at + 59);
  void* const begin = at;
  const auto flag = static_cast<std::uint32_t>(ACL_HOST_REG_MAPPED);
  check_failures({
      {"aclrtHostRegisterV2", 507910, "ptr", [=] { return aclrtHostRegisterV2(at + 59, 1, flag); }},
      {"aclrtHostRegisterV2", 507910, "ptr", [=] { return aclrtHostRegisterV2(begin, 11, flag); }},
      {"aclrtHostRegisterV2", 100000, "ptr", [=] { return aclrtHostRegisterV2(nullptr, 1, flag); }},
      {"aclrtHostRegisterV2", 100000, "size is 0", [=] { return aclrtHostRegisterV2(begin, 0, flag); }},
      {"aclrtHostRegisterV2", 107000, "flag is 1", [=] { return aclrtHostRegisterV2(begin, 1, 1); }},
      {"aclrtHostRegister", 207000, "type is 1",
       [&] { return aclrtHostRegister(begin, 1, static_cast<aclrtHostRegisterType>(1), &device); }},
      {"aclrtHostGetDevicePointer", 507911, "pHost",
       [&] { return aclrtHostGetDevicePointer(at + 60, &device, 0); }},
      {"aclrtHostGetDevicePointer", 107000, "flag is 1",
       [&] { return aclrtHostGetDevicePointer(at + 10, &device, 1); }},
      {"aclrtHostUnregister", 507911, "ptr", [=] { return aclrtHostUnregister(at + 11); }},
      {"aclrtHostUnregister", 100000, "ptr", [] { return aclrtHostUnregister(nullptr); }},
      {"aclrtMemAllocManaged", 107000, "flag is 0", [&] { return aclrtMemAllocManaged(&device, 1, 0); }},
      {"aclrtMemAllocManaged", 100000, "size is 0", [&] { return aclrtMemAllocManaged(&device, 0, 1); }},
  });
  EXPECT_EQ(aclrtHostRegister(begin, 10, ACL_HOST_REGISTER_MAPPED, &device), ACL_SUCCESS);  // right before it
  EXPECT_EQ(aclrtHostUnregister(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(at + 10), ACL_SUCCESS);
}

TEST_F(BuiltinTasks, AllocationsWithMoreAboutThem) {
  void* block = nullptr;
  aclrtMallocConfig none{nullptr, 0};
  aclrtMallocConfig missing{nullptr, 2};
  EXPECT_EQ(aclrtMallocWithCfg(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST, &none), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  EXPECT_EQ(aclrtMallocHostWithCfg(&block, 100, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(block), ACL_SUCCESS);
  check_failures({
      {"aclrtMallocWithCfg", 100000, "cfg->numAttrs is 2",
       [&] { return aclrtMallocWithCfg(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST, &missing); }},
      {"aclrtMallocHostWithCfg", 100000, "cfg->numAttrs is 2",
       [&] { return aclrtMallocHostWithCfg(&block, 100, &missing); }},
  });
}

TEST_F(BuiltinTasks, ErrorsOfAllocators) {
  aclrtAllocatorDesc described = aclrtAllocatorCreateDesc();
  ASSERT_NE(described, nullptr);
  int own = 0;
  check_failures({
      {"aclrtAllocatorSetObjToDesc", 100000, "allocator",
       [=] { return aclrtAllocatorSetObjToDesc(described, nullptr); }},
      {"aclrtAllocatorSetObjToDesc", 100000, "allocatorDesc",
       [&] { return aclrtAllocatorSetObjToDesc(nullptr, &own); }},
      {"aclrtAllocatorSetAllocFuncToDesc", 100000, "func",
       [=] { return aclrtAllocatorSetAllocFuncToDesc(described, nullptr); }},
      {"aclrtAllocatorSetFreeFuncToDesc", 100000, "func",
       [=] { return aclrtAllocatorSetFreeFuncToDesc(described, nullptr); }},
      {"aclrtAllocatorSetAllocAdviseFuncToDesc", 100000, "func",
       [=] { return aclrtAllocatorSetAllocAdviseFuncToDesc(described, nullptr); }},
      {"aclrtAllocatorSetGetAddrFromBlockFuncToDesc", 100000, "func",
       [=] { return aclrtAllocatorSetGetAddrFromBlockFuncToDesc(described, nullptr); }},
      {"aclrtAllocatorRegister", 100000, "lacks a part",
       [&] { return aclrtAllocatorRegister(s1_, described); }},
      {"aclrtAllocatorRegister", 100000, "stream",
       [=] { return aclrtAllocatorRegister(nullptr, described); }},
      {"aclrtAllocatorGetByStream", 100000, "no allocator",
       [&] {
         return aclrtAllocatorGetByStream(s1_, &described, nullptr, nullptr, nullptr, nullptr, nullptr);
       }},
      {"aclrtAllocatorUnregister", 100000, "stream", [] { return aclrtAllocatorUnregister(nullptr); }},
  });
  EXPECT_EQ(aclrtAllocatorUnregister(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtAllocatorDestroyDesc(described), ACL_SUCCESS);
  check_failures({{"aclrtAllocatorDestroyDesc", 107017, "allocatorDesc",
                   [=] { return aclrtAllocatorDestroyDesc(described); }}});
}

}  // namespace
