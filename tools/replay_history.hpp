// What a replay did to its pool, moment by moment: the material of the report (report_page).
//
// There is a moment behind each malloc, free and device synchronise. Moments are numbered from 0, in their
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "soma/pool.hpp"
#include "tools/replay_plan.hpp"

namespace soma::tools {

/// The pool's figures at a moment, in bytes.
struct replay_moment {
  std::uint64_t line = 0;  ///< of the trace
  std::uint64_t time_us = 0;
  std::uint64_t requested = 0;
  std::uint64_t used = 0;
  std::uint64_t reserved = 0;
  std::uint64_t live_blocks = 0;
};

/// How a malloc was served; the order is the one of served_counts.
enum class served_kind : std::uint8_t { same_stream, event, opportunistic, internal, new_memory };

inline constexpr std::size_t served_kinds = 5;

/// A block's place and life.
struct placed_block {
  std::uint64_t id = 0;
  std::uint64_t offset = 0;     ///< of its first byte, from the pool's base
  std::uint64_t bytes = 0;      ///< its size: what was requested, rounded up
  std::uint64_t requested = 0;  ///< bytes
  std::uint64_t line = 0;       ///< of its malloc
  std::int32_t stream = 0;      ///< of its malloc, as the trace numbers streams
  std::uint32_t first = 0;      ///< the moment behind its malloc
  std::uint32_t last = 0;  ///< the moment behind its free, when it is live no more; no_index: never freed
  served_kind served = served_kind::new_memory;
};

struct replay_history {
  std::vector<replay_moment> moments;
  std::vector<placed_block> blocks;  ///< in the order of their mallocs
};

/// Fills a history while a plan is replayed.
class history_recorder {
public:
  /// All must outlive the recorder.
  history_recorder(const replay_plan& plan, std::uint64_t minimum_block, const void* base,
                   replay_history& into);

  /// Called behind each step; `address` is that of the block of a malloc.
  void add(const replay_step& step, const void* address, const pool_statistics& statistics);

private:
  void add_block(const replay_step& step, const void* address, const served_counts& served);

  const replay_plan& plan_;
  std::uint64_t minimum_block_;
  const void* base_;
  replay_history& into_;
  served_counts served_;                  ///< at the moment before
  std::vector<std::uint32_t> placed_at_;  ///< by the plan's number of the block: its place in the history
};

/// Adds what only the rows know: the times of the moments, and the streams of the blocks.
void add_from_rows(replay_history& history, const std::vector<trace_row>& rows);

}  // namespace soma::tools
