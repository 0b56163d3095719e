// Where the entries of traces are kept: a fixed number of chunks, taken by threads in turn.
//
// A thread writes into a chunk of its own, without a lock, and takes the next one when it is full. When all
// are full the oldest is taken again, and what was in it is dropped; so a trace has the latest entries. No
// memory is allocated while anybody writes; the chunks are allocated once and stay for ever, since a thread
// may be in the middle of writing when a trace ends.
//
// Why entries can be read while they are written: a chunk has one writer. An entry is complete before the
// chunk's count includes it. Who takes a chunk anew sets its serial to 0 first, and to a new one when it is
// empty; a reader that sees the same serial before and after has copied entries of that serial alone. All
// words are atomics: those of an entry are stored with release and loaded with acquire, which costs nothing
// on this processor.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "actors/trace_entry.hpp"

namespace soma::actors {

struct alignas(64) trace_chunk {
  static constexpr std::uint32_t entries = 255;

  std::atomic<std::uint64_t> serial{0};   // which taking of a chunk this is; 0 while it is being taken
  std::atomic<std::uint64_t> session{0};  // the trace that the entries are of
  std::atomic<std::uint32_t> count{0};    // complete entries
  std::atomic<bool> taken{false};         // by a thread that may write
  std::atomic<std::uint32_t> thread{0};   // which one, counted from 1
  std::array<std::array<std::atomic<std::uint64_t>, 8>, entries> words;
};

/// The entry's place is its name: it is never given twice in a process.
constexpr trace_id entry_id(std::uint64_t serial, std::uint32_t index) noexcept {
  return trace_id{serial << 8U | (index + 1)};
}

class trace_store {
public:
  /// Precondition: at least one chunk. Throws std::bad_alloc.
  explicit trace_store(std::size_t chunks);

  /// A chunk to write into; null if other threads write in all of them.
  trace_chunk* take(std::uint64_t session, std::uint32_t thread) noexcept;

  /// The chunk is not written to any more.
  static void leave(trace_chunk& chunk) noexcept { chunk.taken.store(false, std::memory_order_release); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const trace_chunk& chunk(std::size_t at) const noexcept { return chunks_[at]; }

  void count_dropped(std::uint64_t entries) noexcept {
    dropped_.fetch_add(entries, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  void forget_dropped() noexcept { dropped_.store(0, std::memory_order_relaxed); }

private:
  std::size_t size_;
  trace_chunk* chunks_;  // stays for ever
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace soma::actors
