// What memory is made of: asking the system for huge pages, or for memory of a NUMA node, and finding out
// what came of it. Where the system cannot do it, the answer says why, and the memory stays as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/identifiers.hpp"

namespace soma::memory {

struct kind_wish {
  bool huge_pages = false;
  std::optional<std::uint32_t> numa_node;  // preferred: where the node has no room, pages come from another

  [[nodiscard]] bool is_empty() const noexcept { return !huge_pages && !numa_node; }
};

/// What the system said to a wish.
struct kind_answer {
  bool huge_pages = false;  // it will use them where it can
  bool numa_node = false;   // it will take the node's memory where it can
  std::string text;         // what was refused and why, and what can be done about it; empty if nothing was
};

/// Asks for the whole pages in the range. Pages that have memory already keep it.
[[nodiscard]] kind_answer ask_for(range memory, const kind_wish& wish);

/// Whether a number is in a list as the system writes them, like "0-3,8".
[[nodiscard]] bool is_in_list(const std::string& list, std::uint32_t wanted);

/// Takes back what was asked for: the next user of the memory gets it from anywhere, and in pages as usual.
void end_wish(range memory, const kind_wish& wish) noexcept;

/// What the memory is made of at this moment, as far as it was touched.
struct kind_found {
  std::uint64_t resident_bytes = 0;
  std::uint64_t huge_bytes = 0;
  std::uint64_t node_bytes = 0;  // on the node asked about
};

/// Looks at each page of the parts: takes time in proportion to them. What the system does not tell reads 0.
[[nodiscard]] kind_found look_at(const std::vector<range>& parts, std::optional<std::uint32_t> node);

}  // namespace soma::memory
