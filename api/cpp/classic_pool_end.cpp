#include <system_error>
#include <thread>
#include <utility>

#include "api/cpp/classic_pools.hpp"

namespace soma::detail {

namespace {

messages::plain_kind plain_kind_of(pool_memory kind) noexcept {
  return kind == pool_memory::device ? messages::plain_kind::device : messages::plain_kind::host;
}

// What frees the memory tells the race detector first, and waits for it. What the pool took itself goes with
// the actor, or here.
void give_back(device_end& device, memory::range memory, const memory_kind& kind,
               const messages::classic_pool_actor& pool,
               const std::shared_ptr<actors::classic_pool_memory>& /*taken*/) {
  auto& runtime = device.runtime;
  actors::tell(runtime.caller(), pool, messages::retire_classic_pool{});
  if (memory.bytes == 0) {
    return;
  }
  memory::end_wish(memory, wish_of(kind));
  tell_freed_at_once(runtime, memory.begin, {.call = "memory_pool::destroy"});
  actors::tell(runtime.caller(), device.actor,
               messages::free_plain{plain_kind_of(kind.memory), memory.begin, {}});
}

}  // namespace

classic_pool_end::classic_pool_end(std::shared_ptr<device_end> on, memory::range of,
                                   const memory_kind& of_kind, std::unique_ptr<memory::classic_pool> pool)
    : device(std::move(on)), memory(of), kind(of_kind), kind_answer(memory::ask_for(of, wish_of(of_kind))),
      taken(std::make_shared<actors::classic_pool_memory>(
          std::move(pool), actors::memory_source{device->actor, plain_kind_of(of_kind.memory)})),
      actor(actors::spawn<actors::classic_pool_state>(device->runtime.system(), taken)) {}

expected<std::shared_ptr<classic_pool_end>> classic_pool_end::create(std::string_view call, soma::device& on,
                                                                     std::size_t bytes,
                                                                     const memory_kind& kind,
                                                                     const maker& make) {
  auto memory = kind.memory == pool_memory::device ? on.malloc(bytes) : on.malloc_host(bytes);
  if (!memory) {
    memory.error().message = std::string(call) + ": the pool's memory: " + memory.error().message;
    return tl::unexpected(std::move(memory.error()));
  }
  const memory::range whole{to_address(*memory), bytes};
  return std::make_shared<classic_pool_end>(on.end(), whole, kind, make(whole));
}

expected<std::shared_ptr<classic_pool_end>>
classic_pool_end::create(std::string_view call, soma::device& on, pool_memory kind,
                         std::unique_ptr<memory::classic_pool> pool) {
  if (on.end() == nullptr) {
    return fail(call, errc::invalid_handle, "the device object was moved from");
  }
  if (auto ok = on.end()->runtime.may_submit(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return std::make_shared<classic_pool_end>(on.end(), memory::range{}, memory_kind{kind}, std::move(pool));
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
    give_back(*device, memory, kind, actor, std::exchange(taken, {}));
    return true;
  }
  try {
    std::thread([on = device, memory = memory, kind = kind, pool = actor, had = std::move(taken)] {
      give_back(*on, memory, kind, pool, had);
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
  return tell_classic(call, end, messages::free_block{to_address(address), {}});
}

expected<void> check_variable(std::string_view call, std::size_t pool_bytes) {
  if (pool_bytes < classic_unit_bytes) {
    return fail(call, errc::invalid_argument,
                "a pool of " + std::to_string(pool_bytes) + " bytes; it must have 64 bytes at least");
  }
  return {};
}

// -- figures ------------------------------------------------------------------------------------------------

classic_statistics statistics_of(const memory::classic_figures& figures) {
  classic_statistics now;
  now.reserved = figures.reserved;
  now.reserved_high = figures.reserved_high;
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
  now.backing_requests = figures.backing_requests;
  now.backing_returns = figures.backing_returns;
  now.backing_requested_bytes = figures.backing_requested_bytes;
  now.backing_returned_bytes = figures.backing_returned_bytes;
  return now;
}

std::vector<tier_statistics> statistics_of(const std::vector<memory::tier_figures>& tiers) {
  std::vector<tier_statistics> all;
  auto kind = tier_kind::fixed_size;
  for (const auto& each : tiers) {
    if (each.block_bytes == 0) {
      kind = kind == tier_kind::fixed_size ? tier_kind::variable_size : tier_kind::device;
    }
    all.push_back({kind, each.block_bytes, each.fell_through, each.demand, statistics_of(each.figures)});
  }
  return all;
}

}  // namespace soma::detail
