// What it costs that messages can be traced, and that they are: LIFO pairs and events, with a trace being
// taken and without.
//
// This is built twice: over the library (tracing), and over one that was compiled without the recorder
// (tracing_without). With a trace being taken, the latter does everything by messages as well, but nothing is
// recorded of them: so its difference to the former is the recorder alone, and the difference of both without
// a trace is what the recorder costs everybody. Only ratios and differences of one run hold.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "bench/subjects/soma_subject.hpp"
#include "bench/support/program.hpp"
#include "soma/trace.hpp"

namespace soma::bench {

namespace {

#ifdef SOMA_WITHOUT_TRACING
constexpr std::string_view untraced_suffix = "/without";
constexpr std::string_view traced_suffix = "/without_by_messages";
#else
constexpr std::string_view untraced_suffix = "/untraced";
constexpr std::string_view traced_suffix = "/traced";
#endif

// As a program has it that takes a trace while it runs: the memory is small, so that it is in use after a
// moment.
class traced {
public:
  explicit traced(bool wanted) : wanted_(wanted) {
    if (wanted_) {
      must(soma::trace::start({.memory = std::uint64_t{16} << 20}));
    }
  }
  ~traced() {
    if (wanted_) {
      soma::trace::stop();
    }
  }
  traced(const traced&) = delete;
  traced& operator=(const traced&) = delete;

private:
  bool wanted_;
};

void lifo(benchmark::State& state, bool with_trace) {
  pool_world world;
  auto stream = must(world.device.create_stream());
  const traced now(with_trace);
  for ([[maybe_unused]] auto _ : state) {
    auto* const block = must(world.pool.malloc_async(4096, stream));
    must(world.pool.free_async(block, stream));
  }
  // The two calls: to the stream, to the pool and back.
  constexpr double messages_of_a_pair = 6;
  state.counters["messages"] = messages_of_a_pair;
}

void record_and_wait(benchmark::State& state, bool with_trace) {
  pool_world world;
  auto recorded_on = must(world.device.create_stream());
  auto waiting = must(world.device.create_stream());
  auto event = must(world.device.create_event());
  const traced now(with_trace);
  for ([[maybe_unused]] auto _ : state) {
    must(recorded_on.record(event));
    must(waiting.wait(event));
  }
  constexpr double messages_of_a_pair = 5;
  state.counters["messages"] = messages_of_a_pair;
}

}  // namespace

void register_benchmarks() {
  for (const bool with_trace : {false, true}) {
    const std::string suffix{with_trace ? traced_suffix : untraced_suffix};
    add("tracing_lifo" + suffix, [with_trace](benchmark::State& state) {
      lifo(state, with_trace);
    })->UseRealTime();
    add("tracing_events" + suffix, [with_trace](benchmark::State& state) {
      record_and_wait(state, with_trace);
    })->UseRealTime();
  }
}

}  // namespace soma::bench
