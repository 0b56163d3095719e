// Handles of the C interface: numbers that stand for objects and are never dereferenced.
//
// A handle is a kind, a generation and an index. The index names a slot of a table, and each time the slot's
// object is removed its generation goes up, so a stale, foreign or invented handle is recognised by comparing
// numbers: it never leads to memory. Slots live in chunks that never move.
//
// A slot has one atomic word: generation, state and the count of pins. find() pins the object by one
// compare-and-swap, and takes no lock. take() makes the handle dead at once; the object goes away when the
// last pin does, so a call that has found its object can finish whatever other threads destroy meanwhile.
//   I1  A slot is pinned only while it is live or dying.
//   I2  The object pointer is written only while the slot is free, or by the one who drops the last pin of a
//       dying slot.
//   I3  A slot whose generation would wrap is never used again.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace soma::acl {

/// `Kind` tells handles of one table from those of others and from addresses, whose top byte is 0.
template <class T, std::uint8_t Kind, unsigned GenerationBits = 32>
class handle_table {
  static_assert(sizeof(void*) == 8, "a handle needs 64 bits");
  static_assert(Kind != 0 && GenerationBits >= 1 && GenerationBits <= 32);

  struct slot {
    std::atomic<std::uint64_t> word;
    std::shared_ptr<T> object;
  };

public:
  /// An object that stays while this exists, even if its handle dies. Empty if the handle was not good.
  class pinned {
  public:
    pinned() = default;

    pinned(pinned&& other) noexcept
        : table_(other.table_), index_(other.index_), slot_(std::exchange(other.slot_, nullptr)) {}

    pinned& operator=(pinned&& other) noexcept {
      std::swap(table_, other.table_);
      std::swap(index_, other.index_);
      std::swap(slot_, other.slot_);
      return *this;
    }

    pinned(const pinned&) = delete;
    pinned& operator=(const pinned&) = delete;

    ~pinned() {
      if (slot_ != nullptr)
        table_->unpin(index_, *slot_);
    }

    explicit operator bool() const noexcept { return slot_ != nullptr; }

    T& operator*() const noexcept { return *slot_->object; }

    T* operator->() const noexcept { return slot_->object.get(); }

  private:
    friend class handle_table;

    pinned(handle_table& table, std::uint32_t index, slot& at) noexcept
        : table_(&table), index_(index), slot_(&at) {}

    handle_table* table_ = nullptr;
    std::uint32_t index_ = 0;
    slot* slot_ = nullptr;
  };

  handle_table() = default;
  handle_table(const handle_table&) = delete;
  handle_table& operator=(const handle_table&) = delete;

  /// Precondition: no other thread uses the table any more.
  ~handle_table() {
    for (auto& chunk : chunks_)
      delete[] chunk.load(std::memory_order_relaxed);
  }

  /// Enters an object and gives its handle, which is never null. Throws std::bad_alloc when there is no room.
  void* insert(std::shared_ptr<T> object) {
    const std::lock_guard guard{lock_};
    if (free_.empty())
      grow();
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slot& at = *slot_at(index);
    at.object = std::move(object);
    const std::uint64_t generation = at.word.load(std::memory_order_relaxed) >> generation_shift;
    live_.fetch_add(1, std::memory_order_relaxed);
    at.word.store((generation << generation_shift) | live, std::memory_order_release);
    return to_handle(generation, index);
  }

  [[nodiscard]] pinned find(const void* handle) noexcept { return pin(handle, live); }

  /// Makes the handle dead and gives its object; null if it was not good. Of several threads that take one
  /// handle, exactly one gets the object.
  std::shared_ptr<T> take(const void* handle) {
    const pinned last = pin(handle, dying);
    return last ? last.slot_->object : nullptr;
  }

  /// Takes every object that is there now.
  std::vector<std::shared_ptr<T>> take_all() {
    std::uint32_t end = 0;
    {
      const std::lock_guard guard{lock_};
      end = end_;
    }
    std::vector<std::shared_ptr<T>> taken;
    for (std::uint32_t index = 0; index != end; ++index) {
      const std::uint64_t word = slot_at(index)->word.load(std::memory_order_acquire);
      if (auto object = take(to_handle(word >> generation_shift, index)); object != nullptr)
        taken.push_back(std::move(object));
    }
    return taken;
  }

  /// How many handles are alive.
  [[nodiscard]] std::size_t size() const noexcept { return live_.load(std::memory_order_relaxed); }

private:
  // A handle from the top: 8 bits kind, 32 bits generation, 24 bits index.
  static constexpr unsigned index_bits = 24;
  static constexpr unsigned kind_shift = 56;
  static constexpr std::uint64_t index_mask = (std::uint64_t{1} << index_bits) - 1;
  // A slot's word from the top: 32 bits generation, 2 bits state, 30 bits pins.
  static constexpr unsigned generation_shift = 32;
  static constexpr std::uint64_t pin_mask = (std::uint64_t{1} << 30) - 1;
  static constexpr std::uint64_t state_mask = std::uint64_t{3} << 30;
  static constexpr std::uint64_t live = std::uint64_t{1} << 30;
  static constexpr std::uint64_t dying = std::uint64_t{2} << 30;
  static constexpr std::uint64_t last_generation = (std::uint64_t{1} << GenerationBits) - 1;
  // Chunk c has first_chunk << c slots.
  static constexpr std::uint32_t first_chunk = 64;
  static constexpr std::uint32_t chunk_limit = 18;

  static void* to_handle(std::uint64_t generation, std::uint32_t index) noexcept {
    const std::uint64_t number = (std::uint64_t{Kind} << kind_shift) | (generation << index_bits) | index;
    return reinterpret_cast<void*>(number);
  }

  /// Adds a pin to the slot of a live handle, and makes its state `state`.
  pinned pin(const void* handle, std::uint64_t state) noexcept {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    if (number >> kind_shift != Kind)
      return {};
    const auto index = static_cast<std::uint32_t>(number & index_mask);
    slot* const at = slot_at(index);
    if (at == nullptr)
      return {};
    const std::uint64_t wanted = ((number >> index_bits) << generation_shift) | live;
    std::uint64_t word = at->word.load(std::memory_order_relaxed);
    do {
      if ((word & ~pin_mask) != wanted)
        return {};
    } while (!at->word.compare_exchange_weak(word, ((word & ~state_mask) | state) + 1,
                                             std::memory_order_acq_rel, std::memory_order_relaxed));
    if (state == dying)
      live_.fetch_sub(1, std::memory_order_relaxed);
    return {*this, index, *at};
  }

  void unpin(std::uint32_t index, slot& at) noexcept {
    const std::uint64_t left = at.word.fetch_sub(1, std::memory_order_acq_rel) - 1;
    if ((left & state_mask) != dying || (left & pin_mask) != 0)
      return;
    const std::shared_ptr<T> last = std::exchange(at.object, nullptr);  // destroyed after the lock is gone
    const std::uint64_t generation = left >> generation_shift;
    const bool again = generation != last_generation;
    at.word.store((again ? generation + 1 : generation) << generation_shift, std::memory_order_release);
    const std::lock_guard guard{lock_};
    if (again)
      free_.push_back(index);  // never allocates: grow() has made room for every slot
  }

  [[nodiscard]] slot* slot_at(std::uint32_t index) const noexcept {
    const auto chunk = static_cast<std::uint32_t>(std::bit_width(index / first_chunk + 1)) - 1;
    if (chunk >= chunk_limit)
      return nullptr;
    slot* const slots = chunks_[chunk].load(std::memory_order_acquire);
    return slots == nullptr ? nullptr : slots + (index - first_index(chunk));
  }

  static constexpr std::uint32_t first_index(std::uint32_t chunk) noexcept {
    return first_chunk * ((std::uint32_t{1} << chunk) - 1);
  }

  /// Adds a chunk. The lock is held.
  void grow() {
    const std::uint32_t chunk = chunk_count_;
    if (chunk == chunk_limit)
      throw std::bad_alloc();
    const std::uint32_t first = first_index(chunk);
    const std::uint32_t end = first_index(chunk + 1);
    free_.reserve(end);
    auto* const slots = new slot[end - first];
    for (std::uint32_t index = end; index != first; --index) {
      slots[index - 1 - first].word.store(std::uint64_t{1} << generation_shift, std::memory_order_relaxed);
      free_.push_back(index - 1);
    }
    chunks_[chunk].store(slots, std::memory_order_release);
    chunk_count_ = chunk + 1;
    end_ = end;
  }

  std::atomic<slot*> chunks_[chunk_limit] = {};
  std::atomic<std::size_t> live_ = 0;
  std::mutex lock_;  // guards what follows, which only insert and the end of an object need
  std::vector<std::uint32_t> free_;
  std::uint32_t chunk_count_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace soma::acl
