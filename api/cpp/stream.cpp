#include "soma/stream.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "actors/in_place.hpp"
#include "actors/stream.hpp"
#include "api/cpp/checks.hpp"
#include "api/cpp/recorder.hpp"
#include "api/cpp/submission.hpp"

namespace soma {

namespace detail {

using actors::stream_state;

error gone_or(std::string_view call, const stream_end& end, memory::fault fault) {
  auto translated = translate(call, std::move(fault));
  if (translated.code == errc::actor_gone && end.destroyed.load(std::memory_order_acquire)) {
    translated.code = errc::invalid_handle;
  }
  return translated;
}

namespace {

expected<void> may_submit(std::string_view call, const std::shared_ptr<stream_end>& end) {
  if (auto ok = check(call, end); !ok) {
    return ok;
  }
  if (auto ok = end->device.runtime.may_submit(call); !ok) {
    return ok;
  }
  return end->device.join(call, *end);
}

// What every call that submits something goes through.
template <class Message>
expected<void> submit(std::string_view call, const std::shared_ptr<stream_end>& end, Message message) {
  if (auto ok = may_submit(call, end); !ok) {
    return ok;
  }
  auto submitted = actors::ask<messages::done>(end->device.runtime.caller(), end->actor, std::move(message));
  if (!submitted) {
    return tl::unexpected(gone_or(call, *end, std::move(submitted.error())));
  }
  return {};
}

bool recorded_here(const std::shared_ptr<stream_end>& on, messages::record_event& message) {
  return may_submit_now(on) && actors::call_in_place<stream_state>(
                                   on->actor, [&](auto& stream) { return stream.record_here(message); });
}

bool waited_here(const std::shared_ptr<stream_end>& on, const messages::wait_event& message) {
  return may_submit_now(on) && actors::call_in_place<stream_state>(
                                   on->actor, [&](auto& stream) { return stream.wait_here(message); });
}

// What a synchronize asks the stream.
memory::result<messages::stream_seen> wait_for_all(stream_end& end, actors::deadline limit) {
  messages::stream_seen seen;
  if (actors::call_in_place<stream_state>(end.actor,
                                          [&](auto& stream) { return stream.synchronize_here(seen); })) {
    return seen;
  }
  return actors::ask<messages::stream_seen>(end.device.runtime.caller(), end.actor,
                                            messages::synchronize_stream{}, limit);
}

memory::result<messages::stream_status> status_of(stream_end& end) {
  messages::stream_status status;
  if (actors::call_in_place<stream_state>(end.actor,
                                          [&](auto& stream) { return stream.query_here(status); })) {
    return status;
  }
  return actors::ask<messages::stream_status>(end.device.runtime.caller(), end.actor,
                                              messages::query_stream{});
}

expected<void> synchronize(std::string_view call, const std::shared_ptr<stream_end>& end,
                           actors::deadline limit) {
  const actors::tracing::calling traced(call.data());
  if (auto ok = check(call, end); !ok) {
    return ok;
  }
  auto& runtime = end->device.runtime;
  if (auto ok = runtime.may_submit(call); !ok) {
    return ok;
  }
  if (auto ok = end->device.join(call, *end); !ok) {
    return ok;
  }
  recorded_synchronize recording(*end);
  auto seen = wait_for_all(*end, limit);
  if (!seen) {
    return tl::unexpected(gone_or(call, *end, std::move(seen.error())));
  }
  if (auto told = host_saw(end->device, std::move(seen->seen), true); !told) {
    return tl::unexpected(translate(call, std::move(told.error())));
  }
  recording.done();
  if (seen->failure) {
    return tl::unexpected(translate(call, std::move(*seen->failure)));
  }
  return {};
}

}  // namespace

expected<void> submit_work(std::string_view call, const std::shared_ptr<stream_end>& end,
                           messages::submit_work message) {
  if (may_submit_now(end) && actors::call_in_place_soon<stream_state>(
                                 end->actor, [&](auto& stream) { return stream.submit_here(message); })) {
    return {};
  }
  if (end != nullptr && (end->may_stop.load(std::memory_order_acquire) || end->device.runtime.checker())) {
    return submit(call, end, std::move(message));
  }
  if (auto ok = may_submit(call, end); !ok) {
    return ok;
  }
  actors::tell(end->device.runtime.caller(), end->actor, std::move(message));
  if (actors::has_ended(end->actor)) {
    return tl::unexpected(
        gone_or(call, *end, messages::actor_gone(messages::noun<messages::stream_actor>).value()));
  }
  return {};
}

}  // namespace detail

// -- launch arguments ---------------------------------------------------------------------------------------

launch_arguments launch_arguments::copied(const void* arguments, std::size_t bytes) {
  const std::shared_ptr<std::byte[]> copy(new std::byte[bytes]);
  if (bytes > 0) {
    std::memcpy(copy.get(), arguments, bytes);
  }
  return shared(copy, bytes);
}

launch_arguments launch_arguments::in_place(const void* arguments, std::size_t bytes) {
  launch_arguments made;
  made.data_ = arguments;
  made.bytes_ = bytes;
  return made;
}

launch_arguments launch_arguments::shared(std::shared_ptr<const std::byte[]> arguments, std::size_t bytes) {
  auto made = in_place(arguments.get(), bytes);
  made.owner_ = std::move(arguments);
  return made;
}

// -- stream -------------------------------------------------------------------------------------------------

stream::stream(std::shared_ptr<detail::stream_end> end) noexcept : end_(std::move(end)) {}
stream::stream(stream&&) noexcept = default;

stream& stream::operator=(stream&& other) noexcept {
  if (this != &other) {
    static_cast<void>(destroy());
    end_ = std::move(other.end_);
  }
  return *this;
}

stream::~stream() { static_cast<void>(destroy()); }

expected<void> stream::destroy() {
  constexpr auto call = "stream::destroy";
  const actors::tracing::calling traced(call);
  if (end_ == nullptr) {
    return detail::fail(call, errc::invalid_handle, "the stream object was moved from");
  }
  if (end_->runtime == nullptr) {
    return detail::fail(call, errc::invalid_argument, "the default stream of a device cannot be destroyed");
  }
  if (end_->destroyed.exchange(true, std::memory_order_acq_rel)) {
    return detail::fail(call, errc::invalid_handle, "the stream was destroyed before");
  }
  if (auto ok = end_->runtime->may_read(call); !ok) {
    return ok;
  }
  actors::tell(end_->runtime->caller(), end_->actor, messages::retire_stream{});
  return {};
}

std::uint64_t stream::id() const noexcept { return end_ == nullptr ? 0 : memory::number(end_->id); }

std::uint32_t stream::device_index() const noexcept { return end_ == nullptr ? 0 : end_->device.index; }

namespace detail {

namespace {

// What the arguments themselves are, and what they point to if that is known by now.
std::vector<memory::access> accesses_by(const messages::kernel_launch& launched) {
  if (launched.owned_arguments != nullptr) {
    return memory::pointers_among(launched.arguments, launched.argument_bytes);
  }
  return {{to_address(launched.arguments), launched.argument_bytes, memory::access_kind::reads}};
}

// `declared` is null if the program has not declared what the kernel uses.
expected<void> launch(const std::shared_ptr<stream_end>& end, const kernel& function,
                      const launch_arguments& arguments, std::uint32_t blocks,
                      const std::span<const access>* declared, const place& at) {
  constexpr auto call = "stream::launch";
  const actors::tracing::calling traced(call);
  if (function.function() == nullptr) {
    return fail(call, errc::invalid_argument, "the kernel has no function");
  }
  if (blocks == 0) {
    return fail(call, errc::invalid_argument, "0 blocks were asked for; ask for at least 1");
  }
  messages::kernel_launch launched{
      function.function(), function.library(), arguments.owner(), arguments.data(), arguments.bytes(), blocks,
      function.name(),
  };
  launched.tag = arguments.tag();
  std::vector<memory::access> accesses;
  if (end != nullptr && end->device.runtime.checker()) {
    accesses = declared != nullptr ? accesses_of(*declared) : accesses_by(launched);
    launched.tell_arguments = declared == nullptr && launched.owned_arguments == nullptr;
  }
  return submit_work(call, end,
                     messages::submit_work{std::move(launched), {}, place_of(call, at), std::move(accesses)});
}

expected<void> call(const std::shared_ptr<stream_end>& end, std::function<void()> function,
                    std::span<const access> accesses, const place& at, const char* name = "host function") {
  constexpr auto call = "stream::call";
  const actors::tracing::calling traced(call);
  if (function == nullptr) {
    return fail(call, errc::invalid_argument, "the function is null");
  }
  return submit_work(
      call, end,
      messages::submit_work{
          messages::host_call{std::move(function), name}, {}, place_of(call, at), accesses_of(accesses)});
}

}  // namespace
}  // namespace detail

expected<void> stream::launch(const kernel& function, const launch_arguments& arguments, std::uint32_t blocks,
                              const place& at) {
  return detail::launch(end_, function, arguments, blocks, nullptr, at);
}

expected<void> stream::launch(const kernel& function, const launch_arguments& arguments, std::uint32_t blocks,
                              std::span<const access> accesses, const place& at) {
  return detail::launch(end_, function, arguments, blocks, &accesses, at);
}

expected<void> stream::call(std::function<void()> function, const place& at) {
  return detail::call(end_, std::move(function), {}, at);
}

expected<void> stream::call(std::function<void()> function, std::span<const access> accesses,
                            const place& at) {
  return detail::call(end_, std::move(function), accesses, at);
}

expected<void> stream::built_in(const char* name, std::function<void()> function,
                                std::span<const access> accesses, const place& at) {
  return detail::call(end_, std::move(function), accesses, at, name);
}

expected<void> stream::copy(void* destination, const void* source, std::size_t bytes, const place& at) {
  constexpr auto call = "stream::copy";
  const actors::tracing::calling traced(call);
  if (bytes > 0 && (destination == nullptr || source == nullptr)) {
    return detail::fail(call, errc::invalid_argument, "the destination or the source is null");
  }
  return detail::submit_work(call, end_,
                             messages::submit_work{messages::copy_bytes{destination, source, bytes},
                                                   {},
                                                   detail::place_of(call, at)});
}

expected<void> stream::fill(void* destination, std::uint8_t value, std::size_t bytes, const place& at) {
  constexpr auto call = "stream::fill";
  const actors::tracing::calling traced(call);
  if (bytes > 0 && destination == nullptr) {
    return detail::fail(call, errc::invalid_argument, "the destination is null");
  }
  return detail::submit_work(
      call, end_,
      messages::submit_work{messages::fill_bytes{destination, value, bytes}, {}, detail::place_of(call, at)});
}

expected<void> stream::record(event& recorded) {
  constexpr auto call = "stream::record";
  const actors::tracing::calling traced(call);
  const auto& end = recorded.end();
  if (auto ok = detail::check(call, end); !ok) {
    return ok;
  }
  const auto number = end->next_record();
  messages::record_event message{end->actor, number, {}};
  auto submitted = detail::recorded_here(end_, message) ? expected<void>{}
                                                        : detail::submit(call, end_, std::move(message));
  if (submitted) {
    end->publish(number);
  }
  return submitted;
}

expected<void> stream::wait(const event& awaited) { return wait(awaited, {}); }

expected<void> stream::wait(const event& awaited, std::chrono::nanoseconds limit) {
  constexpr auto call = "stream::wait";
  const actors::tracing::calling traced(call);
  const auto& end = awaited.end();
  if (auto ok = detail::check(call, end); !ok) {
    return ok;
  }
  const auto latest = end->latest();
  if (latest == memory::record_number::none) {
    if (auto ok = detail::check(call, end_); !ok) {
      return ok;
    }
    return end_->device.runtime.may_submit(call);
  }
  messages::wait_event message{end->actor, latest, {}, end->id, limit};
  if (detail::waited_here(end_, message)) {
    return {};
  }
  return detail::submit(call, end_, std::move(message));
}

expected<void> stream::synchronize() { return detail::synchronize("stream::synchronize", end_, {}); }

expected<void> stream::synchronize_for(std::chrono::milliseconds limit) {
  return detail::synchronize("stream::synchronize_for", end_, detail::deadline_in(limit));
}

expected<bool> stream::query() const {
  constexpr auto call = "stream::query";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::check(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto& runtime = end_->device.runtime;
  if (auto ok = runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto status = detail::status_of(*end_);
  if (!status) {
    return tl::unexpected(detail::gone_or(call, *end_, std::move(status.error())));
  }
  if (status->complete) {
    if (auto told = detail::host_saw(end_->device, std::move(status->seen), false); !told) {
      return tl::unexpected(detail::translate(call, std::move(told.error())));
    }
  }
  return status->complete;
}

bool stream::has_run_all() const {
  constexpr auto call = "stream::has_run_all";
  const actors::tracing::calling traced(call);
  if (!detail::check(call, end_) || !end_->device.runtime.may_read(call)) {
    return false;
  }
  const auto status = detail::status_of(*end_);
  return status && status->complete;
}

expected<void> stream::set_failure_mode(failure_mode mode) {
  constexpr auto call = "stream::set_failure_mode";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::check(call, end_); !ok) {
    return ok;
  }
  auto& runtime = end_->device.runtime;
  if (auto ok = runtime.may_read(call); !ok) {
    return ok;
  }
  const auto inner = mode == failure_mode::stop ? messages::on_failure::stop : messages::on_failure::proceed;
  if (mode == failure_mode::stop) {
    end_->may_stop.store(true, std::memory_order_release);
  }
  return detail::translate_done(call, actors::ask<messages::done>(runtime.caller(), end_->actor,
                                                                  messages::set_failure_mode{inner, {}}));
}

}  // namespace soma
