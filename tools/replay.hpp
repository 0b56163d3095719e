// Replays a plan through soma's C++ interface, on a runtime, a device, streams and a pool of its own.
//
// The clock runs only while the steps are submitted: steps go in batches, and between two batches it stands
// still while the batch is checked (replay_check): each block against the live ones, and the pool's counters.
// A batch ends with each device synchronise, and after 1024 steps.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <tl/expected.hpp>

#include "soma/pool.hpp"
#include "tools/byte_size.hpp"
#include "tools/replay_plan.hpp"

namespace soma::tools {

struct replay_settings {
  /// 0 stands for as much as the trace needs (memory_needed), and for no less than the pool's limit.
  std::uint64_t device_memory = 0;
  pool_options pool = {.reuse = {.event = true}, .release_threshold = unlimited_bytes};
  /// A device synchronise after every so many rows; 0: only where the trace has one.
  std::uint64_t sync_every = 0;
  /// Streams execute nothing before a device synchronise: the host runs as far ahead as it can. Otherwise
  /// they have nothing to do, and execute a free as soon as they get it.
  bool held = false;
};

struct replay_result {
  std::uint64_t rows = 0;  ///< malloc, free and sync rows
  std::uint64_t segment_rows = 0;
  std::uint64_t streams = 0;
  std::uint64_t held_back_frees = 0;
  std::uint64_t waits = 0;
  std::uint64_t synchronizes = 0;
  std::uint64_t operations = 0;  ///< mallocs, frees and device synchronises that were submitted
  std::chrono::nanoseconds duration{0};
  std::uint64_t device_memory = 0;
  pool_statistics statistics;  ///< behind the last step

  [[nodiscard]] double operations_per_second() const noexcept;
};

struct replay_history;

/// Called between batches with the number of steps done, and of all.
using progress_callback = std::function<void(std::uint64_t, std::uint64_t)>;

/// Works out the plan and replays it. Errors: what make_plan refuses, what the runtime or the pool refuses
/// (in its own words), and a failed self-check. With a `history`, which is filled, each step is timed and
/// checked by itself.
[[nodiscard]] tl::expected<replay_result, trace_error> replay_trace(const std::vector<trace_row>& rows,
                                                                    const replay_settings& settings,
                                                                    const progress_callback& progress = {},
                                                                    replay_history* history = nullptr);

/// The plan of these rows under these settings.
[[nodiscard]] tl::expected<replay_plan, trace_error> plan_for(const std::vector<trace_row>& rows,
                                                              const replay_settings& settings);

/// As replay_trace, with a plan that plan_for has made for settings that differ from these at most in the
/// pool's limit, threshold and minimum block, and in `held`.
[[nodiscard]] tl::expected<replay_result, trace_error> replay_steps(const replay_plan& plan,
                                                                    const replay_settings& settings,
                                                                    const progress_callback& progress = {},
                                                                    replay_history* history = nullptr);

}  // namespace soma::tools
