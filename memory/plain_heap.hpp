// A heap without stream order, for plain device memory and for host memory: what is freed is free for all.
//
// A block can be given up in two steps, for frees that wait for their turn in a stream: after begin_free it
// is still memory, but can be freed by nobody else.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "memory/block_index.hpp"
#include "memory/fault.hpp"
#include "memory/identifiers.hpp"
#include "memory/sizes.hpp"

namespace soma::memory {

class plain_heap {
public:
  explicit plain_heap(range window);

  /// The size of a block for `asked` bytes, in whole units. Errors: invalid_argument for 0 and where rounding
  /// up wraps.
  [[nodiscard]] static result<std::uint64_t> block_bytes(std::uint64_t asked,
                                                         std::uint64_t unit = smallest_block_bytes);

  /// A block from memory that the heap has already; nothing if there is none that fits.
  std::optional<range> reuse(std::uint64_t asked, std::uint64_t rounded);

  /// Where new memory would go; nothing if the window has no place.
  [[nodiscard]] std::optional<new_place> plan_growth(std::uint64_t rounded) const;

  /// Takes the place, whose granules now have memory.
  range grow(const new_place& place, std::uint64_t asked);

  /// Announces a free. Errors: unknown_address (also while another free is announced).
  result<void> begin_free(address block);

  /// Carries an announced free out. Precondition: begin_free succeeded.
  void end_free(address block);

  /// Frees at once. Errors: unknown_address.
  result<void> free(address block);

  /// The granules without a block in them.
  [[nodiscard]] std::vector<range> releasable() const;

  /// The granules were given back to the system.
  void released(range granules);

  [[nodiscard]] std::uint64_t reserved() const noexcept { return index_.busy_bytes() + index_.idle_bytes(); }
  [[nodiscard]] const block_index& index() const noexcept { return index_; }

private:
  block_index index_;
  std::set<address> announced_;
};

}  // namespace soma::memory
