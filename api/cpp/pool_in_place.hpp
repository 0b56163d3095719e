// Mallocs and frees that a caller makes in place (actors/in_place.hpp), if nothing is wrong with the call and
// nothing else is to be seen to. Otherwise the functions do nothing, and the call goes by messages.
#pragma once

#include <cstddef>
#include <memory>

#include "actors/in_place.hpp"
#include "actors/stream.hpp"
#include "api/cpp/ends.hpp"
#include "api/cpp/recorder.hpp"

namespace soma::detail {

inline bool may_submit_unseen(const std::shared_ptr<stream_end>& on) noexcept {
  return may_submit_now(on) && recorder::active() == nullptr;
}

/// Gives out a block that is lent to the stream; null if there is none.
inline memory::address malloc_lent(const pool_end& pool, std::size_t bytes,
                                   const std::shared_ptr<stream_end>& on) {
  auto block = memory::address::null;
  const bool done = may_submit_unseen(on) && &on->device == &pool.device &&
                    actors::call_in_place<actors::stream_state>(on->actor, [&](auto& stream) {
                      block = stream.malloc_here(pool.actor, bytes);
                      return block != memory::address::null;
                    });
  return done ? block : memory::address::null;
}

/// The same, or else idle memory of the pool, which is taken as well.
inline memory::address malloc_idle(const pool_end& pool, std::size_t bytes,
                                   const std::shared_ptr<stream_end>& on) {
  auto block = memory::address::null;
  const bool done = may_submit_unseen(on) && &on->device == &pool.device &&
                    actors::call_in_place<actors::stream_state>(on->actor, [&](auto& stream) {
                      block = stream.malloc_of_pool_here(pool.actor, bytes);
                      return block != memory::address::null;
                    });
  return done ? block : memory::address::null;
}

/// Frees a block that is lent to the stream.
inline bool free_lent(const pool_end& pool, memory::address block, const std::shared_ptr<stream_end>& on) {
  return may_submit_unseen(on) && actors::call_in_place<actors::stream_state>(on->actor, [&](auto& stream) {
           return stream.free_here(pool.actor, block);
         });
}

/// Frees another block, to the pool.
inline bool free_to_pool(const pool_end& pool, memory::address block, const std::shared_ptr<stream_end>& on) {
  return may_submit_unseen(on) && actors::call_in_place<actors::stream_state>(on->actor, [&](auto& stream) {
           return stream.free_to_pool_here(pool.actor, block);
         });
}

}  // namespace soma::detail
