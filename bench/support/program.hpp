// What all benchmark programs share: their main (program.cpp), and what it read from the command line.
//
// A program defines register_benchmarks, which main calls before it hands over to Google Benchmark. Options
// besides Google Benchmark's own:
//
//   --effort=smoke|quick|full  how much a benchmark may do that needs many objects; full by default
//   --traces=FOLDER            where recorded traces are; ../shared/traces beside the project by default
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include <benchmark/benchmark.h>

namespace soma::bench {

enum class effort : std::uint8_t {
  smoke,  ///< only shows that the program works: its figures mean nothing
  quick,
  full,
};

[[nodiscard]] effort chosen_effort() noexcept;

/// The count, or a hundredth of it, at least 1, in a smoke run.
[[nodiscard]] std::size_t scaled(std::size_t count) noexcept;

[[nodiscard]] const std::filesystem::path& traces_folder() noexcept;

/// Each program's own: adds its benchmarks.
void register_benchmarks();

/// Adds a benchmark. The result is for further settings.
benchmark::internal::Benchmark* add(const std::string& name, std::function<void(benchmark::State&)> body);

/// Writes a line to the standard error that belongs into the report.
void note(const std::string& text);

/// Has this called when all benchmarks have run, so that what they keep goes before the process ends.
void at_end(std::function<void()> clean_up);

/// A bound on the time of what may be slow: it asks, and gives up.
class deadline {
public:
  /// 10, 6 or 60 seconds from now, as the effort is.
  deadline();

  [[nodiscard]] bool passed() const noexcept;
  /// "not reached in 6 s", and how far it got.
  [[nodiscard]] std::string text(const std::string& reached) const;

private:
  std::chrono::seconds limit_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace soma::bench
