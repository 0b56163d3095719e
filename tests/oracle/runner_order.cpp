// The runner's calls about order and execution.

#include "oracle/runner.hpp"

namespace oracle {

using soma::errc;

namespace {

std::optional<errc> dead(bool destroyed) {
  return destroyed ? std::optional{errc::invalid_handle} : std::nullopt;
}

}  // namespace

// -- bringing the runtime to where the model is -------------------------------------------------------------

void runner::add_work(std::size_t stream, bool failing) {
  auto& entry = streams_[stream];
  const auto witness = name('w', witnesses_++);
  print_.line("const witness " + witness + ";");
  if (failing) {
    print_.line("must(" + name('s', stream) + ".call([pass = " + witness +
                ".task()] { pass(); throw std::runtime_error(\"on purpose\"); }));");
  } else {
    print_.line("call(" + name('s', stream) + ", " + witness + ");");
  }
  entry.proofs.push_back("ASSERT_TRUE(" + witness + ".wait_until_ran());");
  join(stream);
  model_.past.add(stream, task_kind::work);
  const auto got = entry.stream->call([started = entry.started, failing] {
    started->advance();
    if (failing) {
      throw std::runtime_error("on purpose");
    }
  });
  check_error("call", got, std::nullopt);
  entry.failed = entry.failed || failing;
}

void runner::add_witness(std::size_t stream) { add_work(stream, false); }

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
    if (!entry.started->reaches(expected)) {
      const auto started = std::to_string(entry.started->count()) + " of " + std::to_string(expected);
      disagree("stream " + std::to_string(stream) + " does not go on: " + started +
                   " work tasks were started",
               true);
    }
    if (const auto started = entry.started->count(); started > expected) {
      disagree("stream " + std::to_string(stream) + " does not wait: " + std::to_string(started) +
               " work tasks were started instead of " + std::to_string(expected));
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
  if (!expected) {
    join(stream);
  }
  check_error(call, streams_[stream].stream->record(entry.event), expected);
  if (!expected) {
    entry.record = model_.past.add(stream, task_kind::record);
    entry.failed = streams_[stream].failed;
    settle_join(stream);
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
  if (!expected && entry.record != no_task) {
    join(stream);
  }
  check_error(call, streams_[stream].stream->wait(entry.event), expected);
  if (!expected && entry.record != no_task) {
    model_.past.add_wait(stream, entry.record);
    settle_join(stream);
  }
}

void runner::reset_event(const numbers& all) {
  const auto event = some_event(all[0]);
  const auto stream = some_stream(all[1]);
  auto& entry = events_[event];
  const auto expected = dead(entry.destroyed || streams_[stream].destroyed);
  const auto call = name('e', event) + ".reset(" + name('s', stream) + ")";
  print_.call(call, expected);
  check_error(call, entry.event.reset(*streams_[stream].stream), expected);
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
  join(stream);
  const auto gate = model_.past.add_gate(stream);
  const auto variable = name('g', gate);
  print_.line("gate " + variable + ";");
  print_.line("hold(" + name('s', stream) + ", " + variable + ");");
  entry.proofs.push_back("ASSERT_TRUE(" + variable + ".wait_until_started());");
  gates_.emplace_back();
  const auto got = entry.stream->call([started = entry.started, pass = gates_.back().task()] {
    started->advance();
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

}  // namespace oracle
