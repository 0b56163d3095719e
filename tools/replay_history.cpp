#include "tools/replay_history.hpp"

#include <algorithm>

#include "tools/byte_size.hpp"

namespace soma::tools {

namespace {

/// The kind whose count went up.
served_kind kind_of(const served_counts& before, const served_counts& after) {
  if (after.same_stream != before.same_stream) {
    return served_kind::same_stream;
  }
  if (after.event != before.event) {
    return served_kind::event;
  }
  if (after.opportunistic != before.opportunistic) {
    return served_kind::opportunistic;
  }
  return after.internal != before.internal ? served_kind::internal : served_kind::new_memory;
}

}  // namespace

history_recorder::history_recorder(const replay_plan& plan, std::uint64_t minimum_block, const void* base,
                                   replay_history& into)
    : plan_(plan), minimum_block_(minimum_block), base_(base), into_(into),
      placed_at_(plan.blocks.size(), 0) {
  into_.moments.clear();
  into_.blocks.clear();
  into_.moments.reserve(plan.steps.size());
  into_.blocks.reserve(plan.blocks.size());
}

void history_recorder::add(const replay_step& step, const void* address, const pool_statistics& statistics) {
  if (step.kind == step_kind::record || step.kind == step_kind::wait) {
    return;
  }
  if (step.kind == step_kind::malloc) {
    add_block(step, address, statistics.served);
  } else if (step.kind == step_kind::free) {
    into_.blocks[placed_at_[step.subject]].last = static_cast<std::uint32_t>(into_.moments.size());
  }
  served_ = statistics.served;
  into_.moments.push_back({.line = step.line,
                           .time_us = 0,
                           .requested = statistics.requested,
                           .used = statistics.used,
                           .reserved = statistics.reserved,
                           .live_blocks = statistics.live_blocks});
}

void history_recorder::add_block(const replay_step& step, const void* address, const served_counts& served) {
  const planned_block& planned = plan_.blocks[step.subject];
  placed_at_[step.subject] = static_cast<std::uint32_t>(into_.blocks.size());
  into_.blocks.push_back({.id = planned.id,
                          .offset = static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                                               static_cast<const char*>(base_)),
                          .bytes = round_up(planned.bytes, minimum_block_),
                          .requested = planned.bytes,
                          .line = step.line,
                          .stream = 0,
                          .first = static_cast<std::uint32_t>(into_.moments.size()),
                          .last = no_index,
                          .served = kind_of(served_, served)});
}

void add_from_rows(replay_history& history, const std::vector<trace_row>& rows) {
  const auto row_in = [&rows](std::uint64_t line) -> const trace_row* {
    const auto row =
        std::lower_bound(rows.begin(), rows.end(), line,
                         [](const trace_row& each, std::uint64_t number) { return each.line < number; });
    return row != rows.end() && row->line == line ? &*row : nullptr;
  };
  for (replay_moment& moment : history.moments) {
    if (const trace_row* const row = row_in(moment.line); row != nullptr) {
      moment.time_us = row->time_us;
    }
  }
  for (placed_block& block : history.blocks) {
    if (const trace_row* const row = row_in(block.line); row != nullptr) {
      block.stream = row->stream;
    }
  }
}

}  // namespace soma::tools
