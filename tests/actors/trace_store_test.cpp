// Where entries of traces are kept: chunks that threads take, their ids, what is dropped, and reading
// meanwhile.

#include "actors/trace_store.hpp"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "actors/actor_mark.hpp"
#include "actors/tracing.hpp"

namespace {

using namespace soma::actors;

void write(trace_chunk& chunk, std::uint64_t value) {
  const auto at = chunk.count.load();
  for (auto& word : chunk.words[at]) {
    word.store(value, std::memory_order_release);
  }
  chunk.count.store(at + 1, std::memory_order_release);
}

TEST(TraceStore, GivesEachThreadAChunkOfItsOwn) {
  trace_store store(2);
  auto* one = store.take(1, 1);
  auto* other = store.take(1, 2);
  ASSERT_NE(one, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_NE(one, other);
  EXPECT_NE(one->serial.load(), other->serial.load());
  EXPECT_EQ(store.take(1, 3), nullptr) << "both are being written to";
}

TEST(TraceStore, TakesTheOldestChunkAgainAndCountsWhatWasInIt) {
  trace_store store(2);
  auto* first = store.take(1, 1);
  write(*first, 5);
  write(*first, 6);
  trace_store::leave(*first);
  auto* second = store.take(1, 1);
  trace_store::leave(*second);
  const auto serial = first->serial.load();
  EXPECT_EQ(store.take(1, 1), first);
  EXPECT_EQ(store.dropped(), 2U);
  EXPECT_EQ(first->count.load(), 0U);
  EXPECT_NE(first->serial.load(), serial);
}

TEST(TraceStore, DoesNotCountWhatIsOfAnEarlierTrace) {
  trace_store store(2);
  for (int times = 0; times < 2; ++times) {
    auto* chunk = store.take(1, 1);
    write(*chunk, 5);
    trace_store::leave(*chunk);
  }
  EXPECT_NE(store.take(2, 1), nullptr);
  EXPECT_EQ(store.dropped(), 0U);
}

TEST(TraceStore, NeverGivesAnIdTwice) {
  trace_store store(2);
  std::set<std::uint64_t> ids;
  for (int times = 0; times < 10; ++times) {
    auto* chunk = store.take(1, 1);
    for (std::uint32_t at = 0; at < trace_chunk::entries; ++at) {
      const auto id = number(entry_id(chunk->serial.load(), at));
      EXPECT_NE(id, 0U);
      EXPECT_TRUE(ids.insert(id).second);
    }
    trace_store::leave(*chunk);
  }
}

// What a reader copies of a chunk that is taken anew meanwhile it must not believe.
TEST(TraceStore, CanBeReadWhileItIsWritten) {
  trace_store store(2);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    std::uint64_t value = 0;
    while (!stop.load()) {
      auto* chunk = store.take(1, 1);
      for (std::uint32_t at = 0; at < trace_chunk::entries; ++at) {
        // Every word of an entry is the serial and its place.
        write(*chunk, chunk->serial.load() << 8U | at);
        ++value;
      }
      trace_store::leave(*chunk);
    }
  });
  std::uint64_t believed = 0;
  for (int times = 0; believed < 20'000 || times < 1000; ++times) {
    const auto& chunk = store.chunk(static_cast<std::size_t>(times) % 2);
    const auto serial = chunk.serial.load(std::memory_order_acquire);
    const auto count = chunk.count.load(std::memory_order_acquire);
    std::vector<std::array<std::uint64_t, 8>> copied(count);
    for (std::uint32_t at = 0; at < count; ++at) {
      for (std::size_t word = 0; word < 8; ++word) {
        copied[at][word] = chunk.words[at][word].load(std::memory_order_acquire);
      }
    }
    if (serial == 0 || chunk.serial.load(std::memory_order_acquire) != serial) {
      continue;
    }
    for (std::uint32_t at = 0; at < count; ++at) {
      for (const auto word : copied[at]) {
        ASSERT_EQ(word, serial << 8U | at);
      }
      ++believed;
    }
  }
  stop.store(true);
  writer.join();
}

TEST(TraceNames, AreThoseOfTheMessages) {
  namespace messages = soma::messages;
  const auto of_stream =
      name_of(actor_kind::stream, messages::stream_actor::place_of<messages::malloc_async>);
  EXPECT_EQ(of_stream.text, "malloc_async");
  EXPECT_FALSE(of_stream.is_answer);
  const auto answer = name_of(actor_kind::stream,
                              messages::stream_actor::place_of<messages::answered<messages::block_granted>>);
  EXPECT_EQ(answer.text, "block_granted");
  EXPECT_TRUE(answer.is_answer);
  EXPECT_EQ(name_of(actor_kind::engine, 0).text, "run_tasks");
  EXPECT_TRUE(name_of(actor_kind::engine, 99).text.empty());
  EXPECT_TRUE(name_of(actor_kind::other, 0).text.empty());
}

TEST(TraceEntry, HeadsAreUnpackedAsTheyWerePacked) {
  const entry_head head{entry_type::began, actor_kind::engine, 200, has_block | is_failure, 4'000'000'000U};
  const auto again = unpack_head(pack(head));
  EXPECT_EQ(again.type, head.type);
  EXPECT_EQ(again.kind, head.kind);
  EXPECT_EQ(again.place, head.place);
  EXPECT_EQ(again.flags, head.flags);
  EXPECT_EQ(again.actor, head.actor);
}

class watching_hook final : public wire_hook {
public:
  bool pass(caf::abstract_actor& /*to*/, caf::mailbox_element_ptr& /*element*/) override { return true; }
};

TEST(Tracing, LeavesTheWireToWhoHasIt) {
  watching_hook watcher;
  wire::install(&watcher);
  EXPECT_EQ(tracing::start(1 << 20), tracing::start_result::wire_is_taken);
  EXPECT_FALSE(tracing::is_on());
  EXPECT_EQ(wire::hook(), &watcher);
  tracing::stop();
  EXPECT_EQ(wire::hook(), &watcher) << "stop takes only its own hook away";
  wire::install(nullptr);
}

TEST(Tracing, IsOnFromStartToStop) {
  EXPECT_FALSE(tracing::is_on());
  ASSERT_EQ(tracing::start(1 << 20), tracing::start_result::started);
  EXPECT_TRUE(tracing::is_on());
  EXPECT_EQ(tracing::start(1 << 20), tracing::start_result::already_on);
  tracing::stop();
  EXPECT_FALSE(tracing::is_on());
}

}  // namespace
