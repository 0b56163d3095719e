// Blocks of which a recording tells only that a total rose and fell.
//
// A rise is a block. A fall is the free of a block of just that size, the latest of them, if there is one,
// else of the latest blocks, of which the last is taken to have been two all the time. So the total is met at
// each moment; which blocks there really were is not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tools/import_events.hpp"

namespace soma::tools {

class total_follower {
public:
  /// Adds to the events and blocks from before of this recording. Its events are put in order by finish.
  explicit total_follower(recording& into) : into_(into) {
    // nop
  }

  /// What was live before; at most once, and first.
  void start(std::uint64_t bytes, std::uint64_t stream);

  /// An event of the recording's own, at its place among the others.
  void add(const import_event& event);

  void rise(std::uint64_t bytes, std::int64_t time_ns, std::uint64_t stream);

  /// Returns how many of the bytes no block explains.
  std::uint64_t fall(std::uint64_t bytes, std::int64_t time_ns);

  /// Puts all events into the recording.
  void finish();

private:
  static constexpr std::size_t from_before = SIZE_MAX;

  struct unnamed_block {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t stream = 0;
    std::size_t born = from_before;  ///< the place of its malloc among the events
  };

  struct placed_event {
    std::size_t place = 0;
    import_event event;
  };

  void keep(std::size_t number);
  void release(std::size_t number, std::int64_t time_ns);
  std::size_t split(std::size_t number, std::uint64_t bytes);

  recording& into_;
  std::size_t places_ = 0;
  std::uint64_t addresses_ = 0;
  std::vector<unnamed_block> blocks_;
  std::map<std::size_t, std::uint64_t> live_;                        ///< by number, which is by age
  std::map<std::uint64_t, std::vector<std::size_t>> live_by_bytes_;  ///< may name blocks that live no more
  std::vector<placed_event> events_;
};

}  // namespace soma::tools
