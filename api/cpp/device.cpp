#include "soma/device.hpp"

#include <string>
#include <utility>

#include "api/cpp/checks.hpp"
#include "api/cpp/memory_kinds.hpp"
#include "api/cpp/pool_in_place.hpp"
#include "api/cpp/recorder.hpp"
#include "memory/sizes.hpp"

namespace soma {

namespace detail {

namespace {

expected<void> check_device(std::string_view call, const std::shared_ptr<device_end>& end) {
  if (end == nullptr) {
    return fail(call, errc::invalid_handle, "the device object was moved from");
  }
  return {};
}

expected<void> may_submit(std::string_view call, const std::shared_ptr<device_end>& end) {
  if (auto ok = check_device(call, end); !ok) {
    return ok;
  }
  return end->runtime.may_submit(call);
}

template <class T, class Message>
memory::result<T> ask_device(const device_end& end, Message message, actors::deadline limit = {}) {
  return actors::ask<T>(end.runtime.caller(), end.actor, std::move(message), limit);
}

expected<void> synchronize(std::string_view call, const std::shared_ptr<device_end>& end,
                           actors::deadline limit) {
  const actors::tracing::calling traced(call.data());
  if (auto ok = may_submit(call, end); !ok) {
    return ok;
  }
  recorded_synchronize recording(*end);
  auto seen = ask_device<messages::stream_seen>(*end, messages::synchronize_device{}, limit);
  if (!seen) {
    return tl::unexpected(translate(call, std::move(seen.error())));
  }
  if (auto told = host_saw(*end, std::move(seen->seen), true); !told) {
    return tl::unexpected(translate(call, std::move(told.error())));
  }
  recording.done();
  if (seen->failure) {
    return tl::unexpected(translate(call, std::move(*seen->failure)));
  }
  return {};
}

tl::unexpected<error> never_given_out(std::string_view call) {
  return fail(call, errc::unknown_address, "the runtime never gave this address out");
}

// A free at once, told to the race detector before and, if it fails, after. The C interface tries each
// device: a free of an address of another device is told by that one.
template <class Free>
expected<void> checked_free(device_end& end, void* address, const memory::place& where, const Free& free) {
  const auto block = to_address(address);
  const bool own = end.layout.whole().contains(block);
  if (own) {
    tell_freed_at_once(end.runtime, block, where);
  }
  auto freed = free(block);
  if (!freed && (own || end.runtime.owner(block) == nullptr)) {
    tell_failed_free(end.runtime, freed.error().code, block, where);
  }
  return freed;
}

}  // namespace

// A block of a pool, found by its address or given with the pool: freed by a task of the stream.
expected<void> free_block(std::string_view call, const std::shared_ptr<pool_end>& pool, void* address,
                          const std::shared_ptr<stream_end>& on, const memory::place& where) {
  if (free_to_pool(*pool, to_address(address), on)) {
    return {};
  }
  if (auto ok = check(call, on); !ok) {
    return ok;
  }
  auto& runtime = on->device.runtime;
  if (auto ok = runtime.may_submit(call); !ok) {
    return ok;
  }
  if (auto ok = on->device.join(call, *on); !ok) {
    return ok;
  }
  recorded_free recording(to_address(address), on.get());
  auto freed = actors::ask<messages::done>(runtime.caller(), on->actor,
                                           messages::free_async{pool->actor, to_address(address), {}, where});
  if (freed) {
    recording.done();
    return {};
  }
  auto failure = translate(call, std::move(freed.error()));
  if (failure.code == errc::actor_gone) {
    if (on->destroyed.load(std::memory_order_acquire)) {
      failure.code = errc::invalid_handle;
    } else if (pool->destroyed.load(std::memory_order_acquire)) {
      failure = never_given_out(call).value();  // the pool ended when its last block was freed
    }
  }
  tell_failed_free(runtime, failure.code, to_address(address), where, on->id);
  return tl::unexpected(std::move(failure));
}

}  // namespace detail

device::device(std::shared_ptr<detail::device_end> end) noexcept
    : end_(std::move(end)),
      default_stream_(
          end_ == nullptr ? nullptr : std::shared_ptr<detail::stream_end>(end_, end_->default_stream.get())) {
}

device::device(device&&) noexcept = default;
device& device::operator=(device&& other) noexcept = default;
device::~device() = default;

std::uint32_t device::index() const noexcept { return end_ == nullptr ? 0 : end_->index; }

stream& device::default_stream() { return default_stream_; }

expected<stream> device::create_stream(const stream_options& options) {
  constexpr auto call = "device::create_stream";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::check_device(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (auto ok = end_->runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  const auto mode =
      options.on_failure == failure_mode::stop ? messages::on_failure::stop : messages::on_failure::proceed;
  auto created = detail::ask_device<messages::created_stream>(
      *end_, messages::create_stream{mode, options.failure_group, {}, options.priority, options.flags});
  if (!created) {
    return tl::unexpected(detail::translate(call, std::move(created.error())));
  }
  auto made = std::make_shared<detail::stream_end>(end_->runtime.shared_from_this(), *end_,
                                                   std::move(*created), options.blocking);
  made->may_stop = options.on_failure == failure_mode::stop;
  if (options.blocking) {
    end_->add_blocking(made);
  }
  return stream(std::move(made));
}

expected<event> device::create_event() {
  constexpr auto call = "device::create_event";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::check_device(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (auto ok = end_->runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto created = detail::ask_device<messages::created_event>(*end_, messages::create_event{});
  if (!created) {
    return tl::unexpected(detail::translate(call, std::move(created.error())));
  }
  return event(
      std::make_shared<detail::event_end>(end_->runtime.shared_from_this(), *end_, std::move(*created)));
}

expected<pool> device::create_pool(const pool_options& options) {
  constexpr auto call = "device::create_pool";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::check_device(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (auto ok = end_->runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (options.kind.memory != pool_memory::device) {
    return detail::fail(call, errc::invalid_argument,
                        "a stream-ordered pool has device memory; pools of host memory are those of "
                        "soma/classic_pools.hpp");
  }
  messages::create_pool message;
  message.limit = options.limit;
  message.minimum_block = options.minimum_block;
  message.reuse = {options.reuse.event, options.reuse.opportunistic, options.reuse.internal};
  message.release_threshold = options.release_threshold;
  message.kind = detail::wish_of(options.kind);
  auto created = detail::ask_device<messages::created_pool>(*end_, std::move(message));
  if (!created) {
    return tl::unexpected(detail::translate(call, std::move(created.error())));
  }
  const auto made = std::make_shared<detail::pool_end>(*end_, std::move(*created), options.kind);
  end_->runtime.routes().set(made->window, made);
  // The object keeps both the pool and the runtime.
  using both = std::pair<std::shared_ptr<detail::runtime_end>, std::shared_ptr<detail::pool_end>>;
  const auto kept = std::make_shared<both>(end_->runtime.shared_from_this(), made);
  return pool(std::shared_ptr<detail::pool_end>(kept, made.get()));
}

namespace detail {
namespace {

expected<void*> malloc_plain(const char* call, const std::shared_ptr<device_end>& end,
                             messages::plain_kind kind, std::size_t bytes, const malloc_options& options,
                             const place& at) {
  const actors::tracing::calling traced(call);
  if (auto ok = may_submit(call, end); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (options.page_bytes < memory::smallest_block_bytes ||
      (options.page_bytes & (options.page_bytes - 1)) != 0) {
    return fail(call, errc::invalid_argument,
                "pages of " + std::to_string(options.page_bytes) + " bytes are no power of two from 512 on");
  }
  auto block = ask_device<memory::address>(
      *end, messages::malloc_plain{kind, bytes, {}, options.page_bytes, options.read_only});
  if (block) {
    const auto origin =
        kind == messages::plain_kind::host ? memory::block_origin::host : memory::block_origin::plain;
    tell_allocated(end->runtime, origin, *block, bytes, call, at);
  }
  return translate(call, std::move(block)).map(to_pointer);
}

}  // namespace
}  // namespace detail

expected<void*> device::malloc(std::size_t bytes, const place& at) {
  return malloc(bytes, malloc_options{}, at);
}

expected<void*> device::malloc(std::size_t bytes, const malloc_options& options, const place& at) {
  return detail::malloc_plain("device::malloc", end_, messages::plain_kind::device, bytes, options, at);
}

expected<void*> device::malloc_host(std::size_t bytes, const place& at) {
  return malloc_host(bytes, malloc_options{}, at);
}

expected<void*> device::malloc_host(std::size_t bytes, const malloc_options& options, const place& at) {
  return detail::malloc_plain("device::malloc_host", end_, messages::plain_kind::host, bytes, options, at);
}

expected<void> device::free(void* address, const place& at) {
  constexpr auto call = "device::free";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::may_submit(call, end_); !ok) {
    return ok;
  }
  const auto free_now = [&](memory::address block) -> expected<void> {
    if (end_->layout.plain.contains(block)) {
      return detail::translate_done(
          call, detail::ask_device<messages::done>(
                    *end_, messages::free_plain{messages::plain_kind::device, block, {}}));
    }
    const auto pool = end_->layout.pools.contains(block) ? end_->runtime.routes().find(block) : nullptr;
    if (pool == nullptr) {
      return detail::never_given_out(call);
    }
    detail::recorded_free recording(block, nullptr);
    auto freed = actors::ask<messages::block_returned>(end_->runtime.caller(), pool->actor,
                                                       messages::give_back_now{block, {}});
    if (freed) {
      recording.done();
    } else if (freed.error().code == memory::fault_code::actor_gone && pool->destroyed) {
      return detail::never_given_out(call);
    }
    return detail::translate_done(call, std::move(freed));
  };
  return detail::checked_free(*end_, address, detail::place_of(call, at), free_now);
}

expected<void> device::free_host(void* address, const place& at) {
  constexpr auto call = "device::free_host";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::may_submit(call, end_); !ok) {
    return ok;
  }
  const auto free_now = [&](memory::address block) -> expected<void> {
    if (!end_->layout.host.contains(block)) {
      return detail::never_given_out(call);
    }
    return detail::translate_done(call,
                                  detail::ask_device<messages::done>(
                                      *end_, messages::free_plain{messages::plain_kind::host, block, {}}));
  };
  return detail::checked_free(*end_, address, detail::place_of(call, at), free_now);
}

expected<void> device::free_async(void* address, stream& on, const place& at) {
  constexpr auto call = "device::free_async";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::may_submit(call, end_); !ok) {
    return ok;
  }
  if (address == nullptr) {
    return detail::fail(call, errc::invalid_argument, "the address is null");
  }
  const auto block = detail::to_address(address);
  const auto& stream = on.end();
  const auto pool = end_->layout.pools.contains(block) ? end_->runtime.routes().find(block) : nullptr;
  if (pool != nullptr) {
    if (detail::free_lent(*pool, block, stream)) {
      return {};
    }
    return detail::free_block(call, pool, address, stream, detail::place_of(call, at));
  }
  const auto where = detail::place_of(call, at);
  if (!end_->layout.plain.contains(block)) {
    detail::tell_failed_free(end_->runtime, errc::unknown_address, block, where,
                             stream == nullptr ? memory::stream_id::none : stream->id);
    return detail::never_given_out(call);
  }
  if (auto ok = detail::check(call, stream); !ok) {
    return ok;
  }
  if (&stream->device != end_.get()) {
    return detail::fail(call, errc::wrong_device, "plain memory is freed on a stream of its own device");
  }
  if (auto ok = end_->join(call, *stream); !ok) {
    return ok;
  }
  auto freed = actors::ask<messages::done>(end_->runtime.caller(), stream->actor,
                                           messages::free_plain_async{block, {}, where});
  if (!freed && freed.error().code == memory::fault_code::actor_gone && stream->destroyed) {
    return detail::fail(call, errc::invalid_handle, "the stream was destroyed");
  }
  auto done = detail::translate_done(call, std::move(freed));
  if (!done) {
    detail::tell_failed_free(end_->runtime, done.error().code, block, where, stream->id);
  }
  return done;
}

expected<memory_info> device::memory() const {
  constexpr auto call = "device::memory";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::check_device(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (auto ok = end_->runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return detail::translate(call, detail::ask_device<messages::memory_left>(*end_, messages::read_memory{}))
      .map([](const messages::memory_left& left) {
        return memory_info{left.free, left.total};
      });
}

expected<memory_block_info> device::find_block(const void* inside) const {
  constexpr auto call = "device::find_block";
  if (auto ok = detail::check_device(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (auto ok = end_->runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  const auto place = detail::to_address(inside);
  if (const auto pool = end_->layout.pools.contains(place) ? end_->runtime.routes().find(place) : nullptr) {
    return detail::translate(call, actors::ask<messages::found_block>(end_->runtime.caller(), pool->actor,
                                                                      messages::find_block{place, {}, true}))
        .map([](const messages::found_block& found) {
          return memory_block_info{detail::to_pointer(found.begin), found.bytes, found.requested,
                                   granule_bytes};
        });
  }
  return detail::translate(call,
                           detail::ask_device<messages::plain_block>(*end_, messages::find_plain{place, {}}))
      .map([](const messages::plain_block& found) {
        return memory_block_info{detail::to_pointer(found.where.begin), found.where.bytes, found.requested,
                                 found.page_bytes};
      });
}

expected<plain_pool_statistics> device::plain_pool() const {
  constexpr auto call = "device::plain_pool";
  if (auto ok = detail::check_device(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (auto ok = end_->runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return detail::translate(call,
                           detail::ask_device<memory::plain_pool_figures>(*end_, messages::read_plain_pool{}))
      .map([](const memory::plain_pool_figures& told) {
        return plain_pool_statistics{told.chunks,     told.free_chunks, told.used,     told.reserved,
                                     told.live_parts, told.served,      told.bypassed, told.released};
      });
}

expected<void> device::synchronize() { return detail::synchronize("device::synchronize", end_, {}); }

expected<void> device::synchronize_for(std::chrono::milliseconds limit) {
  return detail::synchronize("device::synchronize_for", end_, detail::deadline_in(limit));
}

}  // namespace soma
