// The runner's calls about order and execution.

#include "oracle/runner.hpp"

namespace oracle {

using soma::errc;

namespace {

constexpr std::chrono::milliseconds no_time{0};

std::optional<errc> dead(bool destroyed) {
  return destroyed ? std::optional{errc::invalid_handle} : std::nullopt;
}

}  // namespace

// -- bringing the runtime to where the model is -------------------------------------------------------------

void runner::add_witness(std::size_t stream) {
  auto& entry = streams_[stream];
  const auto witness = name('w', witnesses_++);
  print_.line("const witness " + witness + ";");
  print_.line("call(" + name('s', stream) + ", " + witness + ");");
  entry.proofs.push_back("ASSERT_TRUE(" + witness + ".wait_until_ran());");
  model_.past.add(stream, task_kind::work);
  const auto got = entry.stream.call([started = entry.started] { started->fetch_add(1); });
  check_error("call", got, std::nullopt);
}

void runner::add_witness_if_needed(std::size_t stream) {
  const auto last = model_.past.last(stream);
  if (last == no_task || streams_[stream].destroyed) {
    return;
  }
  const auto kind = model_.past.at(last).kind;
  if (kind != task_kind::work && kind != task_kind::gate) {
    add_witness(stream);
  }
}

void runner::settle() {
  ++counts_.settlements;
  model_.execute();
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    if (model_.past.drained(stream)) {
      add_witness_if_needed(stream);
    }
  }
  model_.execute();
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    auto& entry = streams_[stream];
    const auto expected = model_.past.work_started(stream);
    if (expected > entry.proven) {
      print_.line(entry.proofs[expected - 1]);
      entry.proven = expected;
    }
    const auto there = [&] { return entry.started->load() >= expected; };
    if (!happens(there)) {
      const auto started = std::to_string(entry.started->load()) + " of " + std::to_string(expected);
      disagree("stream " + std::to_string(stream) + " does not go on: " + started + " witnesses ran; " +
               (happens(there) ? "later it did" : "nor did it later"));
    }
  }
  check_memory();
  memory_comes_back_ = model_.will_get_memory_back();
}

// -- events
// ---------------------------------------------------------------------------------------------------

void runner::record(std::size_t event, std::size_t stream) {
  auto& entry = events_[event];
  const auto expected = dead(entry.destroyed || streams_[stream].destroyed);
  const auto call = name('s', stream) + ".record(" + name('e', event) + ")";
  print_.call(call, expected);
  check_error(call, streams_[stream].stream.record(entry.event), expected);
  if (!expected) {
    entry.record = model_.past.add(stream, task_kind::record);
  }
}

void runner::wait(std::size_t event, std::size_t stream) {
  auto& entry = events_[event];
  const auto expected = dead(entry.destroyed || streams_[stream].destroyed);
  model_.execute();
  if (!expected && entry.record != no_task && !model_.past.at(entry.record).executed) {
    add_witness_if_needed(stream);
  }
  const auto call = name('s', stream) + ".wait(" + name('e', event) + ")";
  print_.call(call, expected);
  check_error(call, streams_[stream].stream.wait(entry.event), expected);
  if (!expected && entry.record != no_task) {
    model_.past.add_wait(stream, entry.record);
  }
}

void runner::reset_event(const numbers& all) {
  const auto event = some_event(all[0]);
  const auto stream = some_stream(all[1]);
  auto& entry = events_[event];
  const auto expected = dead(entry.destroyed || streams_[stream].destroyed);
  const auto call = name('e', event) + ".reset(" + name('s', stream) + ")";
  print_.call(call, expected);
  check_error(call, entry.event.reset(streams_[stream].stream), expected);
  if (!expected) {
    entry.record = no_task;
  }
}

// -- gates
// ----------------------------------------------------------------------------------------------------

void runner::hold(std::size_t stream) {
  constexpr std::size_t most_closed = 5;  // each keeps a thread
  auto& entry = streams_[stream];
  if (closed_.size() >= most_closed || entry.destroyed) {
    return;
  }
  const auto gate = model_.past.add_gate(stream);
  const auto variable = name('g', gate);
  print_.line("gate " + variable + ";");
  print_.line("hold(" + name('s', stream) + ", " + variable + ");");
  entry.proofs.push_back("ASSERT_TRUE(" + variable + ".wait_until_started());");
  gates_.emplace_back();
  const auto got = entry.stream.call([started = entry.started, pass = gates_.back().task()] {
    started->fetch_add(1);
    pass();
  });
  check_error("hold", got, std::nullopt);
  closed_.push_back(gate);
}

void runner::open(const numbers& all) {
  if (closed_.empty()) {
    return;
  }
  const auto which = all[0] % closed_.size();
  const auto gate = closed_[which];
  closed_.erase(closed_.begin() + static_cast<std::ptrdiff_t>(which));
  print_.line(name('g', gate) + ".open();");
  model_.past.open(gate);
  gates_[gate].open();
}

// -- the host
// -------------------------------------------------------------------------------------------------

void runner::synchronize_stream(const numbers& all) {
  const auto stream = some_stream(all[0]);
  auto& entry = streams_[stream];
  model_.execute();
  const bool drained = model_.past.drained(stream);
  const auto expected = entry.destroyed ? dead(true)
                        : drained       ? std::nullopt
                                        : std::optional{errc::timed_out};
  const auto call =
      name('s', stream) + ".synchronize_for(" + (drained ? "patience" : "std::chrono::milliseconds{0}") + ")";
  print_.call(call, expected);
  check_error(call, entry.stream.synchronize_for(drained ? patience : no_time), expected);
  counts_.timed_out += expected == errc::timed_out ? 1U : 0U;
  if (!expected) {
    model_.saw(model_.past.last(stream));
    model_.release_above_threshold();
  }
}

void runner::synchronize_event(const numbers& all) {
  const auto event = some_event(all[0]);
  auto& entry = events_[event];
  model_.execute();
  const bool executed = entry.record == no_task || model_.past.at(entry.record).executed;
  const auto expected = entry.destroyed ? dead(true)
                        : executed      ? std::nullopt
                                        : std::optional{errc::timed_out};
  const auto call =
      name('e', event) + ".synchronize_for(" + (executed ? "patience" : "std::chrono::milliseconds{0}") + ")";
  print_.call(call, expected);
  check_error(call, entry.event.synchronize_for(executed ? patience : no_time), expected);
  counts_.timed_out += expected == errc::timed_out ? 1U : 0U;
  if (!expected && entry.record != no_task) {
    model_.saw(entry.record);
    model_.release_above_threshold();
  }
}

void runner::synchronize_device() {
  model_.execute();
  bool drained = true;
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    drained = drained && model_.past.drained(stream);
  }
  const auto expected = drained ? std::nullopt : std::optional{errc::timed_out};
  const std::string call =
      std::string("device.synchronize_for(") + (drained ? "patience" : "std::chrono::milliseconds{0}") + ")";
  print_.call(call, expected);
  check_error(call, device_.synchronize_for(drained ? patience : no_time), expected);
  counts_.timed_out += expected ? 1U : 0U;
  if (!expected) {
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
    check_error(call, entry.stream.query(), errc::invalid_handle);
    return;
  }
  if (!model_.past.drained(stream)) {
    print_.line("EXPECT_FALSE(must(" + call + "));");
    const auto got = entry.stream.query();
    check_error(call, got, std::nullopt);
    if (*got) {
      disagree(call + " is true, although work is pending");
    }
    return;
  }
  print_.line("EXPECT_TRUE(eventually([&] { return must(" + call + "); }));");
  if (!happens([&] { return *entry.stream.query(); })) {
    disagree(call + " stays false, although nothing is pending");
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

// -- making and ending
// ----------------------------------------------------------------------------------------

void runner::make_stream() {
  print_.line("[[maybe_unused]] auto " + name('s', streams_.size()) + " = must(device.create_stream());");
  auto made = device_.create_stream();
  check_error("create_stream", made, std::nullopt);
  streams_.push_back({std::move(*made), false, std::make_shared<std::atomic<std::size_t>>(0), {}, 0});
  model_.past.add_stream();
}

void runner::make_event() {
  print_.line("[[maybe_unused]] auto " + name('e', events_.size()) + " = must(device.create_event());");
  auto made = device_.create_event();
  check_error("create_event", made, std::nullopt);
  events_.push_back({std::move(*made), false, no_task});
}

void runner::replace_stream(const numbers& all) {
  const auto stream = some_stream(all[0]);
  auto& entry = streams_[stream];
  add_witness_if_needed(stream);  // nothing can be put behind its work any more
  const auto expected = dead(entry.destroyed);
  print_.call(name('s', stream) + ".destroy()", expected);
  check_error("destroy", entry.stream.destroy(), expected);
  entry.destroyed = true;
  make_stream();
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
