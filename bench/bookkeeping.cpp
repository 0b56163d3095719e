// The memory in which a pool keeps its books, against the memory that it keeps them about, at blocks of 512
// B.
//
// A hundred thousand blocks are allocated and half as many replaced, so that idle pieces are among them.
// Measured is what the process's own memory has grown by (not the system's page tables); pools' memory is not
// touched.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/subjects/soma_subject.hpp"
#include "bench/support/process_memory.hpp"
#include "bench/support/program.hpp"
#include "bench/support/workloads.hpp"

namespace soma::bench {

namespace {

void bookkeeping(benchmark::State& state, std::span<const std::size_t> sizes) {
  constexpr std::uint64_t device_memory = std::uint64_t{1} << 40;
  const std::size_t live_count = scaled(100'000);
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const deadline limit;
    pool_world world(512, device_memory);
    auto stream = must(world.device.create_stream());
    const auto steps = random_steps(live_count, sizes, live_count + live_count / 2);
    std::vector<void*> live(live_count);
    const auto before = private_bytes();
    for (std::size_t done = 0; done < steps.size(); ++done) {
      if (limit.passed()) {
        state.SkipWithError(limit.text(std::to_string(done) + " mallocs").c_str());
        return;
      }
      auto& block = live[done < live_count ? done : steps[done].slot];
      if (block != nullptr) {
        must(world.pool.free_async(block, stream));
      }
      block = must(world.pool.malloc_async(steps[done].bytes, stream));
    }
    must(stream.synchronize());
    const auto after = private_bytes();
    const auto grown = static_cast<double>(after > before ? after - before : 0);
    const auto managed = static_cast<double>(must(world.pool.statistics()).reserved);
    state.counters["percent_of_managed"] = 100 * grown / managed;
    state.counters["bytes_per_block"] = grown / static_cast<double>(live_count);
    state.counters["managed_bytes"] = managed;
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}

void add_one(const char* name, std::span<const std::size_t> sizes) {
  add(name, [sizes](benchmark::State& state) { bookkeeping(state, sizes); })
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

constexpr std::size_t smallest[] = {512};

}  // namespace

void register_benchmarks() {
  add_one("bookkeeping/real_sizes", real_sizes);
  add_one("bookkeeping/smallest_blocks", smallest);
}

}  // namespace soma::bench
