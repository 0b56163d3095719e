// Stress: several host threads use pools, streams and events of one device at random, and all that they can
// see is checked.
//
// Every block is filled with a stamp of its own (stress_stamp) by a task on the stream that allocated it, and
// checked by a task ahead of its free, on the stream that frees it. A share of the operations is wrong on
// purpose, and must get the error that is documented for it. In the end everything is freed, and nothing may
// be left.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "soma/pool.hpp"
#include "tools/stress_sizes.hpp"

namespace soma::tools {

struct stress_settings {
  std::uint32_t threads = 4;
  std::uint32_t streams = 16;
  std::uint32_t pools = 3;
  stress_sizes sizes = *stress_sizes::parse("1..8M");
  pool_options pool = {.minimum_block = 512,
                       .reuse = {.event = true, .opportunistic = true, .internal = true},
                       .release_threshold = std::uint64_t{16} << 20};
  /// The share of blocks, from 0 to 1, that are freed on another stream than their own.
  double cross_stream_frees = 0.5;
  /// The share of operations, from 0 to 1, that are wrong or fail on purpose.
  double faults = 0.05;
  std::uint64_t device_memory = std::uint64_t{1} << 30;
  std::chrono::duration<double> time{10};  ///< 0: no limit
  std::uint64_t operations = 0;            ///< of all threads together; 0: no limit
  std::uint64_t seed = 0;
  /// How long nothing may happen before the run counts as hung.
  std::chrono::milliseconds patience{30'000};
  /// For tests: the number of a block of the first thread in which one byte is changed behind its stamp.
  std::optional<std::uint64_t> corrupted_block;
  /// For tests: the number of such a block behind whose stamp a task never ends.
  std::optional<std::uint64_t> stuck_block;
};

/// What one thread did.
struct stress_counts {
  std::uint64_t operations = 0;
  std::uint64_t allocations = 0;
  std::uint64_t plain_allocations = 0;  ///< of them without a pool
  std::uint64_t refused = 0;            ///< further ones, for lack of memory
  std::uint64_t cross_stream_frees = 0;
  std::uint64_t immediate_frees = 0;  ///< by device::free, behind a check by the host
  std::uint64_t handed_over = 0;      ///< blocks that another thread freed
  std::uint64_t rechecks = 0;         ///< checks of a block that lived on
  std::uint64_t synchronizes = 0;
  std::uint64_t wrong_calls = 0;      ///< answered as documented
  std::uint64_t failing_kernels = 0;  ///< submitted
  std::uint64_t streams = 0;          ///< created on the way, as are events and pools
  std::uint64_t events = 0;
  std::uint64_t pools = 0;
  served_counts served;  ///< of the pools that this thread has read at their end

  stress_counts& operator+=(const stress_counts& other) noexcept;
  void add(const served_counts& more) noexcept;
};

struct stress_result {
  stress_counts counts;
  std::uint64_t tasks = 0;  ///< stamps, checks and failing kernels that ran
  std::uint64_t blocks_checked = 0;
  std::uint64_t bytes_verified = 0;
  std::uint64_t bytes_checked = 0;  ///< the size of the checked blocks, of which bytes_verified were read
  std::chrono::duration<double> duration{0};  ///< without the end, when all is freed
  /// What was wrong, each a sentence; empty: all was right. The run ends at the first.
  std::vector<std::string> findings;

  [[nodiscard]] double operations_per_second() const noexcept;
};

/// Called now and then with the milliseconds or operations done, and of all.
using stress_progress = std::function<void(std::uint64_t, std::uint64_t)>;

/// Runs until the time is over or the operations are done, whichever comes first. A run that hangs ends the
/// process with status 1, after it has printed to standard error what each thread is doing. Preconditions:
/// threads, streams and pools are not 0; time or operations is given.
[[nodiscard]] stress_result run_stress(const stress_settings& settings, const stress_progress& progress = {});

}  // namespace soma::tools
