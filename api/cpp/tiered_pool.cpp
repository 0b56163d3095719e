#include "memory/tiered_pool.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "api/cpp/classic_pools.hpp"
#include "memory/sizes.hpp"
#include "soma/device.hpp"

namespace soma {

namespace {

constexpr std::size_t unit_bytes = 64;
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

class tiered_pool::parts {
public:
  parts(std::shared_ptr<detail::classic_pool_end> tiers, device on, bool over_device, pool_memory kind)
      : end(std::move(tiers)), device_(std::move(on)), over_device_(over_device), kind_(kind) {}
  ~parts() {
    for (const auto& [block, bytes] : from_device_) {
      static_cast<void>(free_on_device(block));
    }
    end->destroy();
  }
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;

  expected<void*> allocate(std::size_t bytes) {
    constexpr auto call = "tiered_pool::allocate";
    auto block = detail::allocate(call, end, bytes);
    const bool too_large = !block && block.error().code == errc::invalid_argument && bytes > 0;
    if (block || !over_device_ || !(too_large || block.error().code == errc::out_of_memory)) {
      return block;
    }
    auto large = kind_ == pool_memory::device ? device_.malloc(bytes) : device_.malloc_host(bytes);
    if (large) {
      const std::lock_guard held(mutex_);
      from_device_.emplace(*large, bytes);
      device_bytes_ += bytes;
    }
    return large;
  }

  expected<void> free(void* address) {
    if (end->memory.contains(detail::to_address(address))) {
      return detail::free("tiered_pool::free", end, address);
    }
    {
      const std::lock_guard held(mutex_);
      const auto found = from_device_.find(address);
      if (found == from_device_.end()) {
        return detail::fail("tiered_pool::free", errc::unknown_address,
                            "no live block of the tiered pool starts at this address");
      }
      device_bytes_ -= found->second;
      from_device_.erase(found);
    }
    return free_on_device(address);
  }

  std::pair<std::uint64_t, std::uint64_t> on_device() {
    const std::lock_guard held(mutex_);
    return {from_device_.size(), device_bytes_};
  }

  std::shared_ptr<detail::classic_pool_end> end;

private:
  expected<void> free_on_device(void* address) {
    return kind_ == pool_memory::device ? device_.free(address) : device_.free_host(address);
  }

  device device_;
  bool over_device_;
  pool_memory kind_;
  std::mutex mutex_;  // guards what follows
  std::unordered_map<void*, std::size_t> from_device_;
  std::uint64_t device_bytes_ = 0;
};

tiered_pool::tiered_pool(std::unique_ptr<parts> made) noexcept : parts_(std::move(made)) {}
tiered_pool::tiered_pool(tiered_pool&&) noexcept = default;
tiered_pool& tiered_pool::operator=(tiered_pool&&) noexcept = default;
tiered_pool::~tiered_pool() = default;

expected<tiered_pool> tiered_pool::create(device& on, const options& wanted) {
  const auto all = plan(wanted);
  if (!all) {
    return tl::unexpected(all.error());
  }
  auto end =
      detail::classic_pool_end::create(creating, on, all->bytes, wanted.memory, [&](memory::range whole) {
        return std::make_unique<memory::tiered_pool>(whole, all->tiers, unit_bytes);
      });
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return tiered_pool(
      std::make_unique<parts>(std::move(*end), device(on.end()), wanted.over_device, wanted.memory));
}

namespace {

tl::unexpected<error> moved_from(std::string_view call) {
  return detail::fail(call, errc::invalid_handle, "the object was moved from");
}

}  // namespace

expected<void*> tiered_pool::allocate(std::size_t bytes) {
  if (parts_ == nullptr) {
    return moved_from("tiered_pool::allocate");
  }
  return parts_->allocate(bytes);
}

expected<void> tiered_pool::free(void* address) {
  if (parts_ == nullptr) {
    return moved_from("tiered_pool::free");
  }
  return parts_->free(address);
}

expected<classic_statistics> tiered_pool::statistics() const {
  constexpr auto call = "tiered_pool::statistics";
  if (parts_ == nullptr) {
    return moved_from(call);
  }
  return detail::ask_classic<messages::classic_pool_figures>(call, parts_->end,
                                                             messages::read_classic_figures{})
      .map([](const messages::classic_pool_figures& figures) { return detail::statistics_of(figures.all); });
}

expected<std::vector<tier_statistics>> tiered_pool::tiers() const {
  constexpr auto call = "tiered_pool::tiers";
  if (parts_ == nullptr) {
    return moved_from(call);
  }
  return detail::ask_classic<messages::classic_pool_figures>(call, parts_->end,
                                                             messages::read_classic_figures{})
      .map([](const messages::classic_pool_figures& figures) {
        std::vector<tier_statistics> all;
        for (const auto& each : figures.tiers) {
          all.push_back({each.block_bytes, each.fell_through, detail::statistics_of(each.figures)});
        }
        return all;
      });
}

std::uint64_t tiered_pool::device_blocks() const { return parts_ == nullptr ? 0 : parts_->on_device().first; }
std::uint64_t tiered_pool::device_bytes() const { return parts_ == nullptr ? 0 : parts_->on_device().second; }

}  // namespace soma
