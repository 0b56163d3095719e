// The operating system refuses threads: there is no room for their stacks.

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include <gmock/gmock.h>

#include "small_program.hpp"
#include "support/watchdog.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SOMA_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SOMA_SANITIZED
#endif

namespace {

using namespace fault_tests;

constexpr auto limit = std::chrono::seconds(60);
constexpr std::size_t stack_bytes = 256_M;  // more than the C library keeps of threads that have ended

/// As long as it exists no thread can be started, but other memory is to be had.
class no_threads {
public:
  no_threads() {
    ::getrlimit(RLIMIT_AS, &before_);
    auto now = before_;
    now.rlim_cur = address_space() + stack_bytes / 2;
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &now), 0);
  }

  ~no_threads() { ::setrlimit(RLIMIT_AS, &before_); }

  no_threads(const no_threads&) = delete;
  no_threads& operator=(const no_threads&) = delete;
  no_threads(no_threads&&) = delete;
  no_threads& operator=(no_threads&&) = delete;

private:
  static rlim_t address_space() {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  }

  rlimit before_{};
};

class Threads : public testing::Test {
protected:
  void SetUp() override {
#ifdef SOMA_SANITIZED
    GTEST_SKIP() << "sanitizers need the address space themselves";
#endif
    pthread_attr_t attributes;
    ::pthread_getattr_default_np(&attributes);
    ::pthread_attr_getstacksize(&attributes, &stack_before_);
    ::pthread_attr_setstacksize(&attributes, stack_bytes);
    ASSERT_EQ(::pthread_setattr_default_np(&attributes), 0);
    ::pthread_attr_destroy(&attributes);
  }

  void TearDown() override {
    if (stack_before_ != 0) {
      pthread_attr_t attributes;
      ::pthread_getattr_default_np(&attributes);
      ::pthread_attr_setstacksize(&attributes, stack_before_);
      ::pthread_setattr_default_np(&attributes);
      ::pthread_attr_destroy(&attributes);
    }
  }

private:
  std::size_t stack_before_ = 0;
};

TEST_F(Threads, TasksFailIfNoEngineCanBeStarted) {
  const watchdog over(limit, "tasks without engines");
  const auto runtime = must(soma::runtime::create({.device_memory = 64_M}));
  auto device = must(runtime.get_device());
  auto held = must(device.create_stream());
  auto other = must(device.create_stream());
  auto pool = must(device.create_pool());
  const gate opened;
  hold(held, opened);
  ASSERT_TRUE(opened.wait_until_started());
  const witness lost;
  {
    const no_threads refused;
    void* block = must(pool.malloc_async(2_M, other));
    call(other, lost);
    EXPECT_TRUE(succeeded(pool.free_async(block, other)));
    const auto failed = settle(other);
    ASSERT_TRUE(failed_with(failed, errc::system_failure));
    EXPECT_THAT(failed.error().message, testing::HasSubstr("no thread can be started"));
    EXPECT_EQ(must(pool.statistics()).reserved, 0U) << "frees take effect";
  }
  EXPECT_FALSE(lost.ran());
  const witness later;
  call(other, later);
  EXPECT_TRUE(succeeded(settle(other)));
  EXPECT_TRUE(later.ran());
  opened.open();
  EXPECT_TRUE(succeeded(settle(held)));
}

TEST_F(Threads, ARuntimeEndsWithoutAThreadForIt) {
  const watchdog over(limit, "the end of a runtime");
  auto runtime = std::optional(must(soma::runtime::create({.device_memory = 64_M})));
  const no_threads refused;
  runtime.reset();
}

TEST_F(Threads, ARuntimeIsNotMadeWithoutThreads) {
  const watchdog over(limit, "creating a runtime");
  const no_threads refused;
  EXPECT_TRUE(failed_with(soma::runtime::create({.device_memory = 64_M}), errc::system_failure));
}

}  // namespace
