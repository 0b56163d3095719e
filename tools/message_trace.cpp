#include "tools/message_trace.hpp"

#include <algorithm>
#include <cstdio>

#include "tools/table_text.hpp"

namespace soma::tools {

const trace_step* message_trace::find(std::uint64_t id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &steps[found->second];
}

const trace_step* message_trace::root_of(std::uint64_t id) const {
  const auto* at = find(id);
  // A cause has been there before what it caused; more steps than there are would be a circle.
  for (std::size_t steps_back = 0; at != nullptr && steps_back < steps.size(); ++steps_back) {
    const auto* cause = at->what == trace_step::kind::call ? nullptr : find(at->cause);
    if (cause == nullptr) {
      return at;
    }
    at = cause;
  }
  return at;
}

void message_trace::complete() {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const trace_step& left, const trace_step& right) { return left.start < right.start; });
  for (std::size_t place = 0; place < steps.size(); ++place) {
    places_[steps[place].id] = place;
  }
}

std::string print_time(double microseconds) {
  if (microseconds < 1000) {
    return print_fixed(microseconds, microseconds < 10 ? 2 : 1) + " us";
  }
  return microseconds < 1e6 ? print_fixed(microseconds / 1e3, 2) + " ms"
                            : print_fixed(microseconds / 1e6, 2) + " s";
}

std::string print_address(std::uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string describe_step(const trace_step& step) {
  auto text = step.name;
  if (step.bytes != 0) {
    text += " of " + print_count(step.bytes) + " bytes";
  }
  if (step.block != 0) {
    text += (step.bytes != 0 ? " at " : " of ") + print_address(step.block);
  }
  if (step.stream != 0 && step.task != 0) {
    text += " (stream " + std::to_string(step.stream) + "'s task " + std::to_string(step.task) + ")";
  }
  if (step.record != 0) {
    text += " record " + std::to_string(step.record);
  }
  return text + (step.has_failed ? ", failed" : "") + (step.is_open ? ", not ended" : "");
}

}  // namespace soma::tools
