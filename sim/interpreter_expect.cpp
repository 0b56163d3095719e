// The expectations of a scenario.

#include "sim/interpreter.hpp"

namespace soma::sim {

std::optional<std::uint64_t> interpreter::measure(const statement& one) {
  if (one.expected.what == quantity::stream_done || one.expected.what == quantity::event_done) {
    const auto done = one.expected.what == quantity::stream_done ? streams_[one.stream.index].query()
                                                                 : events_[one.event.index].query();
    return judge(one, done) ? std::optional<std::uint64_t>(*done ? 1 : 0) : std::nullopt;
  }
  const auto figures = pools_[one.pool.index].pool->statistics();
  if (!judge(one, figures)) {
    return std::nullopt;
  }
  switch (one.expected.what) {
  case quantity::used:
    return figures->used;
  case quantity::used_high:
    return figures->used_high;
  case quantity::reserved:
    return figures->reserved;
  case quantity::reserved_high:
    return figures->reserved_high;
  case quantity::idle:
    return figures->idle;
  case quantity::live:
    return figures->live_blocks;
  case quantity::served_same_stream:
    return figures->served.same_stream;
  case quantity::served_event:
    return figures->served.event;
  case quantity::served_opportunistic:
    return figures->served.opportunistic;
  case quantity::served_internal:
    return figures->served.internal;
  case quantity::served_new_memory:
    return figures->served.new_memory;
  case quantity::backing_requests:
    return figures->backing_requests;
  case quantity::backing_returns:
    return figures->backing_returns;
  default:
    return std::nullopt;
  }
}

void interpreter::expect_blocks(const statement& one) {
  const auto& block = blocks_[one.block.index];
  const auto& other = blocks_[one.expected.other.index];
  if (one.expected.what == quantity::inside) {
    if (!other.memory.contains(block.memory.begin) || block.memory.end() > other.memory.end()) {
      fail(one, "expect", "it does not lie there");
    }
    return;
  }
  const bool same = block.memory.begin == other.memory.begin;
  if (same != (one.expected.how == comparison::equal)) {
    fail(one, "expect", same ? "they are at the same address" : "they are at different addresses");
  }
}

void interpreter::expect(const statement& one) {
  if (one.expected.what == quantity::fails || one.expected.what == quantity::races) {
    return;  // the call itself was judged
  }
  if (one.expected.what == quantity::address || one.expected.what == quantity::inside) {
    expect_blocks(one);
    return;
  }
  const auto found = measure(one);
  if (!found) {
    return;
  }
  const auto wanted_value = one.expected.value;
  const std::array fits{*found == wanted_value, *found != wanted_value,
                        *found<wanted_value, *found <= wanted_value, *found> wanted_value,
                        *found >= wanted_value};
  if (!fits.at(static_cast<std::size_t>(one.expected.how))) {
    fail(one, "expect", "it is " + size_text(*found));
  }
}

}  // namespace soma::sim
