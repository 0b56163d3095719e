#include "sim/checker.hpp"

namespace soma::sim {

namespace {

class counters_checker final : public checker {
public:
  counters_checker() : checker("counters") {}

  void ended(const std::vector<block>& blocks, const std::vector<pool_at_end>& pools) override {
    for (const auto& pool : pools) {
      std::uint64_t used = 0;
      std::uint64_t live = 0;
      for (const auto& block : blocks) {
        if (block.live && block.pool == pool.number) {
          used += block.rounded;
          ++live;
        }
      }
      const auto& figures = pool.figures;
      if (figures.used != used) {
        fail("pool " + pool.name + " counts " + size_text(figures.used) + " as used; its live blocks are " +
             size_text(used));
      } else if (figures.live_blocks != live) {
        fail("pool " + pool.name + " counts " + std::to_string(figures.live_blocks) +
             " live blocks; there are " + std::to_string(live));
      } else if (figures.reserved < figures.used) {
        fail("pool " + pool.name + " has reserved " + size_text(figures.reserved) +
             ", less than is used: " + size_text(figures.used));
      } else if (figures.reserved > figures.limit) {
        fail("pool " + pool.name + " has reserved " + size_text(figures.reserved) +
             ", more than its limit of " + size_text(figures.limit));
      }
    }
  }
};

}  // namespace

std::unique_ptr<checker> check_counters() { return std::make_unique<counters_checker>(); }

}  // namespace soma::sim
