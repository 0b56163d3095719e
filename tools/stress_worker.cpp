// What a worker does with blocks; the rest is in stress_worker_order.cpp.
#include "tools/stress_worker.hpp"

#include <utility>

namespace soma::tools {

namespace {

constexpr std::size_t own_events = 8;
constexpr std::size_t blocks_max = 96;
// So that the tasks do not pile up where threads submit faster than engines work.
constexpr std::uint64_t waiting_tasks_max = 4096;

}  // namespace

stress_worker::stress_worker(stress_world& world, std::uint32_t number)
    : world_(world), thread_(world, number), faults_(thread_) {
  thread_.at("device::create_event");
  for (std::size_t index = 0; index < own_events; ++index) {
    if (auto made = world_.device.create_event(); thread_.must(made)) {
      events_.push_back(std::move(*made));
    }
  }
}

void stress_worker::run(std::optional<std::chrono::steady_clock::time_point> deadline,
                        std::uint64_t operations) {
  for (std::uint64_t done = 0; operations == 0 || done < operations; ++done) {
    if (world_.findings.any() || (deadline && std::chrono::steady_clock::now() >= *deadline)) {
      break;
    }
    thread_.activity.operations.store(done, std::memory_order_relaxed);
    stress_random random(world_.settings.seed, thread_.number, done);
    operate(random);
    ++thread_.counts.operations;
  }
  thread_.at("done");
}

void stress_worker::operate(stress_random& random) {
  const bool is_fault = random.chance(world_.settings.faults);
  const auto kind = random.below(100);
  const auto waiting = world_.submitted_tasks.load(std::memory_order_relaxed) - world_.findings.tasks();
  if (waiting > waiting_tasks_max) {
    synchronize_stream(random);
  } else if (is_fault) {
    faults_.commit(random, blocks_);
  } else if (!operate_on_blocks(kind, random)) {
    operate_on_order(kind, random);
  }
}

// The kinds of operations, of a hundred.
bool stress_worker::operate_on_blocks(std::uint64_t kind, stress_random& random) {
  if (kind < 34 && blocks_.size() < blocks_max) {
    allocate(random);
  } else if (kind < 60) {
    free_some(random);
  } else if (kind < 62) {
    free_at_once(random);
  } else if (kind < 66) {
    recheck(random);
  } else if (kind < 71) {
    hand_over(random);
  } else if (kind < 76) {
    if (auto taken = world_.take_over()) {
      blocks_.push_back(std::move(*taken));
    }
  } else {
    return false;
  }
  return true;
}

live_block stress_worker::take(stress_random& random) {
  std::swap(blocks_[random.below(blocks_.size())], blocks_.back());
  auto taken = std::move(blocks_.back());
  blocks_.pop_back();
  return taken;
}

std::shared_ptr<shared_stream> stress_worker::any_stream(stress_random& random) {
  return world_.streams.get(random.below(world_.streams.size()));
}

void stress_worker::allocate(stress_random& random) {
  const bool plain = random.below(16) == 0;
  const auto bytes = world_.settings.sizes.pick(random);
  live_block made;
  made.own = any_stream(random);
  if (const auto pool = world_.pools.get(random.below(world_.pools.size())); !plain) {
    made.pool = pool;
  }
  const bool free_more = random.chance(0.5);
  bool refused = false;
  made.own->use([&](stream& on) {
    thread_.at(plain ? "device::malloc" : "pool::malloc_async", on.id(), plain ? 0 : made.pool->number);
    const auto address = plain ? world_.device.malloc(bytes) : made.pool->object.malloc_async(bytes, on);
    if (address) {
      made.block = {.address = static_cast<std::byte*>(*address),
                    .bytes = bytes,
                    .own_stream = on.id(),
                    .pool = plain ? 0 : made.pool->number};
      keep(std::move(made), on);
    } else if (address.error().code == errc::out_of_memory) {
      refused = true;
    } else if (plain || address.error().code != errc::invalid_handle || !made.pool->retired) {
      thread_.must(address);
    }
  });
  if (refused) {
    ++thread_.counts.refused;
    for (auto keep_blocks = free_more ? blocks_.size() / 2 : blocks_.size(); blocks_.size() > keep_blocks;) {
      free_block(take(random), random);
    }
  }
}

void stress_worker::keep(live_block block, stream& on) {
  auto& counts = thread_.counts;
  const auto number = counts.allocations++;
  counts.plain_allocations += block.pool == nullptr ? 1U : 0U;
  block.block.stamp = stamp_of(thread_.number, number);
  thread_.stamp(on, block.block);
  if (thread_.number == 0 && world_.settings.corrupted_block == number) {
    world_.submitted_tasks.fetch_add(1, std::memory_order_relaxed);
    thread_.must(launch_corruption(on, block.block, world_.findings));
  }
  if (thread_.number == 0 && world_.settings.stuck_block == number) {
    thread_.must(launch_hang(on));
  }
  blocks_.push_back(std::move(block));
}

void stress_worker::free_some(stress_random& random) {
  if (!blocks_.empty()) {
    free_block(take(random), random);
  }
}

void stress_worker::free_block(const live_block& block, stress_random& random) {
  if (world_.settings.faults > 0 && block.own->destroyed()) {
    thread_.at("free_async on a destroyed stream", block.block.own_stream, block.block.pool);
    thread_.refuses(world_.device.free_async(block.block.address, block.own->unguarded()),
                    errc::invalid_handle);
  }
  const bool elsewhere = random.chance(world_.settings.cross_stream_frees);
  if (elsewhere || !free_on_own(block)) {
    free_elsewhere(block, random);
  }
}

bool stress_worker::free_on_own(const live_block& block) {
  return block.own->use([&](stream& on) {
    thread_.check(on, block.block);
    thread_.give_back(on, block);
  });
}

// The other stream waits for an event that stands for all that the block's own stream was given.
void stress_worker::free_elsewhere(const live_block& block, stress_random& random) {
  auto& mine = events_[random.below(events_.size())];
  const event* behind = &mine;
  const bool recorded = block.own->use([&](stream& own) {
    thread_.at("stream::record", own.id());
    thread_.must(own.record(mine));
  });
  if (!recorded) {
    behind = &block.own->last();
  }
  bool done = false;
  while (!done) {
    done = any_stream(random)->use([&](stream& on) {
      thread_.at("stream::wait", on.id());
      thread_.must(on.wait(*behind));
      thread_.check(on, block.block);
      thread_.give_back(on, block);
      thread_.counts.cross_stream_frees += on.id() != block.block.own_stream ? 1U : 0U;
    });
  }
}

// device::free waits for nothing, so the thread does, and can check the block itself.
void stress_worker::free_at_once(stress_random& random) {
  if (blocks_.empty()) {
    return;
  }
  const auto block = take(random);
  thread_.at("stream::synchronize", block.block.own_stream);
  if (block.own->retired()) {
    // Its last event may be recorded by now, but the work behind it is the device's.
    thread_.synchronized(world_.device.synchronize());
  } else {
    const auto seen = block.own->unguarded().synchronize();
    thread_.synchronized(seen, block.own->retired());
    if (!seen && seen.error().code == errc::invalid_handle) {
      thread_.synchronized(world_.device.synchronize());
    }
  }
  thread_.at("device::free", block.block.own_stream, block.block.pool);
  verify_block(block.block, world_.findings, "by thread " + std::to_string(thread_.number));
  thread_.must(world_.device.free(block.block.address));
  ++thread_.counts.immediate_frees;
}

void stress_worker::recheck(stress_random& random) {
  if (blocks_.empty()) {
    return;
  }
  const auto& block = blocks_[random.below(blocks_.size())];
  const bool checked = block.own->use([&](stream& on) { thread_.check(on, block.block); });
  thread_.counts.rechecks += checked ? 1 : 0;
}

void stress_worker::hand_over(stress_random& random) {
  if (blocks_.empty()) {
    return;
  }
  auto block = take(random);
  if (world_.hand_over(block)) {
    ++thread_.counts.handed_over;
  } else {
    blocks_.push_back(std::move(block));
  }
}

void stress_worker::drain() {
  stress_random random(world_.settings.seed, thread_.number, ~std::uint64_t{0});
  while (auto taken = world_.take_over()) {
    blocks_.push_back(std::move(*taken));
  }
  while (!blocks_.empty()) {
    free_some(random);
  }
  faults_.drain();
  thread_.at("drained");
}

}  // namespace soma::tools
