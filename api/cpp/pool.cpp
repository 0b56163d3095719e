#include "soma/pool.hpp"

#include <string>
#include <utility>

#include "api/cpp/checks.hpp"
#include "api/cpp/memory_kinds.hpp"
#include "api/cpp/pool_in_place.hpp"
#include "api/cpp/recorder.hpp"

namespace soma {

namespace detail {

namespace {

// A call that raced with the destruction of the pool says so.
template <class T>
expected<T> answer_of(std::string_view call, const pool_end& end, memory::result<T> result) {
  auto translated = translate(call, std::move(result));
  if (!translated && translated.error().code == errc::actor_gone &&
      end.destroyed.load(std::memory_order_acquire)) {
    translated.error().code = errc::invalid_handle;
  }
  return translated;
}

expected<void> without_value(expected<messages::done> result) {
  if (!result) {
    return tl::unexpected(std::move(result.error()));
  }
  return {};
}

// What the calls that ask for something go through.
template <class T, class Message>
expected<T> ask_pool(std::string_view call, const std::shared_ptr<pool_end>& end, Message message) {
  const actors::tracing::calling traced(call.data());
  if (auto ok = check(call, end); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto& runtime = end->device.runtime;
  if (auto ok = runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return answer_of(call, *end, actors::ask<T>(runtime.caller(), end->actor, std::move(message)));
}

// For the file of metrics, which is written when the pool is gone.
void keep_last_figures(const pool_end& end) {
  auto& kept = end.device.runtime.kept_metrics();
  if (kept.file().empty()) {
    return;
  }
  if (auto last = actors::ask<messages::pool_figures>(end.device.runtime.caller(), end.actor,
                                                      messages::read_figures{})) {
    kept.keep({end.device.index, end.id, true, *last});
  }
}

// What the stream cannot do alone, on its own: what it needs of the stack and of registers is not paid by
// what it can.
[[gnu::noinline]] expected<void*> malloc_of_pool(const std::shared_ptr<pool_end>& pool, std::size_t bytes,
                                                 const std::shared_ptr<stream_end>& on, const place& at) {
  if (usable(pool)) {
    if (const auto block = malloc_idle(*pool, bytes, on); block != memory::address::null) {
      return to_pointer(block);
    }
  }
  constexpr auto call = "pool::malloc_async";
  const actors::tracing::calling traced(call);
  for (const auto& ok : {check(call, pool), check(call, on)}) {
    if (!ok) {
      return tl::unexpected(ok.error());
    }
  }
  auto& runtime = pool->device.runtime;
  if (&on->device != &pool->device) {
    return fail(call, errc::wrong_device,
                "the pool is on device " + std::to_string(pool->device.index) +
                    ", the stream on another one or of another runtime");
  }
  if (auto ok = runtime.may_submit(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (auto ok = pool->device.join(call, *on); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto block = answer_of(call, *pool,
                         actors::ask<memory::address>(
                             runtime.caller(), on->actor,
                             messages::malloc_async{pool->actor, bytes, {}, place_of(call, at), pool->id}));
  if (!block) {
    if (block.error().code == errc::actor_gone && on->destroyed.load(std::memory_order_acquire)) {
      block.error().code = errc::invalid_handle;
    }
    return tl::unexpected(std::move(block.error()));
  }
  if (auto* const recording = recorder::active(); recording != nullptr) [[unlikely]] {
    recording->allocated(*pool, *on, *block, bytes);
  }
  return to_pointer(*block);
}

[[gnu::noinline]] expected<void> free_by_message(const std::shared_ptr<pool_end>& pool, void* address,
                                                 const std::shared_ptr<stream_end>& on, const place& at) {
  constexpr auto call = "pool::free_async";
  const actors::tracing::calling traced(call);
  if (auto ok = check(call, pool); !ok) {
    return ok;
  }
  const auto block = to_address(address);
  const auto where = place_of(call, at);
  if (address == nullptr) {
    return fail(call, errc::invalid_argument, "the address is null");
  }
  if (!pool->window.contains(block)) {
    tell_failed_free(pool->device.runtime, errc::unknown_address, block, where,
                     on == nullptr ? memory::stream_id::none : on->id);
    return pool->device.runtime.owner(block) != nullptr
               ? fail(call, errc::invalid_argument, "the address is not one of this pool")
               : fail(call, errc::unknown_address, "the runtime never gave this address out");
  }
  return free_block(call, pool, address, on, where);
}

}  // namespace
}  // namespace detail

pool::pool(std::shared_ptr<detail::pool_end> end) noexcept : end_(std::move(end)) {}
pool::pool(pool&&) noexcept = default;

pool& pool::operator=(pool&& other) noexcept {
  if (this != &other) {
    static_cast<void>(destroy());
    end_ = std::move(other.end_);
  }
  return *this;
}

pool::~pool() { static_cast<void>(destroy()); }

expected<void> pool::destroy() {
  constexpr auto call = "pool::destroy";
  const actors::tracing::calling traced(call);
  if (end_ == nullptr || end_->destroyed.exchange(true, std::memory_order_acq_rel)) {
    return detail::fail(call, errc::invalid_handle, "the pool was destroyed, or the object was moved from");
  }
  auto& runtime = end_->device.runtime;
  if (auto ok = runtime.may_read(call); !ok) {
    return ok;
  }
  detail::keep_last_figures(*end_);
  detail::tell_pool_destroyed(runtime, end_->id);
  actors::tell(runtime.caller(), end_->actor, messages::retire_pool{});
  return {};
}

std::uint32_t pool::device_index() const noexcept { return end_ == nullptr ? 0 : end_->device.index; }

void* pool::base() const noexcept {
  return end_ == nullptr ? nullptr : detail::to_pointer(end_->window.begin);
}

expected<void*> pool::malloc_async(std::size_t bytes, stream& on, const place& at) {
  if (detail::usable(end_)) {
    if (const auto block = detail::malloc_lent(*end_, bytes, on.end()); block != memory::address::null) {
      return detail::to_pointer(block);
    }
  }
  return detail::malloc_of_pool(end_, bytes, on.end(), at);
}

expected<void> pool::free_async(void* address, stream& on, const place& at) {
  if (detail::usable(end_) && detail::free_lent(*end_, detail::to_address(address), on.end())) {
    return {};
  }
  return detail::free_by_message(end_, address, on.end(), at);
}

expected<void> pool::trim_to(std::uint64_t keep) {
  return detail::without_value(
      detail::ask_pool<messages::done>("pool::trim_to", end_, messages::trim_pool{keep, {}}));
}

expected<std::uint64_t> pool::get(pool_attribute attribute) const {
  auto figures = detail::ask_pool<messages::pool_figures>("pool::get", end_, messages::read_figures{});
  if (!figures) {
    return tl::unexpected(std::move(figures.error()));
  }
  switch (attribute) {
  case pool_attribute::reuse_event:
    return figures->reuse.event ? 1 : 0;
  case pool_attribute::reuse_opportunistic:
    return figures->reuse.opportunistic ? 1 : 0;
  case pool_attribute::reuse_internal:
    return figures->reuse.internal ? 1 : 0;
  case pool_attribute::release_threshold:
    return figures->release_threshold;
  case pool_attribute::reserved:
    return figures->heap.reserved;
  case pool_attribute::reserved_high:
    return figures->heap.reserved_high;
  case pool_attribute::used:
    return figures->heap.used;
  case pool_attribute::used_high:
    return figures->heap.used_high;
  }
  return detail::fail("pool::get", errc::invalid_argument, "there is no such attribute");
}

expected<void> pool::set(pool_attribute attribute, std::uint64_t value) {
  constexpr auto call = "pool::set";
  const actors::tracing::calling traced(call);
  auto which = messages::setting::release_threshold;
  switch (attribute) {
  case pool_attribute::reuse_event:
    which = messages::setting::reuse_event;
    break;
  case pool_attribute::reuse_opportunistic:
    which = messages::setting::reuse_opportunistic;
    break;
  case pool_attribute::reuse_internal:
    which = messages::setting::reuse_internal;
    break;
  case pool_attribute::release_threshold:
    break;
  case pool_attribute::reserved_high:
    which = messages::setting::reserved_high;
    break;
  case pool_attribute::used_high:
    which = messages::setting::used_high;
    break;
  case pool_attribute::reserved:
  case pool_attribute::used:
    return detail::fail(call, errc::invalid_argument, "reserved and used can only be read");
  default:
    return detail::fail(call, errc::invalid_argument, "there is no such attribute");
  }
  return detail::without_value(
      detail::ask_pool<messages::done>(call, end_, messages::change_setting{which, value, {}}));
}

expected<void> pool::set_reuse(reuse_switches switches) {
  const std::pair<pool_attribute, bool> values[] = {
      {pool_attribute::reuse_event, switches.event},
      {pool_attribute::reuse_opportunistic, switches.opportunistic},
      {pool_attribute::reuse_internal, switches.internal},
  };
  for (const auto& [attribute, value] : values) {
    if (auto ok = set(attribute, value ? 1 : 0); !ok) {
      return ok;
    }
  }
  return {};
}

expected<pool_statistics> pool::statistics() const {
  auto figures = detail::ask_pool<messages::pool_figures>("pool::statistics", end_, messages::read_figures{});
  if (!figures) {
    return tl::unexpected(std::move(figures.error()));
  }
  const auto& heap = figures->heap;
  const auto served = [&](memory::served how) { return heap.served_counts[static_cast<std::size_t>(how)]; };
  pool_statistics now;
  now.limit = heap.limit;
  now.reserved = heap.reserved;
  now.reserved_high = heap.reserved_high;
  now.used = heap.used;
  now.used_high = heap.used_high;
  now.idle = heap.reserved - heap.used;
  now.requested = heap.requested;
  now.requested_high = heap.requested_high;
  now.live_blocks = heap.live_blocks;
  now.served = {served(memory::served::same_stream), served(memory::served::event),
                served(memory::served::opportunistic), served(memory::served::internal),
                served(memory::served::new_memory)};
  now.granules_moved = heap.granules_moved;
  now.backing_requests = heap.backing_requests;
  now.backing_returns = heap.backing_returns;
  now.backing_requested_bytes = heap.backing_requested_bytes;
  now.backing_returned_bytes = heap.backing_returned_bytes;
  return now;
}

// The addresses are another pool's when the actor has ended.
expected<memory_kind_report> pool::kind() const {
  constexpr auto call = "pool::kind";
  if (auto ok = detail::check(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto& runtime = end_->device.runtime;
  if (auto ok = runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (actors::has_ended(end_->actor)) {
    return detail::fail(call, errc::actor_gone, "the pool has ended");
  }
  return detail::report_of(runtime.backing().touched(end_->window), end_->kind, end_->kind_answer);
}

expected<std::uint64_t> pool::largest_available(const stream& on) const {
  constexpr auto call = "pool::largest_available";
  const actors::tracing::calling traced(call);
  for (const auto& ok : {detail::check(call, end_), detail::check(call, on.end())}) {
    if (!ok) {
      return tl::unexpected(ok.error());
    }
  }
  auto& runtime = end_->device.runtime;
  if (auto ok = runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto left =
      actors::ask<messages::memory_left>(runtime.caller(), end_->device.actor, messages::read_memory{});
  if (!left) {
    return tl::unexpected(detail::translate(call, std::move(left.error())));
  }
  return detail::answer_of(call, *end_,
                           actors::ask<std::uint64_t>(runtime.caller(), on.end()->actor,
                                                      messages::ask_largest{end_->actor, left->free, {}}));
}

expected<block_info> pool::block(const void* address) const {
  auto found = detail::ask_pool<messages::found_block>("pool::block", end_,
                                                       messages::find_block{detail::to_address(address), {}});
  if (!found) {
    return tl::unexpected(std::move(found.error()));
  }
  return block_info{detail::to_pointer(detail::to_address(address)), found->bytes, found->requested};
}

expected<block_explanation> pool::explain(const void* address) const {
  auto found = detail::ask_pool<messages::block_explanation>(
      "pool::explain", end_, messages::explain_block{detail::to_address(address), {}});
  if (!found) {
    return tl::unexpected(std::move(found.error()));
  }
  const auto& reason = found->reason;
  block_explanation told;
  told.served = served_by{static_cast<std::uint8_t>(reason.how)};
  told.bytes = found->bytes;
  told.joined = reason.joined;
  told.stitched = reason.stitched;
  told.seen_by_host = reason.settled;
  told.freed_by_stream = memory::number(reason.freed_at.stream);
  told.freed_by_task = memory::number(reason.freed_at.sequence);
  if (const auto& traced = found->traced; traced) {
    const auto& idle = traced->idle;
    told.event = memory::number(traced->event);
    told.record = memory::number(traced->record);
    told.idle = idle_candidates{idle.usable,      idle.too_small,    idle.event_off, idle.opportunistic_off,
                                idle.not_ordered, idle.not_looked_at};
  }
  return told;
}

}  // namespace soma
