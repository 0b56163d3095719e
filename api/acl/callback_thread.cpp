#include "api/acl/callback_thread.hpp"

#include <utility>

#include "soma/runtime.hpp"

namespace soma::acl {

bool callback_queue::process(std::optional<std::chrono::milliseconds> limit) {
  std::unique_lock guard{lock_};
  const auto ready = [this] { return !entries_.empty(); };
  if (!limit)
    changed_.wait(guard, ready);
  else if (!changed_.wait_for(guard, *limit, ready))
    return false;
  while (!entries_.empty()) {
    const entry next = std::move(entries_.front());
    entries_.pop_front();
    guard.unlock();
    next.call();
    guard.lock();
    if (next.done != nullptr) {
      *next.done = true;
      changed_.notify_all();
    }
  }
  return true;
}

void callback_thread::put(std::function<void()> call, bool wait) {
  constexpr std::chrono::milliseconds between_looks{2};
  std::unique_lock guard{queue_->lock_};
  if (ended_)
    return;
  const auto done = wait ? std::make_shared<bool>(false) : nullptr;
  queue_->entries_.push_back({this, std::move(call), done});
  queue_->changed_.notify_all();
  if (!wait)
    return;
  // Whoever wishes the task to end does not know of this lock.
  while (!*done && !soma::runtime::stop_requested())
    queue_->changed_.wait_for(guard, between_looks);
  std::erase_if(queue_->entries_, [&](const auto& one) { return one.done == done; });
}

void callback_thread::end() {
  const std::lock_guard guard{queue_->lock_};
  ended_ = true;
  std::erase_if(queue_->entries_, [this](const auto& one) {
    if (one.stream == this && one.done != nullptr)
      *one.done = true;
    return one.stream == this;
  });
  queue_->changed_.notify_all();
}

std::shared_ptr<callback_thread> callback_threads::subscribe(std::uint64_t thread, std::uint32_t device) {
  const std::lock_guard guard{lock_};
  auto& there = entries_.try_emplace(thread, entry{nullptr, device, 0}).first->second;
  if (there.device != device)
    return nullptr;
  if (there.queue == nullptr)
    there.queue = std::make_shared<callback_queue>();
  ++there.streams;
  return std::make_shared<callback_thread>(there.queue);
}

void callback_threads::unsubscribe(std::uint64_t thread) {
  const std::lock_guard guard{lock_};
  const auto there = entries_.find(thread);
  if (there != entries_.end() && --there->second.streams == 0)
    entries_.erase(there);
}

std::shared_ptr<callback_queue> callback_threads::find(std::uint64_t thread) {
  const std::lock_guard guard{lock_};
  const auto there = entries_.find(thread);
  return there == entries_.end() ? nullptr : there->second.queue;
}

}  // namespace soma::acl
