// What the views of a trace that show calls have in common.
#pragma once

#include <vector>

#include "tools/message_trace_views.hpp"

namespace soma::tools {

struct steps_of_calls {
  std::vector<const trace_step*> steps;  // the calls themselves, and all that they caused; by their start
  std::vector<const trace_answer*> answers;
};

steps_of_calls caused_by(const message_trace& trace, const chosen_calls& calls);

}  // namespace soma::tools
