#include "api/cpp/trace_snapshot.hpp"

#include <algorithm>
#include <limits>

namespace soma::detail {

using actors::entry_head;
using actors::entry_type;
using actors::number;
using actors::trace_chunk;

namespace {

constexpr std::size_t stamp_word = 3;

std::size_t chunks_of(const actors::tracing::session_view& of) noexcept {
  return of.store == nullptr ? 0 : of.store->size();
}

}  // namespace

trace_snapshot::trace_snapshot(const actors::tracing::session_view& of) noexcept
    : started_(of.started), now_(actors::tick_pair::now()), parts_(chunks_of(of)), entries_(entries_in(of)),
      facts_(entries_.size()), slices_(entries_.size()) {
  if (!parts_.is_there() || !entries_.is_there() || !facts_.is_there() || !slices_.is_there()) {
    return;
  }
  dropped_ = of.store == nullptr ? 0 : of.store->dropped();
  copy(of);
  most_actors_ = highest_actor();
  actors_.make(std::size_t{most_actors_} + 1);
  if (!actors_.is_there()) {
    return;
  }
  pair();
  close_open_slices();
  sort_slices();
  straighten();
  name_actors();
  is_there_ = true;
}

// -- copying ------------------------------------------------------------------------------------------------

// An upper bound: threads may go on writing.
std::size_t trace_snapshot::entries_in(const actors::tracing::session_view& of) noexcept {
  std::size_t used = 0;
  for (std::size_t at = 0; at < chunks_of(of); ++at) {
    used += of.store->chunk(at).session.load(std::memory_order_acquire) == of.session ? 1U : 0U;
  }
  // Some more chunks may come into use meanwhile.
  constexpr std::size_t more = 16;
  return std::min(used + more, chunks_of(of)) * trace_chunk::entries;
}

// A chunk that is taken anew while it is copied is left out; see trace_store.hpp.
void trace_snapshot::copy(const actors::tracing::session_view& of) noexcept {
  for (std::size_t which = 0; which < chunks_of(of); ++which) {
    const auto& chunk = of.store->chunk(which);
    const auto serial = chunk.serial.load(std::memory_order_acquire);
    const auto session = chunk.session.load(std::memory_order_acquire);
    const auto count = chunk.count.load(std::memory_order_acquire);
    if (serial == 0 || session != of.session || count == 0 || count_ + count > entries_.size()) {
      continue;
    }
    for (std::uint32_t at = 0; at < count; ++at) {
      for (std::size_t word = 0; word < entries_[count_ + at].words.size(); ++word) {
        entries_[count_ + at].words[word] = chunk.words[at][word].load(std::memory_order_acquire);
      }
    }
    const auto thread = chunk.thread.load(std::memory_order_acquire);
    if (chunk.serial.load(std::memory_order_acquire) != serial) {
      dropped_ += count;
      continue;
    }
    parts_[part_count_++] = {serial, count_, count, thread};
    count_ += count;
  }
  // Parts are found by serial; their entries stay where they are.
  std::sort(parts_.begin(), parts_.begin() + part_count_,
            [](const part& left, const part& right) { return left.serial < right.serial; });
}

std::size_t trace_snapshot::find(std::uint64_t id) const noexcept {
  const auto serial = id >> 8U;
  const auto* last = parts_.begin() + part_count_;
  const auto* found =
      std::lower_bound(parts_.begin(), last, serial,
                       [](const part& left, std::uint64_t wanted) { return left.serial < wanted; });
  const auto index = (id & 0xFFU) - 1;
  return id == 0 || found == last || found->serial != serial || index >= found->count
             ? nowhere
             : found->first + static_cast<std::size_t>(index);
}

std::uint64_t trace_snapshot::nanoseconds(std::uint64_t tick) const noexcept {
  if (tick <= started_.tick || now_.tick <= started_.tick) {
    return 0;
  }
  const auto rate = static_cast<long double>(now_.nanoseconds - started_.nanoseconds) /
                    static_cast<long double>(now_.tick - started_.tick);
  return static_cast<std::uint64_t>(static_cast<long double>(tick - started_.tick) * rate);
}

// -- putting together ---------------------------------------------------------------------------------------

void trace_snapshot::pair() noexcept {
  for (std::size_t which = 0; which < part_count_; ++which) {
    const auto& in = parts_[which];
    for (std::size_t at = in.first; at < in.first + in.count; ++at) {
      const auto on = head(at);
      facts_[at].id = number(actors::entry_id(in.serial, static_cast<std::uint32_t>(at - in.first)));
      if (on.type == entry_type::called) {
        facts_[at].track = on.actor != 0 ? track_id{false, on.actor} : track_id{true, in.thread};
      }
    }
  }
  for (std::size_t at = 0; at < count_; ++at) {
    pair(at);
  }
}

void trace_snapshot::pair(std::size_t at) noexcept {
  const auto& words = entries_[at].words;
  const auto on = head(at);
  const auto open = [&](track_id track, std::uint64_t tick) {
    auto& slice = facts_[at];
    slice.track = track;
    slice.start = nanoseconds(tick);
    slice.is_open = !slice.is_slice;  // its end may have come first
    slice.is_slice = true;
  };
  const auto close = [&](std::uint64_t id, std::uint64_t tick) {
    if (const auto opened = find(id); opened != nowhere) {
      facts_[opened].is_slice = true;
      facts_[opened].is_open = false;
      facts_[opened].end = nanoseconds(tick);
    }
  };
  switch (on.type) {
  case entry_type::sent:
    know(actors::low_half(words[2]), on.kind, actors::high_half(words[2]));
    break;
  case entry_type::handled: {
    know(on.actor, on.kind, actors::high_half(words[2]));
    const auto sent = find(words[1]);
    auto& slice = facts_[sent == nowhere ? at : sent];
    slice.is_slice = true;
    slice.is_lost = sent == nowhere;
    slice.track = {false, on.actor};
    slice.start = nanoseconds(words[3]);
    slice.end = nanoseconds(words[4]);
    slice.figures[0] = words[5];
    slice.figures[1] = words[6];
    break;
  }
  case entry_type::called:
    open(facts_[at].track, words[stamp_word]);
    break;
  case entry_type::began:
    know(on.actor, on.kind, actors::high_half(words[2]));
    open({false, on.actor}, words[stamp_word]);
    break;
  case entry_type::returned:
  case entry_type::ended:
    close(words[1], words[2]);
    break;
  case entry_type::named:
    if (const auto named = find(words[1]); named != nowhere) {
      facts_[named].name = static_cast<std::uint32_t>(at + 1);
    }
    break;
  case entry_type::answered:
  case entry_type::granted:
  case entry_type::none:
    break;
  }
}

void trace_snapshot::close_open_slices() noexcept {
  const auto now = nanoseconds(now_.tick);
  for (std::size_t at = 0; at < count_; ++at) {
    if (facts_[at].is_open) {
      facts_[at].end = std::max(now, facts_[at].start);
    }
  }
}

// -- slices -------------------------------------------------------------------------------------------------

void trace_snapshot::sort_slices() noexcept {
  for (std::size_t at = 0; at < count_; ++at) {
    if (facts_[at].is_slice) {
      slices_[slice_count_++] = static_cast<std::uint32_t>(at);
    }
  }
  const auto comes_first = [this](std::uint32_t left, std::uint32_t right) {
    const auto& one = facts_[left];
    const auto& other = facts_[right];
    if (one.track.is_thread != other.track.is_thread) {
      return other.track.is_thread;
    }
    if (one.track.number != other.track.number) {
      return one.track.number < other.track.number;
    }
    if (one.start != other.start) {
      return one.start < other.start;
    }
    return one.end != other.end ? one.end > other.end : left < right;
  };
  std::sort(slices_.begin(), slices_.begin() + slice_count_, comes_first);
}

// An actor handles one message at a time, but what two processors say of a moment may differ by some
// nanoseconds: slices that overlap by that are set one behind the other, so that all of a track nest.
void trace_snapshot::straighten() noexcept {
  constexpr std::size_t deepest = 8;
  std::uint64_t ends[deepest] = {};
  std::size_t depth = 0;
  track_id track{};
  for (std::size_t which = 0; which < slice_count_; ++which) {
    auto& slice = facts_[slices_[which]];
    if (slice.track != track) {
      track = slice.track;
      depth = 0;
    }
    while (depth > 0 && ends[depth - 1] <= slice.start) {
      --depth;
    }
    while (depth > 0 && slice.end > ends[depth - 1]) {
      slice.start = ends[--depth];
    }
    slice.end = std::max(slice.end, slice.start);
    if (depth < deepest) {
      ends[depth++] = slice.end;
    }
  }
}

// -- names --------------------------------------------------------------------------------------------------

std::uint32_t trace_snapshot::highest_actor() const noexcept {
  std::uint32_t highest = 0;
  for (std::size_t at = 0; at < count_; ++at) {
    highest = std::max(highest, head(at).actor);
    if (head(at).type == entry_type::sent) {
      highest = std::max(highest, actors::low_half(entries_[at].words[2]));
    }
  }
  return highest;
}

void trace_snapshot::know(std::uint32_t actor, actors::actor_kind kind, std::uint32_t label) noexcept {
  if (actor != 0) {
    actors_[actor] = {true, kind, label, false};
  }
}

// Two runtimes count their streams from the same number on.
void trace_snapshot::name_actors() noexcept {
  system_pages<std::uint32_t> by_name(2 * std::size_t{most_actors_} + 2);
  if (!by_name.is_there()) {
    return;
  }
  for (std::uint32_t number = 1; number <= most_actors_; ++number) {
    auto& named = actors_[number];
    if (!named.is_known) {
      continue;
    }
    auto place =
        (static_cast<std::size_t>(named.label) * actors::actor_kinds + static_cast<std::size_t>(named.kind)) %
        by_name.size();
    while (by_name[place] != 0) {
      const auto& other = actors_[by_name[place]];
      if (other.kind == named.kind && other.label == named.label) {
        named.is_shared = true;
        break;
      }
      place = (place + 1) % by_name.size();
    }
    if (!named.is_shared) {
      by_name[place] = number;
    }
  }
}

}  // namespace soma::detail
