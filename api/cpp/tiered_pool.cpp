#include "memory/tiered_pool.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "api/cpp/classic_pools.hpp"
#include "memory/sizes.hpp"

namespace soma {

namespace {

constexpr auto unit_bytes = detail::classic_unit_bytes;
constexpr auto creating = "tiered_pool::create";

tl::unexpected<error> wrong(const std::string& text) {
  return detail::fail(creating, errc::invalid_argument, text);
}

struct planned {
  std::vector<memory::tier> tiers;
  std::size_t bytes = 0;
};

// The tiers by rising size in whole units, and the bytes of everything.
expected<planned> plan(const tiered_pool::options& parts) {
  planned all;
  std::uint64_t sum = memory::round_down(parts.variable_bytes, unit_bytes);
  if (sum == 0) {
    return wrong("the variable-size pool has " + std::to_string(parts.variable_bytes) +
                 " bytes; it must have 64 at least");
  }
  for (const auto& each : parts.tiers) {
    const auto block = memory::round_up_checked(each.block_bytes, unit_bytes);
    std::uint64_t bytes = 0;
    if (each.block_bytes == 0 || each.blocks == 0 || !block ||
        __builtin_mul_overflow(*block, std::uint64_t{each.blocks}, &bytes) ||
        __builtin_add_overflow(sum, bytes, &sum)) {
      return wrong("a tier of " + std::to_string(each.blocks) + " blocks of " +
                   std::to_string(each.block_bytes) +
                   " bytes; each tier has a block at least, of 1 byte at least, and all together less than "
                   "2^64 bytes");
    }
    all.tiers.push_back({*block, each.blocks});
  }
  std::sort(all.tiers.begin(), all.tiers.end(), [](const memory::tier& one, const memory::tier& other) {
    return one.block_bytes < other.block_bytes;
  });
  const auto twice =
      std::adjacent_find(all.tiers.begin(), all.tiers.end(), [](const auto& one, const auto& other) {
        return one.block_bytes == other.block_bytes;
      });
  if (twice != all.tiers.end()) {
    return wrong("two tiers have blocks of " + std::to_string(twice->block_bytes) +
                 " bytes (sizes are rounded up to multiples of 64); put them into one");
  }
  all.bytes = sum;
  return all;
}

}  // namespace

expected<tiered_pool> tiered_pool::create(device& on, const options& parts) {
  const auto all = plan(parts);
  if (!all) {
    return tl::unexpected(all.error());
  }
  auto end = detail::classic_pool_end::create(creating, on, all->bytes, parts.kind, [&](memory::range whole) {
    return std::make_unique<memory::tiered_pool>(whole, all->tiers, unit_bytes, parts.over_device);
  });
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return tiered_pool(std::move(*end));
}

expected<std::vector<tier_statistics>> tiered_pool::tiers() const {
  return detail::ask_classic<messages::classic_pool_figures>("tiered_pool::tiers", end_,
                                                             messages::read_classic_figures{})
      .map(
          [](const messages::classic_pool_figures& figures) { return detail::statistics_of(figures.tiers); });
}

}  // namespace soma
