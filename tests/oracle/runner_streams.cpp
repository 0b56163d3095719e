// Streams and events: making, failing and ending them, and how blocking streams join the default stream.

#include "oracle/runner.hpp"

namespace oracle {

using soma::errc;

namespace {

std::optional<errc> dead(bool destroyed) {
  return destroyed ? std::optional{errc::invalid_handle} : std::nullopt;
}

}  // namespace

// -- making -------------------------------------------------------------------------------------------------

void runner::make_stream(bool blocking) {
  const auto call = std::string("device.create_stream(") + (blocking ? "{.blocking = true}" : "") + ")";
  print_.line("[[maybe_unused]] auto " + name('s', streams_.size()) + " = must(" + call + ");");
  auto made = device_.create_stream({.blocking = blocking});
  check_error(call, made, std::nullopt);
  auto owned = std::make_unique<soma::stream>(std::move(*made));
  auto* stream = owned.get();
  streams_.push_back({std::move(owned), stream, blocking, false, false, std::make_shared<progress>(), {}, 0});
  model_.past.add_stream();
  has_blocking_ = has_blocking_ || blocking;
}

// Always the first one.
void runner::take_default_stream() {
  print_.line("[[maybe_unused]] auto& " + name('s', streams_.size()) + " = device.default_stream();");
  streams_.push_back(
      {nullptr, &device_.default_stream(), false, false, false, std::make_shared<progress>(), {}, 0});
  model_.past.add_stream();
}

void runner::make_event() {
  print_.line("[[maybe_unused]] auto " + name('e', events_.size()) + " = must(device.create_event());");
  auto made = device_.create_event();
  check_error("create_event", made, std::nullopt);
  events_.push_back({std::move(*made), false, no_task});
}

// -- blocking streams and the default stream ----------------------------------------------------------------

// Programs have blocking streams only if they have the default stream too, which then is the first one.
bool runner::joins(std::size_t stream) const {
  return has_blocking_ && (stream == 0 || streams_[stream].blocking);
}

// What any call that submits something does first: it waits for the default stream, or that one for all
// blocking streams, by an event of the runtime's own.
void runner::join(std::size_t stream) {
  if (!joins(stream)) {
    return;
  }
  ++counts_.joins;
  for (std::size_t other = 0; other < streams_.size(); ++other) {
    const bool is_awaited = stream == 0 ? streams_[other].blocking && !streams_[other].destroyed : other == 0;
    if (is_awaited) {
      const auto record = model_.past.add(other, task_kind::record);
      model_.past.add_wait(stream, record);
    }
  }
}

// Later calls may block such a stream at any time: what is on it by now needs its witness now.
void runner::settle_join(std::size_t stream) {
  if (joins(stream) && !streams_[stream].destroyed) {
    add_witness(stream);
  }
}

// -- failing ------------------------------------------------------------------------------------------------

void runner::fail(std::size_t stream) {
  if (!streams_[stream].destroyed && !device_timed_out_) {  // see oracle_test.cpp
    add_work(stream, true);
  }
}

// A stream that stops: what it refuses from then on, and what it still takes. Then another one takes its
// place.
void runner::stop(const numbers& all) {
  const auto stream = some_stream(all[0]);
  const auto pool = some_pool(all[1]);
  auto& entry = streams_[stream];
  model_.execute();
  if (entry.destroyed || entry.owned == nullptr || joins(stream) || !model_.past.drained(stream)) {
    return;
  }
  if (entry.failed || device_timed_out_) {
    return;  // it may not have failed yet, and then stops too early
  }
  const auto s = name('s', stream);
  print_.line("must(" + s + ".set_failure_mode(soma::failure_mode::stop));");
  check_error("set_failure_mode", entry.stream->set_failure_mode(soma::failure_mode::stop), std::nullopt);
  add_work(stream, true);
  synchronize_one(stream);

  print_.call(s + ".call([] {})", errc::stream_stopped);
  check_error("call", entry.stream->call([] {}), errc::stream_stopped);
  if (!model_.pool(pool).destroyed) {
    const auto call = name('p', pool) + ".malloc_async(1, " + s + ")";
    print_.call(call, errc::stream_stopped);
    check_error(call, pools_[pool].malloc_async(1, *entry.stream), errc::stream_stopped);
  }
  print_.call(s + ".set_failure_mode(soma::failure_mode::proceed)", errc::invalid_argument);
  check_error("set_failure_mode", entry.stream->set_failure_mode(soma::failure_mode::proceed),
              errc::invalid_argument);
  if (!blocks_.empty()) {
    free_block(all[2] % blocks_.size(), stream, true);
  }
  synchronize_one(stream);
  destroy_stream(stream);
  make_stream(false);
}

// -- ending -------------------------------------------------------------------------------------------------

void runner::destroy_stream(std::size_t stream) {
  auto& entry = streams_[stream];
  const bool is_default = entry.owned == nullptr;
  const auto expected = is_default ? std::optional{errc::invalid_argument} : dead(entry.destroyed);
  print_.call(name('s', stream) + ".destroy()", expected);
  check_error("destroy", entry.stream->destroy(), expected);
  entry.destroyed = !is_default;
}

void runner::replace_stream(const numbers& all) {
  const auto stream = some_stream(all[0]);
  add_witness_if_needed(stream);  // nothing can be put behind its work any more
  destroy_stream(stream);
  make_stream(has_blocking_ && all[1] % 2 == 0);
}

void runner::replace_event(const numbers& all) {
  const auto event = some_event(all[0]);
  auto& entry = events_[event];
  const auto expected = dead(entry.destroyed);
  print_.call(name('e', event) + ".destroy()", expected);
  check_error("destroy", entry.event.destroy(), expected);
  entry.destroyed = true;
  make_event();
}

}  // namespace oracle
