// How many pairs two threads do in a second that have a stream each and one pool in common.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <benchmark/benchmark.h>

#include "bench/subjects/all.hpp"
#include "bench/support/program.hpp"
#include "bench/support/workloads.hpp"

namespace soma::bench {

namespace {

using clock = std::chrono::steady_clock;

struct span_of_time {
  clock::time_point begin;
  clock::time_point end;
};

/// A thread's part of a burst. It begins when both threads are there.
template <class Subject>
span_of_time run_pairs(Subject& subject, std::size_t pairs, std::atomic<int>& missing) {
  auto seat = subject.take_seat();
  --missing;
  while (missing > 0) {
    std::this_thread::yield();
  }
  span_of_time taken{clock::now(), {}};
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    void* block = seat.allocate(pair_bytes);
    benchmark::DoNotOptimize(block);
    seat.deallocate(block, pair_bytes);
  }
  taken.end = clock::now();
  return taken;
}

constexpr auto two_threads = [](benchmark::State& state, auto& subject) {
  const std::size_t pairs = scaled(subject.burst);
  for ([[maybe_unused]] auto _ : state) {
    std::atomic<int> missing = 2;
    span_of_time first;
    span_of_time second;
    std::thread one([&] { first = run_pairs(subject, pairs, missing); });
    std::thread other([&] { second = run_pairs(subject, pairs, missing); });
    one.join();
    other.join();
    const auto taken = std::max(first.end, second.end) - std::min(first.begin, second.begin);
    state.SetIterationTime(std::chrono::duration<double>(taken).count());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * pairs));
};

}  // namespace

void register_benchmarks() {
  add_all("two_threads", two_threads, [](benchmark::internal::Benchmark* added) { added->UseManualTime(); });
}

}  // namespace soma::bench
