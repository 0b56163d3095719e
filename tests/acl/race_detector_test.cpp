// The race detector for C programs, switched on by SOMA_CHECK: the scenarios of others, and the environment.
//
// A test says what is to be reported; it is compared with what was written when the library has ended.

#include <array>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "acl/soma_kernel.h"
#include "support/acl_fixture.hpp"

namespace {

using namespace support;
using json = nlohmann::json;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

struct read_arguments {
  const volatile char* block;
};

int read_block(const void* arguments, std::size_t bytes, std::uint32_t /*block*/, std::uint32_t /*blocks*/) {
  if (bytes != sizeof(read_arguments)) {
    return 1;
  }
  static_cast<void>(*static_cast<const read_arguments*>(arguments)->block);
  return 0;
}

aclrtFuncHandle read_kernel() {
  aclrtFuncHandle handle = nullptr;
  EXPECT_EQ(somaKernelRegister("race_detector_read", read_block, &handle), ACL_SUCCESS);
  return handle;
}

void read(aclrtStream stream, const void* block) {
  read_arguments arguments{static_cast<const char*>(block)};
  EXPECT_EQ(aclrtLaunchKernel(read_kernel(), 1, &arguments, sizeof arguments, stream), ACL_SUCCESS);
}

std::string position(aclrtStream stream, int sequence) {
  std::int32_t id = 0;
  EXPECT_EQ(aclrtStreamGetId(stream, &id), ACL_SUCCESS);
  return std::to_string(id) + "." + std::to_string(sequence);
}

/// "kind first second" for each report, and the summary.
std::vector<std::string> texts_of(const std::vector<json>& lines) {
  std::vector<std::string> texts;
  for (const auto& line : lines) {
    auto text = line.at("kind").get<std::string>();
    for (const char* which : {"first", "second"}) {
      if (line.contains(which)) {
        text += " " + std::to_string(line.at(which).at("stream").get<std::uint64_t>()) + "." +
                std::to_string(line.at(which).at("sequence").get<std::uint64_t>());
      }
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

class race_detector_for_c : public acl_fixture {
protected:
  void SetUp() override {
    ::setenv("SOMA_CHECK", "json", 1);
    testing::internal::CaptureStderr();
    acl_fixture::SetUp();
  }

  void TearDown() override {
    acl_fixture::TearDown();
    ::unsetenv("SOMA_CHECK");
    std::istringstream written(testing::internal::GetCapturedStderr());
    for (std::string line; std::getline(written, line);) {
      lines_.push_back(json::parse(line));
    }
    ASSERT_FALSE(lines_.empty()) << "not even a summary: was the library not ended?";
    EXPECT_EQ(lines_.back().at("kind"), "summary");
    EXPECT_EQ(lines_.back().at("reports"), lines_.size() - 1);
    lines_.pop_back();
    EXPECT_THAT(texts_of(lines_), testing::ElementsAreArray(expected_));
  }

  void expect(const char* kind, const std::string& first, const std::string& second) {
    expected_.push_back(std::string(kind) + " " + first + " " + second);
  }

  std::vector<std::string> expected_;
  std::vector<json> lines_;
};

// -- the scenarios ------------------------------------------------------------------------------------------

TEST_F(race_detector_for_c, S98UseWithoutOrderAfterTheMalloc) {
  aclrtMemPool pool = make_pool({});
  void* a = allocate(pool, s1_, 2 * mebibyte);
  read(s2_, a);
  expect("use_before_malloc", position(s1_, 1), position(s2_, 1));
}

TEST_F(race_detector_for_c, S99FreeWithoutOrderAfterTheUse) {
  aclrtMemPool pool = make_pool({});
  void* a = allocate(pool, s1_, 2 * mebibyte);
  order(s1_, s2_);
  read(s2_, a);
  release(a, s1_);
  expect("use_after_free", position(s2_, 2), position(s1_, 3));
}

TEST_F(race_detector_for_c, S100FreeWithoutOrderAfterTheMalloc) {
  aclrtMemPool pool = make_pool({});
  release(allocate(pool, s1_, 2 * mebibyte), s2_);
  expect("free_before_malloc", position(s1_, 1), position(s2_, 1));
}

TEST_F(race_detector_for_c, S47CrissCross) {
  aclrtMemPool pool = make_pool({});
  void* a = allocate(pool, s1_, 2 * mebibyte);
  void* b = allocate(pool, s2_, 2 * mebibyte);
  aclrtEvent e1 = make_event();
  aclrtEvent e2 = make_event();
  record(e1, s1_);
  record(e2, s2_);
  wait(s2_, e1);
  wait(s1_, e2);
  read(s2_, a);
  read(s1_, b);
  release(a, s2_);
  release(b, s1_);
}

TEST_F(race_detector_for_c, S48ThreeStreams) {
  aclrtMemPool pool = make_pool({.event = true});
  void* a = allocate(pool, s1_, 2 * mebibyte);
  order(s1_, s2_);
  read(s2_, a);
  order(s2_, s3_);
  release(a, s3_);
  void* next = allocate(pool, s3_, 2 * mebibyte);
  read(s3_, next);
}

TEST_F(race_detector_for_c, B04DiamondWithOneBranchNotJoined) {
  aclrtMemPool pool = make_pool({.event = true});
  void* x = allocate(pool, s1_, 2 * mebibyte);  // s1: 1
  fill(s1_, x, 2 * mebibyte, 0x11);             // 2
  aclrtEvent forked = make_event();
  record(forked, s1_);  // 3
  wait(s2_, forked);    // s2: 1
  wait(s3_, forked);
  const gate held;
  hold(s3_, held);  // s3: 2
  read(s3_, x);     // 3
  read(s2_, x);
  order(s2_, s1_);  // s1: 4
  release(x, s1_);  // 5
  void* y = allocate(pool, s1_, 2 * mebibyte);
  EXPECT_EQ(y, x) << "the pool may give it out again";
  fill(s1_, y, 2 * mebibyte, 0x22);
  expect("use_after_free", position(s3_, 3), position(s1_, 5));
  EXPECT_EQ(aclrtSynchronizeStream(s1_), ACL_SUCCESS);  // before the gate opens: nothing really races
}

TEST_F(race_detector_for_c, B04DiamondWithBothBranchesJoined) {
  aclrtMemPool pool = make_pool({.event = true});
  void* x = allocate(pool, s1_, 2 * mebibyte);
  fill(s1_, x, 2 * mebibyte, 0x11);
  order(s1_, s2_);
  order(s1_, s3_);
  const gate held;
  hold(s3_, held);
  read(s3_, x);
  read(s2_, x);
  order(s2_, s1_);
  order(s3_, s1_);
  release(x, s1_);
  void* y = allocate(pool, s1_, 2 * mebibyte);
  fill(s1_, y, 2 * mebibyte, 0x22);
}

TEST_F(race_detector_for_c, B06FreeBesideTheReader) {
  aclrtMemPool pool = make_pool({});
  void* a = allocate(pool, s1_, 4 * mebibyte);
  fill(s1_, a, 4 * mebibyte, 0x0a);
  order(s1_, s2_);
  const gate held;
  hold(s2_, held);
  read(s2_, a);
  release(a, s1_);
  void* b = allocate(pool, s1_, 4 * mebibyte);
  EXPECT_EQ(b, a);
  const gate read_at_last;  // the harm itself is kept out of the test
  hold(s1_, read_at_last);
  fill(s1_, b, 4 * mebibyte, 0x0b);
  expect("use_after_free", position(s2_, 3), position(s1_, 4));
  held.open();
  EXPECT_EQ(aclrtSynchronizeStream(s2_), ACL_SUCCESS);
  read_at_last.open();
}

TEST_F(race_detector_for_c, B06FreeBehindTheReader) {
  aclrtMemPool pool = make_pool({});
  void* a = allocate(pool, s1_, 4 * mebibyte);
  fill(s1_, a, 4 * mebibyte, 0x0a);
  order(s1_, s2_);
  const gate held;
  hold(s2_, held);
  read(s2_, a);
  release(a, s2_);
  void* b = allocate(pool, s1_, 4 * mebibyte);
  EXPECT_NE(b, a);
  fill(s1_, b, 4 * mebibyte, 0x0b);
}

TEST_F(race_detector_for_c, B21OrderOfADestroyedStream) {
  aclrtMemPool pool = make_pool({});
  void* a = allocate(pool, s1_, 2 * mebibyte);
  order(s1_, s2_);
  const gate held;
  hold(s2_, held);
  read(s2_, a);
  order(s2_, s1_);
  EXPECT_EQ(aclrtDestroyStreamForce(s2_), ACL_SUCCESS);
  release(a, s1_);
}

// -- plain memory and what the host does itself -------------------------------------------------------------

TEST_F(race_detector_for_c, PlainMemoryFreedBeforeASynchronize) {
  void* block = nullptr;
  ASSERT_EQ(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  const witness done;
  fill(s1_, block, 4096, 1);
  call(s1_, done);
  ASSERT_TRUE(done.wait_until_ran());
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  EXPECT_NE(aclrtFree(block), ACL_SUCCESS);
  expect("free_before_last_use", position(s1_, 1), "0.0");
  expect("double_free", "0.0", "0.0");
}

TEST_F(race_detector_for_c, PlainMemoryFreedBehindASynchronize) {
  void* block = nullptr;
  ASSERT_EQ(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  fill(s1_, block, 4096, 1);
  EXPECT_EQ(aclrtSynchronizeStream(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
}

TEST_F(race_detector_for_c, ACopyByTheHostNeedsTheMallocToBeSeen) {
  aclrtMemPool pool = make_pool({});
  void* block = allocate(pool, s1_, 4096);
  std::array<char, 5000> bytes{};
  EXPECT_EQ(aclrtMemcpy(block, 4096, bytes.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(block, 5000, bytes.data(), 5000, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(block, 4096, bytes.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  expect("use_before_malloc", position(s1_, 1), "0.0");
  expect("out_of_bounds", position(s1_, 1), "0.0");
}

TEST_F(race_detector_for_c, PlainMemoryHasTheSizeThatWasAskedFor) {
  void* block = nullptr;
  ASSERT_EQ(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  fill(s1_, block, 4096, 1);
  fill(s1_, block, 4097, 1);  // the library's padding is not the program's
  EXPECT_EQ(aclrtSynchronizeStream(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  expected_.push_back("out_of_bounds 0.0 " + position(s1_, 2));
}

TEST_F(race_detector_for_c, CopiesFromOrdinaryMemoryAreKnown) {
  aclrtMemPool pool = make_pool({});
  void* a = allocate(pool, s1_, 4096);
  std::array<char, 4096> bytes{};
  EXPECT_EQ(aclrtMemcpyAsync(a, 4096, bytes.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE, s1_), ACL_SUCCESS);
  order(s1_, s2_);
  EXPECT_EQ(aclrtMemcpyAsync(a, 4096, bytes.data(), 4096, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, s2_),
            ACL_SUCCESS);
  release(a, s1_);
  expect("use_after_free", position(s2_, 2), position(s1_, 3));
}

TEST_F(race_detector_for_c, ArgumentsInDeviceMemoryAreReadWhenTheKernelRuns) {
  aclrtMemPool pool = make_pool({});
  void* x = allocate(pool, s1_, 4096);
  void* arguments = allocate(pool, s1_, sizeof(read_arguments));
  host_buffer host(sizeof(read_arguments));
  *static_cast<read_arguments*>(host.data()) = {static_cast<const char*>(x)};
  order(s1_, s2_);
  EXPECT_EQ(aclrtMemcpyAsync(arguments, sizeof(read_arguments), host.data(), sizeof(read_arguments),
                             ACL_MEMCPY_HOST_TO_DEVICE, s2_),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernelV2(read_kernel(), 1, arguments, sizeof(read_arguments), nullptr, s2_),
            ACL_SUCCESS);
  release(arguments, s2_);
  release(x, s1_);
  EXPECT_EQ(settle_device(), ACL_SUCCESS);
  expect("use_after_free", position(s2_, 3), position(s1_, 4));
}

TEST_F(race_detector_for_c, FreesThatAreRefused) {
  aclrtMemPool pool = make_pool({});
  void* a = allocate(pool, s1_, 4096);
  EXPECT_NE(aclrtMemPoolFreeAsync(static_cast<char*>(a) + 8, s1_), ACL_SUCCESS);
  release(a, s1_);
  EXPECT_NE(aclrtMemPoolFreeAsync(a, s1_), ACL_SUCCESS);
  EXPECT_NE(aclrtFree(&pool), ACL_SUCCESS);
  std::int32_t id = 0;
  ASSERT_EQ(aclrtStreamGetId(s1_, &id), ACL_SUCCESS);
  expected_.push_back("foreign_free " + position(s1_, 0));
  expect("double_free", position(s1_, 2), position(s1_, 0));
  expected_.emplace_back("foreign_free 0.0");
}

class race_detector_places : public race_detector_for_c {
protected:
  void TearDown() override {
    race_detector_for_c::TearDown();
    ASSERT_EQ(lines_.size(), 1U);
    const auto& report = lines_.front();
    EXPECT_EQ(report.at("first").at("call"), "aclrtMemPoolMallocAsync");
    EXPECT_EQ(report.at("second").at("call"), "aclrtLaunchKernel");
    EXPECT_EQ(report.at("second").at("kernel"), "race_detector_read");
    for (const char* which : {"first", "second"}) {
      EXPECT_THAT(report.at(which).at("place"), testing::MatchesRegex("[^/]+[+]0x[0-9a-f]+"));
    }
    EXPECT_NE(report.at("first").at("place"), report.at("second").at("place"));
  }
};

TEST_F(race_detector_places, AreTheCallersOfTheCFunctions) {
  aclrtMemPool pool = make_pool({});
  void* a = allocate(pool, s1_, 4096);
  read(s2_, a);
  expect("use_before_malloc", position(s1_, 1), position(s2_, 1));
}

// -- the environment, and the end of the process ------------------------------------------------------------

/// Runs in a process of its own: a program that leaks a block and ends.
[[noreturn]] void leak_and_exit(const char* check) {
  ::setenv("SOMA_CHECK", check, 1);
  aclrtStream stream = nullptr;
  aclrtMemPool pool = nullptr;
  void* block = nullptr;
  const auto properties = good_properties();
  const bool done = aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS &&
                    aclrtCreateStream(&stream) == ACL_SUCCESS &&
                    aclrtMemPoolCreate(&pool, &properties) == ACL_SUCCESS &&
                    aclrtMemPoolMallocAsync(&block, 4096, pool, stream) == ACL_SUCCESS;
  std::exit(done ? 0 : 1);  // NOLINT(concurrency-mt-unsafe): the only thread of the program
}

class race_detector_at_exit : public testing::Test {
protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(race_detector_at_exit, TellsLeaks) {
  EXPECT_EXIT(leak_and_exit("1"), testing::ExitedWithCode(0),
              "soma check: leak: the block of stream [0-9]+'s malloc 1 was never freed(.|\n)*"
              "soma check: 1 report \\(1 leak\\)");
}

TEST_F(race_detector_at_exit, EndsWithAbortIfAskedTo) {
  EXPECT_EXIT(leak_and_exit("abort"), testing::KilledBySignal(SIGABRT), "soma check: leak");
}

TEST_F(race_detector_at_exit, TakesSeveralWords) {
  EXPECT_EXIT(leak_and_exit("1,guard,json"), testing::ExitedWithCode(0), R"(\{"kind":"leak".*"count":1\})");
}

TEST_F(race_detector_at_exit, IsOffForAValueThatMeansNothing) {
  EXPECT_EXIT(leak_and_exit("1,yes"), testing::ExitedWithCode(0),
              "^soma check: the environment variable SOMA_CHECK is \"1,yes\", which is not a list of the "
              "words 1, abort, json and guard with commas between them: nothing is checked\n$");
}

TEST_F(race_detector_at_exit, IsOffForNothingAndZero) {
  EXPECT_EXIT(leak_and_exit("0"), testing::ExitedWithCode(0), "^$");
  EXPECT_EXIT(leak_and_exit(""), testing::ExitedWithCode(0), "^$");
}

}  // namespace
