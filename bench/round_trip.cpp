// What it costs a thread to ask an actor something and have the answer.
//
// soma's callers run an idle actor themselves; CAF's own way wakes a worker and sleeps. Both are measured in
// one run, since only their ratio holds from machine to machine.

#include <benchmark/benchmark.h>

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <memory>
#include <stdexcept>

#include "actors/caller.hpp"
#include "actors/device.hpp"
#include "bench/support/program.hpp"
#include "memory/sizes.hpp"

namespace soma::bench {

namespace {

using soma::actors::ask;
namespace actors = soma::actors;
namespace memory = soma::memory;
namespace messages = soma::messages;

// A device with one idle stream.
class idle_stream {
public:
  idle_stream() {
    messages::configure(config_, 1);
    system_ = std::make_unique<caf::actor_system>(config_);
    messages::forget_logger();
    caller_ = std::make_unique<actors::inline_caller>(*system_);
    constexpr std::uint64_t device_memory = std::uint64_t{1} << 30;
    const auto range = memory::least_device_range();
    auto backing = memory::backing::reserve(range, range);
    if (!backing) {
      throw std::runtime_error(backing.error().text);
    }
    const std::shared_ptr<memory::backing> shared = std::move(*backing);
    const actors::device_settings settings{
        device_memory, memory::plan_device(shared->addresses(), 0, 1, device_memory), 0, 2};
    device_ = actors::spawn<actors::device_state>(*system_, settings, shared,
                                                  std::make_shared<actors::number_source>());
    stream_ = ask<messages::created_stream>(*caller_, device_, messages::create_stream{})->stream;
  }

  ~idle_stream() {
    actors::tell(*caller_, stream_, messages::retire_stream{});
    static_cast<void>(ask<messages::done>(*caller_, device_, messages::shut_down{}));
  }

  idle_stream(const idle_stream&) = delete;
  idle_stream& operator=(const idle_stream&) = delete;

  [[nodiscard]] bool complete(actors::caller& by) const {
    return ask<messages::stream_status>(by, stream_, messages::query_stream{})->complete;
  }

  [[nodiscard]] actors::caller& inline_caller() const { return *caller_; }

private:
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  std::unique_ptr<actors::caller> caller_;
  messages::device_actor device_;
  messages::stream_actor stream_;
};

void caller_runs_the_actor(benchmark::State& state) {
  const idle_stream stream;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(stream.complete(stream.inline_caller()));
  }
}

void worker_runs_the_actor(benchmark::State& state) {
  const idle_stream stream;
  actors::worker_caller by_worker;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(stream.complete(by_worker));
  }
}

void caf_request_receive(benchmark::State& state) {
  caf::actor_system_config config;
  messages::configure_as_caf_does(config);
  caf::actor_system system(config);
  const auto echo = system.spawn(
      [](caf::event_based_actor*) -> caf::behavior { return {[](int value) { return value; }}; });
  {
    caf::scoped_actor self(system);
    for ([[maybe_unused]] auto _ : state) {
      messages::caf_request(self, echo, 1)
          .receive([](int value) { benchmark::DoNotOptimize(value); }, [](const caf::error&) {});
    }
  }
  caf::anon_send_exit(echo, caf::exit_reason::user_shutdown);
}

}  // namespace

void register_benchmarks() {
  add("round_trip/caller_runs_the_actor", caller_runs_the_actor)->UseRealTime();
  add("round_trip/a_worker_runs_the_actor", worker_runs_the_actor)->UseRealTime();
  add("round_trip/caf_request_receive", caf_request_receive)->UseRealTime();
}

}  // namespace soma::bench
