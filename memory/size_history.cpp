#include "memory/size_history.hpp"

#include <algorithm>
#include <cmath>

namespace soma::memory {

namespace {

double faded(operation_time since, operation_time now, double half_life) noexcept {
  return std::exp2(-static_cast<double>(now - since) / half_life);
}

}  // namespace

double fading_high::value(operation_time now, double half_life) const noexcept {
  return current_ + (high_ - current_) * faded(at_, now, half_life);
}

void fading_high::set(double now_at, operation_time now, double half_life) noexcept {
  high_ = std::max(now_at, value(now, half_life));
  current_ = now_at;
  at_ = now;
}

double size_history::count_of(const seen& of, operation_time now) const noexcept {
  return of.count * faded(of.counted_at, now, half_life_);
}

void size_history::allocated(std::uint64_t bytes, operation_time now) {
  auto& of = seen_[bytes];
  of.count = count_of(of, now) + 1;
  of.counted_at = now;
  of.high.set(static_cast<double>(++of.live), now, half_life_);
}

void size_history::freed(std::uint64_t bytes, operation_time now) {
  const auto found = seen_.find(bytes);
  if (found != seen_.end() && found->second.live > 0) {
    found->second.high.set(static_cast<double>(--found->second.live), now, half_life_);
  }
}

double size_history::count(std::uint64_t bytes, operation_time now) const {
  const auto found = seen_.find(bytes);
  return found == seen_.end() ? 0 : count_of(found->second, now);
}

std::uint64_t size_history::demand(std::uint64_t bytes, operation_time now) const {
  const auto found = seen_.find(bytes);
  return found == seen_.end()
             ? 0
             : static_cast<std::uint64_t>(std::ceil(found->second.high.value(now, half_life_) - 0.5));
}

void size_history::forget(operation_time now) {
  constexpr double least = 0.5;
  std::erase_if(
      seen_, [&](const auto& each) { return each.second.live == 0 && count_of(each.second, now) < least; });
}

}  // namespace soma::memory
