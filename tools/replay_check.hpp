// The replay's own account of a pool's live blocks, against which the pool is checked.
//
//   C1  no two live blocks overlap
//   C2  the pool's used, requested and live blocks are the account's, as are their high marks
//   C3  reserved = used + idle, at most the limit, and what was taken from the system less what was given
//   back C4  each allocation was served in exactly one way
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <tl/expected.hpp>

#include "soma/pool.hpp"
#include "tools/replay_plan.hpp"

namespace soma::tools {

class replay_check {
public:
  /// The error is the reason as text.
  using outcome = tl::expected<void, std::string>;

  explicit replay_check(std::uint64_t minimum_block) noexcept : minimum_block_(minimum_block) {
    // nop
  }

  outcome allocated(const planned_block& block, std::uintptr_t address);

  /// Precondition: the block was reported as allocated at this address, and not as freed since.
  void freed(const planned_block& block, std::uintptr_t address);

  [[nodiscard]] outcome compare(const pool_statistics& statistics) const;

private:
  struct range {
    std::uintptr_t end = 0;
    std::uint64_t id = 0;
    std::uint64_t line = 0;
  };

  struct sum {
    std::uint64_t now = 0;
    std::uint64_t high = 0;
    void add(std::uint64_t bytes);
  };

  std::uint64_t minimum_block_;
  std::map<std::uintptr_t, range> live_;  ///< by first address
  sum used_;
  sum requested_;
  std::uint64_t allocations_ = 0;
};

}  // namespace soma::tools
