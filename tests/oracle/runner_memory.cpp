// The runner's calls about memory.

#include <limits>

#include "oracle/runner.hpp"

namespace oracle {

using soma::errc;
using soma::pool_attribute;
using support::keep_all;
using support::number;

namespace {

// Windows of pools are slots of this size for the limits that occur here (docs/architecture.md).
constexpr std::uint64_t window_bytes = std::uint64_t{4} << 30;

constexpr std::uint64_t minimum_blocks[] = {granule, granule / 4, 64 << 10, 4096,
                                            granule, granule / 2, 16 << 10, 512};
}  // namespace

std::uint64_t runner::size_for(std::size_t pool, const numbers& all) const {
  const auto limit = model_.pool(pool).limit;
  const auto unit = model_.pool(pool).memory.unit_bytes();
  const std::uint64_t inexact = all[3] % 4 == 3 ? 1 + all[3] % 100 : 0;
  switch (all[2] % 32) {
  default:
    return (1 + all[3] % 4) * unit - inexact;
  case 8:
  case 9:
  case 10:
  case 11:
    return (1 + all[3] % 37) * unit % limit + unit - inexact;
  case 12:
  case 13:
  case 14:
  case 15:
    return (1 + all[3] % 3) * granule / 2;
  case 16:
  case 17:
  case 18:
  case 19:
  case 20:
    return (1 + all[3] % 3) * granule + all[3] % 3 * unit;
  case 21:
  case 22:
  case 23:
    return (1 + all[3] % 4) * granule;
  case 24:
    return limit - all[3] % 3 * unit;
  case 25:
    return limit / 2 + all[3] % 3 * unit;
  case 26:
    switch (all[3] % 4) {
    case 0:
      return 0;
    case 1:
      return limit + 1;
    case 2:
      return std::numeric_limits<std::uint64_t>::max();
    default:
      return std::numeric_limits<std::uint64_t>::max() - (unit - 1);
    }
  }
}

void runner::make_pool(const numbers& all) {
  soma::pool_options options;
  options.minimum_block = minimum_blocks[all[0] % 8];
  const std::uint64_t most = options.minimum_block < 4096 ? 4 : options.minimum_block < granule / 4 ? 8 : 16;
  options.limit = (2 + all[1] % (most - 1)) * granule - (all[1] % 5 == 4 ? 1 : 0);
  options.reuse = {(all[2] & 1) != 0, (all[2] & 2) != 0, (all[2] & 4) != 0};
  options.release_threshold = thresholds[all[3] % 6];
  if (all[1] % 8 == 7) {
    options.limit = memory_ + all[1] / 8 % 2;  // one byte too much, or just right
  }
  if (all[0] % 64 == 63) {
    options.minimum_block = all[0] % 2 == 0 ? 256 : 3 * 512;
  }
  const auto expected = model_.create_pool(options);
  const auto variable = name('p', pools_.size());
  const auto call = "device.create_pool(" + options_text(options) + ")";
  print_.call(variable, call, expected);
  auto made = device_.create_pool(options);
  check_error(call, made, expected);
  if (made) {
    pools_.push_back(std::move(*made));
    bases_.push_back(number(pools_.back().base()));
    return;
  }
  if (pools_.empty()) {
    make_pool({});
  }
}

void runner::replace_pool(const numbers& all) {
  const auto which = some_pool(all[0]);
  const bool was_destroyed = model_.pool(which).destroyed;
  const std::optional<errc> expected = was_destroyed ? std::optional{errc::invalid_handle} : std::nullopt;
  const auto call = name('p', which) + ".destroy()";
  print_.call(call, expected);
  check_error(call, pools_[which].destroy(), expected);
  if (!was_destroyed) {
    model_.destroy_pool(which);
    memory_comes_back_ = true;
  }
  make_pool({all[1], all[2], all[3], all[0] / 16});
}

void runner::malloc_async(const numbers& all) {
  const auto pool = some_pool(all[0]);
  const auto stream = some_stream(all[1]);
  auto& of = model_.pool(pool);
  const auto bytes = size_for(pool, all);
  const auto call = name('p', pool) + ".malloc_async(" + bytes_text(bytes) + ", " + name('s', stream) + ")";
  verdict expected;
  if (of.destroyed || streams_[stream].destroyed) {
    expected.error = errc::invalid_handle;
  } else {
    if (of.switches.internal) {
      add_witness_if_needed(stream);  // it may block the stream
    }
    if (memory_comes_back_ || model_.depends_on_execution(pool, bytes)) {
      settle();
    }
    join(stream);
    expected = model_.malloc_async(pool, stream, bytes);
  }
  const auto variable = name('b', named_);
  print_.call(variable, call, expected.error);
  const auto got = pools_[pool].malloc_async(bytes, *streams_[stream].stream);
  check_error(call, got, expected.error);
  if (!got) {
    ++counts_.refused;
    if (expected.error == errc::out_of_memory) {
      check_refusal(got.error().message, pool, stream, expected);
    }
    settle_join(stream);
    return;
  }
  counts_.under_pressure += expected.served_by_order_alone ? 0 : 1;
  ++named_;
  const auto place = number(*got);
  const auto unit = of.memory.unit_bytes();
  if (runtime_.locate(*got) != soma::memory_location::device_pool || place < bases_[pool] ||
      place + bytes > bases_[pool] + window_bytes || (place - bases_[pool]) % unit != 0 ||
      place % unit != 0) {
    disagree(call + " returned an address outside of the pool's window, or not aligned");
  }
  const auto begin = (place - bases_[pool]) / unit;
  if (const auto wrong = model_.granted(pool, stream, expected, begin, seldom_)) {
    disagree(call + " returned unit " + std::to_string(begin) + " of the window: " + *wrong);
  }
  blocks_.push_back({*got, pool, begin, variable});
  settle_join(stream);
}

void runner::free_block(std::size_t which, std::size_t on, bool by_device) {
  const auto block = blocks_[which];
  const bool pool_gone = model_.pool(block.pool).destroyed;
  const bool dead_handle = (pool_gone && !by_device) || streams_[on].destroyed;
  const std::optional<errc> expected = dead_handle ? std::optional{errc::invalid_handle} : std::nullopt;
  const auto call = (by_device ? "device" : name('p', block.pool)) + ".free_async(" + block.name + ", " +
                    name('s', on) + ")";
  print_.call(call, expected);
  if (!expected) {
    join(on);
  }
  auto& stream = *streams_[on].stream;
  check_error(call,
              by_device ? device_.free_async(block.address, stream)
                        : pools_[block.pool].free_async(block.address, stream),
              expected);
  if (!expected) {
    model_.free_async(block.pool, block.begin, on);
    freed_.emplace_back(block.address, block.name);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(which));
    settle_join(on);
  }
}

void runner::free_async(const numbers& all) {
  if (!blocks_.empty()) {
    free_block(all[0] % blocks_.size(), some_stream(all[1]), all[2] % 4 == 3);
  }
}

// A second free, a pointer into a block, a block of another pool, or null.
void runner::free_wrongly(const numbers& all) {
  const auto pool = some_pool(all[0]);
  const auto stream = some_stream(all[1]);
  void* address = nullptr;
  std::string text = "nullptr";
  if (all[2] % 8 < 4 && !freed_.empty()) {
    std::tie(address, text) = freed_[all[3] % freed_.size()];
  } else if (all[2] % 8 < 7 && !blocks_.empty()) {
    const auto& block = blocks_[all[3] % blocks_.size()];
    const std::size_t inside = all[2] % 2 == 0 ? 512 : 1;
    address = support::advance(block.address, inside);
    text = "advance(" + block.name + ", " + std::to_string(inside) + ")";
  } else if (!plain_.empty()) {
    address = support::advance(plain_[all[3] % plain_.size()].address, 512);
    text = "advance(" + plain_[all[3] % plain_.size()].name + ", 512)";
  }
  for (const auto& block : blocks_) {
    if (block.address == address) {
      return;  // given out again since, or a block of just that size comes behind
    }
  }
  for (const auto& block : plain_) {
    if (block.address == address) {
      return;
    }
  }
  if (all[2] % 3 == 2) {
    const auto expected = address == nullptr ? std::nullopt : std::optional{errc::unknown_address};
    if (address != nullptr) {
      print_.call("device.free(" + text + ")", expected);
      check_error("device.free(" + text + ")", device_.free(address), expected);
    }
    return;
  }
  const bool by_device = all[2] % 3 == 1;
  const auto place = number(address);
  const bool in_window = place >= bases_[pool] && place < bases_[pool] + window_bytes;
  const auto call =
      (by_device ? "device" : name('p', pool)) + ".free_async(" + text + ", " + name('s', stream) + ")";
  if (streams_[stream].destroyed || (!by_device && model_.pool(pool).destroyed)) {
    return;  // two things are wrong: either code would do
  }
  if (joins(stream)) {
    return;  // an error may come before or after the join
  }
  const auto expected =
      address == nullptr || (!by_device && !in_window) ? errc::invalid_argument : errc::unknown_address;
  print_.call(call, expected);
  auto& on = *streams_[stream].stream;
  check_error(call, by_device ? device_.free_async(address, on) : pools_[pool].free_async(address, on),
              expected);
}

void runner::free_at_once(const numbers& all) {
  if (blocks_.empty()) {
    return;
  }
  const auto which = all[0] % blocks_.size();
  const auto block = blocks_[which];
  const auto call = "device.free(" + block.name + ")";
  print_.call(call, std::nullopt);
  check_error(call, device_.free(block.address), std::nullopt);
  model_.free(block.pool, block.begin);
  freed_.emplace_back(block.address, block.name);
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(which));
}

}  // namespace oracle
