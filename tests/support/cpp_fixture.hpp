// The base of tests of the C++ interface: a runtime of its own, its device, and three streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "soma/soma.hpp"
#include "support/gate.hpp"

namespace support {

/// The result of a call that a test cannot go on without.
template <class T>
T must(soma::expected<T> result) {
  if (!result) {
    throw std::runtime_error(std::string(soma::to_string(result.error().code)) + ": " +
                             result.error().message);
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

template <class T>
testing::AssertionResult succeeded(const soma::expected<T>& result) {
  if (result) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << soma::to_string(result.error().code) << ": "
                                     << result.error().message;
}

/// True if the call failed with this code and a text.
template <class T>
testing::AssertionResult failed_with(const soma::expected<T>& result, soma::errc code) {
  if (result) {
    return testing::AssertionFailure() << "it succeeded";
  }
  if (result.error().code != code || result.error().message.empty()) {
    return testing::AssertionFailure()
           << soma::to_string(result.error().code) << ": \"" << result.error().message << '"';
  }
  return testing::AssertionSuccess();
}

inline void hold(soma::stream& stream, const gate& held_by) { must(stream.call(held_by.task())); }

inline void call(soma::stream& stream, const witness& seen_by) { must(stream.call(seen_by.task())); }

/// Waits for the stream, but not for ever.
inline soma::expected<void> settle(soma::stream& stream) { return stream.synchronize_for(patience); }

class cpp_fixture : public testing::Test {
protected:
  cpp_fixture() : cpp_fixture(soma::runtime_options{}) {}

  explicit cpp_fixture(const soma::runtime_options& options)
      : runtime_(must(soma::runtime::create(options))) {}

  /// Nothing that the test made may be left.
  void TearDown() override {
    EXPECT_TRUE(succeeded(device_.synchronize_for(patience)));
    EXPECT_TRUE(eventually([this] { return unused(); })) << "device memory is still in use";
  }

  [[nodiscard]] bool unused() const {
    const auto memory = must(device_.memory());
    return memory.free == memory.total;
  }

  soma::stream make_stream() { return must(device_.create_stream()); }

  soma::pool make_pool(const soma::pool_options& options) { return must(device_.create_pool(options)); }

  /// Makes what comes next on `after` wait for all that is on `before` by now.
  void order(soma::stream& before, soma::stream& after) {
    auto event = must(device_.create_event());
    must(before.record(event));
    must(after.wait(event));
  }

  /// What the memory holds once all in front on the stream has run.
  static std::vector<std::uint8_t> read(soma::stream& stream, const void* address, std::size_t bytes) {
    std::vector<std::uint8_t> copy(bytes);
    must(stream.copy(copy.data(), address, bytes));
    must(settle(stream));
    return copy;
  }

  static bool holds(soma::stream& stream, const void* address, std::size_t bytes, std::uint8_t value) {
    return all_bytes_are(read(stream, address, bytes).data(), bytes, value);
  }

  soma::runtime runtime_;
  soma::device device_ = must(runtime_.get_device());
  soma::stream s1_ = make_stream();
  soma::stream s2_ = make_stream();
  soma::stream s3_ = make_stream();
};

}  // namespace support
