// What the race detector finds: two operations on one block that are in no order, or in the wrong one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/place.hpp"

namespace soma::memory {

enum class finding_kind : std::uint8_t {
  use_before_malloc,     // a task uses a block and is not ordered after its malloc
  use_after_free,        // a task uses a block and is not ordered before its free
  free_before_malloc,    // a free is not ordered after the malloc
  free_before_last_use,  // a free at once, while the host has not seen a task complete that uses the block
  double_free,           // a free of a block that was freed before
  foreign_free,          // a free of an address at which no block begins
  out_of_bounds,         // a copy, fill or declared access that passes the end of what was asked for
  leak,                  // a block that nobody has freed by the end
  stray_access,          // a task raised a fatal signal at an address of a block that is not live
};

enum class operation_kind : std::uint8_t { malloc, free, task, host_access };

/// Something that the program did with a block.
struct operation {
  operation_kind kind = operation_kind::task;
  position at;  // {} for what the host did at once; without a sequence number: it was refused
  place where;
  std::string subject;  // the name of a kernel
};

enum class block_origin : std::uint8_t { pool, plain, host };

/// The life of a block.
struct block_life {
  range memory;  // with what rounding up added
  std::uint64_t requested = 0;
  block_origin origin = block_origin::pool;
  pool_id pool = pool_id::none;
  operation allocated;
  std::optional<operation> freed;
  bool pool_destroyed = false;  // while the block was live

  [[nodiscard]] range asked_for() const noexcept { return {memory.begin, requested}; }
};

struct finding {
  finding_kind kind = finding_kind::leak;
  /// The operation that has to happen first. Missing for a foreign free.
  std::optional<operation> before;
  /// The one that has to come after it. Missing for a leak.
  std::optional<operation> after;
  /// Whether an order between the two would make the program right.
  bool order_missing = false;
  std::optional<block_life> block;
  address at = address::null;  // what was accessed or freed
  std::uint64_t bytes = 0;     // of an access that passes the block's end
  std::uint64_t count = 1;     // how often it was found for this pair of places
};

/// The findings so far, one for each kind and pair of places.
class finding_list {
public:
  /// Returns true if there was none of this kind for these places. Otherwise it is only counted.
  bool add(finding found);

  [[nodiscard]] const std::vector<finding>& all() const noexcept { return findings_; }

  /// How often something was found that had been found before.
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }

private:
  std::vector<finding> findings_;
  std::uint64_t repeated_ = 0;
};

}  // namespace soma::memory
