#include "soma/adaptive_allocator.hpp"

#include <string>
#include <utility>

#include "api/cpp/classic_pools.hpp"
#include "memory/adaptive_pool.hpp"

namespace soma {

expected<adaptive_allocator> adaptive_allocator::create(device& on, const options& settings) {
  constexpr auto call = "adaptive_allocator::create";
  constexpr std::uint64_t least_half_life = 16;
  if (settings.half_life < least_half_life) {
    return detail::fail(call, errc::invalid_argument,
                        "a half-life of " + std::to_string(settings.half_life) +
                            " allocations and frees; it must be 16 at least");
  }
  memory::adaptive_settings inner;
  inner.unit = detail::classic_unit_bytes;
  inner.half_life = static_cast<double>(settings.half_life);
  auto end = detail::classic_pool_end::create(call, on, settings.memory,
                                              std::make_unique<memory::adaptive_pool>(inner));
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return adaptive_allocator(std::move(*end));
}

expected<std::vector<tier_statistics>> adaptive_allocator::choices() const {
  return detail::ask_classic<messages::classic_pool_figures>("adaptive_allocator::choices", end_,
                                                             messages::read_classic_figures{})
      .map(
          [](const messages::classic_pool_figures& figures) { return detail::statistics_of(figures.tiers); });
}

}  // namespace soma
