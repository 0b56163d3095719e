// Finds the settings of a pool that serve a trace with the least memory.
//
// A program is served in two ways that a trace does not tell apart: the device may keep up with the host, so
// that frees have been executed when memory is asked for again, or the host may run as far ahead as it can,
// until it waits. Where they lie between these, only the program's timing decides. So each setting is
// replayed in both ways (replay_settings:: held), and a limit counts as serving the trace only if it does in
// both.
//
// The search is a bisection: it finds a limit that serves and of which the next lower granule does not. That
// a still lower one would by chance is possible, since a pool of another size places blocks elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tools/replay.hpp"

namespace soma::tools {

struct advise_settings {
  std::uint64_t minimum_block = granule_bytes;
  /// A device synchronise after every so many rows; 0: those of the trace, and if it has none, some for the
  /// threshold.
  std::uint64_t sync_every = 0;
};

/// What the switches do for this trace.
struct advised_switches {
  reuse_switches reuse;
  std::uint64_t reserved_ahead = 0;    ///< peak without a limit, the host running ahead
  std::uint64_t reserved_keeping = 0;  ///< the same, the device keeping up
  std::uint64_t limit_ahead = 0;       ///< smallest limit, the host running ahead
  std::uint64_t limit_keeping = 0;     ///< smallest limit, the device keeping up
  std::uint64_t waits_ahead =
      0;  ///< waits that the pool inserts at the smallest limit, the host running ahead

  /// The smallest limit that serves in both ways.
  [[nodiscard]] std::uint64_t limit() const noexcept;
};

struct advised_threshold {
  std::uint64_t sync_every = 0;  ///< assumed for it; 0: the trace's own synchronises, or the settings'
  std::uint64_t synchronizes = 0;
  std::uint64_t bytes = 0;             ///< with it no memory is given back and taken again
  std::uint64_t returned = 0;          ///< bytes given back with it
  std::uint64_t returns_without = 0;   ///< how often memory is given back with a threshold of 0
  std::uint64_t returned_without = 0;  ///< bytes given back with a threshold of 0
  std::uint64_t retaken_without = 0;   ///< bytes of these that are taken again
  std::uint64_t peak_reserved = 0;     ///< the figures are without a limit
};

struct advice {
  std::uint64_t rows = 0;
  std::uint64_t streams = 0;
  std::uint64_t minimum_block = 0;
  std::uint64_t requested_high = 0;
  std::uint64_t used_high = 0;
  std::vector<advised_switches> switches;  ///< all that make sense: with one stream only none
  std::size_t best = 0;                    ///< of the switches
  std::string refusal;                     ///< what happens one granule below the best limit
  advised_threshold threshold;             ///< with the best switches
  /// The smallest limit with blocks of 512 bytes and the best switches; not looked for if blocks are as small
  /// already.
  std::optional<std::uint64_t> small_block_limit;
  std::uint64_t replays = 0;  ///< how often the trace was replayed to find all this
};

/// Errors: those of replay_trace; a trace that allocates nothing.
[[nodiscard]] tl::expected<advice, trace_error> advise(const std::vector<trace_row>& rows,
                                                       const advise_settings& settings,
                                                       const progress_callback& progress = {});

}  // namespace soma::tools
