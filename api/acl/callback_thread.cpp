#include "api/acl/callback_thread.hpp"

#include <algorithm>
#include <utility>

#include "soma/runtime.hpp"

namespace soma::acl {

void callback_thread::put(const void* stream, std::function<void()> call, bool wait) {
  constexpr std::chrono::milliseconds between_looks{2};
  std::unique_lock guard{lock_};
  const auto done = wait ? std::make_shared<bool>(false) : nullptr;
  entries_.push_back({stream, std::move(call), done});
  changed_.notify_all();
  if (!wait)
    return;
  // Whoever wishes the task to end does not know of this lock.
  while (!*done && !soma::runtime::stop_requested())
    changed_.wait_for(guard, between_looks);
  std::erase_if(entries_, [&](const entry& one) { return one.done == done; });
}

bool callback_thread::process(std::optional<std::chrono::milliseconds> limit) {
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

void callback_thread::drop(const void* stream) {
  const std::lock_guard guard{lock_};
  for (auto& one : entries_)
    if (one.stream == stream && one.done != nullptr)
      *one.done = true;
  std::erase_if(entries_, [stream](const entry& one) { return one.stream == stream; });
  changed_.notify_all();
}

std::shared_ptr<callback_thread> callback_threads::subscribe(std::uint64_t thread, std::uint32_t device) {
  const std::lock_guard guard{lock_};
  auto& there = entries_.try_emplace(thread, entry{nullptr, device, 0}).first->second;
  if (there.device != device)
    return nullptr;
  if (there.thread == nullptr)
    there.thread = std::make_shared<callback_thread>();
  ++there.streams;
  return there.thread;
}

void callback_threads::unsubscribe(std::uint64_t thread) {
  const std::lock_guard guard{lock_};
  const auto there = entries_.find(thread);
  if (there != entries_.end() && --there->second.streams == 0)
    entries_.erase(there);
}

std::shared_ptr<callback_thread> callback_threads::find(std::uint64_t thread) {
  const std::lock_guard guard{lock_};
  const auto there = entries_.find(thread);
  return there == entries_.end() ? nullptr : there->second.thread;
}

}  // namespace soma::acl
