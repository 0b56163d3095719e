#include "tools/stress_faults.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace soma::tools {

namespace {

// Stamps of these blocks are far above those of the thread's other ones.
constexpr std::uint64_t first_number = std::uint64_t{1} << 39;

int nothing(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
            std::uint32_t /*blocks*/) {
  return 0;
}

kernel idle_kernel() { return kernel::from_function(nothing, "stress_nothing"); }

}  // namespace

stress_faults::stress_faults(stress_thread& thread) : thread_(thread), world_(thread.world) {
  if (world_.settings.faults <= 0) {
    return;
  }
  thread_.at("device::create_stream");
  if (auto made = world_.device.create_stream(); thread_.must(made)) {
    stream_ = std::move(*made);
  }
  thread_.at("device::create_pool");
  if (auto made = world_.make_pool(); thread_.must(made)) {
    pool_ = std::move(*made);
  }
}

void stress_faults::commit(stress_random& random, const std::vector<live_block>& live) {
  static constexpr std::array<fault, 11> faults = {
      &stress_faults::free_twice,
      &stress_faults::free_what_is_no_block,
      &stress_faults::use_a_destroyed_stream,
      &stress_faults::use_a_destroyed_pool,
      &stress_faults::use_a_destroyed_event,
      &stress_faults::ask_for_impossible_sizes,
      &stress_faults::set_impossible_values,
      &stress_faults::mix_devices,
      &stress_faults::call_from_a_task,
      &stress_faults::fail_a_task,
      &stress_faults::stop_a_stream,
  };
  const auto chosen = random.below(faults.size() + 1);
  if (chosen < faults.size()) {
    (this->*faults[chosen])(random);
  } else if (!live.empty()) {
    free_inside(live[random.below(live.size())], random);
  }
}

std::optional<live_block> stress_faults::lend(const std::shared_ptr<shared_pool>& pool,
                                              stress_random& random) {
  const auto bytes = 1 + random.below(std::uint64_t{64} << 10);
  thread_.at("pool::malloc_async", stream_->id(), pool->number);
  const auto address = pool->object.malloc_async(bytes, *stream_);
  if (!address) {
    if (address.error().code != errc::out_of_memory) {
      thread_.must(address);
    }
    return std::nullopt;
  }
  live_block made;
  made.pool = pool;
  made.block = {.address = static_cast<std::byte*>(*address),
                .bytes = bytes,
                .stamp = stamp_of(thread_.number, first_number + blocks_++),
                .own_stream = stream_->id(),
                .pool = pool->number};
  thread_.stamp(*stream_, made.block);
  return made;
}

void stress_faults::settle(const live_block& block) {
  thread_.check(*stream_, block.block);
  thread_.give_back(*stream_, block);
}

void stress_faults::free_twice(stress_random& random) {
  if (const auto block = lend(pool_, random)) {
    settle(*block);
    thread_.at("a second pool::free_async", stream_->id(), pool_->number);
    thread_.refuses(pool_->object.free_async(block->block.address, *stream_), errc::unknown_address);
    thread_.at("a second device::free_async", stream_->id(), pool_->number);
    thread_.refuses(world_.device.free_async(block->block.address, *stream_), errc::unknown_address);
    thread_.at("a second device::free", 0, pool_->number);
    thread_.refuses(world_.device.free(block->block.address), errc::unknown_address);
  }
}

void stress_faults::free_what_is_no_block(stress_random& /*random*/) {
  int on_the_stack = 0;
  thread_.at("free_async of an address of the host", stream_->id(), pool_->number);
  thread_.refuses(pool_->object.free_async(&on_the_stack, *stream_), errc::unknown_address);
  thread_.refuses(world_.device.free_async(&on_the_stack, *stream_), errc::unknown_address);
  thread_.refuses(world_.device.free(&on_the_stack), errc::unknown_address);
  thread_.refuses(world_.device.free_host(&on_the_stack), errc::unknown_address);
  thread_.at("free_async of null", stream_->id(), pool_->number);
  thread_.refuses(pool_->object.free_async(nullptr, *stream_), errc::invalid_argument);
  thread_.refuses(world_.device.free_async(nullptr, *stream_), errc::invalid_argument);
}

void stress_faults::free_inside(const live_block& block, stress_random& random) {
  // The rest of the last minimum block is inside too, should the block have only one byte.
  auto* const inside =
      block.block.address + 1 + random.below(std::max<std::uint64_t>(block.block.bytes, 2) - 1);
  thread_.at("free_async of an address inside a block", stream_->id(), block.block.pool);
  thread_.refuses(world_.device.free_async(inside, *stream_), errc::unknown_address);
  thread_.refuses(world_.device.free(inside), errc::unknown_address);
  if (block.pool != nullptr) {
    thread_.at("free_async of another pool's block", stream_->id(), pool_->number);
    thread_.refuses(pool_->object.free_async(block.block.address, *stream_), errc::invalid_argument);
  }
}

void stress_faults::use_a_destroyed_stream(stress_random& random) {
  thread_.at("device::create_stream");
  auto made = world_.device.create_stream();
  const auto block = lend(pool_, random);
  if (!thread_.must(made)) {
    return;
  }
  auto& gone = *made;
  thread_.must(gone.launch(idle_kernel(), {}, 1));
  thread_.must(gone.destroy());
  thread_.at("a call for a destroyed stream", gone.id(), pool_->number);
  if (block) {
    thread_.refuses(pool_->object.free_async(block->block.address, gone), errc::invalid_handle);
    thread_.refuses(world_.device.free_async(block->block.address, gone), errc::invalid_handle);
  }
  thread_.refuses(pool_->object.malloc_async(1, gone), errc::invalid_handle);
  thread_.refuses(gone.launch(idle_kernel(), {}, 1), errc::invalid_handle);
  thread_.refuses(gone.query(), errc::invalid_handle);
  thread_.refuses(gone.synchronize(), errc::invalid_handle);
  thread_.refuses(gone.destroy(), errc::invalid_handle);
  if (block) {
    settle(*block);
  }
}

void stress_faults::use_a_destroyed_pool(stress_random& random) {
  thread_.at("device::create_pool");
  auto made = world_.make_pool();
  if (!thread_.must(made)) {
    return;
  }
  const auto pool = std::move(*made);
  const auto first = lend(pool, random);
  const auto second = lend(pool, random);
  pool->retired = true;
  thread_.at("pool::destroy", 0, pool->number);
  thread_.must(pool->object.destroy());
  thread_.at("a call for a destroyed pool", stream_->id(), pool->number);
  thread_.refuses(pool->object.malloc_async(1, *stream_), errc::invalid_handle);
  thread_.refuses(pool->object.statistics(), errc::invalid_handle);
  thread_.refuses(pool->object.trim_to(0), errc::invalid_handle);
  thread_.refuses(pool->object.destroy(), errc::invalid_handle);
  if (first) {
    settle(*first);
    // While another block of the pool is live, no other pool can have its addresses.
    if (second) {
      thread_.at("a second free_async in a destroyed pool", stream_->id(), pool->number);
      thread_.refuses(world_.device.free_async(first->block.address, *stream_), errc::unknown_address);
    }
  }
  if (second) {
    settle(*second);
  }
}

void stress_faults::use_a_destroyed_event(stress_random& /*random*/) {
  thread_.at("device::create_event");
  auto made = world_.device.create_event();
  if (!thread_.must(made)) {
    return;
  }
  auto& gone = *made;
  thread_.at("a call for an event that was never recorded", stream_->id());
  thread_.must(stream_->wait(gone));
  thread_.must(gone.synchronize());
  thread_.refuses(gone.time(), errc::not_recorded);
  thread_.must(stream_->record(gone));
  thread_.must(gone.destroy());
  thread_.at("a call for a destroyed event", stream_->id());
  thread_.refuses(stream_->record(gone), errc::invalid_handle);
  thread_.refuses(stream_->wait(gone), errc::invalid_handle);
  thread_.refuses(gone.query(), errc::invalid_handle);
  thread_.refuses(gone.synchronize(), errc::invalid_handle);
  thread_.refuses(gone.destroy(), errc::invalid_handle);
}

void stress_faults::ask_for_impossible_sizes(stress_random& /*random*/) {
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  const auto above_the_device = static_cast<std::size_t>(world_.settings.device_memory + granule_bytes);
  thread_.at("pool::malloc_async of an impossible size", stream_->id(), pool_->number);
  thread_.refuses(pool_->object.malloc_async(0, *stream_), errc::invalid_argument);
  thread_.refuses(pool_->object.malloc_async(most, *stream_), errc::invalid_argument);
  thread_.refuses(pool_->object.malloc_async(above_the_device, *stream_), errc::out_of_memory);
  thread_.at("device::malloc of an impossible size");
  thread_.refuses(world_.device.malloc(0), errc::invalid_argument);
  thread_.refuses(world_.device.malloc(most), errc::invalid_argument);
  thread_.refuses(world_.device.malloc(above_the_device), errc::out_of_memory);
  thread_.at("stream::launch of 0 blocks", stream_->id());
  thread_.refuses(stream_->launch(idle_kernel(), {}, 0), errc::invalid_argument);
}

void stress_faults::set_impossible_values(stress_random& /*random*/) {
  thread_.at("device::create_pool with an impossible value");
  thread_.refuses(world_.device.create_pool({.minimum_block = 3000}), errc::invalid_argument);
  thread_.refuses(world_.device.create_pool({.limit = world_.settings.device_memory + granule_bytes}),
                  errc::invalid_argument);
  thread_.at("setting an impossible value", 0, pool_->number);
  thread_.refuses(pool_->object.trim_to(world_.settings.device_memory + granule_bytes),
                  errc::invalid_argument);
  thread_.refuses(pool_->object.set(pool_attribute::used, 0), errc::invalid_argument);
  thread_.refuses(pool_->object.set(pool_attribute::used_high, 1), errc::invalid_argument);
}

void stress_faults::mix_devices(stress_random& /*random*/) {
  thread_.at("device::create_stream on another device");
  auto made = world_.other_device.create_stream();
  if (thread_.must(made)) {
    thread_.at("pool::malloc_async on another device's stream", made->id(), pool_->number);
    thread_.refuses(pool_->object.malloc_async(1, *made), errc::wrong_device);
  }
  thread_.at("runtime::get_device of one too many");
  thread_.refuses(world_.runtime.get_device(world_.runtime.device_count()), errc::no_such_device);
}

// The answers are judged on this thread, when the task has run.
void stress_faults::call_from_a_task(stress_random& random) {
  const auto block = lend(pool_, random);
  expected<void*> allocated;
  expected<void> freed;
  expected<void> launched;
  expected<void> waited;
  expected<pool_statistics> read;
  world_.submitted_tasks.fetch_add(1, std::memory_order_relaxed);
  thread_.at("stream::call", stream_->id(), pool_->number);
  thread_.must(stream_->call([&] {
    allocated = pool_->object.malloc_async(1, *stream_);
    freed = world_.device.free(block ? block->block.address : nullptr);
    launched = stream_->launch(idle_kernel(), {}, 1);
    waited = stream_->synchronize();
    read = pool_->object.statistics();
    world_.findings.count_task();
  }));
  thread_.at("stream::synchronize", stream_->id());
  thread_.synchronized(stream_->synchronize());
  thread_.at("a call from a task", stream_->id(), pool_->number);
  thread_.refuses(allocated, errc::not_permitted);
  thread_.refuses(freed, errc::not_permitted);
  thread_.refuses(launched, errc::not_permitted);
  thread_.refuses(waited, errc::not_permitted);
  thread_.must(read);
  if (block) {
    settle(*block);
  }
}

// On a stream that others use too: their tasks go on, and one synchronize of somebody tells.
void stress_faults::fail_a_task(stress_random& random) {
  const auto chosen = world_.streams.get(random.below(world_.streams.size()));
  chosen->use([&](stream& on) { thread_.fail_kernel(on, random.next()); });
}

void stress_faults::stop_a_stream(stress_random& random) {
  thread_.at("device::create_stream");
  auto made = world_.device.create_stream({.on_failure = failure_mode::stop});
  const auto block = lend(pool_, random);
  if (!thread_.must(made)) {
    return;
  }
  auto& stopped = *made;
  thread_.fail_kernel(stopped, random.next());
  thread_.at("stream::synchronize of a stream that stops", stopped.id());
  // Another thread's synchronize of the device may have been told of the failure before.
  thread_.synchronized(stopped.synchronize());
  thread_.at("a call for a stopped stream", stopped.id());
  thread_.refuses(stopped.launch(idle_kernel(), {}, 1), errc::stream_stopped);
  if (block) {
    // A free takes effect all the same, behind the check on the block's own stream.
    thread_.at("device::create_event");
    auto checked = world_.device.create_event();
    thread_.check(*stream_, block->block);
    if (thread_.must(checked) && thread_.must(stream_->record(*checked))) {
      thread_.must(stopped.wait(*checked));
    }
    thread_.give_back(stopped, *block);
  }
}

void stress_faults::drain() {
  if (!stream_ || pool_ == nullptr) {
    return;
  }
  thread_.at("stream::synchronize", stream_->id());
  thread_.synchronized(stream_->synchronize());
  thread_.at("the end of a thread's own pool", 0, pool_->number);
  if (const auto figures = pool_->object.statistics();
      thread_.must(figures) && (figures->used != 0 || figures->live_blocks != 0)) {
    thread_.find("has " + std::to_string(figures->used) + " bytes in use, and should have none");
  }
  thread_.must(pool_->object.destroy());
}

}  // namespace soma::tools
