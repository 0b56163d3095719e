#include <algorithm>
#include <set>
#include <tuple>

#include "tools/message_trace_views.hpp"
#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

constexpr std::size_t most_rows = 15;

struct total {
  std::uint64_t count = 0;
  double handling = 0;  // microseconds
  double waiting = 0;   // from the sending on
};

using totals = std::map<std::string, total>;

std::string padded(std::string text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string aligned(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// The most time first.
std::string print_totals(const std::string& title, const totals& all, const char* last_column) {
  std::vector<std::pair<std::string, total>> rows(all.begin(), all.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& one, const auto& other) {
    return one.second.handling > other.second.handling;
  });
  auto text = "\n" + padded(title, 44) + aligned("count", 10) + aligned("in all", 12) + aligned("each", 12) +
              (*last_column == '\0' ? "" : aligned(last_column, 12)) + "\n";
  for (std::size_t row = 0; row < std::min(rows.size(), most_rows); ++row) {
    const auto& [name, sum] = rows[row];
    const auto count = static_cast<double>(sum.count);
    text += padded("  " + name, 44) + aligned(print_count(sum.count), 10) +
            aligned(print_time(sum.handling), 12) + aligned(print_time(sum.handling / count), 12) +
            (*last_column == '\0' ? "" : aligned(print_time(sum.waiting / count), 12)) + "\n";
  }
  if (rows.size() > most_rows) {
    text += "  and " + print_count(rows.size() - most_rows) + " more\n";
  }
  return text;
}

void add(total& to, const trace_step& step) {
  ++to.count;
  to.handling += step.end - step.start;
  to.waiting += std::max(0.0, step.start - step.sent);
}

// -- chains -------------------------------------------------------------------------------------------------

struct chain {
  std::size_t length = 0;
  const trace_step* last = nullptr;
};

// The longest ways from a step without a known cause to one that caused nothing; one for each beginning.
std::vector<chain> longest_chains(const message_trace& trace) {
  std::map<std::uint64_t, std::size_t> lengths;
  std::map<std::uint64_t, chain> by_root;
  // A cause starts before what it causes.
  for (const auto& step : trace.steps) {
    const auto cause = step.what == trace_step::kind::call ? lengths.end() : lengths.find(step.cause);
    const auto length = cause == lengths.end() ? 1 : cause->second + 1;
    lengths[step.id] = length;
    auto& longest = by_root[trace.root_of(step.id)->id];
    if (length > longest.length) {
      longest = {length, &step};
    }
  }
  std::vector<chain> chains;
  for (const auto& [root, longest] : by_root) {
    chains.push_back(longest);
  }
  std::stable_sort(chains.begin(), chains.end(),
                   [](const chain& one, const chain& other) { return one.length > other.length; });
  constexpr std::size_t shown = 3;
  chains.resize(std::min(chains.size(), shown));
  return chains;
}

std::string print_chain(const message_trace& trace, const chain& of) {
  std::vector<const trace_step*> steps;
  const auto* at = of.last;
  while (at != nullptr && steps.size() < of.length) {
    steps.push_back(at);
    at = at->what == trace_step::kind::call ? nullptr : trace.find(at->cause);
  }
  std::reverse(steps.begin(), steps.end());
  auto text = "  " + print_count(steps.size()) + " steps in " +
              print_time(of.last->end - steps.front()->start) + ", from " + print_time(steps.front()->start) +
              " on\n";
  constexpr std::size_t most_steps = 12;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (steps.size() > most_steps && step == most_steps / 2) {
      const auto left_out = steps.size() - most_steps;
      text += "    ... " + print_count(left_out) + " more ...\n";
      step += left_out;
    }
    text += "    " + padded(steps[step]->track, 12) + describe_step(*steps[step]) + "\n";
  }
  return text;
}

// -- waits --------------------------------------------------------------------------------------------------

// When a stream asked for something, until it was told: by event and record, or by stream and task.
struct open_wait {
  double since = 0;
  std::string for_whom;
};

// A wait's message goes from the stream to the event or the other stream; the answer comes back from there.
std::string print_waits(const message_trace& trace) {
  std::map<std::pair<std::string, std::uint64_t>, std::string> recorded_by;    // event and record
  std::map<std::pair<std::string, std::string>, std::vector<open_wait>> open;  // who waits, and who answers
  std::map<std::string, total> waited;
  for (const auto& step : trace.steps) {
    if (step.name == "event_recorded") {
      recorded_by[{step.track, step.record}] =
          "stream " + std::to_string(step.stream) + "'s task " + std::to_string(step.task);
    }
  }
  for (const auto& step : trace.steps) {
    if (step.name == "await_record" && step.from.starts_with("stream")) {
      const auto by = recorded_by.find({step.track, step.record});
      const auto whom = by == recorded_by.end() ? std::string() : " (" + by->second + ")";
      open[{step.from, step.track}].push_back(
          {step.sent, step.track + "'s record " + std::to_string(step.record) + whom});
    } else if (step.name == "await_task") {
      open[{step.from, step.track}].push_back(
          {step.sent, step.track + "'s task " + std::to_string(step.task) + ", by an inserted wait"});
    } else if (step.name == "answered<record_reached>" || step.name == "answered<done>") {
      auto& waits = open[{step.track, step.from}];
      if (!waits.empty()) {
        auto& sum = waited[step.track + " for " + waits.front().for_whom];
        ++sum.count;
        sum.handling += step.start - waits.front().since;
        waits.erase(waits.begin());
      }
    }
  }
  auto text = waited.empty() ? std::string("\nNo stream waited for another one.\n")
                             : print_totals("Streams that waited, and for whom", waited, "");
  for (const auto& [who, waits] : open) {
    for (const auto& wait : waits) {
      text += "  " + who.first + " still waited at the end for " + wait.for_whom + "\n";
    }
  }
  return text;
}

}  // namespace

std::string print_trace_summary(const std::string& file, const message_trace& trace) {
  totals kinds;
  totals pairs;
  totals calls;
  totals works;
  std::set<std::string> tracks;
  double first = trace.steps.empty() ? 0 : trace.steps.front().start;
  double last = first;
  std::string unhandled;
  for (const auto& step : trace.steps) {
    last = std::max(last, step.end);
    tracks.insert(step.track);
    if (!step.is_handled) {
      unhandled += "  " + padded(step.track, 12) + describe_step(step) + ", sent by " + step.from + "\n";
    } else if (step.what == trace_step::kind::message) {
      add(kinds[step.name], step);
      add(pairs[(step.from.empty() ? "(dropped)" : step.from) + " -> " + step.track], step);
    } else {
      auto& of = step.what == trace_step::kind::call ? calls : works;
      add(of[step.name], step);
    }
  }
  auto text = file + "\n" + print_line("messages", print_count(trace.messages)) +
              print_line("handled", print_count(trace.handled)) +
              print_line("dropped entries", print_count(trace.dropped),
                         trace.dropped > 0 ? "the oldest; causes and arrows to them are missing" : "") +
              print_line("tracks", print_count(tracks.size())) + print_line("time", print_time(last - first));
  text += print_totals("Messages by kind", kinds, "wait before");
  text += print_totals("Messages by sender and receiver", pairs, "wait before");
  text += print_totals("Calls", calls, "");
  text += print_totals("Work on engines", works, "");
  text += print_waits(trace);
  if (!unhandled.empty()) {
    text += "\nSent, but not handled when the trace was written\n" + unhandled;
  }
  text += "\nLongest chains of causes\n";
  for (const auto& chain : longest_chains(trace)) {
    text += print_chain(trace, chain);
  }
  return text;
}

}  // namespace soma::tools
