// Kernels of the C++ interface, how they get their arguments, and what happens when a task fails.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "libraries/kernels.hpp"
#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;
using soma::kernel;
using soma::kernel_library;
using soma::launch_arguments;

class Kernels : public cpp_fixture {
protected:
  static kernel load(const std::string& name) {
    return must(must(kernel_library::load(TEST_KERNELS_PATH)).find(name));
  }

  [[nodiscard]] test_kernels::fill_bytes_arguments fill_with(std::uint8_t value) {
    return {bytes_.data(), bytes_.size(), value};
  }

  [[nodiscard]] bool all_are(std::uint8_t value) const {
    return all_bytes_are(bytes_.data(), bytes_.size(), value);
  }

  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(4096);
};

class FailingTasks : public Kernels, public testing::WithParamInterface<const char*> {
protected:
  void fail(soma::stream& on) {
    must(on.launch(load(GetParam()), launch_arguments::value(test_kernels::fail_with_code_arguments{7}), 1));
  }
};

class Stopping : public Kernels {
protected:
  void fail(soma::stream& on) {
    must(on.launch(load("fail_with_code"), launch_arguments::value(test_kernels::fail_with_code_arguments{7}),
                   1));
  }
};

int succeed(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
            std::uint32_t /*blocks*/) {
  return 0;
}

int expects_nothing(const void* arguments, std::size_t bytes, std::uint32_t /*block*/,
                    std::uint32_t /*blocks*/) {
  return arguments == nullptr && bytes == 0 ? 0 : 1;
}

TEST_F(Kernels, Libraries) {
  EXPECT_TRUE(failed_with(kernel_library::load("no such file"), errc::file_not_readable));
  EXPECT_TRUE(failed_with(kernel_library::load(__FILE__), errc::file_not_readable));
  const auto library = must(kernel_library::load(TEST_KERNELS_PATH));
  EXPECT_TRUE(failed_with(library.find("no_such_kernel"), errc::kernel_not_found));
  EXPECT_EQ(must(library.find("fill_bytes")).name(), "fill_bytes");
}

TEST_F(Kernels, TheRegister) {
  EXPECT_TRUE(failed_with(kernel::enter("", succeed), errc::invalid_argument));
  EXPECT_TRUE(failed_with(kernel::enter("nothing", nullptr), errc::invalid_argument));
  EXPECT_TRUE(failed_with(kernel::find("not entered"), errc::kernel_not_found));
  EXPECT_EQ(must(kernel::enter("succeed", succeed)).function(), succeed);
  EXPECT_TRUE(succeeded(kernel::enter("succeed", succeed)));
  EXPECT_TRUE(failed_with(kernel::enter("succeed", expects_nothing), errc::invalid_argument));
  EXPECT_EQ(must(kernel::find("succeed")).function(), succeed);
}

TEST_F(Kernels, BadLaunches) {
  EXPECT_TRUE(failed_with(s1_.launch(kernel::from_function(succeed), {}, 0), errc::invalid_argument));
  EXPECT_TRUE(failed_with(s1_.launch(kernel::from_function(nullptr), {}, 1), errc::invalid_argument));
}

TEST_F(Kernels, WithoutArguments) {
  must(s1_.launch(kernel::from_function(expects_nothing), {}, 1));
  EXPECT_TRUE(succeeded(settle(s1_)));
}

TEST_F(Kernels, EveryBlockRunsOnce) {
  std::uint32_t counter = 0;
  must(s1_.launch(load("count_blocks"),
                  launch_arguments::value(test_kernels::count_blocks_arguments{&counter}), 1000));
  must(settle(s1_));
  EXPECT_EQ(counter, 1000U);
}

TEST_F(Kernels, ComputeOnPoolMemory) {
  constexpr std::size_t count = 10000;
  auto pool = make_pool({.minimum_block = 512});
  const std::vector<float> ones(count, 1.0F);
  const std::vector<float> twos(count, 2.0F);
  std::vector<float> result(count);
  std::array<void*, 3> blocks{};
  for (auto& block : blocks) {
    block = must(pool.malloc_async(count * sizeof(float), s1_));
  }
  must(s1_.copy(blocks[0], ones.data(), count * sizeof(float)));
  must(s1_.copy(blocks[1], twos.data(), count * sizeof(float)));
  const test_kernels::add_floats_arguments add{static_cast<float*>(blocks[0]), static_cast<float*>(blocks[1]),
                                               static_cast<float*>(blocks[2]), count};
  must(s1_.launch(load("add_floats"), launch_arguments::value(add), 7));
  must(s1_.copy(result.data(), blocks[2], count * sizeof(float)));
  for (void* block : blocks) {
    must(pool.free_async(block, s1_));
  }
  must(settle(s1_));
  EXPECT_EQ(result, std::vector<float>(count, 3.0F));
}

TEST_F(Kernels, CopiedArguments) {
  auto arguments = fill_with(1);
  gate held;
  hold(s1_, held);
  must(s1_.launch(load("fill_bytes"), launch_arguments::copied(&arguments, sizeof(arguments)), 2));
  arguments.value = 2;
  held.open();
  must(settle(s1_));
  EXPECT_TRUE(all_are(1));
}

TEST_F(Kernels, ArgumentsInPlace) {
  auto arguments = fill_with(1);
  gate held;
  hold(s1_, held);
  must(s1_.launch(load("fill_bytes"), launch_arguments::in_place(&arguments, sizeof(arguments)), 2));
  arguments.value = 2;
  held.open();
  must(settle(s1_));
  EXPECT_TRUE(all_are(2));
}

TEST_F(Kernels, SharedArgumentsLiveUntilTheKernelHasRun) {
  const auto arguments = fill_with(3);
  auto buffer = std::make_shared<std::byte[]>(sizeof(arguments));
  std::memcpy(buffer.get(), &arguments, sizeof(arguments));
  const std::weak_ptr<std::byte[]> watch = buffer;
  gate held;
  hold(s1_, held);
  must(s1_.launch(load("fill_bytes"), launch_arguments::shared(std::move(buffer), sizeof(arguments)), 2));
  EXPECT_FALSE(watch.expired());
  held.open();
  must(settle(s1_));
  EXPECT_TRUE(all_are(3));
  EXPECT_TRUE(eventually([&] { return watch.expired(); }));
}

TEST_F(Kernels, AQueuedKernelKeepsItsLibrary) {
  gate held;
  hold(s1_, held);
  must(s1_.launch(load("fill_bytes"), launch_arguments::value(fill_with(4)), 1));
  held.open();
  must(settle(s1_));
  EXPECT_TRUE(all_are(4));
}

// D18: the error is returned once; later tasks run, frees take effect, other streams go on.
TEST_P(FailingTasks, D18_TheStreamGoesOn) {
  auto pool = make_pool({});
  void* block = must(pool.malloc_async(2_M, s1_));
  fail(s1_);
  const witness later;
  call(s1_, later);
  must(pool.free_async(block, s1_));
  EXPECT_EQ(must(pool.malloc_async(2_M, s1_)), block);
  must(pool.free_async(block, s1_));
  EXPECT_TRUE(succeeded(settle(s2_)));
  EXPECT_TRUE(failed_with(settle(s1_), errc::task_failed));
  EXPECT_TRUE(later.ran());
  EXPECT_TRUE(succeeded(settle(s1_))) << "the error was returned already";
  EXPECT_EQ(must(pool.statistics()).reserved, 0U);
  fail(s1_);
  EXPECT_TRUE(failed_with(device_.synchronize_for(patience), errc::task_failed));
  EXPECT_TRUE(succeeded(device_.synchronize_for(patience)));
}

INSTANTIATE_TEST_SUITE_P(Kernels, FailingTasks,
                         testing::Values("fail_with_code", "throw_exception", "raise_segv", "raise_fpe",
                                         "raise_ill"),
                         [](const auto& given) { return std::string(given.param); });

TEST_F(Kernels, D18_AHostFunctionThatThrows) {
  must(s1_.call([] { throw std::runtime_error("thrown by a host function"); }));
  auto event = must(device_.create_event());
  must(s1_.record(event));
  EXPECT_TRUE(failed_with(event.synchronize_for(patience), errc::task_failed));
  static_cast<void>(settle(s1_));
}

TEST_F(Stopping, DropsTasksButNotFrees) {
  auto stopping = must(device_.create_stream({.on_failure = soma::failure_mode::stop}));
  auto pool = make_pool({});
  void* block = must(pool.malloc_async(2_M, stopping));
  gate held;
  hold(stopping, held);
  fail(stopping);
  const witness dropped;
  call(stopping, dropped);
  must(pool.free_async(block, stopping));
  held.open();
  EXPECT_TRUE(failed_with(settle(stopping), errc::task_failed));
  EXPECT_FALSE(dropped.ran());
  EXPECT_EQ(must(pool.statistics()).used, 0U);
  EXPECT_TRUE(failed_with(stopping.call([] {}), errc::stream_stopped));
  EXPECT_TRUE(failed_with(stopping.fill(bytes_.data(), 0, 1), errc::stream_stopped));
  EXPECT_TRUE(succeeded(settle(s1_)));
  static_cast<void>(device_.synchronize_for(patience));
}

TEST_F(Stopping, TheModeCannotBeTakenBack) {
  EXPECT_TRUE(succeeded(s1_.set_failure_mode(soma::failure_mode::proceed)));
  EXPECT_TRUE(succeeded(s1_.set_failure_mode(soma::failure_mode::stop)));
  EXPECT_TRUE(succeeded(s1_.set_failure_mode(soma::failure_mode::stop)));
  EXPECT_TRUE(failed_with(s1_.set_failure_mode(soma::failure_mode::proceed), errc::invalid_argument));
}

TEST_F(Stopping, AGroupStopsTogether) {
  const soma::stream_options in_group{.on_failure = soma::failure_mode::stop, .failure_group = 5};
  auto first = must(device_.create_stream(in_group));
  auto second = must(device_.create_stream(in_group));
  auto alone = must(device_.create_stream({.on_failure = soma::failure_mode::stop}));
  fail(first);
  EXPECT_TRUE(failed_with(settle(first), errc::task_failed));
  EXPECT_TRUE(eventually([&] {
    const auto result = second.call([] {});
    return !result && result.error().code == errc::stream_stopped;
  }));
  EXPECT_TRUE(succeeded(alone.call([] {})));
  EXPECT_TRUE(succeeded(settle(alone)));
  static_cast<void>(device_.synchronize_for(patience));
}

class FailureAfterTimeout : public cpp_fixture {};

// A synchronize that timed out uses nothing up: the failure is the next one's.
TEST_F(FailureAfterTimeout, IsReturnedByTheNextSynchronize) {
  for (const bool of_device : {false, true}) {
    gate held;
    hold(s1_, held);
    must(s1_.call([] { throw std::runtime_error("no luck"); }));
    const std::chrono::milliseconds moment{1};
    EXPECT_TRUE(failed_with(of_device ? device_.synchronize_for(moment) : s1_.synchronize_for(moment),
                            errc::timed_out));
    held.open();
    EXPECT_TRUE(failed_with(of_device ? device_.synchronize() : s1_.synchronize(), errc::task_failed));
    EXPECT_TRUE(succeeded(of_device ? device_.synchronize() : s1_.synchronize()));
  }
}

}  // namespace
