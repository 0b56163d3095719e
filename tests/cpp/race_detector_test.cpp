// The race detector through the C++ interface: each kind of report once, with the right tasks, and silence on
// programs that are right.

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t block_bytes = 4096;

soma::runtime_options checked(bool guard = false) {
  soma::check_options check;
  check.output = soma::check_output::none;
  check.guard = guard;
  soma::runtime_options options;
  options.check = check;
  return options;
}

int do_nothing(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
               std::uint32_t /*blocks*/) {
  return 0;
}

class race_detector : public cpp_fixture {
protected:
  explicit race_detector(const soma::runtime_options& options = checked()) : cpp_fixture(options) {}

  void* allocate(soma::stream& on, std::size_t bytes = block_bytes) {
    return must(pool_.malloc_async(bytes, on));
  }
  void release(void* block, soma::stream& on) { must(pool_.free_async(block, on)); }
  static void fill(soma::stream& on, void* block, std::size_t bytes = block_bytes) {
    must(on.fill(block, 1, bytes));
  }

  static std::string name(const soma::stream& stream, const char* what, int number) {
    return "stream " + std::to_string(stream.id()) + "'s " + what + " " + std::to_string(number);
  }

  /// What was reported, as "kind: first, second".
  [[nodiscard]] std::vector<std::string> reports() const {
    std::vector<std::string> texts;
    for (const auto& report : must(runtime_.check_reports())) {
      texts.push_back(std::string(soma::to_string(report.kind)) + ": " +
                      (report.first ? report.first->name : "-") + ", " +
                      (report.second ? report.second->name : "-"));
    }
    return texts;
  }

  soma::pool pool_ = make_pool({});
  soma::kernel kernel_ = soma::kernel::from_function(do_nothing, "do_nothing");
};

// -- the kinds ----------------------------------------------------------------------------------------------

TEST_F(race_detector, UseBeforeMalloc) {  // S98
  void* block = allocate(s1_);
  fill(s2_, block);
  EXPECT_THAT(reports(),
              ElementsAre("use_before_malloc: " + name(s1_, "malloc", 1) + ", " + name(s2_, "task", 1)));
  must(device_.synchronize());
  release(block, s1_);
}

TEST_F(race_detector, UseAfterFree) {  // S99
  void* block = allocate(s1_);
  order(s1_, s2_);
  fill(s2_, block);
  release(block, s1_);
  EXPECT_THAT(reports(),
              ElementsAre("use_after_free: " + name(s2_, "task", 2) + ", " + name(s1_, "free", 3)));
  const auto report = must(runtime_.check_reports()).at(0);
  EXPECT_EQ(report.missing_edge,
            "no event orders " + name(s2_, "task", 2) + " before " + name(s1_, "free", 3));
}

TEST_F(race_detector, UseThatIsSubmittedAfterTheFree) {
  void* block = allocate(s1_);
  order(s1_, s2_);
  const gate held;
  hold(s1_, held);
  release(block, s1_);
  fill(s2_, block);
  EXPECT_THAT(reports(),
              ElementsAre("use_after_free: " + name(s2_, "task", 2) + ", " + name(s1_, "free", 4)));
  must(s2_.synchronize());
}

TEST_F(race_detector, FreeBeforeMalloc) {  // S100
  void* block = allocate(s1_);
  release(block, s2_);
  EXPECT_THAT(reports(),
              ElementsAre("free_before_malloc: " + name(s1_, "malloc", 1) + ", " + name(s2_, "free", 1)));
}

TEST_F(race_detector, FreeAtOnceBeforeTheLastUse) {
  void* block = must(device_.malloc(block_bytes));
  const witness done;
  fill(s1_, block);
  call(s1_, done);
  ASSERT_TRUE(done.wait_until_ran()) << "the use is over, but no synchronize has told the host";
  must(device_.free(block));
  EXPECT_THAT(reports(), ElementsAre("free_before_last_use: " + name(s1_, "task", 1) + ", the host's free"));
}

TEST_F(race_detector, FreeOfHostMemoryBeforeItsLastUse) {
  void* host = must(device_.malloc_host(block_bytes));
  void* block = allocate(s1_);
  const witness done;
  must(s1_.copy(block, host, block_bytes));
  call(s1_, done);
  ASSERT_TRUE(done.wait_until_ran());
  must(device_.free_host(host));
  release(block, s1_);
  EXPECT_THAT(reports(), ElementsAre("free_before_last_use: " + name(s1_, "task", 2) + ", the host's free"));
}

TEST_F(race_detector, DoubleFree) {
  void* block = allocate(s1_);
  release(block, s1_);
  EXPECT_TRUE(failed_with(pool_.free_async(block, s2_), soma::errc::unknown_address));
  EXPECT_THAT(reports(), ElementsAre("double_free: " + name(s1_, "free", 2) + ", a free on stream " +
                                     std::to_string(s2_.id())));
}

TEST_F(race_detector, DoubleFreeOfPlainMemory) {
  void* block = must(device_.malloc(block_bytes));
  must(device_.free(block));
  EXPECT_TRUE(failed_with(device_.free(block), soma::errc::unknown_address));
  EXPECT_THAT(reports(), ElementsAre("double_free: the host's free, the host's free"));
}

TEST_F(race_detector, ForeignFrees) {
  void* block = allocate(s1_);
  int own = 0;
  const auto other_pool = make_pool({});
  EXPECT_FALSE(device_.free(&own));
  EXPECT_FALSE(device_.free_async(static_cast<char*>(block) + 64, s1_));
  EXPECT_FALSE(pool_.free_async(other_pool.base(), s1_));
  release(block, s1_);
  const auto on_s1 = "foreign_free: -, a free on stream " + std::to_string(s1_.id());
  EXPECT_THAT(reports(), ElementsAre("foreign_free: -, the host's free", on_s1, on_s1));
}

TEST_F(race_detector, OutOfBounds) {
  void* block = allocate(s1_, 4000);
  fill(s1_, block, 4000);
  fill(s1_, block, 4001);
  release(block, s1_);
  EXPECT_THAT(reports(),
              ElementsAre("out_of_bounds: " + name(s1_, "malloc", 1) + ", " + name(s1_, "task", 3)));
}

TEST_F(race_detector, LeakOfABlockWhosePoolWasDestroyed) {
  auto doomed = make_pool({});
  void* block = must(doomed.malloc_async(block_bytes, s1_));
  must(doomed.destroy());
  EXPECT_THAT(reports(), IsEmpty()) << "it may still be freed";
  must(runtime_.end_check());
  EXPECT_THAT(reports(), ElementsAre("leak: " + name(s1_, "malloc", 1) + ", -"));
  EXPECT_TRUE(must(runtime_.check_reports()).at(0).block->pool_destroyed);
  must(device_.free_async(block, s1_));
}

TEST_F(race_detector, NoLeakIfTheBlockOfADestroyedPoolIsFreed) {
  auto doomed = make_pool({});
  void* block = must(doomed.malloc_async(block_bytes, s1_));
  must(doomed.destroy());
  must(device_.free_async(block, s1_));
  must(runtime_.end_check());
  EXPECT_THAT(reports(), IsEmpty());
}

// -- what counts as order -----------------------------------------------------------------------------------

TEST_F(race_detector, AnInsertedWaitIsNoOrderForTheProgram) {
  auto tight = make_pool({.limit = 2 * soma::granule_bytes, .reuse = {.internal = true}});
  const gate held;
  hold(s1_, held);
  void* first = must(tight.malloc_async(block_bytes, s1_));
  void* kept = must(tight.malloc_async(block_bytes, s1_));
  must(tight.free_async(first, s1_));
  void* again = must(tight.malloc_async(block_bytes, s2_));
  ASSERT_EQ(again, first) << "s2 waits for the free on s1, and so for everything in front of it";
  must(tight.free_async(kept, s2_));
  must(tight.free_async(again, s2_));
  EXPECT_THAT(reports(),
              ElementsAre("free_before_malloc: " + name(s1_, "malloc", 3) + ", " + name(s2_, "free", 2)));
}

TEST_F(race_detector, WhatTheHostHasSeenIsOrder) {
  void* block = allocate(s1_);
  must(s1_.synchronize());
  fill(s2_, block);
  ASSERT_TRUE(eventually([&] { return must(s2_.query()); }));
  must(device_.free(block));
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(race_detector, AnEventThatTheHostHasSeenIsOrder) {
  void* block = allocate(s1_);
  auto event = must(device_.create_event());
  must(s1_.record(event));
  must(event.synchronize());
  fill(s2_, block);
  must(s2_.record(event));
  ASSERT_TRUE(eventually([&] { return must(event.query()); }));
  release(block, s3_);
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(race_detector, WorkOfADestroyedStreamIsSeenByASynchronizeOfTheDevice) {
  void* block = allocate(s1_);
  order(s1_, s2_);
  fill(s2_, block);
  must(s2_.destroy());
  must(device_.synchronize());
  release(block, s1_);
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(race_detector, OrderIsTransitive) {  // S48
  void* block = allocate(s1_);
  order(s1_, s2_);
  fill(s2_, block);
  order(s2_, s3_);
  release(block, s3_);
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(race_detector, ThreadsMayHandAStreamOver) {  // S80
  void* block = nullptr;
  std::thread([&] { block = allocate(s1_); }).join();
  std::thread([&] { fill(s1_, block); }).join();
  std::thread([&] { release(block, s1_); }).join();
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(race_detector, BlockingStreamsAreOrderedWithTheDefaultStream) {
  auto blocking = must(device_.create_stream({.blocking = true}));
  void* block = allocate(blocking);
  fill(device_.default_stream(), block);
  release(block, blocking);
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(race_detector, ReuseWithAndWithoutOrderIsSilent) {
  auto pool = make_pool({.reuse = {.event = true, .opportunistic = true, .internal = true}});
  for (int round = 0; round < 50; ++round) {
    for (auto* stream : {&s1_, &s2_, &s3_}) {
      void* block = must(pool.malloc_async(block_bytes, *stream));
      must(stream->fill(block, 1, block_bytes));
      must(pool.free_async(block, *stream));
    }
    order(s1_, s2_);
  }
  EXPECT_THAT(reports(), IsEmpty());
}

// -- what a task uses ---------------------------------------------------------------------------------------

TEST_F(race_detector, AKernelUsesWhatItsArgumentsPointTo) {
  void* block = allocate(s1_);
  must(s2_.launch(kernel_, soma::launch_arguments::value(block), 1));
  EXPECT_THAT(reports(),
              ElementsAre("use_before_malloc: " + name(s1_, "malloc", 1) + ", " + name(s2_, "task", 1)));
  EXPECT_EQ(must(runtime_.check_reports()).at(0).second->kernel, "do_nothing");
  must(device_.synchronize());
  release(block, s1_);
}

TEST_F(race_detector, ArgumentsInPlaceAreReadWhenTheKernelRuns) {
  void* block = allocate(s1_);
  order(s1_, s2_);
  void* argument = nullptr;
  must(s2_.call([&] { argument = block; }));
  must(s2_.launch(kernel_, soma::launch_arguments::in_place(&argument, sizeof argument), 1));
  release(block, s1_);
  must(s2_.synchronize());
  EXPECT_THAT(reports(),
              ElementsAre("use_after_free: " + name(s2_, "task", 3) + ", " + name(s1_, "free", 3)));
}

TEST_F(race_detector, ArgumentsInPlaceOfAnOrderedKernelAreSilent) {
  void* block = allocate(s1_);
  must(s1_.launch(kernel_, soma::launch_arguments::in_place(&block, sizeof block), 1));
  release(block, s1_);
  void* other = allocate(s1_);
  must(s1_.synchronize());
  release(other, s1_);
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(race_detector, DeclaredAccessesReplaceTheArguments) {
  void* block = allocate(s1_);
  void* other = allocate(s2_);
  const soma::access declared[] = {{other, block_bytes, true}};
  must(s2_.launch(kernel_, soma::launch_arguments::value(block), 1, declared));
  must(s2_.call([] {}, declared));
  EXPECT_THAT(reports(), IsEmpty());
  must(s1_.call([] {}, declared));
  EXPECT_THAT(reports(),
              ElementsAre("use_before_malloc: " + name(s2_, "malloc", 1) + ", " + name(s1_, "task", 2)));
  must(device_.synchronize());
  release(block, s1_);
  release(other, s2_);
}

TEST_F(race_detector, TheHostDeclaresWhatItUsesItself) {
  void* block = allocate(s1_);
  const soma::access used[] = {{block, 8, false}};
  must(runtime_.host_access(used));
  EXPECT_THAT(reports(), ElementsAre("use_before_malloc: " + name(s1_, "malloc", 1) + ", the host's access"));
  must(s1_.synchronize());
  must(runtime_.host_access(used));
  EXPECT_EQ(must(runtime_.check_reports()).at(0).count, 1U);
  release(block, s1_);
}

// -- reports ------------------------------------------------------------------------------------------------

TEST_F(race_detector, ReportsNameThePlaces) {
  void* block = must(pool_.malloc_async(block_bytes, s1_));
  const auto allocated_at = "race_detector_test.cpp:" + std::to_string(__LINE__ - 1);
  must(s2_.fill(block, 1, block_bytes));
  const auto used_at = "race_detector_test.cpp:" + std::to_string(__LINE__ - 1);
  const auto report = must(runtime_.check_reports()).at(0);
  EXPECT_EQ(report.first->place, allocated_at);
  EXPECT_EQ(report.first->call, "pool::malloc_async");
  EXPECT_EQ(report.second->place, used_at);
  EXPECT_EQ(report.second->call, "stream::fill");
  EXPECT_EQ(report.second->file, __FILE__);
  must(device_.synchronize());
  release(block, s1_);
}

TEST_F(race_detector, OnePairOfPlacesIsReportedOnceAndCounted) {
  std::vector<void*> blocks;
  for (int round = 0; round < 3; ++round) {
    blocks.push_back(allocate(s1_));
    fill(s2_, blocks.back());
  }
  const auto reports = must(runtime_.check_reports());
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports.at(0).count, 3U);
  must(device_.synchronize());
  for (void* block : blocks) {
    release(block, s1_);
  }
}

TEST(race_detector_off, ReportsNothing) {
  const auto runtime = must(soma::runtime::create());
  if (runtime.checked()) {
    GTEST_SKIP() << "the environment has switched it on";
  }
  auto device = must(runtime.get_device());
  auto stream = must(device.create_stream());
  auto other = must(device.create_stream());
  auto pool = must(device.create_pool());
  must(pool.free_async(must(pool.malloc_async(block_bytes, stream)), other));
  EXPECT_THAT(must(runtime.check_reports()), IsEmpty());
}

TEST(race_detector_reports, AreGivenToTheProgramWhichMayNotSubmit) {
  std::vector<std::string> heard;
  soma::device* device_of_callback = nullptr;
  auto options = checked();
  options.check->on_report = [&](const soma::check_report& report) {
    heard.emplace_back(soma::to_string(report.kind));
    EXPECT_TRUE(failed_with(device_of_callback->synchronize(), soma::errc::not_permitted));
  };
  {
    auto runtime = must(soma::runtime::create(options));
    auto device = must(runtime.get_device());
    device_of_callback = &device;
    auto stream = must(device.create_stream());
    auto other = must(device.create_stream());
    auto pool = must(device.create_pool());
    must(pool.free_async(must(pool.malloc_async(block_bytes, stream)), other));
    must(pool.malloc_async(block_bytes, stream));
    EXPECT_EQ(must(runtime.check_reports()).size(), 1U);
    EXPECT_THAT(heard, ElementsAre("free_before_malloc"));
    must(runtime.end_check());
    EXPECT_THAT(heard, ElementsAre("free_before_malloc", "leak"));
  }
  EXPECT_THAT(heard, ElementsAre("free_before_malloc", "leak")) << "the end comes once";
}

// -- guard --------------------------------------------------------------------------------------------------

char* kept_pointer = nullptr;

int write_kept(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
               std::uint32_t /*blocks*/) {
  kept_pointer[128] = 1;
  return 0;
}

class race_detector_with_guard : public race_detector {
protected:
  race_detector_with_guard() : race_detector(checked(true)) {}
};

TEST_F(race_detector_with_guard, AStrayAccessFailsAndTellsWhoseBlockItWas) {
  auto pool = make_pool({.release_threshold = ~std::uint64_t{0}});
  void* block = must(pool.malloc_async(block_bytes, s1_));
  kept_pointer = static_cast<char*>(block);
  const auto kernel = soma::kernel::from_function(write_kept, "write_kept");
  must(s1_.launch(kernel, {}, 1));
  must(pool.free_async(block, s1_));
  must(s1_.synchronize());
  ASSERT_GT(must(pool.statistics()).idle, 0U) << "the pool has kept the memory";
  must(s2_.call([] {}));
  must(s2_.launch(kernel, {}, 1));
  EXPECT_TRUE(failed_with(s2_.synchronize(), soma::errc::task_failed));
  EXPECT_THAT(reports(), ElementsAre("stray_access: " + name(s1_, "free", 3) + ", " + name(s2_, "task", 2)));
  const auto report = must(runtime_.check_reports()).at(0);
  EXPECT_EQ(report.address, report.block->address + 128);
  EXPECT_EQ(report.block->allocated.name, name(s1_, "malloc", 1));
  EXPECT_EQ(report.second->kernel, "write_kept");
}

TEST_F(race_detector_with_guard, GuardedMemoryIsAccessibleAgainForTheNextBlock) {
  auto pool = make_pool({.reuse = {.event = true}, .release_threshold = ~std::uint64_t{0}});
  for (int round = 0; round < 3; ++round) {
    void* block = must(pool.malloc_async(3 * soma::granule_bytes, s1_));
    fill(s1_, block, 3 * soma::granule_bytes);
    must(pool.free_async(block, s1_));
    must(s1_.synchronize());
  }
  EXPECT_EQ(must(pool.statistics()).served.new_memory, 1U);
  EXPECT_THAT(reports(), IsEmpty());
}

TEST_F(race_detector_with_guard, MemoryIsAccessibleUntilTheFreeHasBeenExecuted) {
  auto pool = make_pool({.release_threshold = ~std::uint64_t{0}});
  const gate held;
  void* block = must(pool.malloc_async(block_bytes, s1_));
  hold(s1_, held);
  fill(s1_, block);
  must(pool.free_async(block, s1_));
  held.open();
  EXPECT_TRUE(succeeded(s1_.synchronize()));
}

TEST_F(race_detector_with_guard, WhatShareAGranuleWithALiveBlockStaysAccessible) {
  auto pool = make_pool({.minimum_block = 512, .release_threshold = ~std::uint64_t{0}});
  void* first = must(pool.malloc_async(block_bytes, s1_));
  void* second = must(pool.malloc_async(block_bytes, s1_));
  must(pool.free_async(first, s1_));
  must(s1_.synchronize());
  fill(s1_, second);
  EXPECT_TRUE(succeeded(s1_.synchronize()));
  must(pool.free_async(second, s1_));
}

}  // namespace
