#include "api/cpp/memory_kinds.hpp"

namespace soma::detail {

memory_kind_report report_of(const std::vector<memory::range>& parts, const memory_kind& kind,
                             const memory::kind_answer& answer) {
  const auto found = memory::look_at(parts, kind.numa_node);
  return {answer.huge_pages,    answer.numa_node, answer.text,
          found.resident_bytes, found.huge_bytes, found.node_bytes};
}

}  // namespace soma::detail
