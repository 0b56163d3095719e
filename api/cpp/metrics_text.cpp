// Metrics as text.

#include <string_view>

#include "soma/metrics.hpp"

namespace soma {

namespace {

// Prometheus: in help a backslash and a new line are escaped, in values of labels also a quotation mark.
std::string escaped(std::string_view text, bool quotes) {
  std::string all;
  for (const char one : text) {
    if (one == '\n') {
      all += "\\n";
    } else {
      all += one == '\\' || (quotes && one == '"') ? std::string{'\\', one} : std::string(1, one);
    }
  }
  return all;
}

std::string json_text(std::string_view text) {
  std::string all = "\"";
  for (const char one : text) {
    const auto byte = static_cast<unsigned char>(one);
    if (byte < 0x20) {
      constexpr auto digits = "0123456789abcdef";
      all += std::string("\\u00") + digits[byte >> 4U] + digits[byte & 0xFU];
    } else {
      all += one == '"' || one == '\\' ? std::string{'\\', one} : std::string(1, one);
    }
  }
  return all + "\"";
}

}  // namespace

std::string metrics::to_prometheus() const {
  std::string text;
  std::string_view family;
  for (const auto& one : all) {
    if (one.name != family) {
      family = one.name;
      text += "# HELP " + one.name + " " + escaped(one.help, false) + "\n";
      text += "# TYPE " + one.name + (one.is_counter ? " counter\n" : " gauge\n");
    }
    text += one.name;
    for (const char* separator = "{"; const auto& [name, value] : one.labels) {
      text += separator + name + "=\"" + escaped(value, true) + "\"";
      separator = ",";
    }
    text += (one.labels.empty() ? " " : "} ") + std::to_string(one.value) + "\n";
  }
  return text;
}

std::string metrics::to_json() const {
  std::string text = "{\"metrics\":[";
  for (const char* separator = "\n"; const auto& one : all) {
    text += separator;
    text += "{\"name\":" + json_text(one.name) +
            ",\"type\":" + (one.is_counter ? "\"counter\"" : "\"gauge\"") +
            ",\"help\":" + json_text(one.help) + ",\"labels\":{";
    for (const char* comma = ""; const auto& [name, value] : one.labels) {
      text += comma + json_text(name) + ":" + json_text(value);
      comma = ",";
    }
    text += "},\"value\":" + std::to_string(one.value) + "}";
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace soma
