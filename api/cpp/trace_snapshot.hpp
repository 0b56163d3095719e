// A copy of what a trace has recorded, put together: each message with its handling, each call and each work
// with its end, on the track of whom it belongs to.
//
// Works without the heap, locks and the standard library's input and output, so that a signal handler can
// make one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "actors/trace_store.hpp"
#include "actors/tracing.hpp"
#include "api/cpp/system_pages.hpp"

namespace soma::detail {

/// Whose slices are on a track: an actor's, or a thread's of the program.
struct track_id {
  bool is_thread = false;
  std::uint32_t number = 0;

  friend bool operator==(const track_id&, const track_id&) = default;
};

/// What is known of an entry from others. Times are nanoseconds since the trace's start.
struct entry_facts {
  std::uint64_t id = 0;
  bool is_slice = false;  // it is shown from `start` to `end`
  bool is_open = false;   // its end was not recorded
  bool is_lost = false;   // of a message that was handled: its sending was dropped
  track_id track;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t figures[2] = {};  // of the actor, after a message
  std::uint32_t name = 0;         // the place of the entry that has its name, plus 1
};

struct actor_name {
  bool is_known = false;
  actors::actor_kind kind = actors::actor_kind::other;
  std::uint32_t label = 0;
  bool is_shared = false;  // an actor with a lower number has the same kind and label
};

class trace_snapshot {
public:
  explicit trace_snapshot(const actors::tracing::session_view& of) noexcept;

  /// Whether there was memory for it.
  [[nodiscard]] bool is_there() const noexcept { return is_there_; }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] const actors::trace_entry& entry(std::size_t at) const noexcept { return entries_[at]; }
  [[nodiscard]] actors::entry_head head(std::size_t at) const noexcept {
    return actors::unpack_head(entries_[at].words[0]);
  }
  [[nodiscard]] const entry_facts& facts(std::size_t at) const noexcept { return facts_[at]; }

  static constexpr std::size_t nowhere = ~std::size_t{0};
  /// The place of an entry, or nowhere if it was dropped.
  [[nodiscard]] std::size_t find(std::uint64_t id) const noexcept;

  /// Places of the slices: by track, and on each by their start, outer ones first.
  [[nodiscard]] std::size_t slices() const noexcept { return slice_count_; }
  [[nodiscard]] std::size_t slice(std::size_t at) const noexcept { return slices_[at]; }

  [[nodiscard]] std::uint32_t most_actors() const noexcept { return most_actors_; }
  [[nodiscard]] const actor_name& actor(std::uint32_t number) const noexcept { return actors_[number]; }

  [[nodiscard]] std::uint64_t nanoseconds(std::uint64_t tick) const noexcept;
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
  struct part {
    std::uint64_t serial;
    std::size_t first;
    std::uint32_t count;
    std::uint32_t thread;
  };

  static std::size_t entries_in(const actors::tracing::session_view& of) noexcept;
  void copy(const actors::tracing::session_view& of) noexcept;
  void pair() noexcept;
  void pair(std::size_t at) noexcept;
  void close_open_slices() noexcept;
  void sort_slices() noexcept;
  void straighten() noexcept;
  void name_actors() noexcept;
  void know(std::uint32_t actor, actors::actor_kind kind, std::uint32_t label) noexcept;
  [[nodiscard]] std::uint32_t highest_actor() const noexcept;

  actors::tick_pair started_;
  actors::tick_pair now_;
  system_pages<part> parts_;
  system_pages<actors::trace_entry> entries_;
  system_pages<entry_facts> facts_;
  system_pages<std::uint32_t> slices_;
  std::size_t part_count_ = 0;
  std::size_t count_ = 0;
  std::size_t slice_count_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint32_t most_actors_ = 0;
  system_pages<actor_name> actors_{0};
  bool is_there_ = false;
};

}  // namespace soma::detail
