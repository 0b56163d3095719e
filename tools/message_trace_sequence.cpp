#include <algorithm>
#include <functional>

#include "tools/message_trace_parts.hpp"

namespace soma::tools {

namespace {

// One line of the diagram, at its time.
struct line {
  double time;
  std::string text;
};

// Mermaid ends a message at a semicolon, takes # for the begin of a character's number, and <x> for HTML.
std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char one) { return one == ';' || one == '#'; }, ',');
  std::replace(text.begin(), text.end(), '<', ' ');
  std::erase(text, '>');
  return text;
}

class diagram {
public:
  std::string party(const std::string& track) {
    const auto found = std::find(tracks_.begin(), tracks_.end(), track);
    if (found == tracks_.end()) {
      tracks_.push_back(track);
      return "p" + std::to_string(tracks_.size());
    }
    return "p" + std::to_string(found - tracks_.begin() + 1);
  }

  void add(double time, std::string text) { lines_.push_back({time, std::move(text)}); }

  std::string text() {
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const line& one, const line& other) { return one.time < other.time; });
    std::string all = "sequenceDiagram\n";
    for (std::size_t at = 0; at < tracks_.size(); ++at) {
      all += "    participant p" + std::to_string(at + 1) + " as " + tracks_[at] + "\n";
    }
    for (const auto& one : lines_) {
      all += "    " + one.text + "\n";
    }
    return all;
  }

private:
  std::vector<std::string> tracks_;
  std::vector<line> lines_;
};

}  // namespace

std::string print_sequence(const message_trace& trace, const chosen_calls& calls) {
  diagram drawn;
  const auto shown = caused_by(trace, calls);
  for (const auto* step : shown.steps) {
    const auto text = plain(describe_step(*step));
    switch (step->what) {
    case trace_step::kind::call:
      drawn.add(step->start, "Note over " + drawn.party(step->track) + ": " + text);
      break;
    case trace_step::kind::work:
      drawn.add(step->start, "Note over " + drawn.party(step->track) + ": " + text + ", " +
                                 print_time(step->end - step->start));
      break;
    case trace_step::kind::message:
      drawn.add(step->sent, drawn.party(step->from) + (step->is_handled ? "->>" : "-x") +
                                drawn.party(step->track) + ": " + text);
      break;
    }
  }
  for (const auto* answer : shown.answers) {
    const auto* by = trace.find(answer->cause);
    const auto* call = trace.find(answer->call);
    if (by != nullptr && call != nullptr) {
      drawn.add(answer->time, drawn.party(by->track) + "-->>" + drawn.party(call->track) + ": answer");
    }
  }
  return drawn.text();
}

}  // namespace soma::tools
