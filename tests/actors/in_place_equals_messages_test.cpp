// Random programs, once by messages only and once in place wherever that is possible: the same blocks, the
// same figures, the same order.

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "actors/event.hpp"
#include "actors/in_place.hpp"
#include "actors/stream.hpp"
#include "pool_fixture.hpp"

namespace {

using namespace actor_tests;
using actors::stream_state;
using messages::record_number;

/// Streams, events and a pool; the pool and what it stands between come from the fixture of pools.
class InPlaceEqualsMessages : public pool_fixture, public testing::WithParamInterface<unsigned> {
protected:
  static constexpr std::uint64_t stream_count = 3;
  static constexpr std::uint64_t small = 512;

  /// What can be seen of a step.
  struct seen {
    std::uint64_t offset = 0;  // of the block in the window, 1 more; 0: none
    std::uint64_t used = 0;
    std::uint64_t reserved = 0;
    std::uint64_t same_stream = 0;
    std::uint64_t event = 0;
    std::uint64_t opportunistic = 0;
    bool idle = false;

    bool operator==(const seen&) const = default;
  };

  std::vector<seen> run_program(unsigned seed, bool in_place) {
    in_place_ = in_place;
    done_here_ = 0;
    begin();
    std::mt19937 random(seed);
    std::vector<seen> all;
    for (int step = 0; step < 400; ++step) {
      all.push_back(do_one(random, step));
    }
    end();
    return all;
  }

  int done_here_ = 0;

private:
  void begin() {
    make_pool({.minimum_block = small, .reuse = {.event = true, .opportunistic = true}});
    streams_here_.clear();
    for (std::uint64_t number = 1; number <= stream_count; ++number) {
      streams_here_.push_back(actors::spawn<stream_state>(
          system(), messages::stream_id{number}, device_.handle(), messages::on_failure::proceed, number));
      is_idle(number);
    }
    event_ = actors::spawn<actors::event_state>(system());
    ask(event_, messages::query_record{record_number{1}, {}});
    records_ = 0;
    held_.clear();
    live_.clear();
  }

  void end() {
    for (auto& [stream, run] : std::exchange(held_, {})) {
      answer(run.reply, messages::tasks_run{1, {}});
    }
    for (const auto block : live_) {
      give_back_now(block);
    }
    for (const auto& stream : streams_here_) {
      tell(stream, messages::retire_stream{});
    }
    streams_here_.clear();
    event_ = nullptr;
  }

  seen do_one(std::mt19937& random, int step) {
    const std::uint64_t on = 1 + random() % stream_count;
    const auto what = random() % 10;
    const auto size = small * (1 + random() % 5);
    const auto which = random();
    seen made;
    if (what < 4 || live_.empty()) {
      const auto block = malloc(on, size);
      live_.push_back(block);
      made.offset = 1 + (block - backing_->addresses().begin);
    } else if (what < 7) {
      const auto at = live_.begin() + static_cast<std::ptrdiff_t>(which % live_.size());
      free(on, *at);
      live_.erase(at);
    } else if (what == 7) {
      record(on);
    } else if (what == 8 && records_ > 0) {
      wait(on, 1 + which % records_);
    } else {
      hold_or_let_go(on);
    }
    made.idle = is_idle(on);
    if (step % 16 == 0) {  // which collects what is lent
      const auto now = heap();
      made.used = now.used;
      made.reserved = now.reserved;
      made.same_stream = now.served_counts[static_cast<std::size_t>(memory::served::same_stream)];
      made.event = now.served_counts[static_cast<std::size_t>(memory::served::event)];
      made.opportunistic = now.served_counts[static_cast<std::size_t>(memory::served::opportunistic)];
    }
    return made;
  }

  [[nodiscard]] const messages::stream_actor& s(std::uint64_t number) const {
    return streams_here_[number - 1];
  }
  bool is_idle(std::uint64_t on) { return ask(s(on), messages::query_stream{}).value().complete; }

  /// Calls the function of the stream in place if that is what the program does; whether it has done it.
  template <class Function>
  bool here(std::uint64_t on, Function function) {
    if (!in_place_) {
      return false;
    }
    const actors::unit_scope outside_of_actors(nullptr);
    const bool done = actors::call_in_place<stream_state>(s(on), function);
    done_here_ += done ? 1 : 0;
    return done;
  }

  messages::address malloc(std::uint64_t on, std::uint64_t bytes) {
    auto block = messages::address::null;
    if (here(on, [&](auto& stream) {
          block = stream.malloc_of_pool_here(pool_, bytes);
          return block != messages::address::null;
        })) {
      return block;
    }
    const auto wanted = ask(s(on), messages::malloc_async{pool_, bytes, {}});
    while (!wanted.arrived()) {
      allow();
    }
    return wanted.value();
  }
  void free(std::uint64_t on, messages::address block) {
    if (!here(on, [&](auto& stream) { return stream.free_here(pool_, block); }) &&
        !here(on, [&](auto& stream) { return stream.free_to_pool_here(pool_, block); })) {
      EXPECT_TRUE(ask(s(on), messages::free_async{pool_, block, {}}).succeeded());
    }
  }
  void record(std::uint64_t on) {
    messages::record_event message{event_, record_number{++records_}, {}};
    if (!here(on, [&](auto& stream) { return stream.record_here(message); })) {
      EXPECT_TRUE(ask(s(on), std::move(message)).succeeded());
    }
  }
  void wait(std::uint64_t on, std::uint64_t number) {
    messages::wait_event message{event_, record_number{number}, {}};
    if (!here(on, [&](auto& stream) { return stream.wait_here(message); })) {
      EXPECT_TRUE(ask(s(on), std::move(message)).succeeded());
    }
  }
  /// An engine has a task of the stream, or is done with it.
  void hold_or_let_go(std::uint64_t on) {
    if (const auto held = held_.find(on); held != held_.end()) {
      const auto run = std::move(held->second);
      held_.erase(held);
      answer(run.reply, messages::tasks_run{1, {}});
    } else if (is_idle(on)) {
      ask(s(on), messages::submit_work{messages::host_call{[] {}}, {}});
      held_.emplace(on, device_.take<messages::run_tasks>());
    }
  }

  bool in_place_ = false;
  std::vector<messages::stream_actor> streams_here_;
  messages::event_actor event_;
  std::uint64_t records_ = 0;
  std::map<std::uint64_t, messages::run_tasks> held_;
  std::vector<messages::address> live_;
};

TEST_P(InPlaceEqualsMessages, InRandomPrograms) {
  const auto by_messages = run_program(GetParam(), false);
  EXPECT_EQ(done_here_, 0);
  const auto in_place = run_program(GetParam(), true);
  EXPECT_GT(done_here_, 50);
  for (std::size_t step = 0; step < by_messages.size(); ++step) {
    ASSERT_EQ(by_messages[step].offset, in_place[step].offset) << "step " << step;
    ASSERT_TRUE(by_messages[step] == in_place[step]) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, InPlaceEqualsMessages, testing::Range(1U, 21U));

}  // namespace
