// Calls in place that concern two actors: a stream with an event, or with a pool. What they do is what the
// messages do; where they refuse nothing has changed.

#include <cstdint>
#include <utility>
#include <vector>

#include "actors/event.hpp"
#include "actors/in_place.hpp"
#include "actors/stream.hpp"
#include "pool_fixture.hpp"

namespace {

using namespace actor_tests;
using actors::event_state;
using actors::stream_state;
using messages::record_number;

/// A pool, streams and events, all real, with a probe for the device.
class InPlacePairs : public pool_fixture {
protected:
  InPlacePairs() {
    make_pool({.reuse = {.event = true, .opportunistic = true}});
    for (std::uint64_t number = 1; number <= 3; ++number) {
      streams_here_.push_back(make_stream(number));
    }
    query(1);  // it has begun, and can be taken
    query(2);
    query(3);
    figures();
  }
  ~InPlacePairs() override {
    for (const auto& stream : streams_here_) {
      tell(stream, messages::retire_stream{});
    }
  }

  messages::stream_actor make_stream(std::uint64_t number,
                                     messages::on_failure mode = messages::on_failure::proceed) {
    return actors::spawn<stream_state>(system(), messages::stream_id{number}, device_.handle(), mode, 1);
  }
  [[nodiscard]] const messages::stream_actor& s(std::uint64_t number) const {
    return streams_here_[number - 1];
  }

  // -- in place -------------------------------------------------------------------------------------------
  bool record_here(std::uint64_t on, std::uint64_t number = 1) {
    const actors::unit_scope outside_of_actors(nullptr);
    messages::record_event message{event_, record_number{number}, {}};
    return actors::call_in_place<stream_state>(s(on),
                                               [&](auto& stream) { return stream.record_here(message); });
  }
  bool wait_here(std::uint64_t on, std::uint64_t number = 1) {
    const actors::unit_scope outside_of_actors(nullptr);
    const messages::wait_event message{event_, record_number{number}, {}};
    return actors::call_in_place<stream_state>(s(on),
                                               [&](auto& stream) { return stream.wait_here(message); });
  }
  /// Null: refused.
  messages::address malloc_here(std::uint64_t on, std::uint64_t bytes = granule) {
    const actors::unit_scope outside_of_actors(nullptr);
    auto block = messages::address::null;
    const bool done = actors::call_in_place<stream_state>(s(on), [&](auto& stream) {
      block = stream.malloc_of_pool_here(pool_, bytes);
      return block != messages::address::null;
    });
    return done ? block : messages::address::null;
  }
  /// Of what is lent to the stream, which it gives out alone.
  messages::address malloc_lent(std::uint64_t on, std::uint64_t bytes = granule) {
    const actors::unit_scope outside_of_actors(nullptr);
    auto block = messages::address::null;
    EXPECT_TRUE(actors::call_in_place<stream_state>(s(on), [&](auto& stream) {
      block = stream.malloc_here(pool_, bytes);
      return true;
    }));
    return block;
  }
  bool free_here(std::uint64_t on, messages::address block) {
    const actors::unit_scope outside_of_actors(nullptr);
    return actors::call_in_place<stream_state>(
        s(on), [&](auto& stream) { return stream.free_to_pool_here(pool_, block); });
  }

  // -- by messages ----------------------------------------------------------------------------------------
  reply<messages::stream_status> query(std::uint64_t on) { return ask(s(on), messages::query_stream{}); }
  bool is_idle(std::uint64_t on) { return query(on).value().complete; }
  auto record(std::uint64_t on, std::uint64_t number = 1) {
    return ask(s(on), messages::record_event{event_, record_number{number}, {}});
  }
  auto order_of(std::uint64_t number = 1) {
    return ask(event_, messages::order_query{record_number{number}, {}});
  }
  auto await(std::uint64_t number = 1) {
    return ask(event_, messages::await_record{record_number{number}, {}});
  }
  /// With what the device has to give for it.
  messages::address malloc(std::uint64_t on, std::uint64_t bytes = granule) {
    const auto answered = ask(s(on), messages::malloc_async{pool_, bytes, {}});
    if (!answered.arrived()) {
      allow();
    }
    return answered.value();
  }
  /// As one that a stream frees and that is not lent to it.
  void free(std::uint64_t on, messages::address block) {
    ASSERT_TRUE(free_here(on, block) || ask(s(on), messages::free_async{pool_, block, {}}).succeeded());
  }
  /// An engine has a task of the stream until the answer.
  messages::run_tasks hold(std::uint64_t on) {
    ask(s(on), messages::submit_work{messages::host_call{[] {}}, {}});
    return device_.take<messages::run_tasks>();
  }
  void let_go(const messages::run_tasks& run, std::optional<messages::fault> failure = {}) {
    answer(run.reply, messages::tasks_run{1, std::move(failure)});
  }
  /// From now on the pool lends next to nothing: so often that was of no use.
  void discourage_lending() {
    const auto block = malloc(3);
    for (int turn = 0; turn < 8; ++turn) {
      ask(s(3), messages::free_async{pool_, block, {}});
      figures();  // collects
      ASSERT_EQ(malloc(3), block);
    }
    free(3, block);
  }

  messages::event_actor event_ = actors::spawn<event_state>(system());
  std::vector<messages::stream_actor> streams_here_;
};

// -- events -------------------------------------------------------------------------------------------------

TEST_F(InPlacePairs, ARecordOnAnIdleStreamIsReachedAtOnce) {
  order_of(7);  // the event has begun
  EXPECT_TRUE(record_here(1));
  EXPECT_EQ(order_of().value().at, at(1, 1));
  EXPECT_TRUE(order_of().value().reached);
  EXPECT_TRUE(is_idle(1));
}

TEST_F(InPlacePairs, ARecordBehindATaskIsReachedWithIt) {
  order_of(7);
  const auto run = hold(1);
  EXPECT_TRUE(record_here(1));
  EXPECT_EQ(order_of().value().at, at(1, 2));
  EXPECT_FALSE(order_of().value().reached);
  EXPECT_TRUE(run.feed->ended());
  const auto waiting = await();
  let_go(run);
  EXPECT_EQ(waiting.value().at, at(1, 2));
}

// Who asked before the record came has to be told of it, which takes a message.
TEST_F(InPlacePairs, ARecordIsForTheMessageIfSomebodyWaitsForIt) {
  const auto asking = order_of(1);
  const auto waiting = await(2);
  EXPECT_FALSE(record_here(1, 1));
  EXPECT_FALSE(record_here(1, 2));
  EXPECT_TRUE(is_idle(1));
  record(1, 1);
  record(1, 2);
  EXPECT_EQ(asking.value().at, at(1, 1));
  EXPECT_EQ(waiting.value().at, at(1, 2));
}

TEST_F(InPlacePairs, ARecordIsForTheMessageIfItTellsOfAFailure) {
  order_of(7);
  let_go(hold(1), broken("before the record"));
  EXPECT_FALSE(record_here(1));
  record(1);
  EXPECT_EQ(text_of(await().value().failure), "before the record");
}

TEST_F(InPlacePairs, AWaitForWhatIsReachedOrdersOnly) {
  const auto block = malloc(1);
  discourage_lending();
  const auto run = hold(1);  // so that the free is not executed
  EXPECT_TRUE(free_here(1, block));
  record(1);
  EXPECT_TRUE(is_idle(2));
  EXPECT_TRUE(wait_here(2));
  EXPECT_FALSE(is_idle(2));
  const auto waiting = ask(s(2), messages::synchronize_stream{});
  EXPECT_EQ(malloc_here(2), block);  // ordered behind the free, although that is to come
  let_go(run);
  EXPECT_TRUE(waiting.succeeded());
  EXPECT_TRUE(wait_here(3));
  EXPECT_TRUE(is_idle(3));
}

TEST_F(InPlacePairs, AWaitIsForTheMessageIfTheRecordHasNotCome) {
  order_of(7);
  EXPECT_FALSE(wait_here(2, 1));
  EXPECT_TRUE(is_idle(2));
  record(1);
  EXPECT_TRUE(wait_here(2, 1));
}

TEST_F(InPlacePairs, AWaitForAForgottenRecordIsNone) {
  for (std::uint64_t number = 1; number <= 70; ++number) {
    record(1, number);
  }
  EXPECT_TRUE(wait_here(2, 1));
  EXPECT_TRUE(is_idle(2));
}

// The device is asked what of it can be forgotten.
TEST_F(InPlacePairs, AWaitIsForTheMessageIfItMakesALongClock) {
  messages::order_clock many;
  for (std::uint64_t stream = 10; stream < 10 + memory::long_clock; ++stream) {
    many.add(at(stream, 1));
  }
  tell(event_,
       messages::event_recorded{record_number{1}, at(9, 1), many, std::chrono::steady_clock::time_point{}});
  EXPECT_FALSE(wait_here(2));
  EXPECT_TRUE(ask(s(2), messages::wait_event{event_, record_number{1}, {}}).succeeded());
}

// -- memory -------------------------------------------------------------------------------------------------

TEST_F(InPlacePairs, AMallocTakesWhatTheStreamFreed) {
  discourage_lending();
  const auto block = malloc(1);
  EXPECT_TRUE(free_here(1, block));
  EXPECT_EQ(heap().used, 0U);
  EXPECT_EQ(malloc_here(1), block);
  EXPECT_EQ(heap().used, granule);
  EXPECT_EQ(heap().served_counts[static_cast<std::size_t>(memory::served::same_stream)], 8U + 1U);
}

TEST_F(InPlacePairs, AMallocOfNewMemoryIsForTheMessage) {
  const auto before = heap();
  EXPECT_EQ(malloc_here(1), messages::address::null);
  EXPECT_TRUE(device_.empty());
  EXPECT_EQ(heap().used, before.used);
  EXPECT_TRUE(is_idle(1));
  EXPECT_EQ(malloc_here(1, 0), messages::address::null);
}

// Another stream's free that has not been executed can be had along an event, or once it is executed.
TEST_F(InPlacePairs, AFreeBehindATaskIsExecutedWithIt) {
  discourage_lending();
  const auto block = malloc(1);
  const auto other = malloc(3);  // what discourage_lending() used
  const auto run = hold(1);
  EXPECT_TRUE(free_here(1, block));
  EXPECT_EQ(malloc_here(2), messages::address::null);
  let_go(run);
  EXPECT_EQ(malloc_here(2), block);
  EXPECT_NE(block, other);
}

TEST_F(InPlacePairs, AFreeOfNoLiveBlockIsForTheMessage) {
  discourage_lending();
  const auto block = malloc(1);
  EXPECT_FALSE(free_here(1, block + 512));
  EXPECT_FALSE(free_here(1, messages::address::null));
  EXPECT_TRUE(free_here(1, block));
  EXPECT_FALSE(free_here(1, block));
  EXPECT_TRUE(ask(s(1), messages::free_async{pool_, block, {}}).failed_with(fault_code::unknown_address));
}

// A block may be lent to the stream that frees it: it has that in its stock then.
TEST_F(InPlacePairs, AFreeLendsTheBlock) {
  const auto block = malloc(1);
  EXPECT_TRUE(free_here(1, block));
  EXPECT_EQ(malloc_lent(1), block);
  EXPECT_EQ(malloc_lent(1), messages::address::null);
  EXPECT_EQ(heap().used, granule);
  EXPECT_EQ(heap().served_counts[static_cast<std::size_t>(memory::served::same_stream)], 1U);
}

// Others may have to be asked, which takes messages.
TEST_F(InPlacePairs, NothingIsDoneInPlaceWhileOthersHaveSomethingLent) {
  const auto block = malloc(1);
  const auto another = malloc(2);
  EXPECT_TRUE(free_here(1, block));
  EXPECT_FALSE(free_here(2, another));
  EXPECT_EQ(malloc_here(2), messages::address::null);
  EXPECT_EQ(heap().used, granule);  // which collects
  EXPECT_TRUE(free_here(2, another));
  EXPECT_EQ(malloc_here(2), another);
}

// What is lent to the stream that asks: the pool is told what there is, and takes the better.
TEST_F(InPlacePairs, AMallocCutsTheBestOfWhatTheStreamFreed) {
  const auto large = malloc(1, 4 * granule);
  const auto small = malloc(1, 2 * granule);
  EXPECT_TRUE(free_here(1, large));
  EXPECT_TRUE(free_here(1, small));
  EXPECT_EQ(malloc_here(1), small);  // smaller than both, so the stream has none of just that size
  EXPECT_EQ(malloc_here(1, 3 * granule), large);
  EXPECT_EQ(heap().used, 4 * granule);
  EXPECT_TRUE(device_.empty());
}

// What the pool would have to ask the stream for is for the message: neighbours that are in the stock.
TEST_F(InPlacePairs, AMallocOfNeighboursInTheStockIsForTheMessage) {
  const auto first = malloc(1);
  const auto second = malloc(1);
  ASSERT_EQ(second, first + granule);
  EXPECT_TRUE(free_here(1, first));
  EXPECT_TRUE(free_here(1, second));
  EXPECT_EQ(malloc_here(1, 2 * granule), messages::address::null);
  EXPECT_EQ(malloc(1, 2 * granule), first);
}

TEST_F(InPlacePairs, NothingIsDoneInPlaceWhileThePoolDecides) {
  discourage_lending();
  const auto block = malloc(1);
  const auto wanted = ask(s(2), messages::malloc_async{pool_, 2 * granule, {}});
  ASSERT_FALSE(wanted.arrived());
  EXPECT_FALSE(free_here(1, block));
  EXPECT_EQ(malloc_here(1), messages::address::null);
  EXPECT_EQ(malloc_here(2), messages::address::null);  // whose malloc it is
  EXPECT_FALSE(record_here(2));
  EXPECT_FALSE(wait_here(2));
  allow();
  EXPECT_TRUE(wanted.succeeded());
}

TEST_F(InPlacePairs, NothingIsDoneInPlaceInAGuardedPool) {
  make_pool({.guard = true});
  const auto block = malloc(1);
  EXPECT_FALSE(free_here(1, block));
  give_back_now(block);
  EXPECT_EQ(malloc_here(1), messages::address::null);
}

TEST_F(InPlacePairs, AStoppedStreamTakesNoMalloc) {
  discourage_lending();
  streams_here_.push_back(make_stream(4, messages::on_failure::stop));
  let_go(hold(4), broken());
  device_.take<messages::group_failed>();
  EXPECT_EQ(malloc_here(4), messages::address::null);
  EXPECT_NE(malloc_here(3), messages::address::null);
}

// What the stream has is asked first, also together with the pool: which block it is must not depend on which
// of both calls found the stream idle.
TEST_F(InPlacePairs, AMallocTakesWhatIsLentFirst) {
  const auto first = malloc(1);
  const auto second = malloc(1);
  EXPECT_TRUE(free_here(1, first));
  EXPECT_TRUE(free_here(1, second));
  EXPECT_EQ(malloc_here(1), second);  // freed last; the stock would offer the lowest
  EXPECT_EQ(malloc_here(1), first);
}

// A stream to which nothing is lent any more, since that was of no use, is tried again after a while.
TEST_F(InPlacePairs, LendingIsTriedAgainAfterManyFrees) {
  discourage_lending();
  int frees = 1;  // that was the first
  auto lent = messages::address::null;
  while (lent == messages::address::null && frees < 1000) {
    const auto block = malloc_here(3);
    ASSERT_NE(block, messages::address::null);
    ASSERT_TRUE(free_here(3, block));
    ++frees;
    lent = malloc_lent(3);
  }
  EXPECT_EQ(frees, 16);
}

}  // namespace
