#include "tools/report_sections.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tools/byte_size.hpp"
#include "tools/html_text.hpp"
#include "tools/replay_report.hpp"
#include "tools/report_chart.hpp"
#include "tools/report_map.hpp"
#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

std::string paragraph(const std::string& text) { return element("p", text) + "\n"; }

std::string section(const reported_replay& replay, const char* id, const char* heading,
                    const std::string& content) {
  return element("section id=\"" + replay.prefix + id + "\"", element("h2", heading) + "\n" + content) + "\n";
}

/// A figure of the summary: `name` is what programs find it by, `exact` its value for them.
std::string card(const char* name, const char* label, const std::string& exact, const std::string& shown) {
  return element(
      "div", element("dt", label) +
                 element("dd data-figure=\"" + std::string(name) + "\" data-value=\"" + exact + "\"", shown));
}

std::string byte_card(const char* name, const char* label, std::uint64_t bytes) {
  return card(name, label, std::to_string(bytes), print_byte_size(bytes));
}

std::vector<std::uint64_t> values_of(const replay_history& history, std::uint64_t replay_moment::*figure) {
  std::vector<std::uint64_t> values;
  values.reserve(history.moments.size());
  for (const replay_moment& moment : history.moments) {
    values.push_back(moment.*figure);
  }
  return values;
}

std::uint64_t sum_of(const served_counts& served) {
  return served.same_stream + served.event + served.opportunistic + served.internal + served.new_memory;
}

std::string summary_text(const reported_replay& replay) {
  const pool_statistics& pool = replay.result.statistics;
  if (pool.used_high == 0) {
    return paragraph("The trace allocates nothing.");
  }
  const std::uint64_t all = sum_of(pool.served);
  const std::uint64_t reused = all - pool.served.new_memory;
  const auto strong = [](const std::string& text) { return element("strong", text); };
  return paragraph("At its peak the program had asked for " + strong(print_byte_size(pool.requested_high)) +
                   ". In blocks of " + print_byte_size(replay.settings.pool.minimum_block) +
                   " or multiples of it that is " + strong(print_byte_size(pool.used_high)) +
                   " used, and the pool had to reserve at most " +
                   strong(print_byte_size(pool.reserved_high)) +
                   " of the device's memory: " + strong(print_fixed(reserved_to_used(pool), 3) + " times") +
                   " what was used at the peak. Of " + print_count(all) + " allocations " +
                   strong(print_share(reused, all)) + " got memory that an earlier block had freed.");
}

std::string settings_text(const reported_replay& replay) {
  const replay_result& result = replay.result;
  const replay_settings& settings = replay.settings;
  return paragraph("Replayed with blocks of " + print_byte_size(settings.pool.minimum_block) + ", reuse " +
                   print_reuse(settings.pool.reuse) + ", threshold " +
                   print_limit(settings.pool.release_threshold) + ", limit " +
                   print_byte_size(result.statistics.limit) + (settings.held ? ", streams held" : "") + ". " +
                   print_count(result.rows) + " events on " + print_count(result.streams) +
                   (result.streams == 1 ? " stream" : " streams") + ", " + print_count(result.synchronizes) +
                   " device synchronise" + (result.synchronizes == 1 ? "" : "s") + ".");
}

/// How many allocations of each kind there were in each of some parts of the trace, as columns of 100 %.
std::string print_kinds_over_time(const reported_replay& replay) {
  constexpr std::size_t columns = 100;
  const std::size_t moments = replay.history.moments.size();
  const std::size_t parts = std::min(columns, std::max<std::size_t>(1, moments));
  std::vector<std::array<std::uint64_t, served_kinds>> counts(parts);
  for (const placed_block& block : replay.history.blocks) {
    ++counts[block.first * parts / moments][static_cast<std::size_t>(block.served)];
  }
  std::array<std::string, served_kinds> paths;
  const double width = chart_width / static_cast<double>(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts[part]) {
      all += count;
    }
    double bottom = chart_height;
    for (std::size_t kind = 0; kind < served_kinds && all != 0; ++kind) {
      const double height = chart_height * static_cast<double>(counts[part][kind]) / static_cast<double>(all);
      if (height > 0) {
        paths[kind] += "M" + print_coordinate(width * static_cast<double>(part)) + " " +
                       print_coordinate(bottom - height) + "h" + print_coordinate(width) + "v" +
                       print_coordinate(height) + "h-" + print_coordinate(width) + "z";
      }
      bottom -= height;
    }
  }
  std::string drawing;
  for (std::size_t kind = 0; kind < served_kinds; ++kind) {
    if (!paths[kind].empty()) {
      drawing += "<path class=\"" + css_class_of(static_cast<served_kind>(kind)) + " block\" d=\"" +
                 paths[kind] + "\"/>";
    }
  }
  const chart_frame frame{.id = replay.prefix + "kinds",
                          .title = "Share of each kind of service over time",
                          .legend = {},
                          .top = 100,
                          .moments = moments,
                          .unit = chart_unit::percent};
  return print_frame(frame, drawing);
}

}  // namespace

std::string print_summary_section(const reported_replay& replay) {
  const pool_statistics& pool = replay.result.statistics;
  std::string cards = byte_card("peak_requested_bytes", "Peak requested", pool.requested_high) +
                      byte_card("peak_used_bytes", "Peak used", pool.used_high) +
                      byte_card("peak_reserved_bytes", "Peak reserved", pool.reserved_high);
  cards += card("reserved_to_used", "Reserved / used", print_fixed(reserved_to_used(pool), 6),
                print_fixed(reserved_to_used(pool), 3));
  cards += card("backing_requests", "Times grown", std::to_string(pool.backing_requests),
                print_count(pool.backing_requests));
  cards += byte_card("backing_returned_bytes", "Given back", pool.backing_returned_bytes);
  cards +=
      card("live_blocks", "Live at the end", std::to_string(pool.live_blocks), print_count(pool.live_blocks));
  cards += card("events", "Events", std::to_string(replay.result.rows), print_count(replay.result.rows));
  return section(replay, "summary", "In short",
                 summary_text(replay) + element("dl class=\"cards\"", cards) + "\n" + settings_text(replay));
}

std::string print_memory_section(const reported_replay& replay) {
  const chart_frame frame{.id = replay.prefix + "memory-chart",
                          .title = "Requested, used and reserved bytes over time",
                          .legend = {},
                          .top = std::max<std::uint64_t>(replay.result.statistics.reserved_high, 1),
                          .moments = replay.history.moments.size(),
                          .unit = chart_unit::bytes};
  std::vector<chart_line> lines;
  lines.push_back({.name = "reserved",
                   .css_class = "reserved",
                   .values = values_of(replay.history, &replay_moment::reserved),
                   .filled = true});
  lines.push_back({.name = "used",
                   .css_class = "used",
                   .values = values_of(replay.history, &replay_moment::used),
                   .filled = true});
  lines.push_back({.name = "requested",
                   .css_class = "requested",
                   .values = values_of(replay.history, &replay_moment::requested),
                   .filled = false});
  return section(
      replay, "memory", "Memory over time",
      paragraph("Requested is what the program asked for, used the same in whole blocks, reserved what the "
                "pool held of the device. Time runs in events: mallocs, frees and device synchronises in "
                "the order of the trace.") +
          print_lines(frame, lines));
}

std::string print_address_section(const reported_replay& replay) {
  return section(
      replay, "addresses", "Where the blocks lay",
      paragraph("Each block stands at its address, counted from the pool's first, from its malloc to its "
                "free. The colour tells how it was served. Where nothing is drawn is idle memory, or memory "
                "the pool does not hold.") +
          print_address_map(replay.history, replay.prefix + "address-map"));
}

std::string print_reuse_section(const reported_replay& replay) {
  const served_counts& served = replay.result.statistics.served;
  const std::array<std::uint64_t, served_kinds> counts = {
      served.same_stream, served.event, served.opportunistic, served.internal, served.new_memory};
  constexpr std::array<const char*, served_kinds> names = {"same_stream", "event", "opportunistic",
                                                           "internal", "new_memory"};
  constexpr std::array<const char*, served_kinds> meanings = {
      "freed by the same stream",
      "freed by another stream that an event orders before, or seen complete by the host",
      "freed by another stream, and the free had been executed",
      "freed by another stream, which the pool made this one wait for", "no block had it before"};
  const std::uint64_t all = sum_of(served);
  std::array<std::uint64_t, served_kinds> bytes{};
  for (const placed_block& block : replay.history.blocks) {
    bytes[static_cast<std::size_t>(block.served)] += block.requested;
  }
  std::string rows;
  for (std::size_t kind = 0; kind < served_kinds; ++kind) {
    const auto which = static_cast<served_kind>(kind);
    rows += element("tr", element("th scope=\"row\"", "<i class=\"" + css_class_of(which) + "\"></i>" +
                                                          name_of(which) + element("small", meanings[kind])) +
                              element("td data-figure=\"served_" + std::string(names[kind]) +
                                          "\" data-value=\"" + std::to_string(counts[kind]) + "\"",
                                      print_count(counts[kind])) +
                              element("td", print_share(counts[kind], all)) +
                              element("td", print_byte_size(bytes[kind]))) +
            "\n";
  }
  const std::string head = "<thead><tr><th scope=\"col\">Memory that was</th><th "
                           "scope=\"col\">Allocations</th><th scope=\"col\">Share</th>"
                           "<th scope=\"col\">Bytes</th></tr></thead>\n";
  return section(
      replay, "reuse", "How allocations were served",
      element("table", head + element("tbody", rows)) + "\n" + print_kinds_over_time(replay) +
          paragraph("The picture shows the shares over time. New memory in the middle of a run means that no "
                    "idle block did: either none was large enough, or the streams' order did not allow it."));
}

std::string print_fragmentation_section(const reported_replay& replay) {
  std::vector<std::uint64_t> idle;
  std::vector<std::uint64_t> rounding;
  std::uint64_t idle_sum = 0;
  const replay_moment* peak = nullptr;
  for (const replay_moment& moment : replay.history.moments) {
    // Bytes of at most 2^57 (a pool's window), so that percents do not overflow.
    const std::uint64_t whole = std::max<std::uint64_t>(moment.reserved, 1);
    idle.push_back(100 * (moment.reserved - moment.used) / whole);
    rounding.push_back(100 * (moment.used - moment.requested) / whole);
    idle_sum += idle.back();
    peak = peak == nullptr || moment.reserved > peak->reserved ? &moment : peak;
  }
  if (peak == nullptr || peak->reserved == 0) {
    return section(replay, "fragmentation", "Reserved and not in use",
                   paragraph("Nothing was ever reserved."));
  }
  const std::uint64_t unused = peak->reserved - peak->used;
  const std::string text = "When the pool first held the most (line " + print_count(peak->line) +
                           " of the trace, " + print_byte_size(peak->reserved) + "), " +
                           print_byte_size(unused) + " (" + print_share(unused, peak->reserved) +
                           ") of it were idle, and " + print_byte_size(peak->used - peak->requested) + " (" +
                           print_share(peak->used - peak->requested, peak->reserved) +
                           ") were lost by rounding up to whole blocks. On average over all events " +
                           print_fixed(static_cast<double>(idle_sum) / static_cast<double>(idle.size()), 1) +
                           " % of what was reserved were idle.";
  const chart_frame frame{.id = replay.prefix + "fragmentation-chart",
                          .title = "Idle and rounded-up bytes as a share of reserved bytes over time",
                          .legend = {},
                          .top = 100,
                          .moments = idle.size(),
                          .unit = chart_unit::percent};
  std::vector<chart_line> lines;
  lines.push_back({.name = "idle", .css_class = "reserved", .values = std::move(idle), .filled = true});
  lines.push_back({.name = "lost by rounding up",
                   .css_class = "requested",
                   .values = std::move(rounding),
                   .filled = false});
  return section(
      replay, "fragmentation", "Reserved and not in use",
      paragraph(text) + print_lines(frame, lines) +
          paragraph("Idle memory is needed where the program soon asks for it again. Idle memory at the "
                    "moments of highest use is fragmentation: it lay in pieces that fitted no request, or "
                    "belonged to another stream."));
}

}  // namespace soma::tools
