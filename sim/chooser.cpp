#include "sim/chooser.hpp"

#include <algorithm>
#include <charconv>

namespace soma::sim {

// A handler touches only its own actor and runs as soon as it can, so two flushes matter to each other only
// if they have the same receiver. Engines share the device's memory, which pools and the device give back;
// threads share the objects of the interface. Whether a time is over can change what anyone does.
bool dependent(const option& left, const option& right) noexcept {
  if (left.party == right.party || left.kind == step_kind::time_out || right.kind == step_kind::time_out) {
    return true;
  }
  if (left.kind != right.kind) {
    const auto& run = left.kind == step_kind::run ? left : right;
    const auto& other = left.kind == step_kind::run ? right : left;
    return run.kind == step_kind::run && other.memory;
  }
  return left.kind == step_kind::flush ? left.receiver == right.receiver : true;
}

std::size_t random_chooser::pick(std::span<const option> options) {
  return options.size() == 1 ? 0 : source_() % options.size();
}

// -- PCT ----------------------------------------------------------------------------------------------------

pct_chooser::pct_chooser(std::uint64_t seed, std::uint32_t depth, std::size_t length)
    : seed_(seed), depth_(depth), length_(std::max<std::size_t>(length, 1)) {
  begin();
}

void pct_chooser::begin() {
  source_.seed(seed_);
  priorities_.clear();
  changes_.clear();
  for (std::uint32_t change = 1; change < depth_; ++change) {
    changes_.push_back(source_() % length_);
  }
  step_ = 0;
}

// Priorities above depth_ are random, those below are for parties that fell behind.
std::uint64_t pct_chooser::priority_of(std::uint32_t party) {
  for (const auto& [known, priority] : priorities_) {
    if (known == party) {
      return priority;
    }
  }
  priorities_.emplace_back(party, depth_ + (source_() >> 8));
  return priorities_.back().second;
}

std::size_t pct_chooser::pick(std::span<const option> options) {
  const auto highest = [&] {
    std::size_t best = 0;
    for (std::size_t at = 1; at < options.size(); ++at) {
      if (priority_of(options[at].party) > priority_of(options[best].party)) {
        best = at;
      }
    }
    return best;
  };
  auto chosen = highest();
  if (options.size() == 1) {
    return chosen;
  }
  for (std::size_t change = 0; change < changes_.size(); ++change) {
    if (changes_[change] == step_) {
      for (auto& [party, priority] : priorities_) {
        if (party == options[chosen].party) {
          priority = change;
        }
      }
      chosen = highest();
    }
  }
  ++step_;
  return chosen;
}

// -- replay -------------------------------------------------------------------------------------------------

std::size_t replay_chooser::pick(std::span<const option> options) {
  if (options.size() == 1) {
    return 0;
  }
  const auto choice = next_ < choices_.size() ? choices_[next_] : 0;
  ++next_;
  return std::min(choice, options.size() - 1);
}

// -- exhaustive ---------------------------------------------------------------------------------------------

std::optional<std::size_t> exhaustive_chooser::first_awake(const node& at, std::size_t from) {
  for (; from < at.options.size(); ++from) {
    if (std::find(at.sleeping.begin(), at.sleeping.end(), at.options[from]) == at.sleeping.end()) {
      return from;
    }
  }
  return std::nullopt;
}

std::size_t exhaustive_chooser::pick(std::span<const option> options) {
  if (depth_ == path_.size()) {
    node made;
    made.options.assign(options.begin(), options.end());
    if (depth_ > 0 && reduced_) {
      const auto& before = path_.back();
      const auto& taken = before.options[before.chosen];
      for (const auto& asleep : before.sleeping) {
        if (!dependent(asleep, taken)) {
          made.sleeping.push_back(asleep);
        }
      }
    }
    const auto first = first_awake(made, 0);
    if (!first) {
      return prune;
    }
    made.chosen = *first;
    path_.push_back(std::move(made));
  }
  return path_[depth_++].chosen;
}

bool exhaustive_chooser::next() {
  while (!path_.empty()) {
    auto& last = path_.back();
    last.sleeping.push_back(last.options[last.chosen]);
    if (const auto following = first_awake(last, last.chosen + 1)) {
      last.chosen = *following;
      return true;
    }
    path_.pop_back();
  }
  return false;
}

// -- as text ------------------------------------------------------------------------------------------------

std::string choices_text(std::span<const std::size_t> choices) {
  while (!choices.empty() && choices.back() == 0) {
    choices = choices.first(choices.size() - 1);
  }
  std::string text;
  for (const auto choice : choices) {
    if (choice < 10) {
      text += static_cast<char>('0' + choice);
    } else if (choice < 36) {
      text += static_cast<char>('a' + (choice - 10));
    } else {
      text += "{" + std::to_string(choice) + "}";
    }
  }
  return text.empty() ? "0" : text;
}

std::optional<std::vector<std::size_t>> parse_choices(std::string_view text) {
  std::vector<std::size_t> choices;
  while (!text.empty()) {
    const char first = text.front();
    if (first >= '0' && first <= '9') {
      choices.push_back(static_cast<std::size_t>(first - '0'));
    } else if (first >= 'a' && first <= 'z') {
      choices.push_back(10 + static_cast<std::size_t>(first - 'a'));
    } else if (first == '{') {
      std::size_t value = 0;
      const auto* end = text.data() + text.size();
      const auto [stop, status] = std::from_chars(text.data() + 1, end, value);
      if (status != std::errc{} || stop == end || *stop != '}') {
        return std::nullopt;
      }
      choices.push_back(value);
      text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    } else {
      return std::nullopt;
    }
    text.remove_prefix(1);
  }
  return choices;
}

}  // namespace soma::sim
