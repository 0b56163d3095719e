// What a worker does with streams, events and pools as wholes.
#include <utility>

#include "tools/stress_worker.hpp"

namespace soma::tools {

namespace {

std::string contradiction(const pool_statistics& pool) {
  if (pool.reserved != pool.used + pool.idle || pool.requested > pool.used || pool.reserved > pool.limit ||
      pool.used > pool.used_high || pool.reserved > pool.reserved_high ||
      (pool.live_blocks == 0) != (pool.used == 0)) {
    return "has figures that contradict each other: reserved " + std::to_string(pool.reserved) + ", used " +
           std::to_string(pool.used) + ", idle " + std::to_string(pool.idle) + ", requested " +
           std::to_string(pool.requested) + ", live blocks " + std::to_string(pool.live_blocks);
  }
  return {};
}

}  // namespace

bool stress_worker::operate_on_order(std::uint64_t kind, stress_random& random) {
  if (kind < 84) {
    order_streams(random);
  } else if (kind < 87) {
    query(random);
  } else if (kind < 90) {
    read_figures(random);
  } else if (kind < 92) {
    synchronize_stream(random);
  } else if (kind < 94) {
    synchronize_other(random);
  } else if (kind < 95) {
    trim(random);
  } else if (kind < 97) {
    replace_stream(random);
  } else if (kind < 99) {
    replace_event(random);
  } else if (random.below(4) == 0) {
    replace_pool(random);
  }
  return true;
}

// More order than a program needs harms nothing.
void stress_worker::order_streams(stress_random& random) {
  auto& common = world_.events[random.below(world_.events.size())];
  any_stream(random)->use([&](stream& on) {
    thread_.at("stream::record", on.id());
    thread_.must(on.record(common));
  });
  auto& other = world_.events[random.below(world_.events.size())];
  any_stream(random)->use([&](stream& on) {
    thread_.at("stream::wait", on.id());
    thread_.must(on.wait(other));
  });
}

void stress_worker::synchronize_stream(stress_random& random) {
  const auto chosen = any_stream(random);
  thread_.at("stream::synchronize", chosen->unguarded().id());
  const auto seen = chosen->unguarded().synchronize();
  thread_.synchronized(seen, chosen->retired());
}

void stress_worker::synchronize_other(stress_random& random) {
  auto& common = world_.events[random.below(world_.events.size())];
  switch (random.below(3)) {
  case 0:
    thread_.at("event::synchronize");
    thread_.synchronized(common.synchronize());
    break;
  case 1:
    thread_.at("device::synchronize");
    thread_.synchronized(world_.device.synchronize());
    break;
  default:
    thread_.at("device::synchronize_for no time");
    const auto seen = world_.device.synchronize_for(std::chrono::milliseconds(0));
    if (seen || seen.error().code != errc::timed_out) {
      thread_.synchronized(seen);
    }
  }
}

void stress_worker::query(stress_random& random) {
  auto& common = world_.events[random.below(world_.events.size())];
  thread_.at("event::query");
  thread_.must(common.query());
  any_stream(random)->use([&](stream& on) {
    thread_.at("stream::query", on.id());
    thread_.must(on.query());
  });
}

void stress_worker::read_figures(stress_random& random) {
  const auto pool = world_.pools.get(random.below(world_.pools.size()));
  thread_.at("pool::statistics", 0, pool->number);
  if (const auto figures = pool->object.statistics(); figures) {
    if (const auto wrong = contradiction(*figures); !wrong.empty()) {
      thread_.find(wrong);
    }
  } else if (!pool->retired) {
    thread_.must(figures);
  }
  any_stream(random)->use([&](stream& on) {
    thread_.at("pool::largest_available", on.id(), pool->number);
    if (const auto largest = pool->object.largest_available(on); !pool->retired) {
      thread_.must(largest);
    }
  });
  if (blocks_.empty()) {
    return;
  }
  const auto& known = blocks_[random.below(blocks_.size())];
  if (known.pool != nullptr) {
    thread_.at("pool::block", 0, known.pool->number);
    const auto info = known.pool->object.block(known.block.address);
    if (info && (info->address != known.block.address || info->requested != known.block.bytes ||
                 info->bytes < info->requested)) {
      thread_.find("does not know " + describe_stamp(known.block.stamp));
    } else if (!info && !known.pool->retired) {
      thread_.must(info);
    }
  }
}

void stress_worker::trim(stress_random& random) {
  const auto pool = world_.pools.get(random.below(world_.pools.size()));
  thread_.at("pool::trim_to", 0, pool->number);
  const auto& settings = world_.settings;
  const auto limit = settings.pool.limit == 0 ? settings.device_memory : settings.pool.limit;
  const auto trimmed = pool->object.trim_to(random.below(limit / 8 + 1));
  if (!trimmed && !pool->retired) {
    thread_.must(trimmed);
  }
}

void stress_worker::replace_stream(stress_random& random) {
  // Not the default stream, the last.
  const auto place = random.below(world_.streams.size() - 1);
  thread_.at("device::create_stream");
  auto made = world_.make_stream(random.below(8) == 0);
  if (!thread_.must(made)) {
    return;
  }
  ++thread_.counts.streams;
  const auto before = world_.streams.set(place, std::move(*made));
  thread_.at("stream::destroy", before->unguarded().id());
  thread_.must(before->retire());
}

void stress_worker::replace_event(stress_random& random) {
  const auto place = random.below(events_.size());
  thread_.at("device::create_event");
  auto made = world_.device.create_event();
  if (thread_.must(made)) {
    events_[place] = std::move(*made);
    ++thread_.counts.events;
  }
}

void stress_worker::replace_pool(stress_random& random) {
  const auto place = random.below(world_.pools.size());
  thread_.at("device::create_pool");
  auto made = world_.make_pool();
  if (!thread_.must(made)) {
    return;
  }
  ++thread_.counts.pools;
  const auto before = world_.pools.set(place, std::move(*made));
  thread_.at("pool::statistics", 0, before->number);
  if (const auto figures = before->object.statistics(); thread_.must(figures)) {
    thread_.counts.add(figures->served);
  }
  before->retired = true;
  thread_.at("pool::destroy", 0, before->number);
  thread_.must(before->object.destroy());
}

}  // namespace soma::tools
