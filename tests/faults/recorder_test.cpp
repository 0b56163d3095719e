// What the recorder writes of a free that fails when its row is in the buffer already.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "api/cpp/recorder.hpp"
#include "faults/actor_killer.hpp"
#include "soma/soma.hpp"

namespace fault_tests {

namespace {

std::string content_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(RecorderFaults, AFreeThatFailsIsTakenBackAndTheBlockStaysLive) {
  const std::string path = testing::TempDir() + "soma_recorded_" + std::to_string(::getpid());
  // The environment is read once in a process: by this test, if it is the only one of the process.
  ASSERT_EQ(::setenv("SOMA_RECORD", path.c_str(), 1),
            0);  // NOLINT(concurrency-mt-unsafe): no thread runs yet
  auto runtime = soma::runtime::create().value();
  if (soma::detail::recorder::active() == nullptr) {
    GTEST_SKIP() << "another test of this process has made a runtime";
  }
  auto device = runtime.get_device().value();
  auto pool = device.create_pool().value();
  auto stream = device.create_stream().value();
  actor_killer killer("stream", 1, moment::before_it_is_handled);
  void* const block = pool.malloc_async(100, stream).value();
  auto dying = device.create_stream().value();
  killer.set_active(true);
  EXPECT_FALSE(pool.free_async(block, dying));
  killer.set_active(false);
  EXPECT_TRUE(killer.killed());
  EXPECT_TRUE(pool.free_async(block, stream));
  soma::detail::recorder::flush_all();

  const std::string text = content_of(path);
  EXPECT_THAT(text, testing::ContainsRegex("malloc,1,100,0,[0-9]+\nfree,1,100,0,[0-9]+\n$"));
  std::filesystem::remove(path);
}

}  // namespace

}  // namespace fault_tests
