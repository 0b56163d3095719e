// What a point in the program is ordered after: for each stream, the last task that happens before it.
//
// This is a vector clock, kept as a sorted list since most points know few streams. It only grows.
#pragma once

#include <utility>
#include <vector>

#include "memory/identifiers.hpp"

namespace soma::memory {

class order_clock {
public:
  /// The last task of the stream that happens before this point; none if there is none.
  [[nodiscard]] sequence_number of(stream_id stream) const noexcept;

  /// Whether the task happens before this point.
  [[nodiscard]] bool covers(position task) const noexcept { return of(task.stream) >= task.sequence; }

  /// Adds one task, and with it all tasks of its stream before it. Returns whether that was new.
  bool add(position task);

  /// Adds everything that the other point is ordered after. Returns whether any of it was new.
  bool add(const order_clock& other);

  [[nodiscard]] const std::vector<position>& positions() const noexcept { return positions_; }

  friend bool operator==(const order_clock&, const order_clock&) = default;

private:
  [[nodiscard]] std::vector<position>::const_iterator from(stream_id stream) const noexcept;

  std::vector<position> positions_;  // one for each stream, by rising stream id
};

}  // namespace soma::memory
