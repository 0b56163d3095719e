// The idle pieces by owner: who is looked at under a rule, and the runs of neighbours, in random changes.

#include "memory/idle_pieces.hpp"

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/piece_list.hpp"
#include "memory/run_tree.hpp"
#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;
using testing::UnorderedElementsAre;

constexpr address base{64 * granule_bytes};

position freed(std::uint64_t stream, std::uint64_t sequence) {
  return {stream_id{stream}, sequence_number{sequence}};
}

/// A row of pieces of one unit each; busy at first.
class IdlePieces : public testing::Test {
protected:
  static constexpr std::uint64_t count = 64;

  IdlePieces() {
    auto at = list_.first();
    pieces_.push_back(at);
    for (std::uint64_t i = 1; i < count; ++i) {
      at = list_.cut(at, 512);
      pieces_.push_back(at);
    }
    for (const auto piece : pieces_) {
      nodes_[piece].what().state = piece_state::busy;
    }
  }

  void free(std::uint64_t which, position freed_at) {
    nodes_[pieces_[which]].what().state = piece_state::idle;
    nodes_[pieces_[which]].what().freed_at = freed_at;
    idle_.insert(nodes_, pieces_[which]);
  }

  void take(std::uint64_t which) {
    idle_.erase(nodes_, pieces_[which]);
    nodes_[pieces_[which]].what().state = piece_state::busy;
  }

  std::set<std::uint64_t> visited(const reach& allowed) const {
    std::set<std::uint64_t> streams;
    idle_.visit_owners(allowed, [&](const idle_owner& owner, sequence_number /*last*/) {
      EXPECT_TRUE(streams.insert(number(owner.id)).second) << "met twice";
    });
    return streams;
  }

  piece_list list_{{base, granule_bytes}};
  node_array& nodes_ = list_.nodes();
  std::vector<node_id> pieces_;
  idle_pieces idle_;
};

TEST_F(IdlePieces, OnlyOwnersThatTheRuleNamesAreLookedAt) {
  for (std::uint64_t stream = 1; stream <= 9; ++stream) {
    free(2 * stream, freed(stream, stream));
  }
  free(40, settled);
  order_clock ordered;
  ordered.add(freed(1, 5));
  ordered.add(freed(2, 5));
  order_clock executed;
  executed.add(freed(2, 7));
  executed.add(freed(3, 7));
  EXPECT_THAT(visited({.own = stream_id{4}}), UnorderedElementsAre(4));
  EXPECT_THAT(visited({.own = stream_id{1}, .settled = true, .ordered = &ordered}),
              UnorderedElementsAre(0, 1, 2));
  EXPECT_THAT(visited({.own = stream_id{77}, .ordered = &ordered, .executed = &executed}),
              UnorderedElementsAre(1, 2, 3));
  EXPECT_EQ(visited({.settled = true, .everything = true}).size(), 10U);
  take(2);
  take(40);
  EXPECT_THAT(visited({.own = stream_id{4}, .settled = true, .ordered = &ordered}),
              UnorderedElementsAre(2, 4));
}

TEST_F(IdlePieces, OwnersMayComeAndGoInAnyNumber) {
  for (std::uint64_t stream = 1; stream <= 1000; ++stream) {
    free(stream % count, freed(stream, 1));
    if (stream > 5) {
      take((stream - 5) % count);
      EXPECT_EQ(idle_.find(stream_id{stream - 5}), nullptr);
    }
    EXPECT_NE(idle_.find(stream_id{stream}), nullptr);
  }
  EXPECT_EQ(visited({.settled = true, .everything = true}).size(), 5U);
  EXPECT_EQ(idle_.bytes(), 5 * 512U);
}

TEST_F(IdlePieces, TheRunsAreTheNeighboursOfOneOwner) {
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    const auto which = random() % count;
    if (nodes_[pieces_[which]].what().state == piece_state::idle) {
      take(which);
    } else {
      free(which, freed(random() % 8 / 6 + 1, static_cast<std::uint64_t>(i) + 1));
    }
    if (random() % 4 != 0) {
      continue;
    }
    idle_.complete_runs(nodes_);
    for (std::uint64_t first = 0; first < count;) {
      const auto& here = nodes_[pieces_[first]].what();
      auto end = first + 1;
      if (here.state == piece_state::idle) {
        while (end < count && nodes_[pieces_[end]].what().state == piece_state::idle &&
               nodes_[pieces_[end]].what().freed_at.stream == here.freed_at.stream) {
          ++end;
        }
        const auto root = run_root(nodes_, pieces_[first]);
        ASSERT_EQ(run_root(nodes_, pieces_[end - 1]), root);
        ASSERT_EQ(first_of_run(nodes_, root), pieces_[first]);
        ASSERT_EQ(last_of_run(nodes_, root), pieces_[end - 1]);
        ASSERT_EQ(nodes_[root].run.begin, nodes_[pieces_[first]].begin());
        const auto& runs = idle_.find(here.freed_at.stream)->runs;
        ASSERT_EQ(runs.first_from(nodes_, nodes_[root].run), root);
      }
      first = end;
    }
  }
}

}  // namespace
