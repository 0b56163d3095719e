// Kernels for tests: some that compute, some that leave a trace, and some that fail in each way a kernel can.
// They are found by their plain C names.

#include "libraries/kernels.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "soma/export.hpp"

#define TEST_KERNEL extern "C" SOMA_API int

// The faults below are meant: the sanitizer for undefined behaviour must not report them first.
#define FAULT_ON_PURPOSE __attribute__((no_sanitize("undefined")))

namespace {

/// The arguments as a value: the bytes may lie at any alignment.
template <class Arguments>
std::optional<Arguments> unpack(const void* arguments, std::size_t bytes) {
  if (arguments == nullptr || bytes < sizeof(Arguments)) {
    return std::nullopt;
  }
  Arguments unpacked;
  std::memcpy(&unpacked, arguments, sizeof(Arguments));
  return unpacked;
}

struct part {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The block's share of `count` elements: shares differ by at most one and leave no gap.
part part_of(std::uint64_t count, std::uint32_t block, std::uint32_t blocks) {
  const std::uint64_t share = count / blocks;
  const std::uint64_t rest = count % blocks;
  const std::uint64_t begin = block * share + std::min<std::uint64_t>(block, rest);
  return {begin, begin + share + (block < rest ? 1 : 0)};
}

// Volatile, so that the compiler cannot know the values and leave the faults out.
volatile std::uint32_t* volatile nowhere = nullptr;
volatile int zero = 0;

}  // namespace

TEST_KERNEL add_floats(const void* arguments, std::size_t bytes, std::uint32_t block, std::uint32_t blocks) {
  const auto add = unpack<test_kernels::add_floats_arguments>(arguments, bytes);
  if (!add) {
    return test_kernels::wrong_arguments;
  }
  const auto [begin, end] = part_of(add->count, block, blocks);
  for (std::uint64_t i = begin; i < end; ++i) {
    add->sum[i] = add->a[i] + add->b[i];
  }
  return 0;
}

TEST_KERNEL fill_bytes(const void* arguments, std::size_t bytes, std::uint32_t block, std::uint32_t blocks) {
  const auto fill = unpack<test_kernels::fill_bytes_arguments>(arguments, bytes);
  if (!fill) {
    return test_kernels::wrong_arguments;
  }
  const auto [begin, end] = part_of(fill->bytes, block, blocks);
  std::fill(fill->destination + begin, fill->destination + end, static_cast<std::uint8_t>(fill->value));
  return 0;
}

TEST_KERNEL count_blocks(const void* arguments, std::size_t bytes, std::uint32_t /*block*/,
                         std::uint32_t /*blocks*/) {
  const auto count = unpack<test_kernels::count_blocks_arguments>(arguments, bytes);
  if (!count) {
    return test_kernels::wrong_arguments;
  }
  std::atomic_ref(*count->counter).fetch_add(1, std::memory_order_relaxed);
  return 0;
}

TEST_KERNEL set_flag(const void* arguments, std::size_t bytes, std::uint32_t /*block*/,
                     std::uint32_t /*blocks*/) {
  const auto set = unpack<test_kernels::set_flag_arguments>(arguments, bytes);
  if (!set) {
    return test_kernels::wrong_arguments;
  }
  std::atomic_ref(*set->flag).store(1, std::memory_order_release);
  return 0;
}

TEST_KERNEL fail_with_code(const void* arguments, std::size_t bytes, std::uint32_t /*block*/,
                           std::uint32_t /*blocks*/) {
  const auto fail = unpack<test_kernels::fail_with_code_arguments>(arguments, bytes);
  return fail ? fail->code : test_kernels::wrong_arguments;
}

TEST_KERNEL throw_exception(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
                            std::uint32_t /*blocks*/) {
  throw std::runtime_error("thrown by a test kernel");
}

TEST_KERNEL FAULT_ON_PURPOSE raise_segv(const void* /*arguments*/, std::size_t /*bytes*/,
                                        std::uint32_t /*block*/, std::uint32_t /*blocks*/) {
  *nowhere = 1;
  return 0;
}

TEST_KERNEL FAULT_ON_PURPOSE raise_fpe(const void* /*arguments*/, std::size_t /*bytes*/,
                                       std::uint32_t /*block*/, std::uint32_t /*blocks*/) {
  const volatile int quotient = 1 / zero;
  static_cast<void>(quotient);
  // Not every processor traps a division by zero.
  return std::raise(SIGFPE);
}

TEST_KERNEL raise_ill(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
                      std::uint32_t /*blocks*/) {
  __builtin_trap();
}
