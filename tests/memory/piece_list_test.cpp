// The pieces of a window by address, and by size: look-ups against ordered sets of the standard library.

#include "memory/piece_list.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "memory/piece_set.hpp"
#include "memory/size_order.hpp"
#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;

constexpr address base{64 * granule_bytes};
constexpr std::uint64_t window_granules = 4096;  // several parts of the granule index

TEST(PieceList, APieceIsFoundByEachOfItsAddresses) {
  piece_list list({base, window_granules * granule_bytes});
  std::map<address, node_id> expected{{base, list.first()}};
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    // Near the start most pieces are small and lie several in a granule, further on they are large.
    const auto span = random() % 4 == 0 ? window_granules * granule_bytes : 8 * granule_bytes;
    const auto inside = base + random() % (span / 512) * 512;
    const auto at = list.containing(inside);
    ASSERT_EQ(at, std::prev(expected.upper_bound(inside))->second);
    const auto begin = list.nodes()[at].begin();
    ASSERT_EQ(list.find(inside), inside == begin ? at : node_id::none);
    const auto after = list.nodes()[at].after;
    if (random() % 2 == 0 && after != node_id::none) {
      expected.erase(list.nodes()[after].begin());
      list.absorb_next(at);
    } else if (inside != begin) {
      expected.emplace(inside, list.cut(at, inside - begin));
    }
    ASSERT_EQ(list.view().size(), expected.size());
  }
  auto known = expected.begin();
  for (const auto& [begin, piece] : list.view()) {
    EXPECT_EQ(begin, known->first);
    ++known;
    const auto end = known == expected.end() ? base + window_granules * granule_bytes : known->first;
    EXPECT_EQ(begin + piece.bytes, end);
  }
}

using by_size_and_place = std::set<std::pair<std::uint64_t, address>>;

TEST(SizeOrder, FindsTheSmallestThatFitsThenTheLowest) {
  node_array nodes;
  size_order<by_piece> order;
  by_size_and_place expected;
  std::vector<node_id> in;
  std::mt19937_64 random(11);
  for (std::uint64_t i = 1; i < 20000; ++i) {
    if (in.size() > 300 || (!in.empty() && random() % 2 == 0)) {
      auto& last = in[random() % in.size()];
      order.erase(nodes, last);
      expected.erase({nodes[last].size().bytes, nodes[last].begin()});
      nodes.discard(last);
      last = in.back();
      in.pop_back();
    } else {
      const auto made = nodes.make();
      const auto bytes = (random() % 40 + 1) * (std::uint64_t{512} << (random() % 3 * 8));
      nodes[made].entry = {base + (random() << 20U >> 20U) / 512 * 512, {.bytes = bytes}};
      order.insert(nodes, made);
      expected.emplace(bytes, nodes[made].begin());
      in.push_back(made);
    }
    const auto least = random() % (std::uint64_t{512} << (random() % 20));
    const auto found = order.first_from(nodes, {least, address::null});
    const auto known = expected.lower_bound({least, address::null});
    ASSERT_EQ(found == node_id::none, known == expected.end());
    if (found != node_id::none) {
      ASSERT_EQ(nodes[found].size().bytes, known->first);
      ASSERT_EQ(nodes[found].begin(), known->second);
      const auto next = order.next(nodes, found);
      ASSERT_EQ(next == node_id::none, std::next(known) == expected.end());
    }
  }
}

TEST(PieceSet, FindsTheSmallestThatWasFreedInTime) {
  node_array nodes;
  piece_set set;
  std::mt19937_64 random(13);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto made = nodes.make();
    const position freed_at{stream_id{1}, sequence_number{random() % 50 + 1}};  // in no order
    nodes[made].entry = {
        base + i * granule_bytes,
        {.bytes = (random() % 30 + 1) * 512, .state = piece_state::idle, .freed_at = freed_at}};
    set.insert(nodes, made);
  }
  for (std::uint64_t last = 0; last <= 51; ++last) {
    for (std::uint64_t units = 1; units <= 31; ++units) {
      auto best = node_id::none;
      auto before = sequence_number::none;
      for (auto at = set.first(); at != node_id::none; at = nodes[at].later) {
        const auto& here = nodes[at].what();
        ASSERT_LE(before, here.freed_at.sequence) << "the list is in the order of the frees";
        before = here.freed_at.sequence;
        if (here.bytes >= units * 512 && number(here.freed_at.sequence) <= last &&
            (best == node_id::none || nodes[at].size() < nodes[best].size())) {
          best = at;
        }
      }
      ASSERT_EQ(set.fitting(nodes, units * 512, sequence_number{last}), best);
    }
  }
}

}  // namespace
