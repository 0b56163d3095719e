#include "tools/stress_tasks.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include <unistd.h>

#include "tools/byte_size.hpp"
#include "tools/stress_stamp.hpp"

namespace soma::tools {

namespace {

constexpr int thread_shift = 40;

struct block_arguments {
  stamped_block block;
  stress_findings* findings;
  std::uint64_t stream;  ///< the id of the stream that the task is on
};

struct failure_arguments {
  std::uint64_t way;
  stress_findings* findings;
};

int stamp_kernel(const void* arguments, std::size_t /*bytes*/, std::uint32_t /*block*/,
                 std::uint32_t /*blocks*/) {
  const auto& task = *static_cast<const block_arguments*>(arguments);
  write_stamp(task.block.address, task.block.bytes, task.block.stamp);
  task.findings->count_task();
  return 0;
}

int check_kernel(const void* arguments, std::size_t /*bytes*/, std::uint32_t /*block*/,
                 std::uint32_t /*blocks*/) {
  const auto& task = *static_cast<const block_arguments*>(arguments);
  verify_block(task.block, *task.findings, "by a task of stream " + std::to_string(task.stream));
  task.findings->count_task();
  return 0;
}

int corruption_kernel(const void* arguments, std::size_t /*bytes*/, std::uint32_t /*block*/,
                      std::uint32_t /*blocks*/) {
  const auto& task = *static_cast<const block_arguments*>(arguments);
  auto& byte = task.block.address[std::min<std::uint64_t>(task.block.bytes, 4096) / 2];
  byte = ~byte;
  task.findings->count_task();
  return 0;
}

int failure_kernel(const void* arguments, std::size_t /*bytes*/, std::uint32_t /*block*/,
                   std::uint32_t /*blocks*/) {
  const auto& task = *static_cast<const failure_arguments*>(arguments);
  task.findings->count_task();
  switch (task.way % 4) {
  case 0:
    throw std::runtime_error("on purpose");
  case 1:
    throw 1;
  case 2:
    std::raise(SIGFPE);
    return 0;
  default:
    return 1;
  }
}

int hanging_kernel(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
                   std::uint32_t /*blocks*/) {
  while (true) {
    ::pause();
  }
}

expected<void> launch(stream& on, kernel_function function, const char* name, const stamped_block& block,
                      stress_findings& findings) {
  const block_arguments arguments{.block = block, .findings = &findings, .stream = on.id()};
  return on.launch(kernel::from_function(function, name), launch_arguments::value(arguments), 1);
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%llx", static_cast<unsigned long long>(value));
  return text.data();
}

}  // namespace

std::uint64_t stamp_of(std::uint32_t thread, std::uint64_t number) noexcept {
  return ((std::uint64_t{thread} + 1) << thread_shift) + number;
}

std::string describe_stamp(std::uint64_t stamp) {
  const auto thread = stamp >> thread_shift;
  const auto number = stamp & ((std::uint64_t{1} << thread_shift) - 1);
  if (thread == 0 || thread > 4096) {
    return "no stamp of this run (" + hexadecimal(stamp) + ")";
  }
  return "block " + std::to_string(thread - 1) + "/" + std::to_string(number) + " (stamp " +
         hexadecimal(stamp) + ")";
}

void verify_block(const stamped_block& block, stress_findings& findings, const std::string& where) {
  if (const auto difference = check_stamp(block.address, block.bytes, block.stamp)) {
    const auto pool = block.pool == 0 ? "plain memory" : "pool " + std::to_string(block.pool);
    const auto found = difference->found_stamp == block.stamp
                           ? "bytes that are neither its own nor another block's stamp"
                           : describe_stamp(difference->found_stamp);
    findings.add(describe_stamp(block.stamp) + " of " + print_byte_size(block.bytes) + " at 0x" +
                 hexadecimal(reinterpret_cast<std::uint64_t>(block.address)) + " in " + pool +
                 ", allocated on stream " + std::to_string(block.own_stream) + " and checked " + where +
                 ", holds at byte " + std::to_string(difference->offset) + " " + found);
  }
  findings.count_check(stamped_bytes(block.bytes), block.bytes);
}

expected<void> launch_stamp(stream& on, const stamped_block& block, stress_findings& findings) {
  return launch(on, stamp_kernel, "stress_stamp", block, findings);
}

expected<void> launch_check(stream& on, const stamped_block& block, stress_findings& findings) {
  return launch(on, check_kernel, "stress_check", block, findings);
}

expected<void> launch_corruption(stream& on, const stamped_block& block, stress_findings& findings) {
  return launch(on, corruption_kernel, "stress_corruption", block, findings);
}

expected<void> launch_hang(stream& on) {
  return on.launch(kernel::from_function(hanging_kernel, "stress_hang"), {}, 1);
}

expected<void> launch_failure(stream& on, std::uint64_t way, stress_findings& findings) {
  const failure_arguments arguments{.way = way, .findings = &findings};
  return on.launch(kernel::from_function(failure_kernel, failing_kernel), launch_arguments::value(arguments),
                   1);
}

}  // namespace soma::tools
