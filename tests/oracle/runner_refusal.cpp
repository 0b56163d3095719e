// What the text of a refusal says.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "oracle/runner.hpp"

namespace oracle {

namespace {

// The number behind this word.
std::uint64_t figure(const std::string& text, const std::string& word) {
  const auto at = text.find(word + ' ');
  return at == std::string::npos ? ~std::uint64_t{0}
                                 : std::strtoull(text.c_str() + at + word.size() + 1, nullptr, 10);
}

}  // namespace

void runner::check_refusal(const std::string& text, std::size_t pool, std::size_t stream,
                           const verdict& expected) const {
  const auto& of = model_.pool(pool);
  const std::pair<const char*, std::uint64_t> figures[] = {
      {"wanted", expected.units * of.memory.unit_bytes()},
      {"used", of.used()},
      {"idle", of.memory.reserved() - of.used()},
      {"limit", of.limit},
      {"left on the device", model_.left()},
  };
  for (const auto& [word, value] : figures) {
    if (const auto said = figure(text, word); said != value) {
      disagree("a refusal says " + std::string(word) + ' ' + std::to_string(said) + " instead of " +
               std::to_string(value) + ": " + text);
    }
  }
  if (!model_.is_largest(pool, stream, figure(text, "largest block to be had"))) {
    disagree("a refusal names a wrong largest block: " + text);
  }
  std::vector<std::array<std::uint64_t, 2>> pending;
  for (const auto& [on, last] : model_.pending_frees(pool)) {
    if (on != stream) {
      pending.push_back({streams_[on].stream->id(), model_.past.sequence_of(last)});
    }
  }
  std::sort(pending.begin(), pending.end());
  std::string end = pending.empty() ? "; no frees are pending" : "; frees are pending on ";
  for (std::size_t each = 0; each < pending.size(); ++each) {
    const auto& [on, last] = pending[each];
    end += (each == 0 ? "stream " : ", stream ") + std::to_string(on) + " up to its task " +
           std::to_string(last);
  }
  if (!text.ends_with(end)) {
    disagree("a refusal does not end with \"" + end + "\": " + text);
  }
}

}  // namespace oracle
