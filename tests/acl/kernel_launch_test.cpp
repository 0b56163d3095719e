// Kernels: the library they come from, their arguments, and each way to launch them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "acl/soma_kernel.h"
#include "libraries/kernels.hpp"
#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class Kernels : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtBinaryLoadFromFile(TEST_KERNELS_PATH, nullptr, &library_), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemset(memory_, bytes_, 0, bytes_), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(settle_device(), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(memory_), ACL_SUCCESS);
    static_cast<void>(aclrtBinaryUnLoad(library_));  // the test may have done it
    acl_fixture::TearDown();
  }

  aclrtFuncHandle find(const char* name) {
    aclrtFuncHandle function = nullptr;
    EXPECT_EQ(aclrtBinaryGetFunction(library_, name, &function), ACL_SUCCESS);
    EXPECT_NE(function, nullptr);
    return function;
  }

  /// A finalized list for fill_bytes over the test's memory.
  aclrtArgsHandle fill_list(aclrtFuncHandle function, std::uint64_t value) {
    aclrtArgsHandle list = nullptr;
    aclrtParamHandle parameter = nullptr;
    void* destination = memory_;
    std::uint64_t bytes = bytes_;
    EXPECT_EQ(aclrtKernelArgsInit(function, &list), ACL_SUCCESS);
    EXPECT_EQ(aclrtKernelArgsAppend(list, &destination, sizeof(destination), &parameter), ACL_SUCCESS);
    EXPECT_EQ(aclrtKernelArgsAppend(list, &bytes, sizeof(bytes), &parameter), ACL_SUCCESS);
    EXPECT_EQ(aclrtKernelArgsAppend(list, &value, sizeof(value), &value_parameter_), ACL_SUCCESS);
    EXPECT_EQ(aclrtKernelArgsFinalize(list), ACL_SUCCESS);
    return list;
  }

  [[nodiscard]] bool memory_holds(std::uint8_t value) const {
    EXPECT_EQ(settle(s1_), ACL_SUCCESS);
    return holds(memory_, bytes_, value);
  }

  static constexpr std::size_t bytes_ = 4096;
  aclrtBinHandle library_ = nullptr;
  void* memory_ = nullptr;
  aclrtParamHandle value_parameter_ = nullptr;
};

TEST_F(Kernels, LoadAndUnload) {
  aclrtFuncHandle function = find("fill_bytes");
  EXPECT_EQ(aclrtBinaryUnLoad(library_), ACL_SUCCESS);
  EXPECT_EQ(aclrtBinaryUnLoad(library_), ACL_ERROR_RT_INVALID_HANDLE);
  aclrtFuncHandle other = nullptr;
  EXPECT_EQ(aclrtBinaryGetFunction(library_, "fill_bytes", &other), ACL_ERROR_RT_INVALID_HANDLE);
  std::array<char, 32> name{};
  EXPECT_EQ(aclrtGetFunctionName(function, name.size(), name.data()), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtLaunchKernel(function, 1, memory_, 24, s1_), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(Kernels, BadLibraries) {
  aclrtBinHandle library = nullptr;
  EXPECT_EQ(aclrtBinaryLoadFromFile(nullptr, nullptr, &library), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtBinaryLoadFromFile(TEST_KERNELS_PATH, nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtBinaryLoadFromFile("no such file", nullptr, &library), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtBinaryLoadFromFile(__FILE__, nullptr, &library), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtBinaryUnLoad(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtBinaryUnLoad(s1_), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(Kernels, FunctionsByName) {
  aclrtFuncHandle function = &function;
  EXPECT_EQ(aclrtBinaryGetFunction(library_, "no_such_kernel", &function), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(aclrtBinaryGetFunction(nullptr, "fill_bytes", &function), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtBinaryGetFunction(library_, nullptr, &function), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtBinaryGetFunction(library_, "fill_bytes", nullptr), ACL_ERROR_INVALID_PARAM);
  function = find("fill_bytes");
  std::array<char, 11> name{};
  EXPECT_EQ(aclrtGetFunctionName(function, 11, name.data()), ACL_SUCCESS);
  EXPECT_EQ(std::string(name.data()), "fill_bytes");
  EXPECT_EQ(aclrtGetFunctionName(function, 10, name.data()), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtGetFunctionName(nullptr, 11, name.data()), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetFunctionName(function, 11, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(Kernels, LaunchWithArgumentsInDeviceMemory) {
  aclrtMemPool pool = make_pool({});
  void* arguments = allocate(pool, s1_, sizeof(test_kernels::fill_bytes_arguments));
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  for (const std::uint8_t value : {std::uint8_t{3}, std::uint8_t{4}}) {
    const test_kernels::fill_bytes_arguments fill_with{static_cast<std::uint8_t*>(memory_), bytes_, value};
    ASSERT_EQ(
        aclrtMemcpy(arguments, sizeof(fill_with), &fill_with, sizeof(fill_with), ACL_MEMCPY_HOST_TO_DEVICE),
        ACL_SUCCESS);
    if (value == 3) {
      EXPECT_EQ(aclrtLaunchKernel(find("fill_bytes"), 3, arguments, sizeof(fill_with), s1_), ACL_SUCCESS);
    } else {
      EXPECT_EQ(aclrtLaunchKernelV2(find("fill_bytes"), 3, arguments, sizeof(fill_with), nullptr, s1_),
                ACL_SUCCESS);
    }
    EXPECT_TRUE(memory_holds(value));
  }
}

// Two arrays behind the arguments, and the pointers to them, which the launch fills in. All may go at its
// return.
TEST_F(Kernels, ArgumentsOfTheHostWithTheirData) {
  struct {
    test_kernels::add_floats_arguments arguments{};
    std::array<float, 3> a{1, 2, 3};
    std::array<float, 3> b{10, 20, 30};
  } packed;
  packed.arguments.sum = static_cast<float*>(memory_);
  packed.arguments.count = 3;
  const auto offset = [&packed](const void* of) {
    return static_cast<std::uint32_t>(static_cast<const char*>(of) - reinterpret_cast<const char*>(&packed));
  };
  std::array<aclrtPlaceHolderInfo, 2> pointers{{{0, offset(&packed.a)}, {8, offset(&packed.b)}}};
  aclrtFuncHandle function = find("add_floats");
  const auto launch = [&](std::uint32_t blocks, void* arguments, std::size_t bytes, std::size_t count) {
    return aclrtLaunchKernelWithHostArgs(function, blocks, s1_, nullptr, arguments, bytes, pointers.data(),
                                         count);
  };
  gate held;
  hold(s1_, held);
  EXPECT_EQ(launch(1, &packed, sizeof packed, 2), ACL_SUCCESS);
  packed = {};
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  std::array<float, 3> sum{};
  EXPECT_EQ(aclrtMemcpy(sum.data(), sizeof sum, memory_, sizeof sum, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(sum, (std::array<float, 3>{11, 22, 33}));
  check_failures({
      {"aclrtLaunchKernelWithHostArgs", 100000, "funcHandle",
       [&] {
         return aclrtLaunchKernelWithHostArgs(nullptr, 1, s1_, nullptr, &packed, sizeof packed, nullptr, 0);
       }},
      {"aclrtLaunchKernelWithHostArgs", 100000, "hostArgs", [&] { return launch(1, nullptr, 8, 0); }},
      {"aclrtLaunchKernelWithHostArgs", 107000, "numBlocks", [&] { return launch(0, &packed, 8, 0); }},
      {"aclrtLaunchKernelWithHostArgs", 107000, "argsSize", [&] { return launch(1, &packed, 0, 0); }},
      {"aclrtLaunchKernelWithHostArgs", 107000, "placeHolderArray[1]",
       [&] { return launch(1, &packed, offset(&packed.b), 2); }},
      {"aclrtLaunchKernelWithHostArgs", 107000, "placeHolderNum is 1",
       [&] {
         return aclrtLaunchKernelWithHostArgs(function, 1, s1_, nullptr, &packed, sizeof packed, nullptr, 1);
       }},
      {"aclrtLaunchKernelWithHostArgs", 107017, "funcHandle",
       [&] {
         return aclrtLaunchKernelWithHostArgs(s1_, 1, s1_, nullptr, &packed, sizeof packed, nullptr, 0);
       }},
  });
}

TEST_F(Kernels, ArgumentsInPlaceAreReadWhenTheKernelRuns) {
  void* arguments = nullptr;
  ASSERT_EQ(aclrtMalloc(&arguments, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  gate held;
  hold(s1_, held);
  ASSERT_EQ(aclrtLaunchKernel(find("fill_bytes"), 1, arguments, 24, s1_), ACL_SUCCESS);
  const test_kernels::fill_bytes_arguments late{static_cast<std::uint8_t*>(memory_), bytes_, 9};
  ASSERT_EQ(aclrtMemcpy(arguments, 64, &late, sizeof(late), ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  held.open();
  EXPECT_TRUE(memory_holds(9));
  EXPECT_EQ(aclrtFree(arguments), ACL_SUCCESS);
}

TEST_F(Kernels, ArgumentListsAreCopiedAtTheLaunch) {
  aclrtFuncHandle function = find("fill_bytes");
  gate held;
  hold(s1_, held);
  aclrtArgsHandle list = fill_list(function, 5);
  ASSERT_EQ(aclrtLaunchKernelWithConfig(function, 2, s1_, nullptr, list, nullptr), ACL_SUCCESS);
  std::uint64_t value = 6;
  ASSERT_EQ(aclrtKernelArgsParaUpdate(list, value_parameter_, &value, sizeof(value)), ACL_SUCCESS);
  held.open();
  EXPECT_TRUE(memory_holds(5));
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 2, s1_, nullptr, list, nullptr), ACL_ERROR_RT_PARAM_INVALID)
      << "updated, and not finalized since";
  ASSERT_EQ(aclrtKernelArgsFinalize(list), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 2, s1_, nullptr, list, nullptr), ACL_SUCCESS);
  EXPECT_TRUE(memory_holds(6));
}

TEST_F(Kernels, ListsInTheCallersMemory) {
  aclrtFuncHandle function = find("fill_bytes");
  std::size_t handle_bytes = 0;
  std::size_t buffer_bytes = 0;
  ASSERT_EQ(aclrtKernelArgsGetHandleMemSize(function, &handle_bytes), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsGetMemSize(function, 24, &buffer_bytes), ACL_SUCCESS);
  EXPECT_GT(handle_bytes, 0U);
  EXPECT_GE(buffer_bytes, 24U);
  std::vector<std::max_align_t> handle_memory(handle_bytes / sizeof(std::max_align_t) + 1);
  std::vector<std::max_align_t> buffer(buffer_bytes / sizeof(std::max_align_t) + 1);
  aclrtArgsHandle list = handle_memory.data();
  ASSERT_EQ(aclrtKernelArgsInitByUserMem(function, list, buffer.data(), buffer_bytes), ACL_SUCCESS);
  aclrtParamHandle parameter = nullptr;
  test_kernels::fill_bytes_arguments all{static_cast<std::uint8_t*>(memory_), bytes_, 8};
  ASSERT_EQ(aclrtKernelArgsAppend(list, &all, sizeof(all), &parameter), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsFinalize(list), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 1, s1_, nullptr, list, nullptr), ACL_SUCCESS);
  EXPECT_TRUE(memory_holds(8));
  EXPECT_EQ(aclrtKernelArgsInitByUserMem(function, list, buffer.data(), 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtKernelArgsInitByUserMem(function, nullptr, buffer.data(), 24), ACL_ERROR_INVALID_PARAM);
}

int sum_into(const void* arguments, size_t bytes, std::uint32_t /*block*/, std::uint32_t /*blocks*/) {
  struct {
    const std::uint64_t* numbers;  // behind a placeholder
    std::uint64_t count;
    std::uint64_t* sum;
  } given{};
  if (bytes < sizeof(given)) {
    return 1;
  }
  std::memcpy(&given, arguments, sizeof(given));
  *given.sum = std::accumulate(given.numbers, given.numbers + given.count, std::uint64_t{0});
  return 0;
}

TEST_F(Kernels, DataBehindAPlaceholder) {
  aclrtFuncHandle function = nullptr;
  ASSERT_EQ(somaKernelRegister("sum_into", sum_into, &function), ACL_SUCCESS);
  aclrtArgsHandle list = nullptr;
  aclrtParamHandle placeholder = nullptr;
  aclrtParamHandle parameter = nullptr;
  std::uint64_t count = 4;
  void* sum = memory_;
  ASSERT_EQ(aclrtKernelArgsInit(function, &list), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppendPlaceHolder(list, &placeholder), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppend(list, &count, sizeof(count), &parameter), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppend(list, &sum, sizeof(sum), &parameter), ACL_SUCCESS);
  void* data = nullptr;
  EXPECT_EQ(aclrtKernelArgsGetPlaceHolderBuffer(list, parameter, 32, &data), ACL_ERROR_RT_PARAM_INVALID);
  ASSERT_EQ(aclrtKernelArgsGetPlaceHolderBuffer(list, placeholder, 32, &data), ACL_SUCCESS);
  const std::array<std::uint64_t, 4> numbers{1, 20, 300, 4000};
  std::memcpy(data, numbers.data(), sizeof(numbers));
  EXPECT_EQ(aclrtKernelArgsAppend(list, &count, sizeof(count), &parameter), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtKernelArgsAppendPlaceHolder(list, &parameter), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  ASSERT_EQ(aclrtKernelArgsFinalize(list), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchKernelWithConfig(function, 1, s1_, nullptr, list, nullptr), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  std::uint64_t result = 0;
  ASSERT_EQ(aclrtMemcpy(&result, 8, memory_, 8, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(result, 4321U);
}

TEST_F(Kernels, BadLists) {
  aclrtFuncHandle function = find("count_blocks");
  aclrtArgsHandle list = nullptr;
  aclrtParamHandle parameter = nullptr;
  std::uint64_t value = 0;
  EXPECT_EQ(aclrtKernelArgsInit(nullptr, &list), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtKernelArgsInit(function, nullptr), ACL_ERROR_INVALID_PARAM);
  ASSERT_EQ(aclrtKernelArgsInit(function, &list), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 1, s1_, nullptr, list, nullptr),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtKernelArgsAppend(nullptr, &value, 8, &parameter), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtKernelArgsAppend(list, nullptr, 8, &parameter), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtKernelArgsAppend(list, &value, 0, &parameter), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtKernelArgsAppend(list, &value, 8, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtKernelArgsFinalize(nullptr), ACL_ERROR_INVALID_PARAM);
  std::vector<std::byte> large(64 * 1024 + 1);
  EXPECT_EQ(aclrtKernelArgsAppend(list, large.data(), large.size(), &parameter), ACL_ERROR_RT_PARAM_INVALID);
  for (int i = 0; i < 128; ++i) {
    ASSERT_EQ(aclrtKernelArgsAppend(list, &value, 8, &parameter), ACL_SUCCESS) << i;
  }
  EXPECT_EQ(aclrtKernelArgsAppend(list, &value, 8, &parameter), ACL_ERROR_RT_PARAM_INVALID);
  ASSERT_EQ(aclrtKernelArgsInit(function, &list), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppend(list, &value, 8, &parameter), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsParaUpdate(list, parameter, &value, 4), ACL_ERROR_RT_PARAM_INVALID);
  ASSERT_EQ(aclrtKernelArgsFinalize(list), ACL_SUCCESS);
  EXPECT_EQ(aclrtKernelArgsAppend(list, &value, 8, &parameter), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

TEST_F(Kernels, BadLaunches) {
  aclrtFuncHandle function = find("count_blocks");
  aclrtArgsHandle list = fill_list(function, 0);
  aclrtStream dead = make_stream();
  ASSERT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernel(nullptr, 1, memory_, 8, s1_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchKernel(function, 1, nullptr, 8, s1_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchKernel(function, 0, memory_, 8, s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtLaunchKernel(function, 1, memory_, 8, dead), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtLaunchKernel(s1_, 1, memory_, 8, s1_), ACL_ERROR_RT_INVALID_HANDLE);
  aclrtLaunchKernelCfg empty{nullptr, 1};
  EXPECT_EQ(aclrtLaunchKernelV2(function, 1, memory_, 8, &empty, s1_), ACL_ERROR_RT_PARAM_INVALID);
  std::array<aclrtLaunchKernelAttr, 2> limits{};
  limits[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  limits[1].id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
  aclrtLaunchKernelCfg both{limits.data(), limits.size()};
  EXPECT_EQ(aclrtLaunchKernelV2(function, 1, memory_, 8, &both, s1_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(nullptr, 1, s1_, nullptr, list, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 1, s1_, nullptr, nullptr, nullptr),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 0, s1_, nullptr, list, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 1, s1_, nullptr, list, memory_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchKernelWithConfig(function, 1, s1_, &both, list, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
}

TEST_F(Kernels, EveryBlockRunsOnce) {
  aclrtFuncHandle function = find("count_blocks");
  aclrtArgsHandle list = nullptr;
  aclrtParamHandle parameter = nullptr;
  void* counter = memory_;
  ASSERT_EQ(aclrtKernelArgsInit(function, &list), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsAppend(list, &counter, sizeof(counter), &parameter), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsFinalize(list), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchKernelWithConfig(function, 100, nullptr, nullptr, list, nullptr), ACL_SUCCESS);
  EXPECT_EQ(settle(nullptr), ACL_SUCCESS);
  std::uint32_t count = 0;
  ASSERT_EQ(aclrtMemcpy(&count, 4, memory_, 4, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(count, 100U);
}

int does_nothing(const void* /*arguments*/, size_t /*bytes*/, std::uint32_t /*block*/,
                 std::uint32_t /*blocks*/) {
  return 0;
}

TEST_F(Kernels, TheRegister) {
  aclrtFuncHandle first = nullptr;
  aclrtFuncHandle again = nullptr;
  aclrtFuncHandle other = &other;
  EXPECT_EQ(somaKernelRegister("does_nothing", does_nothing, &first), ACL_SUCCESS);
  EXPECT_EQ(somaKernelRegister("does_nothing", does_nothing, &again), ACL_SUCCESS);
  EXPECT_EQ(again, first);
  EXPECT_EQ(somaKernelFind("does_nothing", &again), ACL_SUCCESS);
  EXPECT_EQ(again, first);
  EXPECT_EQ(somaKernelRegister("does_nothing", sum_into, &other), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(other, nullptr);
  other = &other;
  EXPECT_EQ(somaKernelFind("no_such_kernel", &other), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(somaKernelRegister(nullptr, does_nothing, &other), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(somaKernelRegister("null", nullptr, &other), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(somaKernelRegister("null", does_nothing, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(somaKernelFind(nullptr, &other), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(somaKernelFind("does_nothing", nullptr), ACL_ERROR_INVALID_PARAM);
}

}  // namespace
