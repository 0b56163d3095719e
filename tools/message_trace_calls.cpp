// Which calls are shown, and what belongs to them.

#include <algorithm>

#include "tools/message_trace_parts.hpp"
#include "tools/message_trace_views.hpp"

namespace soma::tools {

namespace {

bool is_call(const trace_step* step) { return step != nullptr && step->what == trace_step::kind::call; }

void add_once(chosen_calls& calls, const trace_step* call) {
  if (is_call(call) && std::find(calls.begin(), calls.end(), call) == calls.end()) {
    calls.push_back(call);
  }
}

// The call of the first step that fits.
template <class Fits>
const trace_step* first_call(const message_trace& trace, Fits fits) {
  for (const auto& step : trace.steps) {
    if (fits(step)) {
      if (const auto* root = trace.root_of(step.id); is_call(root)) {
        return root;
      }
    }
  }
  return nullptr;
}

chosen_calls life_of_first_block(const message_trace& trace) {
  chosen_calls calls;
  for (const auto& grant : trace.grants) {
    const auto* allocation = trace.root_of(grant.cause);
    if (!is_call(allocation)) {
      continue;
    }
    const auto* malloc = first_call(trace, [&](const trace_step& step) {
      return step.name == "malloc_async" && trace.root_of(step.id) == allocation;
    });
    add_once(calls, malloc);
    const auto of_stream = std::find_if(trace.steps.begin(), trace.steps.end(), [&](const trace_step& step) {
      return step.name == "malloc_async" && trace.root_of(step.id) == allocation;
    });
    add_once(calls, first_call(trace, [&](const trace_step& step) {
               return step.name == "submit_work" && step.sent >= grant.time &&
                      of_stream != trace.steps.end() && step.track == of_stream->track;
             }));
    add_once(calls, first_call(trace, [&](const trace_step& step) {
               return step.name == "give_back" && step.block == grant.block && step.start >= grant.time;
             }));
    break;
  }
  return calls;
}

}  // namespace

tl::expected<chosen_calls, std::string> choose_calls(const message_trace& trace, const std::string& name,
                                                     std::size_t count) {
  chosen_calls calls;
  if (name.empty()) {
    calls = life_of_first_block(trace);
    if (calls.empty()) {
      return tl::unexpected(
          std::string("the trace has no call that allocated a block of a pool; choose another "
                      "call with --call"));
    }
    return calls;
  }
  for (const auto& step : trace.steps) {
    if (is_call(&step) && step.name.find(name) != std::string::npos && calls.size() < count) {
      calls.push_back(&step);
    }
  }
  if (calls.empty()) {
    return tl::unexpected("the trace has no call with \"" + name +
                          "\" in its name; soma trace FILE lists those that it has");
  }
  return calls;
}

steps_of_calls caused_by(const message_trace& trace, const chosen_calls& calls) {
  steps_of_calls all;
  for (const auto& step : trace.steps) {
    if (std::find(calls.begin(), calls.end(), trace.root_of(step.id)) != calls.end()) {
      all.steps.push_back(&step);
    }
  }
  for (const auto& answer : trace.answers) {
    const auto call = std::find_if(calls.begin(), calls.end(),
                                   [&](const trace_step* one) { return one->id == answer.call; });
    if (call != calls.end()) {
      all.answers.push_back(&answer);
    }
  }
  return all;
}

}  // namespace soma::tools
