// Blocks that are handed around: eight streams in turn; each frees its blocks and records an event, the next
// one waits for the event and allocates as many. The baseline, which knows no streams, frees and allocates
// the same.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/subjects/baseline_subject.hpp"
#include "bench/subjects/soma_subject.hpp"
#include "bench/support/program.hpp"
#include "bench/support/workloads.hpp"

namespace soma::bench {

namespace {

constexpr std::size_t stream_count = 8;

/// How many blocks change hands at one event: one, which is what is asked for, or so many that the event
/// hardly counts.
constexpr std::size_t few_blocks = 1;
constexpr std::size_t many_blocks = 64;

/// As many blocks as change hands at one event.
using hand = std::vector<void*>;

/// Frees what the stream whose turn it is has had longest, leaves it what it got at the turn before, and
/// allocates as much for the next stream. `pass` stands between the two.
template <class Free, class Pass, class Malloc>
void turns(benchmark::State& state, std::vector<hand>& held, hand& arriving, Free free, Pass pass,
           Malloc malloc) {
  std::size_t from = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::size_t to = (from + 1) % stream_count;
    for (void* const block : held[from]) {
      free(block, from);
    }
    pass(from, to);
    held[from].swap(arriving);
    for (auto& block : arriving) {
      block = malloc(to);
    }
    from = to;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(arriving.size()));
}

template <class Malloc>
void fill(std::vector<hand>& held, hand& arriving, Malloc malloc) {
  for (std::size_t index = 0; index < stream_count; ++index) {
    for (auto& block : held[index]) {
      block = malloc(index);
    }
  }
  for (auto& block : arriving) {
    block = malloc(0);
  }
}

void baseline(benchmark::State& state, std::size_t blocks) {
  baseline_subject subject;
  auto seat = subject.take_seat();
  std::vector<hand> held(stream_count, hand(blocks));
  hand arriving(blocks);
  const auto malloc = [&seat](std::size_t /*stream*/) { return seat.allocate(pair_bytes); };
  const auto free = [&seat](void* block, std::size_t /*stream*/) { seat.deallocate(block, pair_bytes); };
  fill(held, arriving, malloc);
  turns(
      state, held, arriving, free, [](std::size_t /*from*/, std::size_t /*to*/) {}, malloc);
}

void soma_streams(benchmark::State& state, std::size_t blocks) {
  pool_world world;
  std::vector<soma::stream> streams;
  std::vector<soma::event> events;
  for (std::size_t index = 0; index < stream_count; ++index) {
    streams.push_back(must(world.device.create_stream()));
    events.push_back(must(world.device.create_event()));
  }
  std::vector<hand> held(stream_count, hand(blocks));
  hand arriving(blocks);
  const auto malloc = [&](std::size_t stream) {
    return must(world.pool.malloc_async(pair_bytes, streams[stream]));
  };
  const auto free = [&](void* block, std::size_t stream) {
    must(world.pool.free_async(block, streams[stream]));
  };
  const auto pass = [&](std::size_t from, std::size_t to) {
    must(streams[from].record(events[from]));
    must(streams[to].wait(events[from]));
  };
  fill(held, arriving, malloc);
  turns(state, held, arriving, free, pass, malloc);
}

void add_for(std::size_t blocks) {
  const std::string suffix = blocks == few_blocks ? "" : "_" + std::to_string(blocks) + "_blocks";
  const auto add_one = [&suffix, blocks](const std::string& name,
                                         void (*body)(benchmark::State&, std::size_t)) {
    add("cross_stream" + suffix + "/" + name, [body, blocks](benchmark::State& state) {
      body(state, blocks);
    })->UseRealTime();
  };
  add_one("baseline", baseline);
  add_one("soma", soma_streams);
}

}  // namespace

void register_benchmarks() {
  add_for(few_blocks);
  add_for(many_blocks);
}

}  // namespace soma::bench
