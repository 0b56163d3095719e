// A program as the source of a test: each call that was made, with what it has to return.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "soma/soma.hpp"

namespace oracle {

/// "3 * 2_M", "keep_all", "512": a number of bytes as one would write it.
std::string bytes_text(std::uint64_t bytes);

std::string options_text(const soma::pool_options& options);

std::string attribute_text(soma::pool_attribute attribute);

/// "s3", "p0": a name made of a letter and a number.
std::string name(char letter, std::size_t number);

class printer {
public:
  explicit printer(std::uint64_t device_memory) : device_memory_(device_memory) {}

  void line(const std::string& text) { lines_ += "  " + text + "\n"; }

  /// A call without a result, or with one to be thrown away.
  void call(const std::string& text, std::optional<soma::errc> error);

  /// A call of which the result is kept in a variable.
  void call(const std::string& variable, const std::string& text, std::optional<soma::errc> error);

  /// The whole test, to be put into a file of tests/cpp.
  [[nodiscard]] std::string source() const;

private:
  std::uint64_t device_memory_;
  std::string lines_;
};

}  // namespace oracle
