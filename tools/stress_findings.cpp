#include "tools/stress_findings.hpp"

namespace soma::tools {

namespace {

constexpr std::size_t kept_max = 10;

}  // namespace

void stress_findings::add(const std::string& finding) {
  const std::lock_guard lock(adding_);
  if (found_.size() < kept_max) {
    found_.push_back(finding + " (seed " + std::to_string(seed_) + ")");
  }
  any_.store(true, std::memory_order_relaxed);
}

std::vector<std::string> stress_findings::all() const {
  const std::lock_guard lock(adding_);
  return found_;
}

void stress_findings::count_check(std::uint64_t verified, std::uint64_t bytes) noexcept {
  checks_.fetch_add(1, std::memory_order_relaxed);
  verified_.fetch_add(verified, std::memory_order_relaxed);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace soma::tools
