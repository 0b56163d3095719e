#include "oracle/printer.hpp"

#include <limits>

namespace oracle {

std::string bytes_text(std::uint64_t bytes) {
  if (bytes == std::numeric_limits<std::uint64_t>::max()) {
    return "keep_all";
  }
  constexpr auto mebibyte = std::uint64_t{1} << 20;
  if (bytes > 0 && bytes % mebibyte == 0) {
    return std::to_string(bytes / mebibyte) + "_M";
  }
  return std::to_string(bytes) + "U";
}

std::string options_text(const soma::pool_options& options) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  return "{.limit = " + bytes_text(options.limit) +
         ", .minimum_block = " + bytes_text(options.minimum_block) + ", .reuse = {" +
         flag(options.reuse.event) + ", " + flag(options.reuse.opportunistic) + ", " +
         flag(options.reuse.internal) + "}, .release_threshold = " + bytes_text(options.release_threshold) +
         "}";
}

std::string attribute_text(soma::pool_attribute attribute) {
  switch (attribute) {
  case soma::pool_attribute::reuse_event:
    return "soma::pool_attribute::reuse_event";
  case soma::pool_attribute::reuse_opportunistic:
    return "soma::pool_attribute::reuse_opportunistic";
  case soma::pool_attribute::reuse_internal:
    return "soma::pool_attribute::reuse_internal";
  case soma::pool_attribute::release_threshold:
    return "soma::pool_attribute::release_threshold";
  case soma::pool_attribute::reserved:
    return "soma::pool_attribute::reserved";
  case soma::pool_attribute::reserved_high:
    return "soma::pool_attribute::reserved_high";
  case soma::pool_attribute::used:
    return "soma::pool_attribute::used";
  case soma::pool_attribute::used_high:
    return "soma::pool_attribute::used_high";
  }
  return "?";
}

std::string name(char letter, std::size_t number) { return letter + std::to_string(number); }

void printer::call(const std::string& text, std::optional<soma::errc> error) {
  line(error ? "EXPECT_TRUE(failed_with(" + text + ", soma::errc::" + std::string(to_string(*error)) + "));"
             : "must(" + text + ");");
}

void printer::call(const std::string& variable, const std::string& text, std::optional<soma::errc> error) {
  if (error) {
    call(text, error);
  } else {
    line("[[maybe_unused]] auto " + variable + " = must(" + text + ");");
  }
}

std::string printer::source() const {
  return "#include \"support/cpp_fixture.hpp\"\n\n"
         "using namespace support;\n\n"
         "TEST(Oracle, Disagreement) {\n"
         "  auto runtime = must(soma::runtime::create({.device_memory = " +
         bytes_text(device_memory_) +
         "}));\n"
         "  auto device = must(runtime.get_device());\n" +
         lines_ + "}\n";
}

}  // namespace oracle
