// From an address to the pool whose window it lies in, by one division.
//
// Read by any thread at any time, written when a pool is made in a window. Each entry has a lock of its own,
// held for the time of copying a pointer. An entry stays when its pool ends, until the next pool takes the
// window: a free that comes through it finds the pool's actor gone, which is the right answer.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/window_list.hpp"

namespace soma::detail {

class pool_end;

class route_table {
public:
  explicit route_table(memory::range addresses)
      : addresses_(addresses), entries_(addresses.bytes / memory::slot_bytes) {}

  /// The pool made last in a window with this address, or null.
  [[nodiscard]] std::shared_ptr<pool_end> find(memory::address place) {
    if (!addresses_.contains(place)) {
      return nullptr;
    }
    auto& found = entries_[slot(place)];
    const lock held(found);
    return found.pool;
  }

  void set(memory::range window, const std::shared_ptr<pool_end>& pool) {
    for (auto at = slot(window.begin); at < slot(window.end()); ++at) {
      auto before = pool;
      {
        const lock held(entries_[at]);
        before.swap(entries_[at].pool);
      }
    }
  }

  /// Forgets everything without letting it go.
  void leak() { static_cast<void>(new std::vector<entry>(std::move(entries_))); }

  /// Lets all pools go.
  void clear() { entries_ = std::vector<entry>(); }

private:
  struct entry {
    std::atomic_flag busy;
    std::shared_ptr<pool_end> pool;
  };

  class lock {
  public:
    explicit lock(entry& guarded) noexcept : guarded_(guarded) {
      while (guarded_.busy.test_and_set(std::memory_order_acquire)) {
        __builtin_ia32_pause();
      }
    }
    ~lock() { guarded_.busy.clear(std::memory_order_release); }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;

  private:
    entry& guarded_;
  };

  [[nodiscard]] std::size_t slot(memory::address place) const noexcept {
    return (place - addresses_.begin) / memory::slot_bytes;
  }

  memory::range addresses_;
  std::vector<entry> entries_;
};

}  // namespace soma::detail
