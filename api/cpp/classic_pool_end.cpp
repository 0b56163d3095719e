#include <system_error>
#include <thread>
#include <utility>

#include "actors/classic_pool.hpp"
#include "api/cpp/classic_pools.hpp"

namespace soma::detail {

namespace {

// What frees the memory tells the race detector first, and waits for it.
void give_back(device_end& device, memory::range memory, pool_memory kind,
               messages::classic_pool_actor pool) {
  auto& runtime = device.runtime;
  actors::tell(runtime.caller(), pool, messages::retire_classic_pool{});
  tell_freed_at_once(runtime, memory.begin, {.call = "memory_pool::destroy"});
  actors::tell(runtime.caller(), device.actor,
               messages::free_plain{kind == pool_memory::device ? messages::plain_kind::device
                                                                : messages::plain_kind::host,
                                    memory.begin,
                                    {}});
}

}  // namespace

classic_pool_end::classic_pool_end(std::shared_ptr<device_end> on, memory::range of, pool_memory of_kind,
                                   std::unique_ptr<memory::classic_pool> pool)
    : device(std::move(on)), memory(of), kind(of_kind),
      actor(actors::spawn<actors::classic_pool_state>(device->runtime.system(), std::move(pool))) {}

expected<std::shared_ptr<classic_pool_end>> classic_pool_end::create(std::string_view call, soma::device& on,
                                                                     std::size_t bytes, pool_memory kind,
                                                                     const maker& make) {
  auto memory = kind == pool_memory::device ? on.malloc(bytes) : on.malloc_host(bytes);
  if (!memory) {
    memory.error().message = std::string(call) + ": the pool's memory: " + memory.error().message;
    return tl::unexpected(std::move(memory.error()));
  }
  const memory::range whole{to_address(*memory), bytes};
  return std::make_shared<classic_pool_end>(on.end(), whole, kind, make(whole));
}

// The last object of a pool may be held by a task: an engine's thread must not wait for the race detector.
bool classic_pool_end::destroy() {
  if (destroyed.exchange(true, std::memory_order_acq_rel)) {
    return false;
  }
  if (!device->runtime.may_read({})) {
    return true;  // a child after fork: all of it stays with the parent
  }
  if (!actors::in_foreign_code() && actors::current_unit() == nullptr) {
    give_back(*device, memory, kind, std::move(actor));
    return true;
  }
  try {
    std::thread([on = device, memory = memory, kind = kind, pool = std::move(actor)] {
      give_back(*on, memory, kind, pool);
    }).detach();
  } catch (const std::system_error&) {
    // The system has no thread for it: the memory goes with the runtime.
  }
  return true;
}

expected<void*> allocate(std::string_view call, const std::shared_ptr<classic_pool_end>& end,
                         std::size_t bytes) {
  return ask_classic<memory::range>(call, end, messages::allocate_block{bytes, {}})
      .map([](const memory::range& block) { return to_pointer(block.begin); });
}

expected<void> free(std::string_view call, const std::shared_ptr<classic_pool_end>& end, void* address) {
  auto freed = ask_classic<messages::done>(call, end, messages::free_block{to_address(address), {}});
  if (!freed) {
    return tl::unexpected(std::move(freed.error()));
  }
  return {};
}

classic_statistics statistics_of(const memory::classic_figures& figures) {
  classic_statistics now;
  now.reserved = figures.reserved;
  now.used = figures.used;
  now.used_high = figures.used_high;
  now.idle = figures.reserved - figures.used;
  now.requested = figures.requested;
  now.requested_high = figures.requested_high;
  now.live_blocks = figures.live_blocks;
  now.allocations = figures.allocations;
  now.frees = figures.frees;
  now.refusals = figures.refusals;
  now.reused = figures.reused;
  now.largest_free = figures.largest_free;
  return now;
}

}  // namespace soma::detail
