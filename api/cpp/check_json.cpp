// Reports of the race detector as JSON.

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "soma/check.hpp"

namespace soma::check {

namespace {

// Writes one object; its members are added one after the other.
class json_object {
public:
  json_object& text(std::string_view key, std::string_view value) {
    member(key);
    quote(value);
    return *this;
  }
  json_object& number(std::string_view key, std::uint64_t value) {
    member(key);
    written_ += std::to_string(value);
    return *this;
  }
  json_object& flag(std::string_view key, bool value) {
    member(key);
    written_ += value ? "true" : "false";
    return *this;
  }
  // Addresses do not fit into the numbers of all readers of JSON.
  json_object& address(std::string_view key, std::uint64_t value) {
    std::array<char, 24> digits{};
    std::snprintf(digits.data(), digits.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text(key, digits.data());
  }
  json_object& object(std::string_view key, const std::string& value) {
    member(key);
    written_ += value;
    return *this;
  }
  [[nodiscard]] std::string done() const { return written_ + "}"; }

private:
  void member(std::string_view key) {
    written_ += written_.size() > 1 ? "," : "";
    quote(key);
    written_ += ':';
  }

  void quote(std::string_view value) {
    written_ += '"';
    for (const char character : value) {
      if (character == '"' || character == '\\') {
        written_ += '\\';
        written_ += character;
      } else if (static_cast<unsigned char>(character) < 0x20) {
        std::array<char, 8> escaped{};
        std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(character));
        written_ += escaped.data();
      } else {
        written_ += character;
      }
    }
    written_ += '"';
  }

  std::string written_ = "{";
};

std::string json_of(const check_operation& what) {
  json_object written;
  written.text("name", what.name).text("call", what.call);
  if (!what.kernel.empty()) {
    written.text("kernel", what.kernel);
  }
  written.text("place", what.place).text("file", what.file);
  return written.number("stream", what.stream).number("sequence", what.sequence).done();
}

std::string json_of(const check_block& block) {
  json_object written;
  written.address("address", block.address).number("bytes", block.bytes);
  written.number("requested", block.requested).object("allocated", json_of(block.allocated));
  if (block.freed) {
    written.object("freed", json_of(*block.freed));
  }
  return written.flag("pool_destroyed", block.pool_destroyed).done();
}

}  // namespace

std::string to_json(const check_report& report) {
  json_object written;
  written.text("kind", to_string(report.kind)).text("text", report.text);
  written.text("missing_edge", report.missing_edge);
  if (report.first) {
    written.object("first", json_of(*report.first));
  }
  if (report.second) {
    written.object("second", json_of(*report.second));
  }
  if (report.block) {
    written.object("block", json_of(*report.block));
  }
  return written.address("address", report.address).number("count", report.count).done();
}

}  // namespace soma::check
