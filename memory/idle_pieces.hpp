// The idle pieces of a window by owner: the stream whose free made them idle, or nobody for those that are
// settled or were never used.
//
// With an owner's pieces come its runs of neighbours. Owners without a piece are kept for a while,
// since many get one again at once, but never more than half as many as have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/number_table.hpp"
#include "memory/piece.hpp"
#include "memory/piece_set.hpp"
#include "memory/reach.hpp"
#include "memory/size_order.hpp"

namespace soma::memory {

struct idle_owner {
  stream_id id = stream_id::none;
  piece_set pieces;
  size_order<by_run> runs;  // also those of one piece
};

class idle_pieces {
public:
  /// Precondition: the piece has the state idle, and so have its neighbours if they are in here.
  void insert(node_array& nodes, node_id added);

  /// The same, for what is left of a piece of the same owner that was behind this one.
  void insert_behind(node_array& nodes, node_id added, node_id earlier);

  void erase(node_array& nodes, node_id removed);

  /// Takes out the owner's smallest piece of at least so many bytes, then the lowest; or none. Its links tell
  /// still which piece it was behind.
  node_id take_fitting(node_array& nodes, stream_id owner, std::uint64_t bytes);

  /// The owner, or null if it has no piece.
  [[nodiscard]] const idle_owner* find(stream_id owner) const noexcept {
    const auto place = place_of(owner);
    return place == 0 || owners_[place].pieces.empty() ? nullptr : &owners_[place];
  }

  /// Whether there may be a piece that this task freed: it is not later than all that its stream freed.
  [[nodiscard]] bool may_have(const node_array& nodes, position freed_at) const noexcept {
    const auto* owner = freed_at.stream == stream_id::none ? nullptr : find(freed_at.stream);
    return freed_at.stream == stream_id::none ||
           (owner != nullptr && nodes[owner->pieces.last()].what().freed_at.sequence >= freed_at.sequence);
  }

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// Puts every piece into its run. Until it is called the runs are without the pieces inserted since.
  void complete_runs(node_array& nodes);

  template <class Visit>
  void visit_owners(Visit visit) const {
    for (const auto place : list_) {
      if (!owners_[place].pieces.empty()) {
        visit(owners_[place]);
      }
    }
  }

  /// The owners that the rule allows anything of, each with the last task whose frees it allows. Looks at all
  /// owners or at all that the rule names, whichever are fewer.
  template <class Visit>
  void visit_owners(const reach& allowed, Visit visit) const;

private:
  // 0 if it is not known. The same one is asked for again and again.
  [[nodiscard]] std::uint32_t place_of(stream_id owner) const noexcept {
    return owners_[latest_].id == owner && latest_ != 0 ? latest_ : by_stream_.find(number(owner));
  }
  idle_owner& owner_of(piece_node& piece);
  void leave(node_array& nodes, node_id removed, idle_owner& owner);
  void note(node_array& nodes, node_id added);
  void enter_run(node_array& nodes, node_id added);
  void forget_vacant();

  std::vector<idle_owner> owners_{1};  // the first stands for none
  std::vector<std::uint32_t> unused_;
  std::vector<std::uint32_t> list_;  // the owners that are known, in no order
  std::size_t vacant_ = 0;           // those of them without a piece
  number_table by_stream_;
  std::uint32_t latest_ = 0;              // the owner that had a piece inserted last, or none
  node_id outside_runs_ = node_id::none;  // the pieces in no run, linked by run_right, and back by run_left
  std::uint64_t bytes_ = 0;
};

template <class Visit>
void idle_pieces::visit_owners(const reach& allowed, Visit visit) const {
  const auto look_at = [&](const idle_owner* owner) {
    if (owner != nullptr && !owner->pieces.empty()) {
      if (const auto last = allowed.limit(owner->id); last != sequence_number::none) {
        visit(*owner, last);
      }
    }
  };
  const auto entries = [](const order_clock* clock) {
    return clock == nullptr ? std::size_t{0} : clock->size();
  };
  if (allowed.everything || entries(allowed.ordered) + entries(allowed.executed) >= list_.size()) {
    for (const auto place : list_) {
      look_at(&owners_[place]);
    }
    return;
  }
  if (allowed.settled) {
    look_at(find(stream_id::none));
  }
  if (allowed.own != stream_id::none) {
    look_at(find(allowed.own));
  }
  for (const auto* clock : {allowed.ordered, allowed.executed}) {
    if (clock == nullptr) {
      continue;
    }
    clock->for_each([&](const position& known) {
      const auto stream = known.stream;
      const bool is_met = stream == allowed.own || (clock != allowed.ordered && allowed.ordered != nullptr &&
                                                    allowed.ordered->of(stream) != sequence_number::none);
      if (!is_met) {
        look_at(find(stream));
      }
    });
  }
}

}  // namespace soma::memory
