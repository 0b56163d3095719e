// Which idle pieces a taker may have, as a rule over the stream and position of their frees.
//
// For each stream there is a last position: what was freed there up to it may be taken. That one shape
// describes every way of reuse, and what may be released.
#pragma once

#include "memory/identifiers.hpp"
#include "memory/order_clock.hpp"

namespace soma::memory {

struct reach {
  /// Everything that this stream freed.
  stream_id own = stream_id::none;
  /// Pieces that are settled (the host has seen their frees complete) or were never used.
  bool settled = false;
  /// What happens before these points; null for nothing. The clocks outlive the rule.
  const order_clock* ordered = nullptr;
  const order_clock* executed = nullptr;
  /// Everything that was ever freed.
  bool everything = false;

  /// The last position on `stream` whose frees may be taken. Those belong to stream_id::none.
  [[nodiscard]] sequence_number limit(stream_id stream) const noexcept {
    if (everything || (stream == stream_id::none ? settled : stream == own)) {
      return sequence_number::all;
    }
    auto last = sequence_number::none;
    for (const auto* clock : {ordered, executed}) {
      if (clock != nullptr && clock->of(stream) > last) {
        last = clock->of(stream);
      }
    }
    return last;
  }

  [[nodiscard]] bool includes(position freed_at) const noexcept {
    const auto last = limit(freed_at.stream);
    return last != sequence_number::none && freed_at.sequence <= last;
  }
};

}  // namespace soma::memory
