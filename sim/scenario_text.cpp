// Printing scenarios.

#include <cstdio>

#include "sim/scenario.hpp"

namespace soma::sim {

namespace {

std::string access_text(const access& printed) {
  std::string text = printed.how == access::kind::read    ? "r:"
                     : printed.how == access::kind::write ? "w:"
                                                          : "mark:";
  text += printed.what.text;
  if (printed.value) {
    text += "=" + byte_text(*printed.value);
  }
  return text;
}

std::string call(const std::string& function, const std::vector<std::string>& arguments) {
  std::string text = function + "(";
  for (const auto& argument : arguments) {
    text += (text.back() == '(' ? "" : ", ") + argument;
  }
  return text + ")";
}

std::string pool_text(const pool_settings& settings) {
  std::string text = "pool(";
  for (const bool on : settings.switches) {
    text += (text.back() == '(' ? "" : ",") + std::string(on ? "1" : "0");
  }
  const pool_settings standard;
  const bool block = settings.minimum_block != standard.minimum_block;
  const bool threshold = settings.threshold != standard.threshold;
  if (settings.limit != 0 || threshold || block) {
    text += ";" + (settings.limit != 0 ? " " + size_text(settings.limit) : "");
  }
  if (threshold || block) {
    text += ";" + (threshold ? " " + size_text(settings.threshold) : "");
  }
  return text + (block ? "; " + size_text(settings.minimum_block) : "") + ")";
}

std::string task_text(const statement& printed) {
  std::vector<std::string> arguments{printed.stream.text};
  if (printed.gate.given()) {
    arguments.push_back(printed.gate.text);
  }
  for (const auto& one : printed.accesses) {
    arguments.push_back(access_text(one));
  }
  return call(printed.gate.given() ? "hold" : "run", arguments);
}

const char* comparison_text(comparison how) {
  switch (how) {
  case comparison::equal:
    return " == ";
  case comparison::unequal:
    return " != ";
  case comparison::less:
    return " < ";
  case comparison::at_most:
    return " <= ";
  case comparison::more:
    return " > ";
  case comparison::at_least:
    return " >= ";
  }
  return " ";
}

std::string quantity_text(const statement& printed) {
  const auto& pool = printed.pool.text;
  switch (printed.expected.what) {
  case quantity::address:
    return printed.block.text;
  case quantity::inside:
    return call("inside", {printed.block.text, printed.expected.other.text});
  case quantity::fails:
    return call("fails", {printed.block.text});
  case quantity::races:
    return "race";
  case quantity::stream_done:
    return call("query", {printed.stream.text});
  case quantity::event_done:
    return call("query", {printed.event.text});
  case quantity::used:
    return call("used", {pool});
  case quantity::used_high:
    return call("used_high", {pool});
  case quantity::reserved:
    return call("reserved", {pool});
  case quantity::reserved_high:
    return call("reserved_high", {pool});
  case quantity::idle:
    return call("idle", {pool});
  case quantity::live:
    return call("live", {pool});
  case quantity::served_same_stream:
    return call("served", {pool, "same_stream"});
  case quantity::served_event:
    return call("served", {pool, "event"});
  case quantity::served_opportunistic:
    return call("served", {pool, "opportunistic"});
  case quantity::served_internal:
    return call("served", {pool, "internal"});
  case quantity::served_new_memory:
    return call("served", {pool, "new_memory"});
  case quantity::backing_requests:
    return call("os", {pool});
  case quantity::backing_returns:
    return call("osreturns", {pool});
  }
  return {};
}

std::string expect_text(const statement& printed) {
  const auto& expected = printed.expected;
  std::string text = "expect " + quantity_text(printed);
  switch (expected.what) {
  case quantity::races:
    for (const auto& race : expected.races) {
      text += " " + race;
    }
    return text;
  case quantity::inside:
  case quantity::fails:
    return text;
  case quantity::address:
    return text + comparison_text(expected.how) + expected.other.text;
  default:
    return text + comparison_text(expected.how) + size_text(expected.value);
  }
}

const char* setting_text(setting which) {
  switch (which) {
  case setting::event:
    return "event";
  case setting::opportunistic:
    return "opportunistic";
  case setting::internal:
    return "internal";
  case setting::threshold:
    return "threshold";
  }
  return "";
}

std::string with_limit(const char* function, std::string what, const statement& printed) {
  std::vector<std::string> arguments;
  if (!what.empty()) {
    arguments.push_back(std::move(what));
  }
  if (printed.limit_ms) {
    arguments.push_back(std::to_string(*printed.limit_ms));
  }
  return call(function, arguments);
}

std::string statement_text(const statement& printed) {
  const auto& block = printed.block.text;
  const auto& stream = printed.stream.text;
  const auto& event = printed.event.text;
  switch (printed.what) {
  case verb::make_pool:
    return printed.pool.text + " = " + pool_text(printed.settings);
  case verb::alloc:
    return block + " = " +
           (printed.pool.given() ? call("alloc", {stream, size_text(printed.bytes), printed.pool.text})
                                 : call("alloc", {stream, size_text(printed.bytes)}));
  case verb::malloc:
    return block + " = " + call("malloc", {size_text(printed.bytes)});
  case verb::free:
    return call("free", {block, stream});
  case verb::free_plainly:
    return call("pfree", {block});
  case verb::run:
    return task_text(printed);
  case verb::record:
    return call("rec", {event, stream});
  case verb::wait:
    return call("wait", {stream, event});
  case verb::sync_stream:
    return with_limit("sync", stream, printed);
  case verb::sync_event:
    return with_limit("sync", event, printed);
  case verb::sync_device:
    return printed.limit_ms ? with_limit("dsync", "", printed) : "dsync";
  case verb::query_stream:
    return call("query", {stream});
  case verb::query_event:
    return call("query", {event});
  case verb::trim:
    return call("trim", {printed.pool.text, size_text(printed.bytes)});
  case verb::set:
    return call("set", {printed.pool.text, setting_text(printed.which), size_text(printed.bytes)});
  case verb::destroy_stream:
    return call("destroy", {stream});
  case verb::renew_stream:
    return call("renew", {stream});
  case verb::destroy_event:
    return call("destroy", {event});
  case verb::destroy_pool:
    return call("destroy", {printed.pool.text});
  case verb::open:
    return "open " + printed.gate.text;
  case verb::started:
    return call("started", {printed.gate.text});
  case verb::seen:
    return call("seen", {printed.gate.text});
  case verb::expect:
    return expect_text(printed);
  }
  return {};
}

}  // namespace

std::size_t line_of(const scenario& program, const statement& one) {
  return one.line != 0 ? one.line : static_cast<std::size_t>(&one - program.statements.data()) + 1;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> suffixes{"", "K", "M", "G"};
  std::size_t suffix = 0;
  while (bytes > 0 && bytes % 1024 == 0 && suffix + 1 < suffixes.size()) {
    bytes /= 1024;
    ++suffix;
  }
  return std::to_string(bytes) + suffixes.at(suffix);
}

std::string byte_text(std::uint8_t value) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%02X", value);
  return text.data();
}

std::string to_text(const statement& printed) {
  const std::string thread = printed.thread == 1 ? "" : "T" + std::to_string(printed.thread) + ": ";
  const std::string outcome = printed.outcome == wanted::failure  ? "fails "
                              : printed.outcome == wanted::either ? "maybe "
                                                                  : "";
  return thread + outcome + statement_text(printed);
}

std::string to_text(const scenario& printed) {
  std::string text = "device " + size_text(printed.device_bytes) + "\n";
  for (const auto& one : printed.statements) {
    text += to_text(one) + "\n";
  }
  return text;
}

}  // namespace soma::sim
