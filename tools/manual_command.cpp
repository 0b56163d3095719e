#include "tools/manual_command.hpp"

#include <cstdio>
#include <memory>

#include "tools/manual.hpp"

namespace soma::tools {

namespace {

int print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return exit_done;
  }
  std::fputs("soma: standard output cannot be written to\n", stderr);
  return exit_failed;
}

}  // namespace

void add_manual_command(CLI::App& program, command& chosen, const std::string& version) {
  CLI::App* const manual = program.add_subcommand(
      "manual", "Prints this program's manual page in roff, or its completion for bash.");
  const auto kind = std::make_shared<std::string>("man");
  manual->add_option("--as", *kind, "What to print: man (see it by: soma manual | man -l -) or bash")
      ->check(CLI::IsMember({"man", "bash"}).description(""))
      ->type_name("KIND")
      ->capture_default_str();
  manual->callback([kind, version, &program, &chosen] {
    chosen = [text = *kind == "man" ? manual_page(program, version) : bash_completion(program)] {
      return print(text);
    };
  });
}

}  // namespace soma::tools
