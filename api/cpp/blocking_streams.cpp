// Blocking streams: the default stream of a device and its blocking streams wait for each other, by records
// and waits of an event that nobody else sees.

#include <utility>

#include "api/cpp/ends.hpp"
#include "api/cpp/submission.hpp"

namespace soma::detail {

void device_end::add_blocking(const std::shared_ptr<stream_end>& stream) {
  const std::lock_guard lock(joining_);
  blocking_.push_back(stream);
  has_blocking_.store(true, std::memory_order_release);
}

expected<void> device_end::join(std::string_view call, stream_end& target) {
  if (!has_blocking_.load(std::memory_order_acquire)) {
    return {};
  }
  if (target.blocking) {
    const std::lock_guard lock(joining_);
    return wait_for(call, target, *default_stream);
  }
  if (&target != default_stream.get()) {
    return {};
  }
  const std::lock_guard lock(joining_);
  for (const auto& weak : blocking_) {
    if (const auto awaited = weak.lock(); awaited != nullptr && !awaited->destroyed) {
      if (auto ok = wait_for(call, target, *awaited); !ok) {
        return ok;
      }
    }
  }
  std::erase_if(blocking_, [](const auto& weak) { return weak.expired(); });
  return {};
}

expected<void> device_end::wait_for(std::string_view call, stream_end& target, stream_end& awaited) {
  auto& caller = runtime.caller();
  if (join_event_ == nullptr) {
    auto created = actors::ask<messages::created_event>(caller, actor, messages::create_event{});
    if (!created) {
      return tl::unexpected(translate(call, std::move(created.error())));
    }
    join_event_ = std::make_shared<event_end>(nullptr, *this, std::move(*created));
  }
  const auto number = join_event_->next_record();
  auto recorded = actors::ask<messages::done>(caller, awaited.actor,
                                              messages::record_event{join_event_->actor, number, {}});
  if (!recorded) {
    return {};  // it was destroyed at this moment; its work is no longer waited for
  }
  auto waits = actors::ask<messages::done>(
      caller, target.actor, messages::wait_event{join_event_->actor, number, {}, join_event_->id});
  if (!waits) {
    return tl::unexpected(gone_or(call, target, std::move(waits.error())));
  }
  return {};
}

}  // namespace soma::detail
