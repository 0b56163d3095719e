#include "tools/trace_command.hpp"

#include <charconv>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "tools/message_trace_views.hpp"

namespace soma::tools {

namespace {

constexpr const char* description = "Tells what a message trace holds: who sent what to whom, when and why.";

constexpr const char* footer =
    R"(A message trace is what a program on soma writes with SOMA_TRACE=FILE in its environment,
soma::trace::write, or soma replay --trace FILE. https://ui.perfetto.dev opens the same file.

Without an option a summary is printed. --block tells the life of the blocks that began at an
address. --sequence prints messages as a sequence diagram (Mermaid), --svg draws them, both for the
calls that --call and --count choose; by default the first call that allocated a block of a pool,
the first work given to its stream behind that, and the call that freed the block. --dot prints the
order between tasks (Graphviz).

Exit status: 0 done, 1 the file cannot be read or does not hold what was asked for, 2 wrong usage.)";

struct trace_arguments {
  std::string file;
  std::string block;
  std::string call;
  std::size_t count = 1;
  std::string svg;
  bool sequence = false;
  bool dot = false;
};

int fail(const std::string& what) {
  std::fprintf(stderr, "soma: %s\n", what.c_str());
  return exit_failed;
}

int print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return fail("standard output cannot be written to");
  }
  return exit_done;
}

std::optional<std::uint64_t> address_of(std::string_view text) {
  std::uint64_t value = 0;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
  }
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && rest == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

int draw(const std::string& picture, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << picture;
  file.close();
  return file ? exit_done : fail(path + ": cannot be written");
}

int run_trace(const trace_arguments& arguments) {
  const auto trace = read_message_trace(arguments.file);
  if (!trace) {
    return fail(arguments.file + ": " + trace.error());
  }
  if (!arguments.block.empty()) {
    const auto lives = print_block_lives(*trace, *address_of(arguments.block));
    return lives ? print(*lives) : fail(arguments.file + ": " + lives.error());
  }
  if (arguments.sequence || !arguments.svg.empty()) {
    const auto calls = choose_calls(*trace, arguments.call, arguments.count);
    if (!calls) {
      return fail(arguments.file + ": " + calls.error());
    }
    return arguments.sequence ? print(print_sequence(*trace, *calls))
                              : draw(draw_timeline(*trace, *calls), arguments.svg);
  }
  return print(arguments.dot ? print_order_graph(*trace) : print_trace_summary(arguments.file, *trace));
}

void add_options(CLI::App& trace, trace_arguments& arguments) {
  trace.add_option("FILE", arguments.file, "The trace")->required()->type_name("");
  auto* block =
      trace.add_option("--block", arguments.block, "The life of the block at this address, as 0x1234")
          ->type_name("ADDRESS")
          ->check(CLI::Validator(
              [](const std::string& text) {
                return address_of(text) ? std::string()
                                        : "\"" + text + "\" is no address: give one in hexadecimal digits";
              },
              ""));
  auto* sequence = trace.add_flag("--sequence", arguments.sequence, "A sequence diagram of calls (Mermaid)");
  auto* svg =
      trace.add_option("--svg", arguments.svg, "Writes the same calls as a picture")->type_name("FILE");
  auto* dot = trace.add_flag("--dot", arguments.dot, "The order between tasks as a graph (Graphviz)");
  trace.add_option("--call", arguments.call, "Calls that have this in their names, such as malloc")
      ->type_name("NAME");
  trace.add_option("--count", arguments.count, "How many of them, from the first on")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  block->excludes(sequence)->excludes(svg)->excludes(dot);
  sequence->excludes(svg)->excludes(dot);
  svg->excludes(dot);
}

}  // namespace

void add_trace_command(CLI::App& program, command& chosen) {
  CLI::App* const trace = program.add_subcommand("trace", description);
  const auto arguments = std::make_shared<trace_arguments>();
  add_options(*trace, *arguments);
  trace->footer(footer);
  trace->callback([arguments, &chosen] { chosen = [arguments] { return run_trace(*arguments); }; });
}

}  // namespace soma::tools
