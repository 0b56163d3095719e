// A pool alone that lends, with probes for its streams.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "pool_fixture.hpp"

namespace actor_tests {

class lending_fixture : public pool_fixture {
protected:
  /// The stream of the number in the position frees a block that it may keep.
  auto free(messages::address freed, messages::position task, bool is_executed = true,
            memory::stock_report report = {}) {
    messages::give_back message{freed, task,  stream(memory::number(task.stream)), {}, is_executed,
                                true,  report};
    return ask(pool_, std::move(message));
  }
  /// A block of the stream that is lent to it, freed at the position.
  messages::address lent(messages::position task, std::uint64_t bytes = granule, bool is_executed = true) {
    const auto made = block(memory::number(task.stream), bytes);
    EXPECT_GT(free(made, task, is_executed).value().term, 0U);
    return made;
  }
  /// Blocks that were live at the same time.
  std::vector<messages::address> blocks(std::initializer_list<std::uint64_t> streams) {
    std::vector<messages::address> made;
    for (const auto each : streams) {
      made.push_back(block(each, granule));
    }
    return made;
  }
  void lend(messages::address freed, messages::position task) {
    EXPECT_GT(free(freed, task).value().term, 0U);
  }
  [[nodiscard]] bool is_asked(std::uint64_t number) {
    return streams_.at(number).count<messages::collect_stock>() > 0;
  }
  /// The stream gives this back when it is asked.
  void return_all(std::uint64_t number, std::vector<memory::stocked_block> blocks, std::uint64_t last = 100) {
    messages::stock_returned returned;
    returned.blocks = std::move(blocks);
    returned.executed = messages::sequence_number{last};
    answer(streams_.at(number).take<messages::collect_stock>().reply, std::move(returned));
  }
  /// The same, but it has live blocks besides: its lease goes on, from this task on. Returns the next term.
  std::uint64_t return_idle(std::uint64_t number, std::vector<memory::stocked_block> blocks,
                            std::uint64_t next) {
    messages::stock_returned returned;
    returned.blocks = std::move(blocks);
    returned.executed = messages::sequence_number{next - 1};
    returned.next = messages::sequence_number{next};
    returned.lasts = true;
    const auto asked = streams_.at(number).take<messages::collect_stock>();
    EXPECT_NE(asked.next_term, 0U);
    answer(asked.reply, std::move(returned));
    return asked.next_term;
  }
  /// The stream has the block live that it is asked about.
  void tell_live(std::uint64_t number, messages::address block, std::uint64_t freed = 0,
                 std::uint64_t served = 0) {
    const auto asked = streams_.at(number).take<messages::collect_stock>();
    EXPECT_EQ(asked.block, block);
    messages::stock_returned told;
    told.report = {served, 0, 0, 0, 0, asked.term};
    told.was_live = true;
    told.freed = messages::sequence_number{freed};
    answer(asked.reply, std::move(told));
  }
  static memory::stocked_block stocked(messages::address begin, std::uint64_t freed,
                                       std::uint64_t bytes = granule) {
    return {begin, bytes, bytes, messages::sequence_number{freed}};
  }
};

}  // namespace actor_tests
