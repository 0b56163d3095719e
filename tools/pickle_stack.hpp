// The stack of the machine that reads pickles (pickle_reader): values, marks, and what is remembered.
//
// Every call checks what it finds there, so that whatever a pickle does ends in a value or in an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

#include "tools/pickle_reader.hpp"

namespace soma::tools {

class pickle_stack {
public:
  /// The error is the reason as text.
  using outcome = tl::expected<void, std::string>;

  pickle_stack(std::string_view bytes, const std::vector<std::string_view>& dropped) : dropped_(dropped) {
    document_.bytes_ = bytes;
  }

  /// How many values there are, in containers and elsewhere.
  [[nodiscard]] std::size_t cells() const noexcept { return cells_; }
  [[nodiscard]] std::size_t memo_size() const noexcept { return memo_.size(); }

  /// The document of the only value that is left. The error tells how many are.
  tl::expected<pickle_document, std::string> finish();

  outcome mark();
  outcome repeat();
  outcome push(const pickle_value& value);
  outcome pop_any();
  outcome pop_mark();
  pickle_value container(pickle_kind kind);
  outcome gather(pickle_kind kind);
  outcome gather_dict();
  outcome make_tuple(std::size_t count);
  outcome append(std::size_t count);
  outcome append_marked();
  outcome set_items(std::size_t count);
  outcome set_marked_items();
  outcome put(std::uint64_t index);
  outcome get(std::uint64_t index);

private:
  outcome count_cells(std::size_t count);
  /// How many values lie on the latest mark, or on the bottom.
  [[nodiscard]] std::size_t above_mark() const {
    return stack_.size() - (marks_.empty() ? 0 : marks_.back());
  }
  std::vector<pickle_value>& items_of(const pickle_value& value) { return document_.containers_[value.bits]; }
  /// Moves the topmost values into a container.
  void move_into(const pickle_value& into, std::size_t count);
  /// Empties the value, and what is directly in it; who refers to these from elsewhere finds them empty.
  void drop_if_unwanted(const pickle_value& key, pickle_value& value);

  const std::vector<std::string_view>& dropped_;
  std::size_t cells_ = 0;
  std::vector<pickle_value> stack_;
  std::vector<std::size_t> marks_;
  std::vector<pickle_value> memo_;  ///< from 0 on, as pickles are written
  std::unordered_map<std::uint64_t, pickle_value> far_memo_;
  pickle_document document_;
};

}  // namespace soma::tools
