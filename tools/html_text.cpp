#include "tools/html_text.hpp"

#include <array>
#include <cmath>
#include <cstddef>

#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

unsigned char byte_at(std::string_view text, std::size_t place) {
  return place < text.size() ? static_cast<unsigned char>(text[place]) : 0;
}

bool continues(std::string_view text, std::size_t place) { return (byte_at(text, place) & 0xC0U) == 0x80; }

/// How many bytes the UTF-8 character at the front has; 0 if there is none (also for surrogates and overlong
/// forms).
std::size_t character_bytes(std::string_view text) {
  const unsigned char first = byte_at(text, 0);
  const unsigned char second = byte_at(text, 1);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return continues(text, 1) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second >= 0xA0;
    return continues(text, 1) && continues(text, 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool outside = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
    return continues(text, 1) && continues(text, 2) && continues(text, 3) && !outside ? 4 : 0;
  }
  return 0;
}

std::string_view escaped(char letter) {
  switch (letter) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return {};
  }
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool control = bytes == 1 && (first < ' ' || first == 0x7F) && first != '\t' && first != '\n';
    const std::string_view markup = escaped(text.front());
    if (bytes == 0 || control) {
      safe += replacement;
    } else {
      safe += markup.empty() ? text.substr(0, bytes) : markup;
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return safe;
}

std::string escape_json_in_html(std::string json) {
  for (std::size_t place = json.find('<'); place != std::string::npos; place = json.find('<', place)) {
    json.replace(place, 1, "\\u003c");
  }
  return json;
}

std::string print_coordinate(double value) {
  const double rounded = std::round(value * 10);
  const bool whole = std::fmod(rounded, 10) == 0;
  const std::string text = print_fixed(rounded / 10, whole ? 0 : 1);
  return text == "-0" ? "0" : text;
}

std::string print_share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0 || part == 0) {
    return "0 %";
  }
  return print_fixed(100 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

std::string element(std::string_view tag, std::string_view content) {
  const std::string_view name = tag.substr(0, tag.find(' '));
  std::string text("<");
  text.append(tag).append(">").append(content).append("</").append(name).append(">");
  return text;
}

}  // namespace soma::tools
