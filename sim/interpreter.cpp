#include "sim/interpreter.hpp"

#include <chrono>
#include <utility>

#include "api/cpp/ends.hpp"
#include "memory/sizes.hpp"

namespace soma::sim {

namespace {

std::string without_addresses(std::string text) {
  for (auto at = text.find("0x"); at != std::string::npos; at = text.find("0x", at + 1)) {
    const auto end = text.find_first_not_of("0123456789abcdefABCDEF", at + 2);
    text.replace(at, (end == std::string::npos ? text.size() : end) - at, "...");
  }
  return text;
}

std::string describe(const error& failed) {
  return std::string(to_string(failed.code)) + ": " + without_addresses(failed.message);
}

}  // namespace

interpreter::interpreter(const scenario& program, world& in, stage& on,
                         std::vector<std::unique_ptr<checker>>& checkers)
    : program_(program), world_(in), stage_(on), checkers_(checkers),
      body_([this](task& running) { run_task(running); }), gates_(program.gates.size()),
      marks_(program.marks.size()), blocks_(program.blocks.size()), pools_(program.pools.size()) {
  tasks_.reserve(program.tasks);
  for (const auto& one : program.statements) {
    task_of_.push_back(tasks_.size());
    if (one.what == verb::run) {
      auto& made = tasks_.emplace_back();
      made.what = &one;
      made.number = tasks_.size() - 1;
    }
  }
  for (std::size_t at = 0; at < blocks_.size(); ++at) {
    blocks_[at].name = program.blocks[at];
    blocks_[at].number = at;
  }
}

void interpreter::set_up(soma::device device) {
  device_.emplace(std::move(device));
  world_.name(device_->default_stream().end()->actor, "default stream");
  for (const auto& name : program_.streams) {
    auto made = device_->create_stream();
    if (!made) {
      stage_.fail("call", "a stream cannot be made: " + describe(made.error()));
      return;
    }
    world_.name(made->end()->actor, "stream " + name);
    streams_.push_back(std::move(*made));
  }
  for (const auto& name : program_.events) {
    auto made = device_->create_event();
    if (!made) {
      stage_.fail("call", "an event cannot be made: " + describe(made.error()));
      return;
    }
    world_.name(made->end()->actor, "event " + name);
    events_.push_back(std::move(*made));
  }
}

void interpreter::perform(std::size_t thread) {
  for (const auto& one : program_.statements) {
    if (stage_.over()) {
      return;
    }
    if (one.thread == thread) {
      world_.note({log_entry::kind::calls, &world_.current(), nullptr, nullptr, &one});
      perform(one);
    }
  }
}

void interpreter::fail(const statement& one, std::string checker, const std::string& text) {
  const auto line = one.line == 0 ? std::string() : "line " + std::to_string(one.line) + ": ";
  stage_.fail(std::move(checker), line + to_text(one) + ": " + text);
}

soma::place interpreter::place_of(const statement& one) const {
  return soma::place::here(program_.title.c_str(), static_cast<std::uint32_t>(line_of(program_, one)));
}

// -- waiting for others -------------------------------------------------------------------------------------

bool interpreter::await_made(const bool& made, const past& maker, const std::string& what) {
  if (!made && !stage_.wait_until([&made] { return made; }, what + ", which another thread makes")) {
    return false;
  }
  world_.present() |= maker;
  return true;
}

// What the statement uses, made by other threads if need be. Returns false if there is nothing to be done:
// the run is over, or an alloc that may fail has failed.
bool interpreter::await_parts(const statement& one) {
  const bool makes = one.what == verb::alloc || one.what == verb::malloc;
  bool there = true;
  const auto await_block = [&](const name& used) {
    if (there && used.index != no_index) {
      auto& block = blocks_[used.index];
      there = await_made(block.made, block.maker, "block " + block.name) &&
              (!block.failed || (one.what == verb::expect && one.expected.what == quantity::fails));
    }
  };
  if (!makes) {
    await_block(one.block);
  }
  await_block(one.expected.other);
  for (const auto& access : one.accesses) {
    if (access.how != access::kind::mark) {
      await_block(access.what);
    }
  }
  if (there && one.what != verb::make_pool && one.pool.index != no_index) {
    auto& pool = pools_[one.pool.index];
    there =
        await_made(pool.made, pool.maker, "pool " + program_.pools[one.pool.index]) && pool.pool.has_value();
  }
  return there;
}

void interpreter::await_started(const statement& one) {
  const auto& gate = gates_[one.gate.index];
  stage_.wait_until([&gate] { return gate.held != nullptr && gate.held->started; },
                    "the task at gate " + one.gate.text + " to start");
}

void interpreter::await_mark(const statement& one) {
  const auto& mark = marks_[one.gate.index];
  if (stage_.wait_until([&mark] { return mark.set; }, "mark " + one.gate.text)) {
    world_.present() |= mark.before;
  }
}

// -- statements ---------------------------------------------------------------------------------------------

// An error that was not wanted, or the success of what should have failed, ends the run. A wait that has a
// time limit may use it up.
bool interpreter::judge_error(const statement& one, const error* found) {
  if (stage_.over()) {
    return false;
  }
  const bool late = found != nullptr && one.limit_ms && found->code == errc::timed_out;
  if (one.outcome == wanted::failure && found == nullptr) {
    fail(one, "call", "it should have failed, and succeeded");
  } else if (one.outcome == wanted::success && found != nullptr && !late) {
    fail(one, "call", describe(*found));
  }
  return found == nullptr && !stage_.over();
}

void interpreter::perform(const statement& one) {
  const auto line = one.line == 0 ? std::string() : " (line " + std::to_string(one.line) + ")";
  if (!await_parts(one)) {
    return;
  }
  world_.current().waits_for = "the answer to " + to_text(one) + line;
  switch (one.what) {
  case verb::make_pool:
    make_pool(one);
    break;
  case verb::alloc:
  case verb::malloc:
    allocate(one);
    break;
  case verb::free:
  case verb::free_plainly:
    free(one);
    break;
  case verb::run:
    submit(one);
    break;
  case verb::open:
    open(gates_[one.gate.index]);
    break;
  case verb::started:
    await_started(one);
    break;
  case verb::seen:
    await_mark(one);
    break;
  case verb::expect:
    expect(one);
    break;
  default:
    judge(one, call(one));
  }
}

expected<void> interpreter::call(const statement& one) {
  const std::chrono::milliseconds limit(one.limit_ms.value_or(0));
  const auto discard = [](const auto& result) -> expected<void> {
    if (!result) {
      return tl::unexpected(result.error());
    }
    return {};
  };
  switch (one.what) {
  case verb::record:
    return streams_[one.stream.index].record(events_[one.event.index]);
  case verb::wait:
    return streams_[one.stream.index].wait(events_[one.event.index]);
  case verb::sync_stream: {
    auto& stream = streams_[one.stream.index];
    return one.limit_ms ? stream.synchronize_for(limit) : stream.synchronize();
  }
  case verb::sync_event: {
    auto& event = events_[one.event.index];
    return one.limit_ms ? event.synchronize_for(limit) : event.synchronize();
  }
  case verb::sync_device:
    return one.limit_ms ? device_->synchronize_for(limit) : device_->synchronize();
  case verb::query_stream:
    return discard(streams_[one.stream.index].query());
  case verb::query_event:
    return discard(events_[one.event.index].query());
  case verb::trim:
    return pools_[one.pool.index].pool->trim_to(one.bytes);
  case verb::set: {
    constexpr std::array which{pool_attribute::reuse_event, pool_attribute::reuse_opportunistic,
                               pool_attribute::reuse_internal, pool_attribute::release_threshold};
    return pools_[one.pool.index].pool->set(which.at(static_cast<std::size_t>(one.which)), one.bytes);
  }
  case verb::destroy_stream:
    return streams_[one.stream.index].destroy();
  case verb::renew_stream:
    return renew(streams_[one.stream.index], "stream " + one.stream.text);
  case verb::destroy_event:
    return events_[one.event.index].destroy();
  case verb::destroy_pool:
    pools_[one.pool.index].destroyed = true;
    return pools_[one.pool.index].pool->destroy();
  default:
    return {};
  }
}

expected<void> interpreter::renew(soma::stream& stream, const std::string& name) {
  if (auto destroyed = stream.destroy(); !destroyed) {
    return destroyed;
  }
  auto made = device_->create_stream();
  if (!made) {
    return tl::unexpected(made.error());
  }
  world_.name(made->end()->actor, name);
  stream = std::move(*made);
  return {};
}

void interpreter::make_pool(const statement& one) {
  const auto& settings = one.settings;
  pool_options options;
  options.limit = settings.limit;
  options.minimum_block = settings.minimum_block;
  options.release_threshold = settings.threshold;
  options.reuse = {settings.switches[0], settings.switches[1], settings.switches[2]};
  auto result = device_->create_pool(options);
  auto& made = pools_[one.pool.index];
  if (judge(one, result)) {
    world_.name(result->end()->actor, "pool " + one.pool.text);
    made.pool.emplace(std::move(*result));
    made.minimum_block = settings.minimum_block;
  }
  made.maker = world_.present();
  made.made = true;
}

void interpreter::allocate(const statement& one) {
  auto& made = blocks_[one.block.index];
  expected<void*> result;
  if (one.what == verb::malloc) {
    result = device_->malloc(one.bytes, place_of(one));
    made.rounded = one.bytes;
  } else {
    auto& pool = pools_[one.pool.index];
    result = pool.pool->malloc_async(one.bytes, streams_[one.stream.index], place_of(one));
    made.pool = one.pool.index;
    made.rounded = memory::round_up(one.bytes, pool.minimum_block);
  }
  if (judge(one, result)) {
    made.memory = {memory::address{reinterpret_cast<std::uint64_t>(*result)}, one.bytes};
    made.live = true;
    tell([&](checker& one_checker) { one_checker.allocated(made); });
  } else {
    made.failed = true;
  }
  made.maker = world_.present();
  made.made = true;
}

void interpreter::free(const statement& one) {
  auto& block = blocks_[one.block.index];
  const bool was_live = std::exchange(block.live, false);
  if (was_live) {
    tell([&](checker& one_checker) { one_checker.freed(block); });
  }
  auto* address = reinterpret_cast<void*>(memory::number(block.memory.begin));  // NOLINT: device memory
  const auto result = one.what == verb::free
                          ? device_->free_async(address, streams_[one.stream.index], place_of(one))
                          : device_->free(address, place_of(one));
  if (!judge(one, result) && was_live) {
    block.live = true;
    tell([&](checker& one_checker) { one_checker.kept(block); });
  }
}

// -- the end ------------------------------------------------------------------------------------------------

void interpreter::end() {
  world_.note({log_entry::kind::calls, &world_.current(), nullptr, nullptr, nullptr});
  open_all_gates();
  world_.current().waits_for = "the last synchronize of the device";
  if (const auto done = device_->synchronize(); !done && !stage_.over()) {
    stage_.fail("call", "the last synchronize of the device: " + describe(done.error()));
  }
  std::vector<pool_at_end> figures;
  for (std::size_t number = 0; number < pools_.size() && !stage_.over(); ++number) {
    auto& pool = pools_[number];
    if (pool.pool && !pool.destroyed) {
      world_.current().waits_for = "the last figures of pool " + program_.pools[number];
      if (auto read = pool.pool->statistics()) {
        figures.push_back({program_.pools[number], number, *read});
      }
    }
  }
  if (!stage_.over()) {
    tell([&](checker& one) { one.ended(blocks_, figures); });
  }
}

void interpreter::tear_down() {
  world_.current().waits_for = "the end of the runtime";
  streams_.clear();
  events_.clear();
  pools_.clear();
  device_.reset();
}

}  // namespace soma::sim
