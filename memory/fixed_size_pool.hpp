// A pool of blocks of one size. Allocating and freeing take the same few steps however many blocks there are.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/classic_pool.hpp"

namespace soma::memory {

class fixed_size_pool final : public classic_pool {
public:
  /// As many blocks as fit into the memory. Precondition: one does, and block_bytes is not 0.
  fixed_size_pool(range memory, std::uint64_t block_bytes);

  result<range> allocate(std::uint64_t asked) override;
  result<void> free(address block) override;
  [[nodiscard]] classic_figures figures() const override;
  [[nodiscard]] range memory() const noexcept override { return memory_; }

  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return block_bytes_; }
  [[nodiscard]] std::uint64_t block_count() const noexcept { return asked_.size(); }
  [[nodiscard]] bool full() const noexcept { return freed_.empty() && never_used_ == asked_.size(); }

private:
  range memory_;
  std::uint64_t block_bytes_;
  std::vector<std::uint64_t> asked_;  // of each block; 0: it is free
  std::vector<std::uint64_t> freed_;  // numbers of free blocks; the one freed last is given out first
  std::uint64_t never_used_ = 0;      // this block and all behind it
  classic_counters counters_;
};

}  // namespace soma::memory
