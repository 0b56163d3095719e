#include "bench/support/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace soma::bench {

namespace {

struct options {
  bench::effort effort = effort::full;
  std::filesystem::path traces = SOMA_BENCH_TRACES;
};

options& chosen() noexcept {
  static options kept;
  return kept;
}

std::vector<std::function<void()>>& clean_ups() {
  static std::vector<std::function<void()>> kept;
  return kept;
}

std::optional<effort> effort_of(std::string_view name) {
  if (name == "smoke") {
    return effort::smoke;
  }
  if (name == "quick") {
    return effort::quick;
  }
  return name == "full" ? std::optional(effort::full) : std::nullopt;
}

/// Reads an option of ours; false if it is none.
bool read_option(std::string_view argument) {
  constexpr std::string_view effort_option = "--effort=";
  constexpr std::string_view traces_option = "--traces=";
  if (argument.starts_with(effort_option)) {
    const auto read = effort_of(argument.substr(effort_option.size()));
    chosen().effort = read.value_or(effort::full);
    return read.has_value();
  }
  if (argument.starts_with(traces_option)) {
    chosen().traces = argument.substr(traces_option.size());
    return true;
  }
  return false;
}

std::chrono::seconds time_limit() noexcept {
  switch (chosen_effort()) {
  case effort::smoke:
    return std::chrono::seconds(10);
  case effort::quick:
    return std::chrono::seconds(6);
  case effort::full:
    break;
  }
  return std::chrono::seconds(60);
}

}  // namespace

effort chosen_effort() noexcept { return chosen().effort; }

std::size_t scaled(std::size_t count) noexcept {
  return chosen_effort() == effort::smoke ? std::max<std::size_t>(count / 100, 1) : count;
}

const std::filesystem::path& traces_folder() noexcept { return chosen().traces; }

benchmark::internal::Benchmark* add(const std::string& name, std::function<void(benchmark::State&)> body) {
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): Google Benchmark owns it, which tidy cannot see.
  return benchmark::RegisterBenchmark(name.c_str(), std::move(body));
}

void note(const std::string& text) { std::cerr << "note: " << text << '\n'; }

void at_end(std::function<void()> clean_up) { clean_ups().push_back(std::move(clean_up)); }

deadline::deadline() : limit_(time_limit()), end_(std::chrono::steady_clock::now() + limit_) {
  // nop
}

bool deadline::passed() const noexcept { return std::chrono::steady_clock::now() > end_; }

std::string deadline::text(const std::string& reached) const {
  return "not reached in " + std::to_string(limit_.count()) + " s: " + reached;
}

}  // namespace soma::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int index = 1; index < argc; ++index) {
    if (!soma::bench::read_option(argv[index])) {
      std::cerr << argv[0] << ": there is no option " << argv[index] << '\n';
      return 2;
    }
  }
  soma::bench::register_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  for (const auto& clean_up : soma::bench::clean_ups()) {
    clean_up();
  }
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}
