#include "tools/trace_file.hpp"

#include "tools/trace_source.hpp"

namespace soma::tools {

tl::expected<std::vector<trace_row>, trace_error> read_trace_file(const std::string& path) {
  auto source = trace_source::open(path);
  if (!source) {
    return tl::unexpected(trace_error{.line = 0, .reason = source.error()});
  }
  return read_trace(*source);
}

}  // namespace soma::tools
