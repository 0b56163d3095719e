// A fixed program with calls of every kind to pools without stream order, on one stream. It goes on whatever
// the calls return, and each call has to succeed or to fail with one of the codes that the test names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/cpp_fixture.hpp"
#include "support/gate.hpp"

namespace fault_tests {

using namespace support;
using soma::errc;

class classic_program {
public:
  classic_program(soma::device& device, std::set<errc> may_fail_with)
      : device_(device), may_fail_with_(std::move(may_fail_with)) {}

  /// Makes all calls in turn; what it has made is gone when it returns.
  void run() {
    use(value(soma::fixed_size_pool::create(device_, 4096, 512)), 512);
    use(value(soma::variable_size_pool::create(device_, 1_M, {.memory = soma::pool_memory::host})), 4096);
    use(value(soma::tiered_pool::create(
            device_, {.tiers = {{.block_bytes = 64, .blocks = 2}}, .variable_bytes = 4096})),
        10'000);
    use(value(soma::adaptive_allocator::create(device_)), 3_M);
    share_buffers();
    move_blocks();
    leave_a_move_behind();
  }

  /// The texts of the calls that failed.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

private:
  template <class T>
  std::optional<T> value(soma::expected<T> result) {
    if (result) {
      return std::move(*result);
    }
    note(result.error());
    return std::nullopt;
  }

  void done(const soma::expected<void>& result) {
    if (!result) {
      note(result.error());
    }
  }

  void note(const soma::error& error) {
    failures_.push_back(error.message);
    if (!may_fail_with_.contains(error.code)) {
      ADD_FAILURE() << to_string(error.code) << ": " << error.message;
    }
    EXPECT_FALSE(error.message.empty());
  }

  // One block stays live.
  template <class Pool>
  void use(std::optional<Pool> pool, std::size_t bytes) {
    if (!pool) {
      return;
    }
    const auto first = value(pool->allocate(bytes));
    value(pool->allocate(bytes));
    if (first) {
      done(pool->free(*first));
    }
    value(pool->statistics());
    done(pool->destroy());
  }

  void share_buffers() {
    auto pool = value(soma::buffer_reuser::create(device_, 1_M));
    auto stream = value(device_.create_stream());
    if (!pool || !stream) {
      return;
    }
    auto shared = value(pool->acquire(1000));
    if (shared) {
      done(stream->call([copy = *shared] { static_cast<void>(copy); }));
    }
    shared.reset();
    done(stream->synchronize_for(patience));
    value(pool->acquire(1000));
  }

  void move_blocks() {
    auto pool = value(soma::compactor::create(device_, 8_M));
    auto stream = value(device_.create_stream());
    if (!pool || !stream) {
      return;
    }
    auto first = value(pool->allocate(1000));
    const auto second = value(pool->allocate(2_M));
    const auto third = value(pool->allocate(1000));
    const bool written = third && write(*third, 7);
    first.reset();
    value(pool->compact(*stream));
    done(stream->synchronize_for(patience));
    // Where that has failed the move may still be on its way.
    EXPECT_TRUE(eventually([&] {
      const auto again = pool->compact(*stream);
      return again || again.error().code != errc::not_complete;
    }));
    if (written) {
      check(*third, 7);
    }
    value(pool->statistics());
    if (const auto fixed = value(pool->allocate_fixed(100))) {
      done(pool->free_fixed(*fixed));
    }
    static_cast<void>(second);
    done(pool->destroy());
  }

  bool write(const soma::movable_block& block, int with) {
    const auto pinned = value(block.pin());
    if (pinned) {
      std::memset(pinned->data(), with, pinned->bytes());
    }
    return pinned.has_value();
  }

  // Whoever can pin a block finds what was in it.
  void check(const soma::movable_block& block, std::uint8_t with) {
    if (const auto pinned = value(block.pin())) {
      EXPECT_TRUE(all_bytes_are(static_cast<const std::uint8_t*>(pinned->data()), pinned->bytes(), with));
    }
  }

  // The compactor goes while its move waits in the stream.
  void leave_a_move_behind() {
    auto stream = value(device_.create_stream());
    if (!stream) {
      return;
    }
    const gate held;
    done(stream->call(held.task()));
    if (auto pool = value(soma::compactor::create(device_, 1_M))) {
      auto first = value(pool->allocate(1000));
      const auto second = value(pool->allocate(1000));
      first.reset();
      value(pool->compact(*stream));
      done(pool->destroy());
    }
    held.open();
    done(stream->synchronize_for(patience));
  }

  soma::device& device_;
  std::set<errc> may_fail_with_;
  std::vector<std::string> failures_;
};

}  // namespace fault_tests
