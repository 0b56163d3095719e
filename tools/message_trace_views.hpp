// What can be shown of a message trace. Each view is a text of its own, that ends with a new line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "tools/message_trace.hpp"

namespace soma::tools {

/// Messages by kind and by pair, calls, the longest chains, and which streams waited for whom.
std::string print_trace_summary(const std::string& file, const message_trace& trace);

/// The lives of the blocks that began at this address: who allocated each, how it was served and what else
/// there was, what used it, who freed it. An error names addresses that the trace knows.
tl::expected<std::string, std::string> print_block_lives(const message_trace& trace, std::uint64_t address);

/// Calls of the program, to be shown with all that they caused.
using chosen_calls = std::vector<const trace_step*>;

/// The first `count` calls whose names contain this text. Without a text: the first call that allocated a
/// block of a pool, the first one behind it that gave that block's stream work, and the one that freed the
/// block.
tl::expected<chosen_calls, std::string> choose_calls(const message_trace& trace, const std::string& name,
                                                     std::size_t count);

/// The messages of these calls as a sequence diagram in the language of Mermaid.
std::string print_sequence(const message_trace& trace, const chosen_calls& calls);

/// The same as a picture (SVG): a line for each thread, actor and engine, time from left to right, not to
/// scale.
std::string draw_timeline(const message_trace& trace, const chosen_calls& calls);

/// The order of tasks as a graph in the language of Graphviz: each stream's tasks, and the edges of events
/// and of inserted waits between streams.
std::string print_order_graph(const message_trace& trace);

}  // namespace soma::tools
