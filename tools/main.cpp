// The program soma: a list of subcommands. Each is a file pair of its own, which adds itself with its
// options.
#include <cstdio>
#include <exception>
#include <string>

#include "tools/advise_command.hpp"
#include "tools/command.hpp"
#include "tools/explore_command.hpp"
#include "tools/import_command.hpp"
#include "tools/manual_command.hpp"
#include "tools/record_command.hpp"
#include "tools/replay_command.hpp"
#include "tools/stress_command.hpp"
#include "tools/trace_command.hpp"

#ifndef SOMA_VERSION
#define SOMA_VERSION "of unknown version"
#endif

namespace {

int run(int argc, char** argv) {
  CLI::App program("Tools around soma's devices, streams, events and stream-ordered memory pools.", "soma");
  program.set_version_flag("--version", "soma " SOMA_VERSION, "Print the version and exit");
  program.require_subcommand(1);
  program.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string("soma: ") + error.what() + "\nRun soma --help, or soma SUBCOMMAND --help, for more.\n";
  });

  soma::tools::command chosen;
  soma::tools::add_replay_command(program, chosen);
  soma::tools::add_advise_command(program, chosen);
  soma::tools::add_import_command(program, chosen);
  soma::tools::add_record_command(program, chosen);
  soma::tools::add_explore_command(program, chosen);
  soma::tools::add_stress_command(program, chosen);
  soma::tools::add_trace_command(program, chosen);
  soma::tools::add_manual_command(program, chosen, SOMA_VERSION);

  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? soma::tools::exit_done : soma::tools::exit_usage;
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  // Soma itself throws nothing; what comes here is the standard library's, such as a lack of memory.
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "soma: %s\n", error.what());
  } catch (...) {
    std::fputs("soma: unknown exception\n", stderr);
  }
  return soma::tools::exit_failed;
}
