#include "tools/advise_command.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/advise_report.hpp"
#include "tools/option_readers.hpp"
#include "tools/output_file.hpp"
#include "tools/progress_line.hpp"
#include "tools/replay_report.hpp"
#include "tools/trace_file.hpp"

namespace soma::tools {

namespace {

constexpr const char* description = "Finds the limit, the threshold and the switches of a pool that serve a "
                                    "recorded trace with the least memory.";

constexpr const char* footer =
    R"(Each setting is tried by a replay (soma replay --help has its rules), in two ways: with the device
keeping up, so that frees are executed at once, and with the host running ahead, so that nothing is
executed before it waits for the device. A limit serves the trace if it does so in both ways.

Limit      The least that serves, by bisection in granules of 2 MiB: with one granule less the pool
           refuses. A real program may need a little more where it differs from its trace.
Threshold  The least with which no memory is given back at a synchronise and taken again later.
           A trace without a device synchronise is replayed with 50 of them.
Switches   With several streams, all eight combinations; advised is the one with the smallest limit,
           then with the least reserved without a limit, then with the fewest switches. Internal
           reuse makes streams wait for each other; how often is told.
Code       A function in C to paste. With --min-block, which only the C++ interface has, in C++.

Exit status: 0 done, 1 a file failed, 2 wrong usage.)";

struct advise_arguments {
  std::vector<std::string> files;
  advise_settings settings;
  bool json = false;
  bool code = false;
};

tl::expected<advice, trace_error> advise_file(const std::string& file, const advise_settings& settings) {
  const auto rows = read_trace_file(file);
  if (!rows) {
    return tl::unexpected(rows.error());
  }
  progress_line progress("soma: " + file);
  return advise(*rows, settings,
                [&progress](std::uint64_t done, std::uint64_t all) { progress.show(done, all); });
}

std::string print_for_people(const std::string& file, const advice& given, bool only_code) {
  return only_code ? advised_code(file, given) : print_advice(file, given);
}

int run_advise(const advise_arguments& arguments) {
  bool failed = false;
  bool printed = true;
  bool any = false;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& file : arguments.files) {
    const auto given = advise_file(file, arguments.settings);
    if (!given) {
      failed = true;
      std::fprintf(stderr, "%s\n", print_error(file, given.error()).c_str());
      all.push_back(
          {{"file", file}, {"error", {{"line", given.error().line}, {"reason", given.error().reason}}}});
      continue;
    }
    if (arguments.json) {
      all.push_back(advice_json(file, *given));
      continue;
    }
    printed = write_file("-", (any ? "\n" : "") + print_for_people(file, *given, arguments.code)) && printed;
    any = true;
  }
  if (arguments.json) {
    printed =
        write_file("-", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n") && printed;
  }
  if (!printed) {
    std::fputs("soma: standard output cannot be written to\n", stderr);
  }
  return failed || !printed ? exit_failed : exit_done;
}

}  // namespace

void add_advise_command(CLI::App& program, command& chosen) {
  CLI::App* const advise = program.add_subcommand("advise", description);
  const auto arguments = std::make_shared<advise_arguments>();
  advise->add_option("FILE", arguments->files, "Traces, one after the other; - is standard input")
      ->required()
      ->type_name("");
  advise
      ->add_option(
          "--min-block", arguments->settings.minimum_block,
          "Blocks are multiples of this: a power of two from 512 to 2M,\nwhich is what the C interface has")
      ->transform(byte_size_reader())
      ->check(block_size_check())
      ->type_name("BYTES")
      ->default_str("2M");
  advise
      ->add_option("--sync-every", arguments->settings.sync_every,
                   "A device synchronise after every N events;\n0: only where the trace has one")
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""))
      ->type_name("N")
      ->capture_default_str();
  auto* const json =
      advise->add_flag("--json", arguments->json, "Print a JSON array with an object for each file");
  advise->add_flag("--code", arguments->code, "Print only the code")->excludes(json);
  advise->footer(footer);
  advise->callback([arguments, &chosen] { chosen = [arguments] { return run_advise(*arguments); }; });
}

}  // namespace soma::tools
