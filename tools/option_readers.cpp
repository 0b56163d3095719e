#include "tools/option_readers.hpp"

#include "tools/byte_size.hpp"

namespace soma::tools {

CLI::Validator byte_size_reader() {
  const auto read = [](std::string& text) {
    const auto bytes = text == "unlimited" ? unlimited_bytes : parse_byte_size(text);
    if (!bytes) {
      return bytes.error();
    }
    text = std::to_string(*bytes);
    return std::string();
  };
  return {read, "", "byte_size"};
}

CLI::Validator block_size_check() {
  const auto check = [](const std::string& text) {
    const auto bytes = parse_byte_size(text);
    const bool fits = bytes && *bytes >= 512 && *bytes <= granule_bytes && (*bytes & (*bytes - 1)) == 0;
    return fits ? std::string() : text + " bytes is not a power of two from 512 bytes to 2M";
  };
  return {check, "", "block_size"};
}

CLI::Validator reuse_check() {
  return CLI::IsMember({"none", "event", "opportunistic", "internal", "all"}).description("");
}

reuse_switches switches_of(const std::string& name) {
  const bool all = name == "all";
  return {.event = all || name == "event",
          .opportunistic = all || name == "opportunistic",
          .internal = all || name == "internal"};
}

}  // namespace soma::tools
