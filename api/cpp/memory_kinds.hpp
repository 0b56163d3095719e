// A memory_kind of the interface: what it is inside, and what is told of it.
#pragma once

#include <vector>

#include "memory/memory_kind.hpp"
#include "soma/memory_kind.hpp"

namespace soma::detail {

inline memory::kind_wish wish_of(const memory_kind& kind) noexcept {
  return {kind.huge_pages, kind.numa_node};
}

/// Looks at each page of the parts.
memory_kind_report report_of(const std::vector<memory::range>& parts, const memory_kind& kind,
                             const memory::kind_answer& answer);

}  // namespace soma::detail
