// What the files of the parser share.
#pragma once

#include "sim/cursor.hpp"

namespace soma::sim {

inline bool is_stream(const std::string& word) { return word.starts_with('S'); }
inline bool is_event(const std::string& word) { return word.starts_with('E'); }

/// For sync and query, which take a stream or an event.
void parse_waited_for(cursor& at, statement& made, verb for_stream, verb for_event);

/// What follows `expect`.
void parse_expect(cursor& at, statement& made);

}  // namespace soma::sim
