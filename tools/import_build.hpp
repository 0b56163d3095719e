// Makes a trace of a recording.
//
//   T1  A free of an address where nothing is live is a block from before the recording; these come first.
//   T2  A malloc of an address where something is live: a free was missed, which is put in front.
//   T3  A free has the size of its malloc, whatever the recording says.
//   T4  A free that was done only after something else had happened gets a sync row of its own there.
//   T5  Times count from the first event, and never go back.
#pragma once

#include <vector>

#include <tl/expected.hpp>

#include "tools/import_events.hpp"
#include "tools/trace_reader.hpp"

namespace soma::tools {

struct built_trace {
  std::vector<trace_row> rows;
  std::vector<std::string> notes;  ///< the recording's, and what T1 to T5 did
};

/// Errors: nothing in it, more streams than a trace may have, a total that passes 2^64 bytes.
[[nodiscard]] tl::expected<built_trace, import_error> build_trace(const recording& from);

/// The text of a trace with these rows.
[[nodiscard]] std::string print_trace(const std::vector<trace_row>& rows);

}  // namespace soma::tools
