// The cost of a malloc and a free on one thread: one block over and over, and a steady mix of a thousand live
// blocks.

#include <cstddef>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/subjects/all.hpp"
#include "bench/support/program.hpp"
#include "bench/support/workloads.hpp"

namespace soma::bench {

namespace {

/// The block that was freed last is the next one to be allocated.
constexpr auto lifo = [](benchmark::State& state, auto& subject) {
  auto seat = subject.take_seat();
  for ([[maybe_unused]] auto _ : state) {
    void* block = seat.allocate(pair_bytes);
    benchmark::DoNotOptimize(block);
    seat.deallocate(block, pair_bytes);
  }
  state.SetItemsProcessed(state.iterations());
};

/// Frees a random block of a thousand and allocates a new one of a random size.
constexpr auto mix = [](benchmark::State& state, auto& subject) {
  struct held {
    void* block = nullptr;
    std::size_t bytes = 0;
  };
  constexpr std::size_t live_count = 1000;
  constexpr std::size_t step_count = std::size_t{1} << 16;
  const auto steps = random_steps(live_count, mix_sizes, step_count);
  auto seat = subject.take_seat();
  std::vector<held> live;
  for (std::size_t index = 0; index < live_count; ++index) {
    const std::size_t bytes = steps[index].bytes;
    live.push_back({seat.allocate(bytes), bytes});
  }
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    const replacement& step = steps[next];
    next = (next + 1) % step_count;
    held& replaced = live[step.slot];
    seat.deallocate(replaced.block, replaced.bytes);
    replaced = {seat.allocate(step.bytes), step.bytes};
  }
  state.SetItemsProcessed(state.iterations());
  for (const held& last : live) {
    seat.deallocate(last.block, last.bytes);
  }
};

}  // namespace

void register_benchmarks() {
  const auto by_real_time = [](benchmark::internal::Benchmark* added) { added->UseRealTime(); };
  add_all("lifo", lifo, by_real_time);
  add_all("mix", mix, by_real_time);
}

}  // namespace soma::bench
