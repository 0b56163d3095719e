#include "tools/stress_world.hpp"

#include <utility>

namespace soma::tools {

namespace {

constexpr std::size_t shared_events = 8;
constexpr std::size_t handed_max = 64;

}  // namespace

expected<void> shared_stream::retire() {
  {
    const std::unique_lock lock(using_);
    if (retired_) {
      return {};
    }
    if (auto recorded = stream_->record(*last_); !recorded) {
      return recorded;
    }
    retired_ = true;
  }
  auto ended = stream_->destroy();
  destroyed_.store(true, std::memory_order_release);
  return ended;
}

stress_world::stress_world(const stress_settings& with, soma::runtime made, soma::device first,
                           soma::device second)
    : settings(with), runtime(std::move(made)), device(std::move(first)), other_device(std::move(second)),
      findings(with.seed), streams(with.streams + std::size_t{1}), pools(with.pools) {}

expected<std::unique_ptr<stress_world>> stress_world::create(const stress_settings& settings) {
  auto made = runtime::create({.devices = 2, .device_memory = settings.device_memory});
  if (!made) {
    return tl::unexpected(std::move(made.error()));
  }
  auto first = made->get_device(0);
  auto second = made->get_device(1);
  if (!first || !second) {
    return tl::unexpected(first ? second.error() : first.error());
  }
  auto world =
      std::make_unique<stress_world>(settings, std::move(*made), std::move(*first), std::move(*second));
  if (auto filled = world->fill(); !filled) {
    return tl::unexpected(std::move(filled.error()));
  }
  return world;
}

expected<void> stress_world::fill() {
  for (std::size_t index = 0; index < settings.streams; ++index) {
    auto made = make_stream(index % 8 == 7);
    if (!made) {
      return tl::unexpected(std::move(made.error()));
    }
    streams.set(index, std::move(*made));
  }
  streams.set(settings.streams, std::make_shared<shared_stream>(device.default_stream()));
  for (std::size_t index = 0; index < settings.pools; ++index) {
    auto made = make_pool();
    if (!made) {
      return tl::unexpected(std::move(made.error()));
    }
    pools.set(index, std::move(*made));
  }
  for (std::size_t index = 0; index < shared_events; ++index) {
    auto made = device.create_event();
    if (!made) {
      return tl::unexpected(std::move(made.error()));
    }
    events.push_back(std::move(*made));
  }
  return {};
}

expected<std::shared_ptr<shared_stream>> stress_world::make_stream(bool blocking) {
  auto made = device.create_stream({.blocking = blocking});
  auto last = device.create_event();
  if (!made || !last) {
    return tl::unexpected(made ? last.error() : made.error());
  }
  return std::make_shared<shared_stream>(std::move(*made), std::move(*last));
}

expected<std::shared_ptr<shared_pool>> stress_world::make_pool() {
  return device.create_pool(settings.pool).map([this](pool made) {
    return std::make_shared<shared_pool>(std::move(made), pools_made_.fetch_add(1) + 1);
  });
}

bool stress_world::hand_over(live_block block) {
  const std::lock_guard lock(handing_);
  if (handed_.size() >= handed_max) {
    return false;
  }
  handed_.push_back(std::move(block));
  return true;
}

std::optional<live_block> stress_world::take_over() {
  const std::lock_guard lock(handing_);
  if (handed_.empty()) {
    return std::nullopt;
  }
  auto taken = std::move(handed_.front());
  handed_.pop_front();
  return taken;
}

}  // namespace soma::tools
