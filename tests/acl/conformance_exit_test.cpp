// B67: objects of the program that free their memory when the process exits, before or after the library's
// own end. Each case runs in a process of its own, which has to exit with 0.

#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

/// Frees a block and destroys its pool in its destructor, and ends the process with 1 if that gives other
/// codes.
class freed_at_exit {
public:
  explicit freed_at_exit(aclError expected) : expected_(expected) {}

  freed_at_exit(const freed_at_exit&) = delete;
  freed_at_exit& operator=(const freed_at_exit&) = delete;
  freed_at_exit(freed_at_exit&&) = delete;
  freed_at_exit& operator=(freed_at_exit&&) = delete;

  ~freed_at_exit() {
    const auto freed = aclrtMemPoolFreeAsync(block_, stream_);
    const auto destroyed = aclrtMemPoolDestroy(pool_);
    if (freed != expected_ || destroyed != expected_) {
      _exit(1);
    }
  }

  /// Starts the library and allocates. The thread that exits has to do this: a context is a thread's own.
  void use_the_library() {
    const auto properties = good_properties();
    if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtCreateStream(&stream_) != ACL_SUCCESS ||
        aclrtMemPoolCreate(&pool_, &properties) != ACL_SUCCESS ||
        aclrtMemPoolMallocAsync(&block_, 4_M, pool_, stream_) != ACL_SUCCESS ||
        aclrtMemsetAsync(block_, 4_M, 1, 4_M, stream_) != ACL_SUCCESS) {
      _exit(2);
    }
  }

private:
  aclError expected_;
  aclrtStream stream_ = nullptr;
  aclrtMemPool pool_ = nullptr;
  void* block_ = nullptr;
};

/// What is made before the library's runtime is destroyed after the runtime's end.
void exit_with_an_older_object() {
  static freed_at_exit object(ACL_ERROR_RT_DEV_SETUP_ERROR);
  object.use_the_library();
  std::exit(0);
}

/// What is made after it is destroyed before.
void exit_with_a_younger_object() {
  std::uint32_t devices = 0;
  if (aclrtSetDevice(0) != ACL_SUCCESS || aclrtGetDeviceCount(&devices) != ACL_SUCCESS) {
    _exit(3);
  }
  static freed_at_exit object(ACL_SUCCESS);
  object.use_the_library();
  std::exit(0);
}

struct exit_case {
  const char* name;
  void (*run)();
};

class Exit : public testing::TestWithParam<exit_case> {
protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_P(Exit, B67_FromTheMainThread) { EXPECT_EXIT(GetParam().run(), testing::ExitedWithCode(0), ""); }

TEST_P(Exit, B67_FromAnotherThread) {
  EXPECT_EXIT(std::thread(GetParam().run).join(), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Objects, Exit,
                         testing::Values(exit_case{"DestroyedAfterTheRuntime", exit_with_an_older_object},
                                         exit_case{"DestroyedBeforeTheRuntime", exit_with_a_younger_object}),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace
