// The caller's side of a pool without stream order.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

#include "actors/classic_pool.hpp"
#include "api/cpp/checks.hpp"
#include "api/cpp/memory_kinds.hpp"
#include "memory/classic_pool.hpp"
#include "soma/classic_pools.hpp"
#include "soma/tiered_pool.hpp"

namespace soma::detail {

/// Blocks of pools of blocks of any size are multiples of this many bytes.
inline constexpr std::size_t classic_unit_bytes = 64;

/// Keeps the runtime, and the pool's memory until the last object that uses it has gone or the pool is
/// destroyed.
class classic_pool_end {
public:
  static constexpr std::string_view noun = "pool";

  /// What a pool over this range of memory is made of.
  using maker = std::function<std::unique_ptr<memory::classic_pool>(memory::range)>;

  /// Errors: those of device::malloc.
  static expected<std::shared_ptr<classic_pool_end>>
  create(std::string_view call, device& on, std::size_t bytes, const memory_kind& kind, const maker& make);

  /// A pool that takes all of its memory from the device as it needs it.
  static expected<std::shared_ptr<classic_pool_end>>
  create(std::string_view call, device& on, pool_memory kind, std::unique_ptr<memory::classic_pool> pool);

  classic_pool_end(std::shared_ptr<device_end> on, memory::range of, const memory_kind& of_kind,
                   std::unique_ptr<memory::classic_pool> pool);
  ~classic_pool_end() { destroy(); }
  classic_pool_end(const classic_pool_end&) = delete;
  classic_pool_end& operator=(const classic_pool_end&) = delete;

  std::shared_ptr<device_end> device;
  memory::range memory;  // that the pool was made with
  memory_kind kind;
  memory::kind_answer kind_answer;
  std::shared_ptr<actors::classic_pool_memory> taken;  // until it is destroyed
  messages::classic_pool_actor actor;
  std::atomic<bool> destroyed{false};

  /// Gives the memory back. Returns false if that was done before. On any thread.
  bool destroy();
};

/// What the calls that ask such a pool, or a compactor, go through. `call` is for the texts.
template <class T, class End, class Message>
expected<T> ask_classic(std::string_view call, const std::shared_ptr<End>& end, Message message) {
  if (auto ok = check(call, end); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto& runtime = end->device->runtime;
  if (auto ok = runtime.may_submit(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto answered = translate(call, actors::ask<T>(runtime.caller(), end->actor, std::move(message)));
  if (!answered && answered.error().code == errc::actor_gone &&
      end->destroyed.load(std::memory_order_acquire)) {
    answered.error().code = errc::invalid_handle;
  }
  return answered;
}

/// The same without a value.
template <class End, class Message>
expected<void> tell_classic(std::string_view call, const std::shared_ptr<End>& end, Message message) {
  auto done = ask_classic<messages::done>(call, end, std::move(message));
  if (!done) {
    return tl::unexpected(std::move(done.error()));
  }
  return {};
}

expected<void*> allocate(std::string_view call, const std::shared_ptr<classic_pool_end>& end,
                         std::size_t bytes);
expected<void> free(std::string_view call, const std::shared_ptr<classic_pool_end>& end, void* address);

classic_statistics statistics_of(const memory::classic_figures& figures);

/// Behind the tiers of a fixed size comes a variable-size one, and then perhaps the device.
std::vector<tier_statistics> statistics_of(const std::vector<memory::tier_figures>& tiers);

/// Whether a pool of blocks of any size can have so many bytes.
expected<void> check_variable(std::string_view call, std::size_t pool_bytes);

}  // namespace soma::detail
