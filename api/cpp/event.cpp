#include "soma/event.hpp"

#include <utility>

#include "api/cpp/ends.hpp"

namespace soma {

namespace detail {

void event_end::publish(memory::record_number recorded) noexcept {
  auto latest = latest_.load(std::memory_order_relaxed);
  while (latest < memory::number(recorded) &&
         !latest_.compare_exchange_weak(latest, memory::number(recorded), std::memory_order_release)) {
  }
}

namespace {

messages::order_clock everything_before(const messages::record_reached& record) {
  auto seen = record.ordered;
  if (record.at != messages::position{}) {
    seen.add(record.at);
  }
  return seen;
}

expected<void> wait_for_record(std::string_view call, const std::shared_ptr<event_end>& end,
                               actors::deadline limit) {
  const actors::tracing::calling traced(call.data());
  if (auto ok = check(call, end); !ok) {
    return ok;
  }
  auto& runtime = end->device.runtime;
  if (auto ok = runtime.may_submit(call); !ok) {
    return ok;
  }
  const auto latest = end->latest();
  if (latest == memory::record_number::none) {
    return {};
  }
  auto record = actors::ask<messages::record_reached>(runtime.caller(), end->actor,
                                                      messages::await_record{latest, {}}, limit);
  if (!record) {
    return tl::unexpected(translate(call, std::move(record.error())));
  }
  if (auto told = host_saw(end->device, everything_before(*record), true); !told) {
    return tl::unexpected(translate(call, std::move(told.error())));
  }
  if (record->failure) {
    return tl::unexpected(translate(call, std::move(*record->failure)));
  }
  return {};
}

}  // namespace
}  // namespace detail

event::event(std::shared_ptr<detail::event_end> end) noexcept : end_(std::move(end)) {}
event::event(event&&) noexcept = default;

event& event::operator=(event&& other) noexcept {
  if (this != &other) {
    static_cast<void>(destroy());
    end_ = std::move(other.end_);
  }
  return *this;
}

event::~event() { static_cast<void>(destroy()); }

// The actor lives on while streams and waiters hold it.
expected<void> event::destroy() {
  if (end_ == nullptr || end_->destroyed.exchange(true, std::memory_order_acq_rel)) {
    return detail::fail("event::destroy", errc::invalid_handle,
                        "the event was destroyed, or the object was moved from");
  }
  return {};
}

std::uint64_t event::id() const noexcept { return end_ == nullptr ? 0 : memory::number(end_->id); }

std::uint32_t event::device_index() const noexcept { return end_ == nullptr ? 0 : end_->device.index; }

bool event::recorded() const noexcept {
  return end_ != nullptr && end_->latest() != memory::record_number::none;
}

expected<void> event::reset(stream& ordered_by) {
  constexpr auto call = "event::reset";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::check(call, end_); !ok) {
    return ok;
  }
  const auto& on = ordered_by.end();
  if (auto ok = detail::check(call, on); !ok) {
    return ok;
  }
  if (auto ok = end_->device.runtime.may_submit(call); !ok) {
    return ok;
  }
  end_->forget_records();
  return {};
}

expected<bool> event::query() const {
  constexpr auto call = "event::query";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::check(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto& runtime = end_->device.runtime;
  if (auto ok = runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  const auto latest = end_->latest();
  if (latest == memory::record_number::none) {
    return true;
  }
  auto record = actors::ask<messages::record_reached>(runtime.caller(), end_->actor,
                                                      messages::query_record{latest, {}});
  if (!record) {
    if (record.error().code == memory::fault_code::not_complete) {
      return false;
    }
    return tl::unexpected(detail::translate(call, std::move(record.error())));
  }
  if (auto told = detail::host_saw(end_->device, detail::everything_before(*record), false); !told) {
    return tl::unexpected(detail::translate(call, std::move(told.error())));
  }
  return true;
}

expected<void> event::synchronize() { return detail::wait_for_record("event::synchronize", end_, {}); }

expected<void> event::synchronize_for(std::chrono::milliseconds limit) {
  return detail::wait_for_record("event::synchronize_for", end_, detail::deadline_in(limit));
}

expected<std::chrono::steady_clock::time_point> event::time() const {
  constexpr auto call = "event::time";
  const actors::tracing::calling traced(call);
  if (auto ok = detail::check(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto& runtime = end_->device.runtime;
  if (auto ok = runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  const auto latest = end_->latest();
  if (latest == memory::record_number::none) {
    return detail::fail(call, errc::not_recorded, "the event was never recorded");
  }
  auto record = actors::ask<messages::record_reached>(runtime.caller(), end_->actor,
                                                      messages::query_record{latest, {}});
  if (!record) {
    return tl::unexpected(detail::translate(call, std::move(record.error())));
  }
  return record->time;
}

}  // namespace soma
