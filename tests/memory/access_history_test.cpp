// The rules of the race detector, each in both directions: what is reported, and what is not.

#include "memory/access_history.hpp"

#include <initializer_list>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace soma::memory;
using soma::memory::access;  // not the function of unistd.h
using testing::IsEmpty;
using testing::SizeIs;

constexpr range addresses{address{0x1000'0000}, std::uint64_t{1} << 30};
constexpr address a = addresses.begin;
constexpr std::uint64_t block_bytes = 4096;
constexpr std::uint64_t asked_bytes = 4000;
constexpr address behind_a = a + block_bytes;

constexpr position at(std::uint64_t stream, std::uint64_t sequence) {
  return {stream_id{stream}, sequence_number{sequence}};
}

order_clock after(std::initializer_list<position> tasks) {
  order_clock made;
  for (const auto& task : tasks) {
    made.add(task);
  }
  return made;
}

place on_line(std::uint32_t line) { return {"call", "file.cpp", nullptr, line}; }

operation task(position where, std::uint32_t line = 1) {
  return {operation_kind::task, where, on_line(line), {}};
}

operation free_op(position where, std::uint32_t line = 2) {
  return {operation_kind::free, where, on_line(line), {}};
}

const operation host_free = free_op({});
const operation host_access{operation_kind::host_access, {}, on_line(3), {}};

block_life block_of(position allocated_at, address begin = a) {
  block_life life;
  life.memory = {begin, block_bytes};
  life.requested = asked_bytes;
  life.pool = pool_id{9};
  life.allocated = {operation_kind::malloc, allocated_at, on_line(4), {}};
  return life;
}

std::vector<access> reads(address begin = a, std::uint64_t bytes = 16) {
  return {{begin, bytes, access_kind::reads}};
}

std::vector<access> as_pointers(std::initializer_list<address> words) {
  std::vector<access> made;
  for (const auto word : words) {
    made.push_back({word, 0, access_kind::pointer});
  }
  return made;
}

/// What a finding says, as "kind before after", for comparing.
std::string text_of(const finding& found) {
  static constexpr const char* kinds[] = {
      "use_before_malloc",    "use_after_free", "free_before_malloc",
      "free_before_last_use", "double_free",    "foreign_free",
      "out_of_bounds",        "leak",           "stray_access",
  };
  const auto named = [](const std::optional<operation>& what) {
    return !what ? std::string(" none")
                 : " " + std::to_string(number(what->at.stream)) + "." +
                       std::to_string(number(what->at.sequence));
  };
  return kinds[static_cast<std::size_t>(found.kind)] + named(found.before) + named(found.after) +
         (found.order_missing ? " order" : "");
}

std::vector<std::string> texts_of(const std::vector<finding>& found) {
  std::vector<std::string> texts;
  for (const auto& one : found) {
    texts.push_back(text_of(one));
  }
  return texts;
}

#define EXPECT_FOUND(call, ...) EXPECT_THAT(texts_of(call), testing::ElementsAre(__VA_ARGS__))
#define EXPECT_SILENT(call) EXPECT_THAT(texts_of(call), IsEmpty())

class access_history_test : public testing::Test {
protected:
  access_history history_{addresses};
};

// -- R1 -----------------------------------------------------------------------------------------------------

TEST_F(access_history_test, AStreamMayUseWhatItAllocated) {
  history_.allocated(block_of(at(1, 1)));
  EXPECT_SILENT(history_.touched(task(at(1, 2)), {}, reads()));
}

TEST_F(access_history_test, AnotherStreamMayUseABlockBehindItsMalloc) {
  history_.allocated(block_of(at(1, 3)));
  EXPECT_SILENT(history_.touched(task(at(2, 1)), after({at(1, 3)}), reads()));
}

TEST_F(access_history_test, AUseThatIsNotOrderedAfterTheMallocIsReported) {
  history_.allocated(block_of(at(1, 3)));
  EXPECT_FOUND(history_.touched(task(at(2, 1)), after({at(1, 2)}), reads()),
               "use_before_malloc 1.3 2.1 order");
}

TEST_F(access_history_test, WhatTheHostHasSeenCountsForTasksThatAreSubmittedLater) {
  history_.allocated(block_of(at(1, 3)));
  history_.saw(after({at(1, 3)}));
  EXPECT_SILENT(history_.touched(task(at(2, 1)), {}, reads()));
}

TEST_F(access_history_test, AnyAddressInsideOfABlockIsAUseOfIt) {
  history_.allocated(block_of(at(1, 1)));
  EXPECT_FOUND(history_.touched(task(at(2, 1)), {}, reads(a + 100)), "use_before_malloc 1.1 2.1 order");
}

TEST_F(access_history_test, MemoryThatIsInNoBlockAndOutsideOfTheRangeIsNoUse) {
  EXPECT_SILENT(history_.touched(task(at(1, 1)), {}, reads()));
  EXPECT_SILENT(history_.touched(task(at(1, 2)), {}, reads(address{0x42})));
  EXPECT_SILENT(history_.touched(task(at(1, 3)), {}, reads(addresses.end())));
}

// -- R2 -----------------------------------------------------------------------------------------------------

TEST_F(access_history_test, AFreeBehindAllUsesIsSilent) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(1, 2)), {}, reads());
  history_.touched(task(at(2, 1)), after({at(1, 1)}), reads());
  EXPECT_SILENT(history_.freed(free_op(at(3, 1)), after({at(1, 2), at(2, 1)}), a));
}

TEST_F(access_history_test, AFreeOnTheUsersStreamIsSilent) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(2, 1)), after({at(1, 1)}), reads());
  EXPECT_SILENT(history_.freed(free_op(at(2, 2)), after({at(1, 1)}), a));
}

TEST_F(access_history_test, AUseThatIsNotOrderedBeforeTheFreeIsReported) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(2, 1)), after({at(1, 1)}), reads());
  EXPECT_FOUND(history_.freed(free_op(at(1, 2)), {}, a), "use_after_free 2.1 1.2 order");
}

TEST_F(access_history_test, EachStreamIsReportedWithItsLastUse) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(2, 1)), after({at(1, 1)}), reads());
  history_.touched(task(at(2, 5)), after({at(1, 1)}), reads());
  history_.touched(task(at(3, 1)), after({at(1, 1)}), reads());
  EXPECT_FOUND(history_.freed(free_op(at(1, 2)), after({at(2, 4)}), a), "use_after_free 2.5 1.2 order",
               "use_after_free 3.1 1.2 order");
}

TEST_F(access_history_test, AUseThatTheHostHasSeenIsBeforeEveryLaterFree) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(2, 1)), after({at(1, 1)}), reads());
  history_.saw(after({at(2, 1)}));
  EXPECT_SILENT(history_.freed(free_op(at(1, 2)), {}, a));
}

TEST_F(access_history_test, AFreeThatIsNotOrderedAfterTheMallocIsReportedOnce) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(1, 2)), {}, reads());
  EXPECT_FOUND(history_.freed(free_op(at(2, 1)), {}, a), "free_before_malloc 1.1 2.1 order");
}

TEST_F(access_history_test, AUseThatWasReportedIsNotReportedAgainByTheFree) {
  history_.allocated(block_of(at(1, 1)));
  EXPECT_THAT(history_.touched(task(at(2, 1)), {}, reads()), SizeIs(1));
  EXPECT_SILENT(history_.freed(free_op(at(1, 2)), {}, a));
}

// -- R3 and R5 ----------------------------------------------------------------------------------------------

TEST_F(access_history_test, AUseThatComesAfterAnUnorderedFreeIsReported) {
  history_.allocated(block_of(at(1, 1)));
  history_.freed(free_op(at(1, 2)), {}, a);
  EXPECT_FOUND(history_.touched(task(at(2, 1)), after({at(1, 1)}), reads()), "use_after_free 2.1 1.2 order");
}

TEST_F(access_history_test, AUseBehindTheFreeMissesNoOrder) {
  history_.allocated(block_of(at(1, 1)));
  history_.freed(free_op(at(1, 2)), {}, a);
  EXPECT_FOUND(history_.touched(task(at(1, 3)), {}, reads()), "use_after_free 1.2 1.3");
}

TEST_F(access_history_test, WithANewOwnerATaskThatKnowsTheOldBlockOnlyMeansThatOne) {
  history_.allocated(block_of(at(1, 1)));
  history_.freed(free_op(at(1, 2)), {}, a);
  history_.allocated(block_of(at(1, 3)));
  EXPECT_FOUND(history_.touched(task(at(2, 1)), after({at(1, 1)}), reads()), "use_after_free 2.1 1.2 order");
}

TEST_F(access_history_test, WithANewOwnerATaskThatKnowsTheFreeMeansTheNewBlock) {
  history_.allocated(block_of(at(1, 1)));
  history_.freed(free_op(at(1, 2)), {}, a);
  history_.allocated(block_of(at(1, 3)));
  EXPECT_FOUND(history_.touched(task(at(2, 1)), after({at(1, 2)}), reads()),
               "use_before_malloc 1.3 2.1 order");
}

TEST_F(access_history_test, WithANewOwnerATaskThatKnowsNeitherMeansTheNewBlock) {
  history_.allocated(block_of(at(1, 1)));
  history_.freed(free_op(at(1, 2)), {}, a);
  history_.allocated(block_of(at(1, 3)));
  EXPECT_FOUND(history_.touched(task(at(2, 1)), {}, reads()), "use_before_malloc 1.3 2.1 order");
}

TEST_F(access_history_test, ATaskBehindTheNewMallocMeansTheNewBlock) {
  history_.allocated(block_of(at(1, 1)));
  history_.freed(free_op(at(1, 2)), {}, a);
  history_.allocated(block_of(at(2, 1)));
  EXPECT_SILENT(history_.touched(task(at(2, 2)), {}, reads()));
}

TEST_F(access_history_test, OfSeveralPastBlocksTheLatestThatTheTaskKnowsIsMeant) {
  history_.allocated(block_of(at(1, 1)));
  history_.freed(free_op(at(1, 2)), {}, a);
  history_.allocated(block_of(at(1, 3)));
  history_.freed(free_op(at(1, 4)), {}, a);
  history_.allocated(block_of(at(1, 5)));
  EXPECT_FOUND(history_.touched(task(at(2, 1)), after({at(1, 3)}), reads()), "use_after_free 2.1 1.4 order");
}

// -- R4 -----------------------------------------------------------------------------------------------------

TEST_F(access_history_test, AFreeAtOnceNeedsTheHostToHaveSeenTheUses) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(1, 2)), {}, reads());
  history_.touched(task(at(2, 1)), after({at(1, 1)}), reads());
  history_.saw(after({at(1, 2)}));
  EXPECT_FOUND(history_.freed_at_once(host_free, a), "free_before_last_use 2.1 0.0 order");
}

TEST_F(access_history_test, AFreeAtOnceBehindASynchronizeIsSilent) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(1, 2)), {}, reads());
  history_.saw(after({at(1, 2)}));
  EXPECT_SILENT(history_.freed_at_once(host_free, a));
}

TEST_F(access_history_test, AFreeAtOnceNeedsTheHostToHaveSeenTheMalloc) {
  history_.allocated(block_of(at(1, 1)));
  EXPECT_FOUND(history_.freed_at_once(host_free, a), "free_before_malloc 1.1 0.0 order");
}

TEST_F(access_history_test, PlainMemoryIsThereAtOnce) {
  history_.allocated(block_of({}));
  EXPECT_SILENT(history_.touched(task(at(2, 1)), {}, reads()));
  EXPECT_FOUND(history_.freed_at_once(host_free, a), "free_before_last_use 2.1 0.0 order");
  EXPECT_FOUND(history_.touched(task(at(2, 2)), {}, reads()), "use_after_free 0.0 2.2");
}

TEST_F(access_history_test, PlainMemoryMayBeFreedInAStream) {
  history_.allocated(block_of({}));
  history_.touched(task(at(2, 1)), {}, reads());
  EXPECT_SILENT(history_.freed(free_op(at(2, 2)), {}, a));
}

TEST_F(access_history_test, TheHostItselfUsesOnlyWhatItHasSeenAllocated) {
  history_.allocated(block_of(at(1, 1)));
  EXPECT_FOUND(history_.host_touched(host_access, reads()), "use_before_malloc 1.1 0.0 order");
  history_.saw(after({at(1, 1)}));
  EXPECT_SILENT(history_.host_touched(host_access, reads()));
  EXPECT_SILENT(history_.freed(free_op(at(1, 2)), {}, a));
  EXPECT_FOUND(history_.host_touched(host_access, reads()), "use_after_free 1.2 0.0");
}

// -- refused frees ------------------------------------------------------------------------------------------

TEST_F(access_history_test, ASecondFreeIsReportedWithTheFirst) {
  history_.allocated(block_of(at(1, 1)));
  history_.freed(free_op(at(1, 2)), {}, a);
  EXPECT_SILENT(history_.freed(free_op(at(2, 1)), {}, a));
  EXPECT_FOUND(history_.refused(free_op(at(2, 0)), a), "double_free 1.2 2.0");
}

TEST_F(access_history_test, AFreeOfNoBlocksBeginIsForeign) {
  EXPECT_FOUND(history_.refused(free_op(at(1, 0)), a), "foreign_free none 1.0");
  history_.allocated(block_of(at(1, 1)));
  const auto found = history_.refused(free_op(at(1, 0)), a + 8);
  EXPECT_FOUND(found, "foreign_free none 1.0");
  ASSERT_TRUE(found.at(0).block.has_value());
  EXPECT_EQ(found.at(0).block->memory.begin, a);
}

TEST_F(access_history_test, AFreeInsideOfABlockThatWasFreedIsForeign) {
  history_.allocated(block_of(at(1, 1)));
  history_.freed(free_op(at(1, 2)), {}, a);
  EXPECT_FOUND(history_.refused(free_op(at(1, 0)), a + 8), "foreign_free none 1.0");
}

// -- bounds -------------------------------------------------------------------------------------------------

TEST_F(access_history_test, AnAccessUpToTheEndOfWhatWasAskedForIsSilent) {
  history_.allocated(block_of(at(1, 1)));
  EXPECT_SILENT(history_.touched(task(at(1, 2)), {}, reads(a, asked_bytes)));
  EXPECT_SILENT(history_.touched(task(at(1, 3)), {}, reads(a + (asked_bytes - 1), 1)));
}

TEST_F(access_history_test, AnAccessThatPassesTheEndOfWhatWasAskedForIsReported) {
  history_.allocated(block_of(at(1, 1)));
  const auto found = history_.touched(task(at(1, 2)), {}, reads(a + 1, asked_bytes));
  EXPECT_FOUND(found, "out_of_bounds 1.1 1.2");
  EXPECT_EQ(found.at(0).bytes, asked_bytes);
  EXPECT_FOUND(history_.touched(task(at(1, 3)), {}, reads(a + asked_bytes, 1)), "out_of_bounds 1.1 1.3");
  EXPECT_FOUND(history_.touched(task(at(1, 4)), {}, reads(a + 1, ~std::uint64_t{0})),
               "out_of_bounds 1.1 1.4");
}

TEST_F(access_history_test, APointerHasNoBounds) {
  history_.allocated(block_of(at(1, 1)));
  EXPECT_SILENT(history_.touched(task(at(1, 2)), {}, as_pointers({a + (asked_bytes + 8)})));
}

// -- pointers -----------------------------------------------------------------------------------------------

TEST_F(access_history_test, TheEndOfABlockIsNotTheBeginOfTheNextIfThatWouldBeWrong) {
  history_.allocated(block_of(at(1, 1)));
  history_.allocated(block_of(at(2, 1), behind_a));
  EXPECT_SILENT(history_.touched(task(at(1, 2)), {}, as_pointers({a, behind_a})));
  EXPECT_SILENT(history_.freed(free_op(at(2, 2)), {}, behind_a));
  EXPECT_SILENT(history_.touched(task(at(1, 3)), {}, as_pointers({a, behind_a})))
      << "no use of the freed block";
}

TEST_F(access_history_test, TheEndOfABlockThatWasFreedMeanwhileIsNotTheBeginOfTheNext) {
  history_.allocated(block_of(at(1, 1)));
  history_.allocated(block_of(at(2, 1), behind_a));
  history_.touched(task(at(1, 2)), {}, {}, true);
  history_.freed(free_op(at(1, 3)), {}, a);
  EXPECT_SILENT(history_.arguments_read(at(1, 2), as_pointers({a, behind_a})));
}

TEST_F(access_history_test, TheBeginOfTheNextBlockAloneIsAUseOfIt) {
  history_.allocated(block_of(at(1, 1)));
  history_.allocated(block_of(at(2, 1), behind_a));
  EXPECT_FOUND(history_.touched(task(at(1, 2)), {}, as_pointers({behind_a})),
               "use_before_malloc 2.1 1.2 order");
}

TEST_F(access_history_test, NeighboursThatTheTaskMayUseAreBothUsed) {
  history_.allocated(block_of(at(1, 1)));
  history_.allocated(block_of(at(1, 2), behind_a));
  history_.touched(task(at(2, 1)), after({at(1, 2)}), as_pointers({a, behind_a}));
  EXPECT_FOUND(history_.freed(free_op(at(1, 3)), {}, behind_a), "use_after_free 2.1 1.3 order");
}

TEST_F(access_history_test, PointersAreTheWordsOfTheArguments) {
  const std::uint64_t words[] = {0x11, 0, 0x22};
  const auto found = pointers_among(words, sizeof words - 1);
  ASSERT_THAT(found, SizeIs(1)) << "no zeros, no part of a word";
  EXPECT_EQ(found.at(0).begin, address{0x11});
  EXPECT_EQ(found.at(0).kind, access_kind::pointer);
  EXPECT_THAT(pointers_among(nullptr, 0), IsEmpty());
}

// -- arguments that are read when the kernel runs -----------------------------------------------------------

TEST_F(access_history_test, ArgumentsReadLateCountAtTheTasksOwnPosition) {
  history_.allocated(block_of(at(1, 1)));
  EXPECT_SILENT(history_.touched(task(at(1, 2)), {}, {}, true));
  EXPECT_SILENT(history_.freed(free_op(at(1, 3)), {}, a));
  EXPECT_SILENT(history_.arguments_read(at(1, 2), as_pointers({a}))) << "the task is in front of the free";
}

TEST_F(access_history_test, ArgumentsReadLateOfAnUnorderedTaskAreReported) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(2, 1)), after({at(1, 1)}), {}, true);
  EXPECT_SILENT(history_.freed(free_op(at(1, 2)), {}, a));
  EXPECT_FOUND(history_.arguments_read(at(2, 1), as_pointers({a})), "use_after_free 2.1 1.2 order");
  EXPECT_SILENT(history_.arguments_read(at(2, 1), as_pointers({a}))) << "they are read once";
}

TEST_F(access_history_test, ArgumentsOfATaskThatIsOverAreNotWaitedFor) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(2, 1)), {}, {}, true);
  history_.saw(after({at(2, 1)}));
  EXPECT_SILENT(history_.arguments_read(at(2, 1), as_pointers({a})));
}

TEST_F(access_history_test, ArgumentsReadLateAreRememberedForTheFree) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(2, 1)), after({at(1, 1)}), {}, true);
  history_.arguments_read(at(2, 1), as_pointers({a}));
  EXPECT_FOUND(history_.freed(free_op(at(1, 2)), {}, a), "use_after_free 2.1 1.2 order");
}

TEST_F(access_history_test, ArgumentsReadLateMeanTheBlockOfTheTimeOfTheSubmission) {
  history_.allocated(block_of(at(1, 1)));
  history_.touched(task(at(1, 2)), {}, {}, true);
  history_.freed(free_op(at(1, 3)), {}, a);
  history_.allocated(block_of(at(1, 4)));
  EXPECT_SILENT(history_.arguments_read(at(1, 2), as_pointers({a})));
}

TEST_F(access_history_test, AFreeAtOnceBeforeTheArgumentsWereReadIsTooEarly) {
  history_.allocated(block_of({}));
  history_.touched(task(at(1, 1)), {}, {}, true);
  EXPECT_SILENT(history_.freed_at_once(host_free, a));
  EXPECT_FOUND(history_.arguments_read(at(1, 1), as_pointers({a})), "free_before_last_use 1.1 0.0 order");
}

// -- the end, signals, and what is kept ---------------------------------------------------------------------

TEST_F(access_history_test, LiveBlocksAreLeaksOnce) {
  history_.allocated(block_of(at(1, 1)));
  history_.allocated(block_of(at(1, 2), behind_a));
  history_.freed(free_op(at(1, 3)), {}, behind_a);
  EXPECT_FOUND(history_.leaks(), "leak 1.1 none");
  EXPECT_SILENT(history_.leaks());
}

TEST_F(access_history_test, ALeakTellsThatThePoolWasDestroyedWithTheBlockLive) {
  history_.allocated(block_of(at(1, 1)));
  history_.pool_destroyed(pool_id{8});
  EXPECT_FALSE(history_.leaks().at(0).block->pool_destroyed) << "another pool";
  history_.allocated(block_of(at(1, 2), behind_a));
  history_.pool_destroyed(pool_id{9});
  EXPECT_TRUE(history_.leaks().at(0).block->pool_destroyed);
}

TEST_F(access_history_test, ASignalAtAFreedBlockIsAStrayAccess) {
  history_.allocated(block_of(at(1, 1)));
  EXPECT_SILENT(history_.signalled(task(at(1, 2)), a)) << "the block is live";
  history_.freed(free_op(at(1, 3)), {}, a);
  const auto found = history_.signalled(task(at(1, 4)), a + 128);
  EXPECT_FOUND(found, "stray_access 1.3 1.4");
  EXPECT_EQ(found.at(0).at, a + 128);
  EXPECT_SILENT(history_.signalled(task(at(1, 5)), address{0x10}));
  history_.allocated(block_of(at(1, 6)));
  EXPECT_SILENT(history_.signalled(task(at(1, 7)), a)) << "it is live again";
}

TEST_F(access_history_test, ABlockEndsWhatLayThereBeforeEvenIfItsEndWasNotTold) {
  history_.allocated(block_of(at(1, 1), a + 512));
  history_.allocated(block_of(at(1, 2), behind_a));
  history_.allocated(block_of(at(1, 3), behind_a + block_bytes));
  auto over_all_but_the_last = block_of(at(2, 1), a + 1024);
  over_all_but_the_last.memory.bytes = block_bytes;
  history_.allocated(over_all_but_the_last);
  EXPECT_EQ(history_.live_blocks(), 2U);
  EXPECT_FOUND(history_.leaks(), "leak 2.1 none", "leak 1.3 none");
}

TEST_F(access_history_test, PastBlocksAreBoundedInNumber) {
  for (std::uint64_t round = 1; round <= 10'000; ++round) {
    history_.allocated(block_of(at(1, 2 * round)));
    history_.freed(free_op(at(1, 2 * round + 1)), {}, a);
  }
  EXPECT_EQ(history_.live_blocks(), 0U);
  EXPECT_LE(history_.past_blocks(), 4096U);
}

TEST(FindingList, CountsWhatHasTheSamePlaces) {
  finding_list list;
  finding found;
  found.kind = finding_kind::use_after_free;
  found.before = task(at(2, 1), 10);
  found.after = free_op(at(1, 2), 20);
  EXPECT_TRUE(list.add(found));
  found.before = task(at(3, 5), 10);
  EXPECT_FALSE(list.add(found)) << "other tasks, the same places";
  found.after = free_op(at(1, 2), 21);
  EXPECT_TRUE(list.add(found));
  found.kind = finding_kind::double_free;
  EXPECT_TRUE(list.add(found));
  ASSERT_THAT(list.all(), SizeIs(3));
  EXPECT_EQ(list.all().at(0).count, 2U);
  EXPECT_EQ(list.repeated(), 1U);
}

TEST(Place, IsTheSameIfTheTextsAre) {
  const std::string copy = "file.cpp";
  const place one{"call", "file.cpp", nullptr, 3};
  const place same{"call", copy.c_str(), nullptr, 3};
  EXPECT_TRUE(same_place(one, same));
  EXPECT_FALSE(same_place(one, {"call", "file.cpp", nullptr, 4}));
  EXPECT_FALSE(same_place(one, {"call", "other.cpp", nullptr, 3}));
  EXPECT_FALSE(same_place(one, {"call", nullptr, nullptr, 3}));
  EXPECT_FALSE(same_place({"f", nullptr, &one, 0}, {"f", nullptr, &same, 0}));
}

}  // namespace
