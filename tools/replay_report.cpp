#include "tools/replay_report.hpp"

#include <nlohmann/json.hpp>

#include "tools/byte_size.hpp"
#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

std::string print_settings(const replay_result& result, const replay_settings& settings) {
  return "  blocks of " + print_byte_size(settings.pool.minimum_block) + ", reuse " +
         print_reuse(settings.pool.reuse) + ", threshold " + print_limit(settings.pool.release_threshold) +
         ", limit " + print_byte_size(result.statistics.limit) + (settings.held ? ", streams held" : "") +
         "\n";
}

/// What the replay added to the rows or left out of them.
std::string print_notes(const replay_result& result) {
  std::string notes = print_counted(result.streams, "stream");
  if (result.synchronizes != 0) {
    notes += ", " + print_counted(result.synchronizes, "device synchronise");
  }
  if (result.held_back_frees != 0) {
    notes += ", " + print_counted(result.held_back_frees, "free") + " held back";
  }
  if (result.waits != 0) {
    notes += ", " + print_counted(result.waits, "wait") + " between streams";
  }
  if (result.segment_rows != 0) {
    notes += ", " + print_counted(result.segment_rows, "segment row") + " skipped";
  }
  return notes;
}

}  // namespace

double reserved_to_used(const pool_statistics& statistics) noexcept {
  return statistics.used_high == 0
             ? 0
             : static_cast<double>(statistics.reserved_high) / static_cast<double>(statistics.used_high);
}

std::string print_table(const std::string& file, const replay_result& result,
                        const replay_settings& settings) {
  const pool_statistics& pool = result.statistics;
  const auto rate = static_cast<std::uint64_t>(result.operations_per_second());
  std::string table = file + "\n" + print_settings(result, settings);
  table += print_line("events", print_count(result.rows), print_notes(result));
  table += print_line("operations per second", print_count(rate));
  table += print_line("peak requested", print_byte_size(pool.requested_high));
  table += print_line("peak used", print_byte_size(pool.used_high));
  table += print_line("peak reserved", print_byte_size(pool.reserved_high));
  table += print_line("reserved / used", print_fixed(reserved_to_used(pool), 3));
  table += print_served(pool.served);
  table += print_line("granules moved", print_count(pool.granules_moved));
  table += print_line("backing taken, calls", print_count(pool.backing_requests),
                      print_byte_size(pool.backing_requested_bytes));
  table += print_line("backing returned, calls", print_count(pool.backing_returns),
                      print_byte_size(pool.backing_returned_bytes));
  table += print_line("live at the end", print_count(pool.live_blocks), print_byte_size(pool.requested));
  return table;
}

nlohmann::ordered_json to_json(const file_outcome& outcome, const replay_settings& settings) {
  nlohmann::ordered_json json;
  json["file"] = outcome.file;
  if (!outcome.result) {
    json["error"] = {{"line", outcome.result.error().line}, {"reason", outcome.result.error().reason}};
    return json;
  }
  const replay_result& result = *outcome.result;
  const pool_statistics& pool = result.statistics;
  json["events"] = result.rows;
  json["segment_rows_skipped"] = result.segment_rows;
  json["streams"] = result.streams;
  json["device_synchronizes"] = result.synchronizes;
  json["held_back_frees"] = result.held_back_frees;
  json["waits_between_streams"] = result.waits;
  json["operations"] = result.operations;
  json["seconds"] = std::chrono::duration<double>(result.duration).count();
  json["ops_per_second"] = result.operations_per_second();
  json["peak_requested_bytes"] = pool.requested_high;
  json["peak_used_bytes"] = pool.used_high;
  json["peak_reserved_bytes"] = pool.reserved_high;
  json["reserved_to_used"] = reserved_to_used(pool);
  json["reuse"] = {{"same_stream", pool.served.same_stream},
                   {"event", pool.served.event},
                   {"opportunistic", pool.served.opportunistic},
                   {"internal", pool.served.internal},
                   {"new_memory", pool.served.new_memory}};
  json["granules_moved"] = pool.granules_moved;
  json["backing"] = {{"requests", pool.backing_requests},
                     {"requested_bytes", pool.backing_requested_bytes},
                     {"returns", pool.backing_returns},
                     {"returned_bytes", pool.backing_returned_bytes}};
  json["live_at_end"] = {{"blocks", pool.live_blocks}, {"requested_bytes", pool.requested}};
  json["settings"] = {{"min_block_bytes", settings.pool.minimum_block},
                      {"device_memory_bytes", result.device_memory},
                      {"pool_limit_bytes", pool.limit},
                      {"reuse", print_reuse(settings.pool.reuse)},
                      {"threshold_bytes", settings.pool.release_threshold},
                      {"sync_every", settings.sync_every},
                      {"held", settings.held}};
  return json;
}

std::string print_error(const std::string& file, const trace_error& error) {
  const std::string line = error.line == 0 ? "" : ":" + std::to_string(error.line);
  return "soma: " + file + line + ": " + error.reason;
}

}  // namespace soma::tools
