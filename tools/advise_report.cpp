#include "tools/advise_report.hpp"

#include <nlohmann/json.hpp>

#include "tools/byte_size.hpp"
#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

const advised_switches& best_of(const advice& given) { return given.switches[given.best]; }

std::string column(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 1, ' ') + text;
}

std::string print_limit_part(const advice& given) {
  const advised_switches& best = best_of(given);
  std::string text = "Limit\n";
  text +=
      print_line("smallest that serves", print_byte_size(best.limit()),
                 "in " + print_byte_size(given.minimum_block) + " blocks, reuse " + print_reuse(best.reuse));
  text += print_line("host runs ahead", print_byte_size(best.limit_ahead),
                     "needed if nothing is executed before the host waits");
  text += print_line("device keeps up", print_byte_size(best.limit_keeping),
                     "needed if frees are executed at once");
  text += print_line("peak used", print_byte_size(given.used_high), "no limit below it can serve");
  text += print_line("without a limit", print_byte_size(best.reserved_ahead),
                     "what the pool would reserve, the host running ahead");
  if (!given.refusal.empty()) {
    text += "  One granule (2 MiB) less is refused: " + given.refusal + "\n";
  }
  return text;
}

std::string print_threshold_part(const advised_threshold& threshold) {
  std::string text = "Threshold\n";
  if (threshold.sync_every != 0) {
    text += "  The trace has no device synchronise, at which a threshold acts: one after every " +
            print_count(threshold.sync_every) + " events\n  is assumed (--sync-every to choose).\n";
  }
  text += print_line("to set", print_byte_size(threshold.bytes),
                     "the least with which no memory is given back and taken again");
  text += print_line("given back with it", print_byte_size(threshold.returned),
                     "over " + print_counted(threshold.synchronizes, "synchronise") + ", without a limit");
  text += print_line("given back with 0", print_byte_size(threshold.returned_without),
                     "in " + print_counted(threshold.returns_without, "call"));
  text += print_line("and taken again", print_byte_size(threshold.retaken_without));
  return text;
}

std::string print_switch_table(const advice& given) {
  std::string text = "  " + std::string(24, ' ') + column("host runs ahead", 26) +
                     column("device keeps up", 26) + "\n  " + std::string(24, ' ');
  for (int way = 0; way < 2; ++way) {
    text += column("no limit", 13) + column("least limit", 13);
  }
  text += column("waits", 8) + "\n";
  for (const advised_switches& each : given.switches) {
    std::string name = print_reuse(each.reuse);
    name.resize(std::max<std::size_t>(name.size(), 24), ' ');
    text += "  " + name + column(print_byte_size(each.reserved_ahead), 13) +
            column(print_byte_size(each.limit_ahead), 13) +
            column(print_byte_size(each.reserved_keeping), 13) +
            column(print_byte_size(each.limit_keeping), 13) + column(print_count(each.waits_ahead), 8) +
            (&each == &best_of(given) ? "  <- advised" : "") + "\n";
  }
  return text;
}

/// What one switch alone changes against none.
std::string print_verdict(const char* name, const advised_switches& none, const advised_switches& alone) {
  std::string text = "  " + std::string(name);
  if (alone.limit() < none.limit()) {
    text += " pays: alone it lowers the smallest limit from " + print_byte_size(none.limit()) + " to " +
            print_byte_size(alone.limit());
    return text + (alone.waits_ahead == 0
                       ? ".\n"
                       : ", for " + print_counted(alone.waits_ahead, "wait") + " between streams.\n");
  }
  if (alone.reserved_keeping < none.reserved_keeping || alone.reserved_ahead < none.reserved_ahead) {
    const bool only_keeping = alone.reserved_ahead >= none.reserved_ahead;
    return text + " lowers what is reserved without a limit" +
           (only_keeping ? ", but only while the device keeps up" : "") + "; the smallest limit stays.\n";
  }
  return text + " does not pay: alone it changes neither.\n";
}

std::string print_switch_part(const advice& given) {
  if (given.streams < 2) {
    return "Switches\n  None pays: the trace has one stream, which always gets what it freed itself.\n";
  }
  std::string text = "Switches, and the peak of reserved memory\n" + print_switch_table(given);
  const advised_switches& none = given.switches[0];
  text += print_verdict("event", none, given.switches[1]);
  text += "  (A trace tells of few of a program's events; with more of them the switch event can do more.)\n";
  text += print_verdict("opportunistic", none, given.switches[2]);
  text += print_verdict("internal", none, given.switches[4]);
  return text;
}

std::string print_block_part(const advice& given) {
  if (!given.small_block_limit) {
    return {};
  }
  return "Blocks\n" + print_line("limit with 512 B", print_byte_size(*given.small_block_limit),
                                 "minimum_block = 512; only the C++ interface has it");
}

/// The name as it can stand in a comment of C.
std::string in_comment(const std::string& file) {
  std::string safe;
  for (const char letter : file) {
    const bool plain = letter >= ' ' && letter <= '~' && letter != '*' && letter != '\\' && letter != '?';
    safe += plain ? letter : '_';
  }
  return safe;
}

std::string c_code(const std::string& file, const advice& given) {
  const advised_switches& best = best_of(given);
  std::string code = "#include \"acl/acl.h\"\n#include \"acl/acl_rt_memory_soma.h\"\n\n"
                     "/* A pool that serves what " +
                     in_comment(file) + " recorded, as soma advise found. */\n" +
                     "aclError create_advised_pool(aclrtMemPool* pool, uint32_t device) {\n"
                     "  aclrtMemPoolProps props = {.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,\n"
                     "                             .location = {device, ACL_MEM_LOCATION_TYPE_DEVICE},\n"
                     "                             .maxSize = " +
                     std::to_string(best.limit()) + "U}; /* " + print_byte_size(best.limit()) + " */\n" +
                     "  uint64_t threshold = " + std::to_string(given.threshold.bytes) + "U; /* " +
                     print_byte_size(given.threshold.bytes) + " */\n";
  const bool any = best.reuse.event || best.reuse.opportunistic || best.reuse.internal;
  code += any ? "  uint32_t on = 1;\n" : "";
  code += "  aclError error = aclrtMemPoolCreate(pool, &props);\n";
  const auto set = [](const char* attribute, const char* value) {
    return "  if (error == ACL_SUCCESS)\n    error = aclrtMemPoolSetAttr(*pool, " + std::string(attribute) +
           ", &" + value + ");\n";
  };
  code += set("ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD", "threshold");
  code += best.reuse.event ? set("ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES", "on") : "";
  code += best.reuse.opportunistic ? set("ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC", "on") : "";
  code += best.reuse.internal ? set("ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES", "on") : "";
  return code + "  return error;\n}\n";
}

std::string cpp_code(const std::string& file, const advice& given) {
  const advised_switches& best = best_of(given);
  const auto truth = [](bool on) { return on ? "true" : "false"; };
  return "#include \"soma/soma.hpp\"\n\n// A pool that serves what " + in_comment(file) +
         " recorded, as soma advise found.\n"
         "inline soma::expected<soma::pool> create_advised_pool(soma::device& device) {\n"
         "  return device.create_pool({.limit = " +
         std::to_string(best.limit()) + "U,  // " + print_byte_size(best.limit()) +
         "\n"
         "                             .minimum_block = " +
         std::to_string(given.minimum_block) +
         "U,\n"
         "                             .reuse = {.event = " +
         truth(best.reuse.event) + ", .opportunistic = " + truth(best.reuse.opportunistic) +
         ", .internal = " + truth(best.reuse.internal) +
         "},\n"
         "                             .release_threshold = " +
         std::to_string(given.threshold.bytes) + "U});  // " + print_byte_size(given.threshold.bytes) +
         "\n}\n";
}

nlohmann::ordered_json switch_json(const advised_switches& each) {
  return {{"reuse", print_reuse(each.reuse)},
          {"limit_bytes", each.limit()},
          {"limit_host_ahead_bytes", each.limit_ahead},
          {"limit_device_keeping_up_bytes", each.limit_keeping},
          {"reserved_host_ahead_bytes", each.reserved_ahead},
          {"reserved_device_keeping_up_bytes", each.reserved_keeping},
          {"waits_host_ahead", each.waits_ahead}};
}

}  // namespace

std::string print_advice(const std::string& file, const advice& given) {
  std::string text = file + "\n  " + print_count(given.rows) + " events on " + print_count(given.streams) +
                     (given.streams == 1 ? " stream" : " streams") + ", at most " +
                     print_byte_size(given.requested_high) + " requested at once; found by " +
                     print_count(given.replays) + " replays\n";
  text += print_limit_part(given) + print_threshold_part(given.threshold) + print_switch_part(given) +
          print_block_part(given);
  return text + "Code\n\n" + advised_code(file, given);
}

nlohmann::ordered_json advice_json(const std::string& file, const advice& given) {
  nlohmann::ordered_json json;
  json["file"] = file;
  json["events"] = given.rows;
  json["streams"] = given.streams;
  json["min_block_bytes"] = given.minimum_block;
  json["peak_requested_bytes"] = given.requested_high;
  json["peak_used_bytes"] = given.used_high;
  json["advised"] = switch_json(best_of(given));
  json["refusal_below"] = given.refusal;
  const advised_threshold& threshold = given.threshold;
  json["threshold"] = {{"bytes", threshold.bytes},
                       {"assumed_sync_every", threshold.sync_every},
                       {"synchronizes", threshold.synchronizes},
                       {"returned_bytes", threshold.returned},
                       {"returned_bytes_with_0", threshold.returned_without},
                       {"retaken_bytes_with_0", threshold.retaken_without},
                       {"returns_with_0", threshold.returns_without}};
  json["switches"] = nlohmann::ordered_json::array();
  for (const advised_switches& each : given.switches) {
    json["switches"].push_back(switch_json(each));
  }
  if (given.small_block_limit) {
    json["limit_with_512_byte_blocks"] = *given.small_block_limit;
  }
  json["replays"] = given.replays;
  json["code"] = advised_code(file, given);
  return json;
}

std::string advised_code(const std::string& file, const advice& given) {
  return given.minimum_block == granule_bytes ? c_code(file, given) : cpp_code(file, given);
}

}  // namespace soma::tools
