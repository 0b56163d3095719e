#include "memory/access_finding.hpp"

#include <algorithm>
#include <utility>

namespace soma::memory {

namespace {

// A program with more places than this is told of these first.
constexpr std::size_t kept_findings = 4096;

bool same_operation(const std::optional<operation>& one, const std::optional<operation>& other) {
  return one.has_value() == other.has_value() && (!one || same_place(one->where, other->where));
}

}  // namespace

bool finding_list::add(finding found) {
  const auto known = std::find_if(findings_.begin(), findings_.end(), [&](const finding& one) {
    return one.kind == found.kind && same_operation(one.before, found.before) &&
           same_operation(one.after, found.after);
  });
  if (known != findings_.end()) {
    ++known->count;
    ++repeated_;
    return false;
  }
  if (findings_.size() == kept_findings) {
    ++repeated_;
    return false;
  }
  findings_.push_back(std::move(found));
  return true;
}

}  // namespace soma::memory
