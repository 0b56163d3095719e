// The runner's calls about a pool's settings, trimming, and what can be asked.

#include "oracle/runner.hpp"

namespace oracle {

using soma::errc;
using soma::pool_attribute;

void runner::trim(const numbers& all) {
  const auto pool = some_pool(all[0]);
  const auto& of = model_.pool(pool);
  auto keep = all[1] % 4 * granule + all[2] % 2;
  if (all[1] % 16 == 15) {
    keep = of.limit + all[2] % 2;
  }
  settle();
  const auto call = name('p', pool) + ".trim_to(" + bytes_text(keep) + ")";
  const auto expected = of.destroyed ? std::optional{errc::invalid_handle} : model_.trim_to(pool, keep);
  print_.call(call, expected);
  check_error(call, pools_[pool].trim_to(keep), expected);
}

void runner::set_switch(const numbers& all) {
  const auto pool = some_pool(all[0]);
  auto& of = model_.pool(pool);
  const std::uint64_t value = all[2] % 3;
  const pool_attribute attributes[] = {pool_attribute::reuse_event, pool_attribute::reuse_opportunistic,
                                       pool_attribute::reuse_internal};
  bool* const flags[] = {&of.switches.event, &of.switches.opportunistic, &of.switches.internal};
  const auto which = all[1] % 3;
  const auto call =
      name('p', pool) + ".set(" + attribute_text(attributes[which]) + ", " + std::to_string(value) + ")";
  const std::optional<errc> expected = of.destroyed ? std::optional{errc::invalid_handle} : std::nullopt;
  print_.call(call, expected);
  check_error(call, pools_[pool].set(attributes[which], value), expected);
  if (!of.destroyed) {
    *flags[which] = value != 0;
  }
}

void runner::set_threshold(const numbers& all) {
  const auto pool = some_pool(all[0]);
  auto& of = model_.pool(pool);
  const auto value = thresholds[all[1] % 6];
  const auto call =
      name('p', pool) + ".set(soma::pool_attribute::release_threshold, " + bytes_text(value) + ")";
  const std::optional<errc> expected = of.destroyed ? std::optional{errc::invalid_handle} : std::nullopt;
  print_.call(call, expected);
  check_error(call, pools_[pool].set(pool_attribute::release_threshold, value), expected);
  if (!of.destroyed) {
    of.threshold = value;
  }
}

void runner::set_high_mark(const numbers& all) {
  const auto pool = some_pool(all[0]);
  auto& of = model_.pool(pool);
  const pool_attribute attributes[] = {pool_attribute::reserved_high, pool_attribute::used_high,
                                       pool_attribute::reserved, pool_attribute::used};
  const auto which = all[1] % 8 < 6 ? all[1] % 2 : 2 + all[1] % 2;
  const std::uint64_t value = all[2] % 4 == 3 ? 1 + all[3] : 0;
  if (of.destroyed) {
    return;
  }
  const auto expected = which > 1 || value != 0 ? std::optional{errc::invalid_argument} : std::nullopt;
  const auto call =
      name('p', pool) + ".set(" + attribute_text(attributes[which]) + ", " + std::to_string(value) + ")";
  print_.call(call, expected);
  check_error(call, pools_[pool].set(attributes[which], value), expected);
  if (!expected) {
    (which == 0 ? of.reserved_high : of.used_high) = 0;
  }
}

void runner::ask_largest(const numbers& all) {
  const auto pool = some_pool(all[0]);
  const auto stream = some_stream(all[1]);
  if (model_.pool(pool).destroyed || streams_[stream].destroyed) {
    return;
  }
  settle();
  const auto call = name('p', pool) + ".largest_available(" + name('s', stream) + ")";
  const auto got = pools_[pool].largest_available(*streams_[stream].stream);
  check_error(call, got, std::nullopt);
  if (!model_.is_largest(pool, stream, *got)) {
    auto right = model_.pool(pool).limit / model_.pool(pool).memory.unit_bytes();
    while (right > 0 && !model_.would_serve(pool, stream, right * model_.pool(pool).memory.unit_bytes())) {
      --right;
    }
    const auto expected = bytes_text(right * model_.pool(pool).memory.unit_bytes());
    print_.line("EXPECT_EQ(must(" + call + "), " + expected + ");");
    disagree(call + " returned " + bytes_text(*got) + " instead of " + expected);
  }
  print_.line("EXPECT_EQ(must(" + call + "), " + bytes_text(*got) + ");");
}

void runner::ask_block(const numbers& all) {
  if (blocks_.empty()) {
    return;
  }
  const auto& block = blocks_[all[0] % blocks_.size()];
  const auto& of = model_.pool(block.pool);
  const bool inside = all[1] % 4 == 3;
  const auto expected = of.destroyed ? std::optional{errc::invalid_handle}
                        : inside     ? std::optional{errc::unknown_address}
                                     : std::nullopt;
  const auto call =
      name('p', block.pool) + ".block(" + (inside ? "advance(" + block.name + ", 1)" : block.name) + ")";
  print_.call(call, expected);
  const auto got = pools_[block.pool].block(support::advance(block.address, inside ? 1 : 0));
  check_error(call, got, expected);
  if (got) {
    const auto& known = of.blocks.at(block.begin);
    if (got->address != block.address || got->bytes != known.units * of.memory.unit_bytes() ||
        got->requested != known.requested) {
      disagree(call + " returned wrong sizes");
    }
  }
}

}  // namespace oracle
