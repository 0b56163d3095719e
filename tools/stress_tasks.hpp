// The kernels of a stress run: they fill blocks with stamps, check them, and fail on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "soma/stream.hpp"
#include "tools/stress_findings.hpp"

namespace soma::tools {

/// What a kernel is told about a block. Trivially copyable.
struct stamped_block {
  std::byte* address = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t stamp = 0;
  std::uint64_t own_stream = 0;  ///< the id of the stream that allocated it
  std::uint64_t pool = 0;        ///< the number of its pool; 0: none
};

/// The stamp of the block that a thread allocates as its `number`th; both count from 0.
[[nodiscard]] std::uint64_t stamp_of(std::uint32_t thread, std::uint64_t number) noexcept;

/// For example "block 2/431 (stamp 3000000001af)".
[[nodiscard]] std::string describe_stamp(std::uint64_t stamp);

/// Compares the block with its stamp and adds what is wrong to the findings. `where` says who checks.
void verify_block(const stamped_block& block, stress_findings& findings, const std::string& where);

/// Each launches one task, which findings.count_task counts when it runs.
expected<void> launch_stamp(stream& on, const stamped_block& block, stress_findings& findings);
expected<void> launch_check(stream& on, const stamped_block& block, stress_findings& findings);

/// Changes one byte in the middle of the block's first piece.
expected<void> launch_corruption(stream& on, const stamped_block& block, stress_findings& findings);

/// Never ends.
expected<void> launch_hang(stream& on);

/// Fails in one of four ways: by an exception, by something else that is thrown, by a code, by a signal.
expected<void> launch_failure(stream& on, std::uint64_t way, stress_findings& findings);

/// What the error of a stream has in its text after launch_failure.
inline constexpr const char* failing_kernel = "stress_failure";

}  // namespace soma::tools
