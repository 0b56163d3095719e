// Reading a message trace: each event is taken over as it is met, so that a trace of millions of messages
// needs no tree of JSON in memory.

#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <system_error>

#include <nlohmann/json.hpp>

#include "tools/message_trace.hpp"

namespace soma::tools {

namespace {

using nlohmann::json;

class event_reader {
public:
  /// Takes over one event of the list. Throws json::exception if something of it is missing or of a wrong
  /// type.
  void take(const json& event) {
    const auto phase = event.at("ph").get<std::string>();
    if (phase == "M") {
      take_name(event);
    } else if (phase == "X") {
      take_slice(event);
    } else if (phase == "i") {
      take_instant(event);
    }
  }

  message_trace finish() {
    for (auto& step : trace_.steps) {
      step.track = name_of(step.track);
    }
    for (auto& grant : trace_.grants) {
      grant.pool = name_of(grant.pool);
    }
    trace_.complete();
    return std::move(trace_);
  }

  message_trace& trace() { return trace_; }

private:
  // Names of tracks may come behind what is on them.
  static std::string key_of(const json& event) {
    return std::to_string(event.at("pid").get<std::uint64_t>()) + "." +
           std::to_string(event.at("tid").get<std::uint64_t>());
  }

  std::string name_of(const std::string& key) const {
    const auto found = names_.find(key);
    return found == names_.end() ? "track " + key : found->second;
  }

  void take_name(const json& event) {
    if (event.at("name") == "thread_name") {
      names_[key_of(event)] = event.at("args").at("name").get<std::string>();
    }
  }

  static std::uint64_t number(const json& args, const char* name) {
    return args.value(name, std::uint64_t{0});
  }

  static std::uint64_t address(const json& args, const char* name = "block") {
    const auto text = args.value(name, std::string());
    std::uint64_t value = 0;
    if (text.starts_with("0x")) {
      std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    }
    return value;
  }

  static trace_step step_of(const json& event) {
    const auto& args = event.at("args");
    trace_step step;
    step.id = args.at("id").get<std::uint64_t>();
    step.cause = number(args, "cause");
    step.name = event.at("name").get<std::string>();
    step.track = key_of(event);
    step.start = event.at("ts").get<double>();
    step.end = step.start + event.value("dur", 0.0);
    step.from = args.value("from", std::string());
    step.sent = args.value("sent", step.start);
    step.stream = number(args, "stream");
    step.task = number(args, "task");
    step.bytes = number(args, "bytes");
    step.record = number(args, "record");
    step.accepted = number(args, "accepted");
    step.block = address(args);
    step.source = address(args, "source");
    step.is_open = args.value("open", false);
    step.has_failed = args.value("failed", false);
    return step;
  }

  void take_slice(const json& event) {
    auto step = step_of(event);
    const auto category = event.at("cat").get<std::string>();
    step.what = category == "call"   ? trace_step::kind::call
                : category == "work" ? trace_step::kind::work
                                     : trace_step::kind::message;
    trace_.steps.push_back(std::move(step));
  }

  void take_instant(const json& event) {
    const auto category = event.at("cat").get<std::string>();
    const auto& args = event.at("args");
    if (category == "unhandled") {
      trace_.steps.push_back(step_of(event));
      trace_.steps.back().is_handled = false;
    } else if (category == "answer") {
      trace_.answers.push_back(
          {args.at("call").get<std::uint64_t>(), number(args, "cause"), event.at("ts").get<double>()});
    } else if (category == "grant") {
      take_grant(event, args);
    }
  }

  void take_grant(const json& event, const json& args) {
    trace_grant grant;
    grant.cause = number(args, "cause");
    grant.pool = key_of(event);
    grant.time = event.at("ts").get<double>();
    grant.block = address(args);
    grant.bytes = number(args, "bytes");
    grant.how = args.at("how").get<std::string>();
    grant.freed_by_stream = number(args, "freed_by_stream");
    grant.freed_by_task = number(args, "freed_by_task");
    grant.event = number(args, "event");
    grant.record = number(args, "record");
    grant.seen_by_host = args.value("seen_by_host", false);
    grant.joined = args.value("joined", false);
    grant.stitched = args.value("stitched", false);
    for (const char* name :
         {"usable", "too_small", "event_off", "opportunistic_off", "not_ordered", "not_looked_at"}) {
      grant.idle[name] = number(args, name);
    }
    trace_.grants.push_back(std::move(grant));
  }

  message_trace trace_;
  std::map<std::string, std::string> names_;
};

constexpr const char* not_ours = "it is JSON, but no message trace of soma: write one with SOMA_TRACE=FILE, "
                                 "soma::trace::write or soma replay "
                                 "--trace";

}  // namespace

tl::expected<message_trace, std::string> read_message_trace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return tl::unexpected("cannot be opened: " + std::generic_category().message(errno));
  }
  if (file.peek() == std::ifstream::traits_type::eof()) {
    return tl::unexpected(
        std::string("the file is empty: the program that it is of has not ended yet, or was "
                    "killed (SIGKILL, _exit) before it could write"));
  }
  event_reader reader;
  std::uint64_t events = 0;
  std::optional<std::string> broken;
  const auto take = [&](int depth, json::parse_event_t what, json& parsed) {
    constexpr int depth_of_events = 2;
    if (depth != depth_of_events || what != json::parse_event_t::object_end || broken) {
      return true;
    }
    ++events;
    try {
      reader.take(parsed);
    } catch (const json::exception& error) {
      broken = "event " + std::to_string(events) + " of the trace is not as soma writes it: " + error.what();
    }
    return false;
  };
  json rest;
  try {
    rest = json::parse(file, take);
  } catch (const json::parse_error& error) {
    file.clear();
    file.seekg(0, std::ios::end);
    const bool is_cut = error.byte >= static_cast<std::size_t>(file.tellg());
    return tl::unexpected((is_cut ? "the file is cut short, at byte " : "it is not JSON, from byte ") +
                          std::to_string(error.byte) + " on");
  } catch (const json::exception& error) {
    return tl::unexpected(std::string("it cannot be read: ") + error.what());
  }
  if (!rest.is_object() || !rest.contains("traceEvents") || !rest.contains("otherData") ||
      !rest["otherData"].is_object() || !rest["otherData"].contains("soma_trace")) {
    return tl::unexpected(std::string(not_ours));
  }
  if (broken) {
    return tl::unexpected(*broken);
  }
  const auto& summary = rest["otherData"];
  try {
    reader.trace().messages = summary.at("messages").get<std::uint64_t>();
    reader.trace().handled = summary.at("handled").get<std::uint64_t>();
    reader.trace().dropped = summary.at("dropped").get<std::uint64_t>();
  } catch (const json::exception& error) {
    return tl::unexpected(std::string("the summary in the trace is not as soma writes it: ") + error.what());
  }
  return reader.finish();
}

}  // namespace soma::tools
