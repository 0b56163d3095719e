#include "tools/record_command.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <glob.h>
#include <sys/stat.h>

#include "tools/byte_size.hpp"
#include "tools/child_process.hpp"
#include "tools/replay_plan.hpp"
#include "tools/replay_report.hpp"
#include "tools/table_text.hpp"
#include "tools/trace_file.hpp"

namespace soma::tools {

namespace {

constexpr const char* description = "Runs a program on soma and records what it asks of its memory pools.";

constexpr const char* footer =
    R"(The program need not be changed or linked anew: soma itself writes the trace, if the environment
variable SOMA_RECORD names a file, which is what this command sets. In the name can stand
  %p  the pool, numbered from 1: each pool gets a trace of its own
  %d  the device: each device gets one
  %i  the process, for programs that start others
  %%  a percent sign
Without %p and %d all pools share one trace, as if they were one pool.

A trace has mallocs, frees and synchronises; docs/recording.md tells what it has not. What the program
prints and the status it exits with are its own; what was recorded is told on standard error.)";

struct record_arguments {
  std::string output = "soma.csv";
  std::vector<std::string> words;
  bool quiet = false;
};

/// The name wherever the program goes: what it records to is meant from here.
std::string name_from_here(const std::string& name) {
  if (name.empty() || name.front() == '/') {
    return name;
  }
  std::error_code problem;
  const std::string here = std::filesystem::current_path(problem).string();
  std::string whole;
  for (const char letter : here) {
    whole += letter == '%' ? "%%" : std::string(1, letter);
  }
  return problem ? name : whole + "/" + name;
}

/// The files that a name with numbers in it can stand for.
std::vector<std::string> files_of(const std::string& name) {
  std::string pattern;
  bool varies = false;
  for (std::size_t place = 0; place < name.size(); ++place) {
    if (name[place] == '%' && place + 1 < name.size()) {
      const bool number = name[++place] != '%';
      varies = varies || number;
      pattern += number ? "*" : "%";
    } else {
      pattern += std::string("*?[\\").find(name[place]) == std::string::npos ? "" : "\\";
      pattern += name[place];
    }
  }
  if (!varies) {
    std::string plain = name;
    for (std::size_t place = plain.find("%%"); place != std::string::npos;
         place = plain.find("%%", place + 1)) {
      plain.erase(place, 1);
    }
    return {plain};
  }
  ::glob_t found{};
  std::vector<std::string> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return files;
}

/// True if the file was written since then.
bool is_new(const std::string& file, const struct timespec& since) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    return false;
  }
  return std::pair(status.st_mtim.tv_sec, status.st_mtim.tv_nsec) >= std::pair(since.tv_sec, since.tv_nsec);
}

std::uint64_t peak_requested(const replay_plan& plan) {
  std::uint64_t now = 0;
  std::uint64_t peak = 0;
  for (const replay_step& step : plan.steps) {
    if (step.kind == step_kind::malloc) {
      now = add_saturated(now, plan.blocks[step.subject].bytes);
      peak = std::max(peak, now);
    } else if (step.kind == step_kind::free) {
      now -= std::min(now, plan.blocks[step.subject].bytes);
    }
  }
  return peak;
}

/// Says what is in a recorded trace. False if it is none.
bool tell(const std::string& file) {
  const auto rows = read_trace_file(file);
  const auto plan = rows ? make_plan(*rows, {}) : tl::unexpected(rows.error());
  if (!plan) {
    std::fprintf(stderr, "%s\n", print_error(file, plan.error()).c_str());
    return false;
  }
  const auto freed = std::count_if(plan->blocks.begin(), plan->blocks.end(),
                                   [](const planned_block& block) { return block.free_line != 0; });
  const std::string told = print_counted(plan->blocks.size(), "malloc") + ", " +
                           print_counted(static_cast<std::uint64_t>(freed), "free") + " and " +
                           print_counted(plan->synchronizes, "synchronise") + " on " +
                           print_counted(plan->streams, "stream") + "; at most " +
                           print_byte_size(peak_requested(*plan)) + " requested";
  std::fprintf(stderr, "soma: %s: %s\n", file.c_str(), told.c_str());
  return true;
}

int run_record(const record_arguments& arguments) {
  struct timespec start {};
  // The clock by which files are dated, which is a little behind the other.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &start);
  const auto status = run_child(arguments.words, {{"SOMA_RECORD", name_from_here(arguments.output)}});
  if (!status) {
    std::fprintf(stderr, "soma: %s: %s\n", arguments.words.front().c_str(), status.error().c_str());
    return exit_failed;
  }
  if (arguments.quiet) {
    return *status;
  }
  bool any = false;
  for (const std::string& file : files_of(arguments.output)) {
    if (is_new(file, start)) {
      any = true;
      static_cast<void>(tell(file));
    }
  }
  if (!any) {
    std::fprintf(stderr,
                 "soma: %s: nothing was recorded: the program made no runtime of soma, or could not write\n",
                 arguments.output.c_str());
  }
  return *status;
}

}  // namespace

void add_record_command(CLI::App& program, command& chosen) {
  CLI::App* const record = program.add_subcommand("record", description);
  const auto arguments = std::make_shared<record_arguments>();
  record->add_option("-o,--output", arguments->output, "Where the trace goes")
      ->type_name("FILE")
      ->capture_default_str();
  record->add_flag("--quiet", arguments->quiet, "Do not tell what was recorded");
  record->add_option("PROGRAM", arguments->words, "The program and its arguments; put -- in front of them")
      ->required()
      ->type_name("[ARGS...]");
  record->positionals_at_end();
  record->footer(footer);
  record->callback([arguments, &chosen] { chosen = [arguments] { return run_record(*arguments); }; });
}

}  // namespace soma::tools
