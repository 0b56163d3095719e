// The program's manual page and its completion for bash, written from its own options, so that neither can
// differ from what the program takes.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace soma::tools {

/// A page for man(1), in roff.
std::string manual_page(const CLI::App& program, const std::string& version);

/// A script that bash sources: subcommands, options, and file names where neither fits.
std::string bash_completion(const CLI::App& program);

}  // namespace soma::tools
