// The recorded traces, replayed at full speed as `soma replay --min-block 512` does it.
//
// Besides operations per second, each benchmark tells, from runs of their own: peak reserved / peak
// requested; the most mappings that the process had; and the calls to the system for each hundred mallocs
// when the trace is replayed a second time on the same pool, which is then in its steady state.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/support/process_memory.hpp"
#include "bench/support/program.hpp"
#include "tools/replay.hpp"
#include "tools/trace_reader.hpp"
#include "tools/trace_source.hpp"

namespace soma::bench {

namespace {

using rows_of_trace = std::vector<tools::trace_row>;
using replayed = tl::expected<tools::replay_result, tools::trace_error>;

/// Which trace, and how it is replayed.
struct replay_case {
  std::string name;
  std::filesystem::path file;
  reuse_switches reuse = {.event = true};
  std::uint64_t scale = 1;  ///< sizes are multiplied by it
};

struct findings {
  double reserved_to_requested = 0;
  std::size_t mappings = 0;
  double calls_percent = 0;
};

/// A case with what is worked out only once for all its repetitions.
struct kept_case {
  replay_case of;
  rows_of_trace rows;
  std::string error;
  findings found;
};

rows_of_trace read_rows(const replay_case& of, std::string& error) {
  auto source = tools::trace_source::open(of.file.string());
  if (!source) {
    error = source.error();
    return {};
  }
  auto rows = tools::read_trace(*source);
  if (!rows) {
    error = rows.error().reason;
    return {};
  }
  for (auto& row : *rows) {
    row.bytes *= of.scale;
  }
  return std::move(*rows);
}

/// The trace, the frees that it lacks, and the trace again with other names of blocks.
rows_of_trace twice(const rows_of_trace& rows) {
  rows_of_trace both = rows;
  std::map<std::uint64_t, tools::trace_row> live;
  std::uint64_t last_id = 0;
  for (const auto& row : rows) {
    last_id = std::max(last_id, row.id);
    if (row.op == tools::trace_op::malloc) {
      live.emplace(row.id, row);
    } else if (row.op == tools::trace_op::free) {
      live.erase(row.id);
    }
  }
  for (auto [id, row] : live) {
    row.op = tools::trace_op::free;
    both.push_back(row);
  }
  for (auto row : rows) {
    row.id += row.id == 0 ? 0 : last_id;
    both.push_back(row);
  }
  return both;
}

replayed replay(const kept_case& kept, const rows_of_trace& rows,
                const tools::progress_callback& progress = {}) {
  tools::replay_settings settings;
  settings.pool.minimum_block = 512;
  settings.pool.reuse = kept.of.reuse;
  return tools::replay_trace(rows, settings, progress);
}

std::uint64_t calls_of(const tools::replay_result& result) {
  return result.statistics.backing_requests + result.statistics.backing_returns;
}

/// Works the findings out, or the error.
void examine(kept_case& kept) {
  kept.rows = read_rows(kept.of, kept.error);
  if (!kept.error.empty()) {
    return;
  }
  const auto once = replay(kept, kept.rows, [&kept](std::uint64_t /*done*/, std::uint64_t /*all*/) {
    kept.found.mappings = std::max(kept.found.mappings, mapping_count());
  });
  const auto both = replay(kept, twice(kept.rows));
  if (!once || !both) {
    kept.error = (once ? both : once).error().reason;
    return;
  }
  const auto mallocs = std::count_if(kept.rows.begin(), kept.rows.end(),
                                     [](const auto& row) { return row.op == tools::trace_op::malloc; });
  kept.found.reserved_to_requested = static_cast<double>(once->statistics.reserved_high) /
                                     static_cast<double>(once->statistics.requested_high);
  kept.found.calls_percent =
      100 * static_cast<double>(calls_of(*both) - calls_of(*once)) / static_cast<double>(mallocs);
}

void run(benchmark::State& state, kept_case& kept) {
  if (kept.rows.empty() && kept.error.empty()) {
    examine(kept);
  }
  std::int64_t operations = 0;
  for ([[maybe_unused]] auto _ : state) {
    if (!kept.error.empty()) {
      state.SkipWithError(kept.error.c_str());
      return;
    }
    const auto result = replay(kept, kept.rows);
    if (!result) {
      state.SkipWithError(result.error().reason.c_str());
      return;
    }
    operations += static_cast<std::int64_t>(result->operations);
    state.SetIterationTime(std::chrono::duration<double>(result->duration).count());
  }
  state.SetItemsProcessed(operations);
  state.counters["reserved_to_requested"] = kept.found.reserved_to_requested;
  state.counters["calls_percent"] = kept.found.calls_percent;
  state.counters["mappings"] = static_cast<double>(kept.found.mappings);
  state.counters["mapping_limit"] = static_cast<double>(mapping_limit());
}

/// Static plans have sizes of a few bytes and count only when scaled up. The trace with ten streams is
/// replayed a second time with every kind of reuse.
std::vector<replay_case> cases_of(const std::filesystem::path& file) {
  const std::string name = file.stem().string();
  if (name.starts_with("static-plan")) {
    return {{.name = name + "_times_64", .file = file, .scale = 64}};
  }
  std::vector<replay_case> cases{{.name = name, .file = file}};
  if (name.find("10streams") != std::string::npos) {
    cases.push_back({.name = name + "_reuse_all",
                     .file = file,
                     .reuse = {.event = true, .opportunistic = true, .internal = true}});
  }
  return cases;
}

}  // namespace

void register_benchmarks() {
  constexpr std::uintmax_t small_file = 32'768;
  const auto largest_file = chosen_effort() == effort::smoke ? small_file : ~std::uintmax_t{0};
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(traces_folder(), missing)) {
    if (entry.path().extension() == ".csv" && entry.file_size() <= largest_file) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    note("there are no traces in " + traces_folder().string() + ": none is replayed");
  }
  for (const auto& file : files) {
    for (auto& of : cases_of(file)) {
      const std::string name = "replay/" + of.name;
      const auto kept =
          std::make_shared<kept_case>(kept_case{.of = std::move(of), .rows = {}, .error = {}, .found = {}});
      add(name, [kept](benchmark::State& state) { run(state, *kept); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace soma::bench
