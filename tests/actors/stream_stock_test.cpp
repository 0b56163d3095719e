// The stream and what pools have lent to it.

#include <caf/send.hpp>

#include "stream_fixture.hpp"

namespace {

using namespace actor_tests;
using messages::collect_stock;
using messages::return_stock;

class StreamStock : public stream_fixture {
protected:
  /// The pool lends the block that the stream frees.
  void lend(messages::address block = a_block, std::uint64_t term = 1) {
    const auto freed = free(block);
    const auto returned = pool_.take<messages::give_back>();
    EXPECT_TRUE(returned.may_lend);
    answer(returned.reply, messages::block_returned{granule, granule, term});
    EXPECT_TRUE(freed.succeeded());
  }
  /// Two granules that are lent from the start.
  [[nodiscard]] messages::block_granted granted_in(std::uint64_t term) const {
    auto lent = granted();
    lent.block = {another_block, 2 * granule};
    lent.term = term;
    return lent;
  }
  /// The lease ends, or goes on with the next term.
  auto collect(std::uint64_t term = 1, std::uint64_t next = 0, messages::address block = {}) {
    return ask(stream_, collect_stock{pool_.handle(), term, next, false, block, {}});
  }
};

TEST_F(StreamStock, ServesAndFreesWithoutThePool) {
  lend();
  EXPECT_EQ(malloc().value(), a_block);
  EXPECT_TRUE(free().succeeded());
  EXPECT_EQ(malloc().value(), a_block);
  EXPECT_TRUE(pool_.empty());
}

TEST_F(StreamStock, AsksThePoolForAnotherSize) {
  lend();
  malloc(granule - 1);
  const auto wish = pool_.take<messages::grant_block>();
  ASSERT_TRUE(wish.offer.has_value());
  EXPECT_EQ(wish.offer->begin, a_block);
  EXPECT_EQ(wish.offer->freed, messages::sequence_number{1});
  EXPECT_EQ(wish.executed, messages::sequence_number{1});
  auto split = granted();
  split.took_offer = true;
  answer(wish.reply, std::move(split));
  EXPECT_TRUE(collect().value().blocks.empty());
}

TEST_F(StreamStock, KeepsWhatThePoolDoesNotTake) {
  lend();
  malloc(granule - 1);
  grant();
  EXPECT_EQ(malloc().value(), a_block);
}

TEST_F(StreamStock, OffersNothingThatIsTooSmall) {
  lend();
  malloc(granule + 1);
  EXPECT_FALSE(pool_.take<messages::grant_block>().offer.has_value());
}

TEST_F(StreamStock, CountsItsTasksAsEver) {
  lend();
  malloc();
  free();
  EXPECT_EQ(synchronize().value().seen, clock({at(own, 3)}));
}

TEST_F(StreamStock, RefusesASecondFree) {
  lend();
  EXPECT_TRUE(free().failed_with(fault_code::unknown_address));
  EXPECT_TRUE(pool_.empty());
}

TEST_F(StreamStock, TellsWhatItHasServed) {
  lend();
  malloc();
  free();
  malloc();
  free(another_block);
  const auto report = pool_.take<messages::give_back>().report;
  EXPECT_EQ(report.served, 2U);
  EXPECT_EQ(report.least_bytes, 0U);
  EXPECT_EQ(report.bytes, 0U);
}

TEST_F(StreamStock, GivesAllBackWhenItIsAsked) {
  lend();
  malloc();
  free();
  const auto returned = collect();
  ASSERT_EQ(returned.value().blocks.size(), 1U);
  EXPECT_EQ(returned.value().blocks.front().freed, messages::sequence_number{3});
  EXPECT_EQ(returned.value().executed, messages::sequence_number{3});
  EXPECT_EQ(returned.value().report.served, 1U);
  malloc();
  EXPECT_EQ(pool_.count<messages::grant_block>(), 1U);
}

TEST_F(StreamStock, ForgetsLiveBlocksWhenTheLeaseEnds) {
  lend();
  malloc();
  const auto returned = collect();
  EXPECT_TRUE(returned.value().blocks.empty());
  EXPECT_FALSE(returned.value().lasts);
  free();
  EXPECT_EQ(pool_.count<messages::give_back>(), 1U);
}

TEST_F(StreamStock, KeepsLiveBlocksInTheNextTerm) {
  lend();
  lend(another_block);
  EXPECT_EQ(malloc().value(), another_block);
  const auto returned = collect(1, 2);
  ASSERT_EQ(returned.value().blocks.size(), 1U);
  EXPECT_EQ(returned.value().blocks.front().begin, a_block);
  EXPECT_TRUE(returned.value().lasts);
  EXPECT_EQ(returned.value().next, messages::sequence_number{4});
  EXPECT_TRUE(free(another_block).succeeded());
  EXPECT_EQ(malloc().value(), another_block);
  EXPECT_TRUE(pool_.empty());
  free(a_block);
  EXPECT_EQ(pool_.take<messages::give_back>().report.term, 2U);
}

TEST_F(StreamStock, EndsALeaseWithoutLiveBlocks) {
  lend();
  EXPECT_FALSE(collect(1, 2).value().lasts);
  malloc();
  EXPECT_EQ(pool_.take<messages::grant_block>().report.term, 0U);
}

TEST_F(StreamStock, HasABlockFromTheStartThatIsLentWhenItIsGranted) {
  lend();
  malloc(2 * granule);
  auto lent = granted_in(1);
  answer(pool_.take<messages::grant_block>().reply, std::move(lent));
  EXPECT_TRUE(free(another_block).succeeded());
  EXPECT_EQ(malloc(2 * granule).value(), another_block);
  EXPECT_TRUE(pool_.empty());
}

// The pool has collected behind its answer.
TEST_F(StreamStock, DoesNotHaveABlockThatWasGrantedInATermThatIsOver) {
  lend();
  malloc();
  malloc(2 * granule);
  auto lent = granted_in(1);
  EXPECT_TRUE(collect(1, 2).value().lasts);
  answer(pool_.take<messages::grant_block>().reply, std::move(lent));
  free(another_block);
  EXPECT_EQ(pool_.count<messages::give_back>(), 1U);
}

TEST_F(StreamStock, TellsOfOneLiveBlockAndKeepsTheOthers) {
  lend();
  lend(another_block);
  malloc();
  const auto told = collect(1, 2, another_block);
  EXPECT_TRUE(told.value().was_live);
  EXPECT_EQ(told.value().freed, messages::sequence_number{2});
  EXPECT_TRUE(told.value().blocks.empty());
  EXPECT_EQ(told.value().report.served, 1U);
  EXPECT_EQ(told.value().report.bytes, granule);
  EXPECT_EQ(malloc().value(), a_block);
  EXPECT_TRUE(pool_.empty());
  free(another_block);
  EXPECT_EQ(pool_.take<messages::give_back>().report.term, 1U);
}

TEST_F(StreamStock, GivesAllBackIfTheBlockIsNotLive) {
  lend();
  lend(another_block);
  malloc();
  const auto told = collect(1, 2, a_block);
  EXPECT_FALSE(told.value().was_live);
  ASSERT_EQ(told.value().blocks.size(), 1U);
  EXPECT_EQ(told.value().blocks.front().begin, a_block);
  EXPECT_TRUE(told.value().lasts);
}

// What the pool is about to answer may lend the very block.
TEST_F(StreamStock, GivesAllBackIfItIsAskedAboutABlockWhileItSettles) {
  lend();
  malloc();
  malloc(2 * granule);
  const auto told = collect(1, 2, a_block);
  EXPECT_FALSE(told.value().was_live);
  EXPECT_FALSE(told.value().lasts);  // the block was the only one
}

TEST_F(StreamStock, AnswersAlsoWhileItSettles) {
  lend();
  malloc(granule + 1);
  EXPECT_EQ(collect().value().blocks.size(), 1U);
}

TEST_F(StreamStock, TellsWhenFreesAreExecutedThatWereNotYet) {
  lend();
  malloc();
  submit();
  free();
  EXPECT_TRUE(pool_.empty());
  EXPECT_EQ(collect().value().executed, messages::sequence_number{2});
  EXPECT_TRUE(pool_.empty());
  run_tasks();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 4));
}

TEST_F(StreamStock, NeedNotTellOfFreesThatStayInTheStock) {
  submit();
  free();
  answer(pool_.take<messages::give_back>().reply, messages::block_returned{granule, granule, 1});
  run_tasks();
  EXPECT_TRUE(pool_.empty());
  EXPECT_EQ(malloc().value(), a_block);
}

TEST_F(StreamStock, DoesNotKeepABlockOfATermThatIsOver) {
  lend();
  submit();
  const auto freed = free(another_block);
  const auto message = pool_.take<messages::give_back>();
  const auto returned = collect(1);
  EXPECT_EQ(returned.value().unsettled, message.at.sequence);
  answer(message.reply, messages::block_returned{granule, granule, 1});
  EXPECT_TRUE(freed.succeeded());
  malloc();
  EXPECT_EQ(pool_.count<messages::grant_block>(), 1U);
}

TEST_F(StreamStock, KeepsABlockOfTheNextTerm) {
  lend();
  free(another_block);
  const auto message = pool_.take<messages::give_back>();
  collect(1);
  answer(message.reply, messages::block_returned{granule, granule, 2});
  EXPECT_EQ(malloc().value(), another_block);
}

TEST_F(StreamStock, GivesBackTheOldestOfTooMany) {
  constexpr auto many = memory::stock::most + 1;
  for (std::uint64_t each = 1; each <= many; ++each) {
    lend(messages::address{each * granule});
  }
  const auto returned = pool_.take<return_stock>();
  EXPECT_FALSE(returned.all);
  EXPECT_EQ(returned.stock.blocks.size(), memory::stock::returned_at_once);
  EXPECT_EQ(returned.stock.report.bytes, (many - memory::stock::returned_at_once) * granule);
  EXPECT_EQ(collect().value().blocks.size(), many - memory::stock::returned_at_once);
}

TEST_F(StreamStock, ReturnsEverythingWhenItIsRetired) {
  lend();
  submit();
  retire();
  const auto returned = pool_.take<return_stock>();
  EXPECT_TRUE(returned.all);
  EXPECT_EQ(returned.stock.blocks.size(), 1U);
  run_tasks();
}

// What would be lent to it then nobody would get back: a free that raced with the end of the stream.
TEST_F(StreamStock, WantsNothingLentWhenItIsRetired) {
  submit();
  const auto run = device_.take<messages::run_tasks>();
  retire();
  free();
  const auto returned = pool_.take<messages::give_back>();
  EXPECT_FALSE(returned.may_lend);
  answer(returned.reply, messages::block_returned{granule});
  answer(run.reply, messages::tasks_run{1, {}});
}

TEST_F(StreamStock, ReturnsEverythingWhenItIsLost) {
  lend();
  malloc();
  submit();
  free();
  caf::anon_send_exit(stream_.pointer(), caf::exit_reason::kill);
  run();
  const auto returned = pool_.take<return_stock>();
  EXPECT_TRUE(returned.all);
  EXPECT_EQ(returned.stock.blocks.size(), 1U);
  EXPECT_TRUE(pool_.empty());  // an engine has a task that may use the block
  device_.take<messages::run_tasks>();
  run();
  EXPECT_EQ(pool_.take<messages::free_executed>().at, at(own, 4));
}

TEST_F(StreamStock, ServesNothingOfAPoolThatHasEnded) {
  lend();
  caf::anon_send_exit(pool_.handle().pointer(), caf::exit_reason::kill);
  run();
  EXPECT_TRUE(malloc().failed_with(fault_code::actor_gone));
  EXPECT_TRUE(free().failed_with(fault_code::actor_gone));
}

TEST_F(StreamStock, WantsNothingLentWhileItIsChecked) {
  auto checker = make_probe<messages::checker_actor>();
  stream_ = actors::spawn<actors::stream_state>(system(), messages::stream_id{own}, device_.handle(),
                                                messages::on_failure::proceed, group, checker.handle());
  free();
  EXPECT_FALSE(pool_.take<messages::give_back>().may_lend);
}

}  // namespace
