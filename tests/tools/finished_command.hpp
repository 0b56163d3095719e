// Runs a subcommand of soma as main does, and keeps what it wrote.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include "tools/command.hpp"

namespace soma::tools {

struct finished {
  int status = 0;
  std::string out;
  std::string err;
};

using adder = void (*)(CLI::App& program, command& chosen);

inline finished run_command(adder add, std::string name, std::vector<std::string> arguments) {
  CLI::App program("", "soma");
  command chosen;
  add(program, chosen);
  arguments.insert(arguments.begin(), std::move(name));
  // CLI11 takes the words from the back.
  std::reverse(arguments.begin(), arguments.end());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  finished done;
  try {
    program.parse(arguments);
    done.status = chosen();
  } catch (const CLI::ParseError& error) {
    done.status = exit_usage;
    std::fputs(error.what(), stderr);
  }
  std::fflush(nullptr);
  done.out = testing::internal::GetCapturedStdout();
  done.err = testing::internal::GetCapturedStderr();
  return done;
}

}  // namespace soma::tools
