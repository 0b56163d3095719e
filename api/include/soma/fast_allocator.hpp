// A choice among pools that the program has made.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "soma/classic_pools.hpp"
#include "soma/error.hpp"
#include "soma/export.hpp"

namespace soma {

/// Picks among the pools that it is given: the smallest block size that fits, the next larger one when that
/// is full, and the variable-size pool last. It keeps nothing itself: any number of threads may use it, as
/// they may use the pools.
class SOMA_API fast_allocator {
public:
  /// The allocator owns the pools from now on.
  explicit fast_allocator(std::vector<fixed_size_pool> pools,
                          std::optional<variable_size_pool> last = std::nullopt);

  /// As memory_pool::allocate; invalid_argument if no pool has blocks of this size, out_of_memory if all that
  /// have are full.
  expected<void*> allocate(std::size_t bytes);

  /// As memory_pool::free.
  expected<void> free(void* address);

  /// Those of all pools added up, high marks too, which makes upper bounds of them; largest_free is the
  /// largest. A request that was passed on counts as a refusal of each pool that was full.
  [[nodiscard]] expected<classic_statistics> statistics() const;

  /// The pools by rising block size.
  [[nodiscard]] const std::vector<fixed_size_pool>& pools() const noexcept { return pools_; }
  [[nodiscard]] const std::optional<variable_size_pool>& last() const noexcept { return last_; }

private:
  std::vector<fixed_size_pool> pools_;
  std::optional<variable_size_pool> last_;
};

}  // namespace soma
