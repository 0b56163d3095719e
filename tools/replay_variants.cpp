#include "tools/replay_variants.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "tools/byte_size.hpp"

namespace soma::tools {

namespace {

using outcome = tl::expected<void, std::string>;

std::string_view cut_front(std::string_view& text, char separator) {
  const std::size_t place = text.find(separator);
  const std::string_view front = text.substr(0, place);
  text = place == std::string_view::npos ? std::string_view() : text.substr(place + 1);
  return front;
}

tl::expected<std::uint64_t, std::string> size_of(std::string_view text) {
  return text == "unlimited" ? unlimited_bytes : parse_byte_size(text);
}

outcome set_reuse(std::string_view text, reuse_switches& reuse) {
  if (text == "none" || text == "all") {
    const bool on = text == "all";
    reuse = {.event = on, .opportunistic = on, .internal = on};
    return {};
  }
  reuse = {};
  do {
    const std::string_view name = cut_front(text, '+');
    if (name == "event") {
      reuse.event = true;
    } else if (name == "opportunistic") {
      reuse.opportunistic = true;
    } else if (name == "internal") {
      reuse.internal = true;
    } else {
      return tl::unexpected("reuse '" + std::string(name) +
                            "' is unknown: give none, all, or event, opportunistic and internal joined by +");
    }
  } while (!text.empty());
  return {};
}

outcome set_minimum_block(std::string_view text, std::uint64_t& bytes) {
  const auto read = size_of(text);
  if (!read) {
    return tl::unexpected("min-block " + read.error());
  }
  if (*read < 512 || *read > granule_bytes || (*read & (*read - 1)) != 0) {
    return tl::unexpected("min-block " + std::string(text) + " is not a power of two from 512 bytes to 2M");
  }
  bytes = *read;
  return {};
}

outcome set_size(const std::string& key, std::string_view text, std::uint64_t& bytes) {
  const auto read = size_of(text);
  if (!read) {
    return tl::unexpected(key + " " + read.error());
  }
  bytes = *read;
  return {};
}

outcome set_count(const std::string& key, std::string_view text, std::uint64_t& count) {
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, count);
  if (status != std::errc{} || stop != end) {
    return tl::unexpected(key + " '" + std::string(text) + "' is not a whole number");
  }
  return {};
}

outcome set(const std::string& key, std::string_view value, replay_settings& settings) {
  if (key == "min-block") {
    return set_minimum_block(value, settings.pool.minimum_block);
  }
  if (key == "limit") {
    return set_size(key, value, settings.pool.limit);
  }
  if (key == "threshold") {
    return set_size(key, value, settings.pool.release_threshold);
  }
  if (key == "sync-every") {
    return set_count(key, value, settings.sync_every);
  }
  if (key == "held") {
    if (value != "yes" && value != "no") {
      return tl::unexpected("held '" + std::string(value) + "' is neither yes nor no");
    }
    settings.held = value == "yes";
    return {};
  }
  if (key == "reuse") {
    return set_reuse(value, settings.pool.reuse);
  }
  return tl::unexpected("'" + key +
                        "' is no setting: there are min-block, reuse, threshold, limit, sync-every and held");
}

}  // namespace

tl::expected<replay_variant, std::string> parse_variant(std::string_view text, const replay_settings& base) {
  replay_variant variant{.name = std::string(text), .settings = base};
  do {
    std::string_view value = cut_front(text, ',');
    const std::string key(cut_front(value, '='));
    if (value.empty()) {
      return tl::unexpected("'" + key + "' has no value: write settings as min-block=512,reuse=all");
    }
    if (const auto done = set(key, value, variant.settings); !done) {
      return tl::unexpected(done.error());
    }
  } while (!text.empty());
  // "unlimited" is what a pool has without a limit.
  if (variant.settings.pool.limit == unlimited_bytes) {
    variant.settings.pool.limit = 0;
  }
  return variant;
}

std::vector<replay_variant> usual_variants(const replay_settings& base) {
  std::vector<replay_variant> variants = {{.name = "as given", .settings = base}};
  for (const char* const text : {"min-block=512", "min-block=2M", "reuse=none", "reuse=all", "threshold=0"}) {
    if (auto variant = parse_variant(text, base)) {
      variants.push_back(std::move(*variant));
    }
  }
  return variants;
}

}  // namespace soma::tools
