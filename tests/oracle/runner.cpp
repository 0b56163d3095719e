#include "oracle/runner.hpp"

namespace oracle {

namespace {

std::uint64_t device_granules(std::uint32_t number) { return 6 + number % 16; }

// Mostly one that still exists.
template <class Alive>
std::size_t choose(std::size_t count, std::uint32_t number, const Alive& alive) {
  std::vector<std::size_t> candidates;
  for (std::size_t each = 0; each < count; ++each) {
    if (alive(each)) {
      candidates.push_back(each);
    }
  }
  if (candidates.empty() || number % 32 == 31) {
    return number / 32 % count;
  }
  return candidates[number % candidates.size()];
}

}  // namespace

soma::runtime runner::make_runtime(std::uint64_t memory) {
  auto made = soma::runtime::create({.device_memory = memory});
  if (!made) {
    disagree("runtime::create failed: " + made.error().message);
  }
  return std::move(*made);
}

runner::runner(const setup& start, tally& counts)
    : memory_(device_granules(start.granules) * granule), counts_(counts), print_(memory_), model_(memory_),
      runtime_(make_runtime(memory_)), device_(std::move(*runtime_.get_device())),
      seldom_(start.pools[0][2] / 8 % 4 != 0) {
  const auto kinds = start.granules / 16 % 8;  // of streams
  if (kinds > 4) {
    take_default_stream();
  }
  for (int each = 0; each < 3; ++each) {
    make_stream(kinds == 7 && each > 0);
    make_event();
  }
  for (const auto& pool : start.pools) {
    make_pool(pool);
  }
}

void runner::disagree(const std::string& what, bool out_of_time) { throw disagreement(what, out_of_time); }

std::size_t runner::some_stream(std::uint32_t number) const {
  return choose(streams_.size(), number, [this](std::size_t each) { return !streams_[each].destroyed; });
}

std::size_t runner::some_event(std::uint32_t number) const {
  return choose(events_.size(), number, [this](std::size_t each) { return !events_[each].destroyed; });
}

std::size_t runner::some_pool(std::uint32_t number) const {
  return choose(pools_.size(), number, [this](std::size_t each) { return !model_.pool(each).destroyed; });
}

void runner::run(const command& next) {
  ++counts_.commands;
  const auto& all = next.numbers;
  switch (next.kind) {
  case command_kind::malloc_async:
    malloc_async(all);
    break;
  case command_kind::free_async:
    free_async(all);
    break;
  case command_kind::free_wrongly:
    free_wrongly(all);
    break;
  case command_kind::free_at_once:
    free_at_once(all);
    break;
  case command_kind::record:
    record(some_event(all[0]), some_stream(all[1]));
    break;
  case command_kind::wait:
    wait(some_event(all[0]), some_stream(all[1]));
    break;
  case command_kind::order:
    record(some_event(all[0]), some_stream(all[1]));
    wait(some_event(all[0]), some_stream(all[2]));
    break;
  case command_kind::reset_event:
    reset_event(all);
    break;
  case command_kind::hold:
    hold(some_stream(all[0]));
    break;
  case command_kind::open:
    open(all);
    break;
  case command_kind::synchronize_stream:
    synchronize_stream(all);
    break;
  case command_kind::synchronize_event:
    synchronize_event(all);
    break;
  case command_kind::synchronize_device:
    synchronize_device();
    break;
  case command_kind::query_stream:
    query_stream(all);
    break;
  case command_kind::query_event:
    query_event(all);
    break;
  case command_kind::trim:
    trim(all);
    break;
  case command_kind::set_switch:
    set_switch(all);
    break;
  case command_kind::set_threshold:
    set_threshold(all);
    break;
  case command_kind::set_high_mark:
    set_high_mark(all);
    break;
  case command_kind::replace_pool:
    replace_pool(all);
    break;
  case command_kind::replace_stream:
    replace_stream(all);
    break;
  case command_kind::replace_event:
    replace_event(all);
    break;
  case command_kind::fail:
    fail(some_stream(all[0]));
    break;
  case command_kind::stop:
    stop(all);
    break;
  case command_kind::malloc_plain:
    malloc_plain(all);
    break;
  case command_kind::free_plain:
    free_plain(all);
    break;
  case command_kind::ask_largest:
    ask_largest(all);
    break;
  case command_kind::ask_block:
    ask_block(all);
    break;
  }
  if (!seldom_ || all[3] % seldom == 0) {
    check_figures();
  }
}

// Reading figures brings back what is lent to streams, so that some programs read them seldom.
void runner::check_figures() {
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    const auto& of = model_.pool(pool);
    if (of.destroyed) {
      continue;
    }
    if (seldom_) {
      print_.line("must(" + name('p', pool) + ".statistics());");
    }
    const auto got = pools_[pool].statistics();
    check_error("statistics", got, std::nullopt);
    const auto used = of.used();
    const auto reserved = of.memory.reserved();
    const struct {
      const char* name;
      std::uint64_t expected;
      std::uint64_t got;
    } figures[] = {
        {"limit", of.limit, got->limit},
        {"reserved", reserved, got->reserved},
        {"reserved_high", of.reserved_high, got->reserved_high},
        {"used", used, got->used},
        {"used_high", of.used_high, got->used_high},
        {"idle", reserved - used, got->idle},
        {"requested", of.requested(), got->requested},
        {"requested_high", of.requested_high, got->requested_high},
        {"live_blocks", of.blocks.size(), got->live_blocks},
        {"served.same_stream", of.served_counts[0], got->served.same_stream},
        {"served.event", of.served_counts[1], got->served.event},
        {"served.opportunistic", of.served_counts[2], got->served.opportunistic},
        {"served.internal", of.served_counts[3], got->served.internal},
        {"served.new_memory", of.served_counts[4], got->served.new_memory},
        {"granules_moved", of.moved, got->granules_moved},
        {"backing_requests", of.takes, got->backing_requests},
        {"backing_requested_bytes", of.taken_bytes, got->backing_requested_bytes},
        {"backing_returns", of.returns, got->backing_returns},
        {"backing_returned_bytes", of.returned_bytes, got->backing_returned_bytes},
    };
    for (const auto& figure : figures) {
      if (figure.expected != figure.got) {
        const auto what = "must(" + name('p', pool) + ".statistics())." + figure.name;
        print_.line("EXPECT_EQ(" + what + ", " + bytes_text(figure.expected) + ");");
        disagree(what + " is " + bytes_text(figure.got) + " instead of " + bytes_text(figure.expected));
      }
    }
  }
}

// What a destroyed pool gives back reaches the device a moment after the free was executed.
void runner::check_memory() {
  std::uint64_t got = 0;
  if (!happens([&] { return (got = device_.memory()->free) == model_.left(); })) {
    print_.line("EXPECT_EQ(must(device.memory()).free, " + bytes_text(model_.left()) + ");");
    disagree("the device has " + bytes_text(got) + " left instead of " + bytes_text(model_.left()), true);
  }
}

void runner::finish() {
  while (!closed_.empty()) {
    open({});
  }
  while (!blocks_.empty()) {
    const auto stream = some_stream(0);
    free_block(blocks_.size() - 1, stream, true);
  }
  while (!plain_.empty()) {
    free_plain({});
  }
  synchronize_device();
  check_figures();
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    const auto& of = model_.pool(pool);
    for (std::size_t kind = 0; kind < served_kinds; ++kind) {
      counts_.served_counts[kind] += of.served_counts[kind];
    }
    if (!of.destroyed) {
      check_error("destroy", pools_[pool].destroy(), std::nullopt);
      model_.destroy_pool(pool);
    }
  }
  settle();
  if (model_.left() != memory_) {
    disagree("the model itself has lost memory");
  }
}

}  // namespace oracle
