#include "tools/explore_command.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/explore.hpp"
#include "sim/generate.hpp"
#include "sim/parser.hpp"
#include "sim/report.hpp"

namespace soma::tools {

namespace {

constexpr const char* description =
    "Runs scenarios in the orders in which actors and threads can interleave, and checks each run.";

constexpr const char* footer =
    R"(A scenario is a small program for one device; docs/scenarios.md has the language. Each run takes
one order of all steps (messages that arrive, tasks that run, threads that go on); the same choices
give the same run.

Without an option, all orders are run if there are at most 1000, else some hundreds at random and by
probabilistic concurrency testing (PCT) as well; then come 50 runs with the race detector on. Orders
that differ only in steps which have nothing to do with each other are run once.

A failure is printed with the checker that found it, the last steps, and the options that lead to it
again; then comes a smaller scenario that fails in the same way. Exit status: 0 nothing was found,
1 something was found, 2 a file or an option is wrong.)";

// How often each random scenario is run at random, and by PCT.
constexpr std::uint64_t runs_of_a_program = 15;

struct explore_arguments {
  std::vector<std::string> files;
  std::optional<std::uint64_t> exhaustive;
  std::optional<std::uint64_t> random;
  std::optional<std::uint64_t> pct;
  std::optional<std::string> choices;
  std::optional<std::uint64_t> programs;
  std::optional<double> seconds;
  std::uint32_t depth = 3;
  std::uint64_t seed = 1;
  bool check = false;
  bool log = false;
  bool no_shrink = false;
};

std::optional<sim::options> options_of(const explore_arguments& arguments) {
  sim::options chosen;
  chosen.seed = arguments.seed;
  chosen.depth = arguments.depth;
  chosen.run.keep_log = arguments.log;
  chosen.run.check = arguments.check;
  chosen.shrink = !arguments.no_shrink;
  if (arguments.seconds) {
    chosen.time = std::chrono::milliseconds(static_cast<std::int64_t>(*arguments.seconds * 1000));
  }
  if (arguments.exhaustive) {
    chosen.how = sim::strategy::exhaustive;
    chosen.runs = *arguments.exhaustive;
  } else if (arguments.random) {
    chosen.how = sim::strategy::random;
    chosen.runs = *arguments.random;
  } else if (arguments.pct) {
    chosen.how = sim::strategy::pct;
    chosen.runs = *arguments.pct;
  } else if (arguments.choices) {
    auto choices = sim::parse_choices(*arguments.choices);
    if (!choices) {
      std::fprintf(stderr, "soma: '%s' is not a row of choices: digits, small letters and {N}\n",
                   arguments.choices->c_str());
      return std::nullopt;
    }
    chosen.how = sim::strategy::replay;
    chosen.choices = std::move(*choices);
  }
  return chosen;
}

std::optional<std::string> read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return std::nullopt;
  }
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return in.bad() ? std::nullopt : std::optional<std::string>(std::move(text));
}

// What a file came to; the worst of all is the exit status.
int explore_file(sim::runner& with, const std::string& file, const sim::options& chosen) {
  const auto text = read_file(file);
  if (!text) {
    std::fprintf(stderr, "soma: %s: the file cannot be read\n", file.c_str());
    return exit_usage;
  }
  const auto program = sim::parse_scenario(*text, file);
  if (!program) {
    std::fprintf(stderr, "soma: %s:%zu: %s\n", file.c_str(), program.error().line,
                 program.error().text.c_str());
    return exit_usage;
  }
  const auto found = sim::explore(with, *program, chosen);
  if (!found.log.empty()) {
    std::fputs(found.log.c_str(), stdout);
  }
  std::fputs((file + ": " + sim::summary(found) + "\n").c_str(), stdout);
  if (found.failed) {
    std::fputs(sim::report(with, *program, *found.failed, chosen).c_str(), stdout);
  }
  std::fflush(stdout);
  return found.failed ? exit_failed : exit_done;
}

// Random scenarios, each with some random runs and some by PCT. Stops at the first failure.
int explore_programs(sim::runner& with, const explore_arguments& arguments, sim::options chosen) {
  const auto until = std::chrono::steady_clock::now() + chosen.time.value_or(std::chrono::hours(24 * 365));
  chosen.time.reset();
  sim::outcome all;
  for (std::uint64_t number = 0; number < *arguments.programs && std::chrono::steady_clock::now() < until;
       ++number) {
    const auto program = sim::random_scenario(arguments.seed + number);
    for (const auto how : {sim::strategy::random, sim::strategy::pct}) {
      chosen.how = how;
      chosen.runs = runs_of_a_program;
      const auto found = sim::explore(with, program, chosen);
      all.runs += found.runs;
      all.distinct += found.distinct;
      if (found.failed) {
        std::fputs((program.title + ": " + sim::summary(found) + "\n" + sim::to_text(program)).c_str(),
                   stdout);
        std::fputs(sim::report(with, program, *found.failed, chosen).c_str(), stdout);
        return exit_failed;
      }
    }
  }
  std::fputs((std::to_string(*arguments.programs) + " random scenarios: " + sim::summary(all) + "\n").c_str(),
             stdout);
  return exit_done;
}

int run_explore(const explore_arguments& arguments) {
  if (arguments.files.empty() && !arguments.programs) {
    std::fputs("soma: give scenarios to explore, or --programs N\n", stderr);
    return exit_usage;
  }
  const auto chosen = options_of(arguments);
  if (!chosen) {
    return exit_usage;
  }
  sim::runner with;
  int worst = arguments.programs ? explore_programs(with, arguments, *chosen) : exit_done;
  for (const auto& file : arguments.files) {
    worst = std::max(worst, explore_file(with, file, *chosen));
  }
  return worst;
}

void add_options(CLI::App& explore, explore_arguments& arguments) {
  explore.add_option("FILE", arguments.files, "Scenarios, explored one after the other")->type_name("");
  auto* exhaustive =
      explore.add_option("--exhaustive", arguments.exhaustive, "All runs, but at most N")->type_name("N");
  auto* random = explore.add_option("--random", arguments.random, "N runs at random")->type_name("N");
  auto* pct = explore.add_option("--pct", arguments.pct, "N runs by PCT")->type_name("N");
  auto* choices =
      explore.add_option("--choices", arguments.choices, "One run, with these choices")->type_name("CHOICES");
  exhaustive->excludes(random)->excludes(pct)->excludes(choices);
  random->excludes(pct)->excludes(choices);
  pct->excludes(choices);
  explore.add_option("--programs", arguments.programs, "N random scenarios; S is the seed of the first")
      ->type_name("N");
  explore.add_option("--depth", arguments.depth, "How many ordered steps a fault needs that PCT looks for")
      ->type_name("D")
      ->capture_default_str();
  explore
      .add_option("--seed", arguments.seed, "The seed of the first random run; each next one has the next")
      ->type_name("S")
      ->capture_default_str();
  explore.add_option("--time", arguments.seconds, "The most time for each file, in seconds")
      ->type_name("SECONDS");
  explore.add_flag("--check", arguments.check,
                   "Run with the race detector: it must report what the scenario expects, or nothing");
  explore.add_flag("--log", arguments.log, "Print all steps of the last run");
  explore.add_flag("--no-shrink", arguments.no_shrink, "Do not look for a smaller scenario that fails");
}

}  // namespace

void add_explore_command(CLI::App& program, command& chosen) {
  CLI::App* const explore = program.add_subcommand("explore", description);
  const auto arguments = std::make_shared<explore_arguments>();
  add_options(*explore, *arguments);
  explore->footer(footer);
  explore->callback([arguments, &chosen] { chosen = [arguments] { return run_explore(*arguments); }; });
}

}  // namespace soma::tools
