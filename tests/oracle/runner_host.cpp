// The runner's calls by which the host waits and asks.

#include "oracle/runner.hpp"

namespace oracle {

using soma::errc;

namespace {

constexpr std::chrono::milliseconds no_time{0};

std::optional<errc> dead(bool destroyed) {
  return destroyed ? std::optional{errc::invalid_handle} : std::nullopt;
}

}  // namespace

void runner::synchronize_stream(const numbers& all) { synchronize_one(some_stream(all[0])); }

void runner::synchronize_one(std::size_t stream) {
  auto& entry = streams_[stream];
  if (!entry.destroyed) {
    join(stream);
  }
  model_.execute();
  const bool drained = model_.past.drained(stream);
  const auto expected = entry.destroyed ? dead(true)
                        : !drained      ? std::optional{errc::timed_out}
                        : entry.failed  ? std::optional{errc::task_failed}
                                        : std::nullopt;
  const auto call =
      name('s', stream) + ".synchronize_for(" + (drained ? "patience" : "std::chrono::milliseconds{0}") + ")";
  print_.call(call, expected);
  check_error(call, entry.stream->synchronize_for(drained ? patience : no_time), expected);
  counts_.timed_out += expected == errc::timed_out ? 1U : 0U;
  counts_.failures += expected == errc::task_failed ? 1U : 0U;
  if (!entry.destroyed && drained) {
    entry.failed = false;
    model_.saw(model_.past.last(stream));
    model_.release_above_threshold();
  }
}

void runner::synchronize_event(const numbers& all) {
  const auto event = some_event(all[0]);
  auto& entry = events_[event];
  model_.execute();
  const bool executed = entry.record == no_task || model_.past.at(entry.record).executed;
  const auto expected = entry.destroyed                           ? dead(true)
                        : !executed                               ? std::optional{errc::timed_out}
                        : entry.failed && entry.record != no_task ? std::optional{errc::task_failed}
                                                                  : std::nullopt;
  const auto call =
      name('e', event) + ".synchronize_for(" + (executed ? "patience" : "std::chrono::milliseconds{0}") + ")";
  print_.call(call, expected);
  check_error(call, entry.event.synchronize_for(executed ? patience : no_time), expected);
  counts_.timed_out += expected == errc::timed_out ? 1U : 0U;
  counts_.failures += expected == errc::task_failed ? 1U : 0U;
  if (!entry.destroyed && executed && entry.record != no_task) {
    model_.saw(entry.record);
    model_.release_above_threshold();
  }
}

void runner::synchronize_device() {
  model_.execute();
  bool drained = true;
  bool failed = false;
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    drained = drained && model_.past.drained(stream);
    failed = failed || streams_[stream].failed;
  }
  if (!drained && failed) {
    return;  // see oracle_test.cpp
  }
  const auto expected = !drained ? std::optional{errc::timed_out}
                        : failed ? std::optional{errc::task_failed}
                                 : std::nullopt;
  const std::string call =
      std::string("device.synchronize_for(") + (drained ? "patience" : "std::chrono::milliseconds{0}") + ")";
  print_.call(call, expected);
  check_error(call, device_.synchronize_for(drained ? patience : no_time), expected);
  counts_.timed_out += expected == errc::timed_out ? 1U : 0U;
  counts_.failures += expected == errc::task_failed ? 1U : 0U;
  device_timed_out_ = !drained;
  if (drained) {
    for (auto& each : streams_) {
      each.failed = false;
    }
    model_.saw_everything();
    model_.release_above_threshold();
  }
}

// A stream learns a moment after the last witness that it has run: until then, asking again is right.
void runner::query_stream(const numbers& all) {
  const auto stream = some_stream(all[0]);
  auto& entry = streams_[stream];
  const auto call = name('s', stream) + ".query()";
  settle();
  if (entry.destroyed) {
    print_.call(call, errc::invalid_handle);
    check_error(call, entry.stream->query(), errc::invalid_handle);
    return;
  }
  if (!model_.past.drained(stream)) {
    print_.line("EXPECT_FALSE(must(" + call + "));");
    const auto got = entry.stream->query();
    check_error(call, got, std::nullopt);
    if (*got) {
      disagree(call + " is true, although work is pending");
    }
    return;
  }
  print_.line("EXPECT_TRUE(eventually([&] { return must(" + call + "); }));");
  if (!happens([&] { return *entry.stream->query(); })) {
    disagree(call + " stays false, although nothing is pending", true);
  }
  model_.saw(model_.past.last(stream));
}

void runner::query_event(const numbers& all) {
  const auto event = some_event(all[0]);
  auto& entry = events_[event];
  const auto call = name('e', event) + ".query()";
  settle();
  const auto got = entry.event.query();
  if (entry.destroyed) {
    print_.call(call, errc::invalid_handle);
    check_error(call, got, errc::invalid_handle);
    return;
  }
  const bool executed = entry.record == no_task || model_.past.at(entry.record).executed;
  print_.line("EXPECT_EQ(must(" + call + "), " + (executed ? "true" : "false") + ");");
  check_error(call, got, std::nullopt);
  if (*got != executed) {
    disagree(call + (executed ? " is false, although the record was executed" : " is true too early"));
  }
  if (executed && entry.record != no_task) {
    model_.saw(entry.record);
  }
}

}  // namespace oracle
