// Faults that allocators of others really had, kept here as switches, so that a test can put one of them back
// and show that the explorer or the oracle finds it.
//
// Nothing of this is in the library: without SOMA_MUTATIONS a switch is constantly off. With it, one mutation
// can be chosen at run time; then use it only while nothing runs.
#pragma once

#ifdef SOMA_MUTATIONS
#include <atomic>
#endif
#include <cstdint>

namespace soma::memory {

enum class mutation : std::uint8_t {
  none,
  /// A wait covers two more tasks than it should: a free that was submitted after the record.
  record_before_free_accepted,
  /// A freed block belongs to the stream that allocated it, not to the one that freed it.
  allocating_stream_owns,
  /// A wait gives the order of the recording stream only, not what that was ordered after.
  one_edge_only,
  /// What is left of a split piece has the taker as its owner, with the sequence number of the old free.
  mixed_remainder,
  /// A free is answered before the pool knows of it.
  reply_before_effects,
  /// A new stream gets the number of one that has ended.
  recycled_stream_number,
  /// A free is passed on to the pool ahead of a malloc that was submitted before it and is undecided.
  free_ahead_of_malloc,
};

#ifdef SOMA_MUTATIONS

inline std::atomic<mutation> mutation_in_force{mutation::none};

inline bool mutated(mutation which) noexcept {
  return mutation_in_force.load(std::memory_order_relaxed) == which;
}

#else

constexpr bool mutated(mutation /*which*/) noexcept { return false; }

#endif

}  // namespace soma::memory
