#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "tools/message_trace_views.hpp"
#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

std::string print_task(std::uint64_t stream, std::uint64_t task) {
  return "stream " + std::to_string(stream) + "'s task " + std::to_string(task);
}

std::string at(double time) { return "  " + print_time(time) + ": "; }

// "same stream: freed by stream 3's task 5".
std::string print_reason(const trace_grant& grant) {
  auto text = grant.how;
  if (grant.freed_by_stream != 0) {
    text += ": freed by " + print_task(grant.freed_by_stream, grant.freed_by_task);
  } else if (grant.seen_by_host) {
    text += ": the host had seen its free complete";
  } else if (grant.how == "new memory") {
    text += ": in no block before";
  }
  if (grant.event != 0) {
    text += "; event " + std::to_string(grant.event) + "'s record " + std::to_string(grant.record) +
            " ordered the taker behind that";
  }
  if (grant.how == "internal") {
    text += "; the taker waits for that task";
  }
  text += grant.joined ? "; joined from several pieces" : "";
  return text + (grant.stitched ? "; stitched: idle granules of the pool were moved there" : "");
}

std::string print_candidates(const trace_grant& grant) {
  constexpr std::pair<const char*, const char*> texts[] = {
      {"usable", "could be used"},
      {"too_small", "too small alone"},
      {"event_off", "ordered by events, but that kind of reuse is switched off"},
      {"opportunistic_off", "freed and executed, but opportunistic reuse is switched off"},
      {"not_ordered", "not ordered before the taker"},
      {"not_looked_at", "not looked at"},
  };
  std::string text;
  for (const auto& [name, meaning] : texts) {
    if (const auto count = grant.idle.at(name); count > 0) {
      text += (text.empty() ? "" : ", ") + print_count(count) + " " + meaning;
    }
  }
  return text.empty() ? "the pool had no idle memory" : "idle pieces: " + text;
}

std::string print_caller(const message_trace& trace, std::uint64_t cause) {
  const auto* root = trace.root_of(cause);
  if (root == nullptr) {
    return "a call that was dropped";
  }
  return root->what == trace_step::kind::call ? root->name + " on " + root->track
                                              : root->track + ", " + describe_step(*root);
}

bool is_free(const trace_step& step) { return step.name == "give_back" || step.name == "give_back_now"; }

const trace_step* free_of(const message_trace& trace, const trace_grant& grant) {
  for (const auto& step : trace.steps) {
    if (is_free(step) && step.block == grant.block && step.track == grant.pool && step.start >= grant.time) {
      return &step;
    }
  }
  return nullptr;
}

// Copies and fills that touch the block. What kernels use is not in a trace.
std::string print_uses(const message_trace& trace, const trace_grant& grant, double until) {
  const auto is_inside = [&](std::uint64_t address) {
    return address >= grant.block && address < grant.block + grant.bytes;
  };
  std::string text;
  for (const auto& step : trace.steps) {
    if (step.name != "submit_work" || step.sent < grant.time || step.sent > until) {
      continue;
    }
    for (const auto& [address, verb] : {std::pair{step.source, "reads "}, std::pair{step.block, "writes "}}) {
      if (is_inside(address)) {
        text += at(step.sent) + step.track + " was given a task that " + verb + print_count(step.bytes) +
                " bytes of it, by " + print_caller(trace, step.id) + "\n";
      }
    }
  }
  return text;
}

// Lines with their times.
using moments = std::vector<std::pair<double, std::string>>;

void add_next(const message_trace& trace, const trace_grant& grant, const trace_step& free, moments& lines) {
  std::uint64_t taken = 0;
  for (const auto& next : trace.grants) {
    const auto overlaps = next.block < grant.block + grant.bytes && grant.block < next.block + next.bytes;
    if (next.time > free.start && overlaps && next.pool == grant.pool && taken < grant.bytes) {
      taken += next.bytes;
      lines.emplace_back(next.time, "taken next as a block of " + print_count(next.bytes) + " bytes at " +
                                        print_address(next.block) + " by " + print_caller(trace, next.cause) +
                                        "\n    (" + print_reason(next) + ")\n");
    }
  }
}

void add_executed(const message_trace& trace, const trace_step& free, moments& lines) {
  for (const auto& step : trace.steps) {
    if (step.name == "free_executed" && step.stream == free.stream && step.task == free.task &&
        step.start >= free.start) {
      lines.emplace_back(step.start, "the free was executed\n");
      return;
    }
  }
}

std::string print_after(const message_trace& trace, const trace_grant& grant, const trace_step& free) {
  moments lines;
  add_executed(trace, free, lines);
  const auto executed = lines.size();
  add_next(trace, grant, free, lines);
  const bool is_last = lines.size() == executed;
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::string text;
  for (const auto& [time, line] : lines) {
    text += at(time) + line;
  }
  return text + (is_last ? "  taken by nobody afterwards\n" : "");
}

std::string print_life(const message_trace& trace, const trace_grant& grant, std::size_t number) {
  auto text =
      "life " + std::to_string(number) + ": " + print_count(grant.bytes) + " bytes of " + grant.pool + "\n";
  text += at(grant.time) + "allocated by " + print_caller(trace, grant.cause) + "\n";
  text += "    served: " + print_reason(grant) + "\n    " + print_candidates(grant) + "\n";
  const auto* free = free_of(trace, grant);
  text += print_uses(trace, grant, free == nullptr ? std::numeric_limits<double>::max() : free->start);
  if (free == nullptr) {
    return text + "  not freed in this trace\n";
  }
  text += at(free->start) + "freed by " + print_caller(trace, free->id);
  text += free->task != 0 ? ", as " + print_task(free->stream, free->task) + "\n" : ", at once\n";
  return text + print_after(trace, grant, *free);
}

std::string unknown_address(const message_trace& trace, std::uint64_t address) {
  std::string text = "no block at " + print_address(address) + " was granted in this trace";
  std::set<std::uint64_t> known;
  for (const auto& grant : trace.grants) {
    if (address > grant.block && address < grant.block + grant.bytes) {
      return text + ": it is inside of the block at " + print_address(grant.block);
    }
    known.insert(grant.block);
  }
  if (known.empty()) {
    return text + ", nor any other block of a pool";
  }
  constexpr std::size_t most = 8;
  text += "; some that were:";
  std::size_t shown = 0;
  for (const auto block : known) {
    if (shown++ < most) {
      text += " " + print_address(block);
    }
  }
  return text;
}

}  // namespace

tl::expected<std::string, std::string> print_block_lives(const message_trace& trace, std::uint64_t address) {
  std::string text;
  std::size_t lives = 0;
  for (const auto& grant : trace.grants) {
    if (grant.block == address) {
      text += (lives == 0 ? "" : "\n") + print_life(trace, grant, lives + 1);
      ++lives;
    }
  }
  if (lives == 0) {
    return tl::unexpected(unknown_address(trace, address));
  }
  return "block " + print_address(address) + "\n" + text;
}

}  // namespace soma::tools
