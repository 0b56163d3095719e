#include "sim/log.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace soma::sim {

namespace {

constexpr std::uint32_t in_memory = ~std::uint32_t{0};
constexpr std::uint32_t in_interface = in_memory - 1;

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x100000001b3U;
  hash ^= hash >> 29;
}

std::string line_of(const log_entry& entry) {
  const auto from = entry.from == nullptr ? std::string() : entry.from->name;
  switch (entry.what) {
  case log_entry::kind::arrives: {
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), "%-16s -> %-16s %s", from.c_str(), entry.to->name.c_str(),
                  entry.message->name.c_str());
    return text.data();
  }
  case log_entry::kind::wakes: {
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), "%-16s -> %-16s %s", from.c_str(), entry.to->name.c_str(),
                  "its answer");
    return text.data();
  }
  case log_entry::kind::runs:
    return from + " runs " + to_text(*entry.by);
  case log_entry::kind::calls:
    return from + ": " + (entry.by == nullptr ? "the end" : to_text(*entry.by));
  case log_entry::kind::goes_on:
    return from + " goes on";
  case log_entry::kind::times_out:
    return from + ": the time is over";
  }
  return {};
}

}  // namespace

void step_log::add(const log_entry& entry) {
  entries_.push_back(entry);
  const auto mix_in = [&entry](std::uint64_t& hash) {
    mix(hash, static_cast<std::uint64_t>(entry.what));
    mix(hash, entry.from == nullptr ? 0 : entry.from->number);
    mix(hash, entry.to == nullptr ? 0 : entry.to->number);
    mix(hash, entry.message == nullptr ? 0 : entry.message->hash);
    mix(hash, entry.by == nullptr ? 0 : entry.by->line + 1);
  };
  mix_in(hash_);
  // Tasks meet in the memory, threads in the objects of the interface.
  const bool task = entry.what == log_entry::kind::runs;
  const auto at = entry.to != nullptr ? entry.to->number : task ? in_memory : in_interface;
  mix_in(received_.try_emplace(at, first_hash).first->second);
}

std::uint64_t step_log::order_hash() const noexcept {
  auto hash = first_hash;
  for (const auto& [party, received] : received_) {
    mix(hash, party);
    mix(hash, received);
  }
  return hash;
}

std::string step_log::text(std::size_t most) const {
  std::string text;
  const auto first = entries_.size() - std::min(most, entries_.size());
  for (auto at = first; at < entries_.size(); ++at) {
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "%6zu  ", at + 1);
    text += number.data() + line_of(entries_[at]) + "\n";
  }
  return text;
}

}  // namespace soma::sim
