// A fixed program with calls of every kind, on two streams and two pools of one device. It goes on whatever
// the calls return, and each call has to succeed or to fail with one of the codes that the test names.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/cpp_fixture.hpp"
#include "support/gate.hpp"

namespace fault_tests {

using namespace support;
using soma::errc;

class small_program {
public:
  static constexpr std::uint64_t device_memory = 64_M;

  small_program(soma::device& device, std::set<errc> may_fail_with)
      : device_(device), may_fail_with_(std::move(may_fail_with)) {}

  /// Makes all calls in turn, and frees and destroys what it has made.
  void run() {
    make_objects();
    use_one_stream_after_the_other();
    use_plain_memory();
    wait_inside_of_the_runtime();
    run_short_of_memory();
    fail_a_task();
    clean_up();
  }

  /// The texts of the calls that failed.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

private:
  template <class T>
  std::optional<T> value(soma::expected<T> result, std::set<errc> also = {}) {
    if (result) {
      return std::move(*result);
    }
    note(result.error(), also);
    return std::nullopt;
  }

  void done(const soma::expected<void>& result, std::set<errc> also = {}) {
    if (!result) {
      note(result.error(), also);
    }
  }

  void note(const soma::error& error, const std::set<errc>& also) {
    failures_.push_back(error.message);
    if (!may_fail_with_.contains(error.code) && !also.contains(error.code)) {
      ADD_FAILURE() << to_string(error.code) << ": " << error.message;
    }
    EXPECT_FALSE(error.message.empty());
  }

  void make_objects() {
    s1_ = value(device_.create_stream());
    s2_ = value(device_.create_stream());
    s3_ = value(device_.create_stream({.on_failure = soma::failure_mode::stop, .failure_group = 1}));
    event_ = value(device_.create_event());
    kept_ = value(device_.create_pool({.release_threshold = keep_all}));
    small_ = value(device_.create_pool({.limit = 4_M,
                                        .minimum_block = 512,
                                        .reuse = {.event = true, .opportunistic = false, .internal = true}}));
  }

  void* allocate(std::optional<soma::pool>& from, std::size_t bytes, std::optional<soma::stream>& on,
                 std::set<errc> also = {}) {
    if (!from || !on) {
      return nullptr;
    }
    const auto block = value(from->malloc_async(bytes, *on), std::move(also));
    if (!block) {
      return nullptr;
    }
    live_.insert(*block);
    done(on->fill(*block, 7, bytes));
    return *block;
  }

  void release(void* block, std::optional<soma::stream>& on, std::set<errc> also = {}) {
    if (block == nullptr || !on) {
      return;
    }
    const auto freed = device_.free_async(block, *on);
    done(freed, std::move(also));
    if (freed) {
      live_.erase(block);
    }
  }

  template <class Call>
  void with(std::optional<soma::stream>& on, const Call& call) {
    if (on) {
      call(*on);
    }
  }

  void settle(std::optional<soma::stream>& on, std::set<errc> also = {}) {
    with(on, [&](soma::stream& stream) { done(stream.synchronize_for(patience), std::move(also)); });
  }

  void use_one_stream_after_the_other() {
    const gate held;
    void* first = allocate(kept_, 4_M, s1_);
    with(s1_, [&](auto& stream) { done(stream.call(held.task())); });
    release(first, s1_);
    if (event_) {
      with(s1_, [&](auto& stream) { done(stream.record(*event_)); });
      with(s2_, [&](auto& stream) { done(stream.wait(*event_)); });
      value(event_->query());
    }
    void* second = allocate(kept_, 4_M, s2_);
    if (kept_ && s2_) {
      value(kept_->largest_available(*s2_));
      value(kept_->statistics());
      value(s2_->query());
    }
    held.open();
    if (event_) {
      done(event_->synchronize_for(patience));
      value(event_->time(), {errc::not_recorded});  // if the record's call failed
    }
    settle(s2_);
    release(second, s2_);
    settle(s1_);
  }

  void use_plain_memory() {
    for (const bool at_once : {true, false}) {
      if (const auto plain = value(device_.malloc(3_M))) {
        if (at_once) {
          done(device_.free(*plain));
        } else {
          live_.insert(*plain);
          release(*plain, s1_);
        }
      }
    }
    if (const auto host = value(device_.malloc_host(100))) {
      done(device_.free_host(*host));
    }
    settle(s1_);
  }

  // The pool is full, so the second stream gets the first one's block and waits for it.
  void wait_inside_of_the_runtime() {
    const gate held;
    void* first = allocate(small_, 4_M, s1_);
    with(s1_, [&](auto& stream) { done(stream.call(held.task())); });
    release(first, s1_);
    void* second = allocate(small_, 4_M, s2_, {errc::out_of_memory});
    held.open();
    settle(s2_);
    release(second, s2_);
    settle(s1_);
    settle(s2_);
  }

  // What one pool keeps has to be given up for another one.
  void run_short_of_memory() {
    release(allocate(kept_, 40_M, s1_), s1_);
    settle(s1_);
    if (const auto plain = value(device_.malloc(40_M), {errc::out_of_memory})) {
      done(device_.free(*plain));
    }
    if (kept_) {
      done(kept_->trim_to(0));
      done(kept_->set(soma::pool_attribute::release_threshold, 0));
    }
  }

  void fail_a_task() {
    with(s3_, [&](auto& stream) {
      done(stream.call([] { throw std::runtime_error("on purpose"); }));
      done(stream.synchronize_for(patience), {errc::task_failed});
      done(stream.call([] {}), {errc::stream_stopped});
    });
  }

  // One pool and one stream are destroyed while there is something left in them.
  void clean_up() {
    void* last = allocate(small_, 2_M, s2_);
    if (small_) {
      done(small_->destroy());
    }
    with(s3_, [&](auto& stream) { done(stream.destroy()); });
    release(last, s2_, {errc::unknown_address});  // if that pool has ended
    with(s2_, [&](auto& stream) { done(stream.destroy()); });
    done(device_.synchronize_for(patience), {errc::task_failed, errc::stream_stopped});
    for (void* block : live_) {  // also what a call that failed has freed nevertheless
      done(device_.free(block), {errc::unknown_address});
    }
    live_.clear();
    if (kept_) {
      done(kept_->trim_to(0));
    }
    kept_.reset();
    event_.reset();
    s1_.reset();
  }

  soma::device& device_;
  std::set<errc> may_fail_with_;
  std::vector<std::string> failures_;
  std::optional<soma::stream> s1_;
  std::optional<soma::stream> s2_;
  std::optional<soma::stream> s3_;
  std::optional<soma::event> event_;
  std::optional<soma::pool> kept_;
  std::optional<soma::pool> small_;
  std::set<void*> live_;
};

/// A stream and a pool that have no part in the program, and have to go on whatever it meets.
class bystander {
public:
  explicit bystander(soma::device& device)
      : stream_(must(device.create_stream())), pool_(must(device.create_pool({.limit = 8_M}))) {}

  void check() {
    const auto block = pool_.malloc_async(4_M, stream_);
    ASSERT_TRUE(succeeded(block));
    const witness ran;
    EXPECT_TRUE(succeeded(stream_.fill(*block, 3, 4_M)));
    EXPECT_TRUE(succeeded(stream_.call(ran.task())));
    EXPECT_TRUE(succeeded(pool_.free_async(*block, stream_)));
    EXPECT_TRUE(succeeded(stream_.synchronize_for(patience)));
    EXPECT_TRUE(ran.ran());
    EXPECT_EQ(must(pool_.statistics()).reserved, 0U);
  }

private:
  soma::stream stream_;
  soma::pool pool_;
};

}  // namespace fault_tests
