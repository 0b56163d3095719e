// Reads the values of options that several subcommands have.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "soma/pool.hpp"

namespace soma::tools {

/// Turns a size with a suffix, or "unlimited", into plain digits, which CLI11 then reads.
[[nodiscard]] CLI::Validator byte_size_reader();

/// Accepts a pool's minimum block. Comes behind byte_size_reader.
[[nodiscard]] CLI::Validator block_size_check();

/// Accepts the names that switches_of knows.
[[nodiscard]] CLI::Validator reuse_check();

/// The switches named "none", "event", "opportunistic", "internal" or "all".
[[nodiscard]] reuse_switches switches_of(const std::string& name);

}  // namespace soma::tools
