#include "tools/replay_compare.hpp"

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

#include "tools/byte_size.hpp"
#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

constexpr std::size_t label_width = 25;
constexpr std::size_t gap = 2;
constexpr std::size_t letters_max = 100;  // of a line, as long as there is room for a column

/// A row of the table: what it is called, and what a column has in it.
struct table_row {
  const char* label;
  std::function<std::string(const compared_replay&)> cell;
};

/// A row that only a replay which went well has.
table_row figure(const char* label, std::string (*print)(const replay_result&)) {
  return {label,
          [print](const compared_replay& column) { return column.result ? print(*column.result) : "-"; }};
}

std::vector<table_row> table_rows() {
  std::vector<table_row> rows;
  rows.push_back({"min block", [](const compared_replay& column) {
                    return print_byte_size(column.variant.settings.pool.minimum_block);
                  }});
  rows.push_back({"reuse", [](const compared_replay& column) {
                    return print_reuse(column.variant.settings.pool.reuse);
                  }});
  rows.push_back({"threshold", [](const compared_replay& column) {
                    return print_limit(column.variant.settings.pool.release_threshold);
                  }});
  rows.push_back({"limit", [](const compared_replay& column) {
                    const std::uint64_t limit = column.variant.settings.pool.limit;
                    return limit == 0 ? std::string("none") : print_byte_size(limit);
                  }});
  rows.push_back({"result", [](const compared_replay& column) -> std::string {
                    if (column.result) {
                      return "served";
                    }
                    return column.result.error().refused ? "refused" : "failed";
                  }});
  rows.push_back(figure("peak requested", [](const replay_result& result) {
    return print_byte_size(result.statistics.requested_high);
  }));
  rows.push_back(figure(
      "peak used", [](const replay_result& result) { return print_byte_size(result.statistics.used_high); }));
  rows.push_back(figure("peak reserved", [](const replay_result& result) {
    return print_byte_size(result.statistics.reserved_high);
  }));
  rows.push_back(figure("reserved / used", [](const replay_result& result) {
    return print_fixed(reserved_to_used(result.statistics), 3);
  }));
  rows.push_back(figure("same stream", [](const replay_result& result) {
    return print_count(result.statistics.served.same_stream);
  }));
  rows.push_back(figure(
      "event", [](const replay_result& result) { return print_count(result.statistics.served.event); }));
  rows.push_back(figure("opportunistic", [](const replay_result& result) {
    return print_count(result.statistics.served.opportunistic);
  }));
  rows.push_back(figure("internal", [](const replay_result& result) {
    return print_count(result.statistics.served.internal);
  }));
  rows.push_back(figure("new memory", [](const replay_result& result) {
    return print_count(result.statistics.served.new_memory);
  }));
  rows.push_back(figure("backing taken, calls", [](const replay_result& result) {
    return print_count(result.statistics.backing_requests);
  }));
  rows.push_back(figure("backing returned, calls", [](const replay_result& result) {
    return print_count(result.statistics.backing_returns);
  }));
  rows.push_back(figure("backing returned", [](const replay_result& result) {
    return print_byte_size(result.statistics.backing_returned_bytes);
  }));
  return rows;
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

std::string print_columns(const std::vector<std::vector<std::string>>& columns) {
  std::string table;
  for (std::size_t row = 0; row < columns.front().size(); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      std::size_t width = column == 0 ? label_width : 0;
      for (const std::string& cell : columns[column]) {
        width = std::max(width, cell.size() + (column == 0 ? 0 : gap));
      }
      std::string cell = columns[column][row];
      if (column == 0) {
        cell.resize(width, ' ');
      }
      table += padded(cell, width);
    }
    table += "\n";
  }
  return table;
}

}  // namespace

std::vector<compared_replay> compare_replays(const std::vector<trace_row>& rows,
                                             const std::vector<replay_variant>& variants) {
  std::vector<compared_replay> compared;
  for (const replay_variant& variant : variants) {
    compared.push_back({.variant = variant, .result = replay_trace(rows, variant.settings)});
  }
  return compared;
}

std::string print_comparison(const std::string& file, const std::vector<compared_replay>& compared) {
  const auto rows = table_rows();
  std::vector<std::string> labels = {""};
  for (const table_row& row : rows) {
    labels.push_back(std::string("  ") + row.label);
  }
  std::string text = file + "\n";
  std::vector<std::vector<std::string>> columns = {labels};
  std::size_t letters = label_width;
  for (std::size_t number = 0; number < compared.size(); ++number) {
    std::vector<std::string> cells = {"(" + std::to_string(number + 1) + ")"};
    std::size_t width = cells.front().size();
    for (const table_row& row : rows) {
      cells.push_back(row.cell(compared[number]));
      width = std::max(width, cells.back().size());
    }
    // A line that would be too long goes on in a table below.
    if (letters + width + gap > letters_max && columns.size() > 1) {
      text += print_columns(columns) + "\n";
      columns = {labels};
      letters = label_width;
    }
    letters += width + gap;
    columns.push_back(std::move(cells));
  }
  text += print_columns(columns);
  for (std::size_t number = 0; number < compared.size(); ++number) {
    text += "  (" + std::to_string(number + 1) + ") " + compared[number].variant.name;
    if (!compared[number].result) {
      const trace_error& error = compared[number].result.error();
      text += ": " + (error.line == 0 ? "" : "line " + std::to_string(error.line) + ": ") + error.reason;
    }
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json comparison_json(const std::string& file,
                                       const std::vector<compared_replay>& compared) {
  nlohmann::ordered_json json;
  json["file"] = file;
  json["variants"] = nlohmann::ordered_json::array();
  for (const compared_replay& column : compared) {
    nlohmann::ordered_json entry;
    entry["variant"] = column.variant.name;
    entry.update(to_json({.file = file, .result = column.result}, column.variant.settings));
    json["variants"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace soma::tools
