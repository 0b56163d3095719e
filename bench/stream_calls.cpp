// What calls cost that have nothing to do with memory: launches of an empty kernel, events, and a synchronize
// of a stream that is idle.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <benchmark/benchmark.h>

#include "bench/subjects/soma_subject.hpp"
#include "bench/support/program.hpp"

namespace soma::bench {

namespace {

enum class timed : std::uint8_t { submission, execution };

/// Bursts of a thousand launches. The stream is idle at the begin of each.
void launch(benchmark::State& state, timed what) {
  constexpr int burst = 1000;
  pool_world world;
  auto stream = must(world.device.create_stream());
  const auto kernel = empty_kernel();
  const soma::launch_arguments none;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    for (int index = 0; index < burst; ++index) {
      must(stream.launch(kernel, none, 1));
    }
    const auto submitted = std::chrono::steady_clock::now();
    must(stream.synchronize());
    const auto executed = std::chrono::steady_clock::now();
    const auto taken = (what == timed::submission ? submitted : executed) - begin;
    state.SetIterationTime(std::chrono::duration<double>(taken).count());
  }
  state.SetItemsProcessed(state.iterations() * burst);
}

void record_and_wait(benchmark::State& state) {
  pool_world world;
  auto recorded_on = must(world.device.create_stream());
  auto waiting = must(world.device.create_stream());
  auto event = must(world.device.create_event());
  for ([[maybe_unused]] auto _ : state) {
    must(recorded_on.record(event));
    must(waiting.wait(event));
  }
  state.SetItemsProcessed(state.iterations());
}

void synchronize_idle(benchmark::State& state) {
  pool_world world;
  auto stream = must(world.device.create_stream());
  for ([[maybe_unused]] auto _ : state) {
    must(stream.synchronize());
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

void register_benchmarks() {
  const auto add_launch = [](const char* name, timed what) {
    add(name, [what](benchmark::State& state) { launch(state, what); })->UseManualTime();
  };
  add_launch("launch/submission", timed::submission);
  add_launch("launch/with_execution", timed::execution);
  add("event/record_and_wait", record_and_wait)->UseRealTime();
  add("synchronize/idle_stream", synchronize_idle)->UseRealTime();
}

}  // namespace soma::bench
