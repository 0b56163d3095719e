// Buffers with counted users over another pool. A buffer that nobody uses any more is kept, and given to the
// next request that it is large enough for: the smallest such buffer, unless it is more than twice what is
// asked for. When the pool below is out of memory, buffers that nobody uses are given back to it, where they
// merge.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "memory/classic_pool.hpp"

namespace soma::memory {

class buffer_reuser final : public classic_pool {
public:
  explicit buffer_reuser(std::unique_ptr<classic_pool> below) noexcept : below_(std::move(below)) {}

  result<range> allocate(std::uint64_t asked) override;
  result<void> free(address block) override;
  result<void> retain(address block) override;
  [[nodiscard]] classic_figures figures() const override;
  [[nodiscard]] range memory() const noexcept override { return below_->memory(); }

private:
  struct buffer {
    std::uint64_t bytes = 0;
    std::uint64_t asked = 0;
    std::uint64_t users = 0;
  };

  result<range> use(range memory, std::uint64_t asked, bool reused);
  bool give_kept_back();

  std::unique_ptr<classic_pool> below_;
  std::map<address, buffer> live_;                    // with a user at least
  std::set<std::pair<std::uint64_t, address>> kept_;  // without, by size and address
  classic_counters counters_;
};

}  // namespace soma::memory
