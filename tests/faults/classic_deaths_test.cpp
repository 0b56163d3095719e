// Actors end by a fault while pools without stream order are used: the pools' own actors, and those that they
// need. Every call returns, with its result or an error that says what has ended; other pools go on; memory
// that the host may be using stays until the pool's object goes, and then comes back; the runtime ends.

#include <cstring>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "classic_program.hpp"
#include "dying_actors.hpp"

namespace {

using namespace fault_tests;

class ClassicDeaths : public dying_actors {
protected:
  static void run_program(soma::device& device, const actor_killer& killer) {
    classic_program program(device, {errc::actor_gone});
    program.run();
    for (const auto& text : program.failures()) {
      if (text.find("ended") != std::string::npos) {
        EXPECT_THAT(text,
                    testing::AnyOf(testing::HasSubstr(noun()), testing::HasSubstr("part of the runtime")));
      }
    }
    if (!killer.killed()) {
      EXPECT_THAT(program.failures(), testing::IsEmpty());
    }
  }

  /// As texts name it.
  static std::string noun() { return kind() == "classic pool" ? "pool" : kind(); }
};

TEST_P(ClassicDeaths, AtEachMessageInTurn) { end_at_each_message(run_program); }

INSTANTIATE_TEST_SUITE_P(
    Actors, ClassicDeaths,
    testing::Combine(testing::Values("device", "stream", "engine", "classic pool", "compactor"),
                     testing::Values(moment::before_it_is_handled, moment::after_it_was_handled)),
    name_of_death);

// -- what stays ---------------------------------------------------------------------------------------------

class DeathOfAPool : public cpp_fixture {
protected:
  DeathOfAPool() : cpp_fixture(soma::runtime_options{.device_memory = 64_M}) {}

  /// The pool's actor ends at what the call sends it.
  template <class Call>
  static void end_at(const char* kind, const Call& call) {
    actor_killer killer(kind, 1, moment::before_it_is_handled);
    killer.set_active(true);
    EXPECT_TRUE(failed_with(call(), errc::actor_gone));
  }

  [[nodiscard]] std::uint64_t taken() const {
    const auto memory = must(device_.memory());
    return memory.total - memory.free;
  }
};

TEST_F(DeathOfAPool, LeavesBlocksToTheHostUntilTheObjectGoes) {
  auto pool = must(soma::adaptive_allocator::create(device_));
  auto* const block = static_cast<std::uint8_t*>(must(pool.allocate(3_M)));
  std::memset(block, 5, 3_M);
  end_at("classic pool", [&] { return pool.statistics(); });
  EXPECT_TRUE(all_bytes_are(block, 3_M, 5));
  std::memset(block, 6, 3_M);
  EXPECT_GE(taken(), 3_M);
  const auto refused = pool.allocate(1);
  ASSERT_TRUE(failed_with(refused, errc::actor_gone));
  EXPECT_THAT(refused.error().message, testing::HasSubstr("memory_pool::allocate: the pool"));
  must(pool.destroy());
  EXPECT_EQ(taken(), 0U);
  EXPECT_TRUE(failed_with(pool.allocate(1), errc::invalid_handle));
}

TEST_F(DeathOfAPool, LeavesPinnedBlocksToTheHostUntilTheObjectGoes) {
  auto pool = must(soma::compactor::create(device_, 4_M));
  const auto block = must(pool.allocate(3_M));
  {
    const auto pinned = must(block.pin());
    std::memset(pinned.data(), 5, 3_M);
    end_at("compactor", [&] { return pool.statistics(); });
    EXPECT_TRUE(all_bytes_are(static_cast<std::uint8_t*>(pinned.data()), 3_M, 5));
  }
  EXPECT_TRUE(failed_with(block.pin(), errc::actor_gone));
  EXPECT_GE(taken(), 4_M);
  must(pool.destroy());
  EXPECT_EQ(taken(), 0U);
}

TEST_F(DeathOfAPool, LeavesOthersAlone) {
  auto other = must(soma::variable_size_pool::create(device_, 1_M));
  auto* const before = must(other.allocate(1000));
  auto pool = must(soma::variable_size_pool::create(device_, 1_M));
  {
    soma::pool_resource resource(pool);
    std::pmr::vector<char> bytes(100, 'x', &resource);
    end_at("classic pool", [&] { return pool.statistics(); });
    EXPECT_THROW(bytes.resize(1000), std::bad_alloc);
    EXPECT_EQ(bytes.back(), 'x') << "what the container had it has";
  }
  must(other.free(before));
  must(other.allocate(1000));
}

// The move runs in its stream although nobody is there to be told; the memory goes when it has.
TEST_F(DeathOfAPool, WhileAMoveIsOnItsWay) {
  auto pool = must(soma::compactor::create(device_, 4_M));
  std::optional first(must(pool.allocate(1000)));
  const auto second = must(pool.allocate(1000));
  first.reset();
  gate held;
  hold(s1_, held);
  must(pool.compact(s1_));
  end_at("compactor", [&] { return pool.statistics(); });
  must(pool.destroy());
  EXPECT_GE(taken(), 4_M) << "the move may still touch it";
  held.open();
  must(settle(s1_));
  EXPECT_TRUE(eventually([this] { return unused(); }));
}

}  // namespace
