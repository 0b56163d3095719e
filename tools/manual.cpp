#include "tools/manual.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace soma::tools {

namespace {

std::vector<const CLI::App*> subcommands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); });
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const auto& word : words) {
    all += (all.empty() ? "" : between) + word;
  }
  return all;
}

// -- roff ---------------------------------------------------------------------------------------------------

// A line that begins with a dot or an apostrophe would be a request.
std::string escaped(const std::string& text) {
  std::string safe;
  bool at_line_begin = true;
  for (const char each : text) {
    if (at_line_begin && (each == '.' || each == '\'')) {
      safe += "\\&";
    }
    at_line_begin = each == '\n';
    if (each == '\\') {
      safe += "\\e";
    } else if (each == '-') {
      safe += "\\-";
    } else {
      safe += each;
    }
  }
  return safe;
}

std::string uppercase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

std::string names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const auto& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  return names.empty() ? option.get_name() : joined(names, ", ");
}

void print_option(std::ostream& page, const CLI::Option& option) {
  const auto value =
      option.get_type_size() == 0 || option.get_type_name().empty() ? "" : option.get_type_name();
  page << ".TP\n\\fB" << escaped(names_of(option)) << "\\fR";
  if (!value.empty()) {
    page << " \\fI" << escaped(value) << "\\fR";
  }
  page << '\n' << escaped(option.get_description());
  if (!option.get_default_str().empty()) {
    page << " (by default " << escaped(option.get_default_str()) << ")";
  }
  page << '\n';
}

// Texts are laid out by hand.
void print_as_it_is(std::ostream& page, const std::string& text) {
  if (!text.empty()) {
    page << ".PP\n.nf\n" << escaped(text) << "\n.fi\n";
  }
}

void print_subcommand(std::ostream& page, const std::string& program, const CLI::App& subcommand) {
  page << ".SS " << escaped(program + " " + subcommand.get_name()) << '\n'
       << escaped(subcommand.get_description()) << '\n';
  for (const auto* option : subcommand.get_options()) {
    print_option(page, *option);
  }
  print_as_it_is(page, subcommand.get_footer());
}

// -- bash ---------------------------------------------------------------------------------------------------

std::string option_words(const CLI::App& of) {
  std::vector<std::string> words;
  for (const auto* option : of.get_options()) {
    for (const auto& name : option->get_lnames()) {
      words.push_back("--" + name);
    }
  }
  return joined(words, " ");
}

}  // namespace

std::string manual_page(const CLI::App& program, const std::string& version) {
  std::ostringstream page;
  const auto name = program.get_name();
  page << ".TH " << uppercase(name) << " 1 \"\" \"" << escaped(name + " " + version)
       << "\" \"User Commands\"\n"
       << ".SH NAME\n"
       << name << " \\- tools for stream\\-ordered memory pools\n"
       << ".SH SYNOPSIS\n\\fB" << name
       << "\\fR [\\fB\\-\\-help\\fR] [\\fB\\-\\-version\\fR] \\fISUBCOMMAND\\fR ...\n"
       << ".SH DESCRIPTION\n"
       << escaped(program.get_description()) << '\n'
       << ".SH OPTIONS\n";
  for (const auto* option : program.get_options()) {
    print_option(page, *option);
  }
  page << ".SH SUBCOMMANDS\n";
  for (const auto* subcommand : subcommands_of(program)) {
    print_subcommand(page, name, *subcommand);
  }
  return page.str();
}

std::string bash_completion(const CLI::App& program) {
  std::vector<std::string> names;
  std::ostringstream cases;
  for (const auto* subcommand : subcommands_of(program)) {
    names.push_back(subcommand->get_name());
    cases << "    " << subcommand->get_name() << ") words=\"" << option_words(*subcommand) << "\" ;;\n";
  }
  std::ostringstream script;
  script << "# bash completion for " << program.get_name() << "\n"
         << "_" << program.get_name() << "_complete() {\n"
         << "  local current=\"${COMP_WORDS[COMP_CWORD]}\" words=\"\"\n"
         << "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         << "    COMPREPLY=($(compgen -W \"" << joined(names, " ") << " " << option_words(program)
         << "\" -- \"$current\"))\n"
         << "    return\n"
         << "  fi\n"
         << "  case \"${COMP_WORDS[1]}\" in\n"
         << cases.str() << "  esac\n"
         << "  if [[ \"$current\" == -* ]]; then\n"
         << "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         << "  else\n"
         << "    compopt -o filenames 2>/dev/null\n"
         << "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
         << "  fi\n"
         << "}\n"
         << "complete -F _" << program.get_name() << "_complete " << program.get_name() << "\n";
  return script.str();
}

}  // namespace soma::tools
