// Streams and devices beyond submitting: words in memory, stopping and aborting, notes, and what is told of
// failed tasks.

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;

class Control : public cpp_fixture {
protected:
  Control() = default;
  explicit Control(const soma::runtime_options& options) : cpp_fixture(options) {}

  /// A task that runs until it is asked to end; it runs when this returns.
  void run_until_stopped() {
    const auto begun = std::make_shared<std::atomic<bool>>(false);
    must(s1_.call([begun] {
      *begun = true;
      while (!soma::runtime::stop_requested()) {
        std::this_thread::yield();
      }
    }));
    ASSERT_TRUE(eventually([&] { return begun->load(); }));
  }
};

TEST_F(Control, Values) {
  alignas(8) std::uint64_t word = 0;
  must(s1_.wait_value(&word, {7, soma::value_test::equal, true}));
  const witness behind;
  call(s1_, behind);
  EXPECT_TRUE(failed_with(s1_.synchronize_for(short_wait), soma::errc::timed_out));
  EXPECT_FALSE(behind.ran());
  must(s2_.write_value(&word, 7));
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_EQ(word, 0U);
  auto* const odd = reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::byte*>(&word) + 1);
  EXPECT_TRUE(failed_with(s1_.write_value(odd, 1), soma::errc::invalid_argument));
  EXPECT_TRUE(failed_with(s1_.wait_value(nullptr, {}), soma::errc::invalid_argument));
}

TEST_F(Control, StopTask) {
  run_until_stopped();
  const witness queued;
  call(s1_, queued);
  EXPECT_TRUE(succeeded(s1_.stop_task()));
  EXPECT_TRUE(failed_with(settle(s1_), soma::errc::task_stopped));
  EXPECT_TRUE(queued.ran());
  EXPECT_FALSE(soma::runtime::stop_requested());
}

TEST_F(Control, AbortAStream) {
  run_until_stopped();
  const witness queued;
  call(s1_, queued);
  EXPECT_TRUE(succeeded(s1_.abort()));
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_FALSE(queued.ran());
}

TEST_F(Control, AbortADevice) {
  run_until_stopped();
  const witness queued;
  call(s1_, queued);
  alignas(8) std::uint64_t word = 0;
  must(s2_.wait_value(&word, {1}));
  EXPECT_TRUE(succeeded(device_.abort_for(patience)));
  EXPECT_TRUE(succeeded(device_.synchronize_for(patience)));
  EXPECT_FALSE(queued.ran());
}

TEST_F(Control, WhoMayNot) {
  std::vector<soma::errc> codes;
  must(s1_.call([&] {
    codes.push_back(s2_.abort().error().code);
    codes.push_back(device_.abort().error().code);
  }));
  EXPECT_TRUE(succeeded(settle(s1_)));
  EXPECT_EQ(codes, (std::vector{soma::errc::not_permitted, soma::errc::not_permitted}));
  must(s1_.destroy());
  EXPECT_TRUE(failed_with(s1_.abort(), soma::errc::invalid_handle));
  EXPECT_TRUE(failed_with(s1_.stop_task(), soma::errc::invalid_handle));
  EXPECT_TRUE(failed_with(s1_.note(soma::stream_note::flags), soma::errc::invalid_handle));
}

TEST_F(Control, Notes) {
  soma::stream_options options;
  options.priority = 3;
  options.flags = 9;
  auto stream = must(device_.create_stream(options));
  EXPECT_EQ(must(stream.note(soma::stream_note::priority)), 3U);
  EXPECT_EQ(must(stream.note(soma::stream_note::flags)), 9U);
  must(stream.set_note(soma::stream_note::custom_tag, 5));
  EXPECT_EQ(must(stream.note(soma::stream_note::custom_tag)), 5U);
  EXPECT_EQ(must(device_.note(soma::device_note::peer_access, 4)), std::nullopt);
  must(device_.set_note(soma::device_note::peer_access, 1, 4));
  EXPECT_EQ(must(device_.note(soma::device_note::peer_access, 4)), 1U);
  EXPECT_EQ(must(device_.note(soma::device_note::peer_access, 5)), std::nullopt);
}

TEST_F(Control, Load) {
  EXPECT_TRUE(eventually([this] { return must(device_.load()).busy_engines == 0; }));
  gate held;
  hold(s1_, held);
  ASSERT_TRUE(held.wait_until_started());
  EXPECT_EQ(must(device_.load()).busy_engines, 1U);
  EXPECT_EQ(must(device_.load()).waiting_runs, 0U);
}

struct failure {
  std::uint64_t stream;
  std::uint64_t task;
  std::uint64_t tag;
  soma::errc code;
  std::size_t argument_bytes;
};

class Listener : public Control {
protected:
  Listener() : Control(options()) {}

  soma::runtime_options options() {
    soma::runtime_options made;
    made.on_failed_task = [this](const soma::failed_task& failed) {
      const std::lock_guard guard(lock_);
      failures_.push_back({failed.stream, failed.task, failed.tag, failed.why.code, failed.argument_bytes});
      throw 7;  // nobody's affair
    };
    return made;
  }

  std::mutex lock_;
  std::vector<failure> failures_;
};

int fails(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
          std::uint32_t /*blocks*/) {
  return 1;
}

TEST_F(Listener, IsToldOfEachFailedTask) {
  const auto kernel = soma::kernel::from_function(fails);
  must(s1_.call([] {}));
  must(s1_.launch(kernel, soma::launch_arguments::value(5).tagged(77), 1));
  must(s1_.call([] { throw std::runtime_error("on purpose"); }));
  EXPECT_TRUE(failed_with(settle(s1_), soma::errc::task_failed));
  ASSERT_EQ(failures_.size(), 2U);
  EXPECT_EQ(failures_[0].stream, s1_.id());
  EXPECT_EQ(failures_[0].task, 2U);
  EXPECT_EQ(failures_[0].tag, 77U);
  EXPECT_EQ(failures_[0].code, soma::errc::task_failed);
  EXPECT_EQ(failures_[0].argument_bytes, sizeof(int));
  EXPECT_EQ(failures_[1].task, 3U);
  EXPECT_EQ(failures_[1].tag, 0U);
}

}  // namespace
