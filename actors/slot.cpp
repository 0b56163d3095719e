#include "actors/slot.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include "actors/tracing.hpp"
#include "actors/wire.hpp"

namespace soma::actors {

namespace {

// How often to look before sleeping: an answer from another thread is often less than a microsecond away.
constexpr int looks_before_sleep = 200;

std::uint32_t* word(std::atomic<std::uint32_t>& state) noexcept {
  static_assert(sizeof(state) == sizeof(std::uint32_t));
  return reinterpret_cast<std::uint32_t*>(&state);
}

}  // namespace

bool slot_base::wait_until(deadline limit) noexcept {
  for (int look = 0; look < looks_before_sleep; ++look) {
    if (filled()) {
      return true;
    }
    __builtin_ia32_pause();
  }
  auto expected = empty;
  state_.compare_exchange_strong(expected, waited_for, std::memory_order_acq_rel);
  while (!filled()) {
    if (limit && *limit <= std::chrono::steady_clock::now()) {
      return filled();
    }
    timespec until{};
    if (limit) {
      const auto since_boot = limit->time_since_epoch();
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
      until.tv_sec = seconds.count();
      until.tv_nsec = std::chrono::nanoseconds(since_boot - seconds).count();
    }
    // The clock of an absolute FUTEX_WAIT_BITSET is CLOCK_MONOTONIC, which is the steady clock here.
    const auto failed = ::syscall(SYS_futex, word(state_), FUTEX_WAIT_BITSET_PRIVATE, waited_for,
                                  limit ? &until : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
    if (failed != 0 && errno == ETIMEDOUT) {
      return filled();
    }
  }
  return true;
}

bool slot_base::publish() noexcept {
  // Read before the asker can go on, and take the slot with it.
  const auto asking = asking_;
  std::uint64_t stamp = 0;
  if (asking != messages::trace_id::none) [[unlikely]] {
    stamp = tick_now();
  }
  auto before = state_.load(std::memory_order_relaxed);
  do {
    if (before == abandoned) {
      return false;
    }
  } while (!state_.compare_exchange_weak(before, full, std::memory_order_acq_rel));
  if (auto* hook = wire::hook(); hook != nullptr) [[unlikely]] {
    hook->answered(*this);
  }
  if (asking != messages::trace_id::none && tracing::is_on()) [[unlikely]] {
    tracing::note_answered(asking, stamp);
  }
  if (before == waited_for) {
    ::syscall(SYS_futex, word(state_), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
  return true;
}

bool slot_base::abandon() noexcept {
  auto before = state_.load(std::memory_order_relaxed);
  do {
    if (before == full) {
      return false;
    }
  } while (!state_.compare_exchange_weak(before, abandoned, std::memory_order_acq_rel));
  return true;
}

}  // namespace soma::actors
