// Giving the names of a scenario their indices.

#include <algorithm>
#include <map>
#include <utility>

#include "sim/scenario.hpp"

namespace soma::sim {

namespace {

class resolver {
public:
  explicit resolver(scenario& program) noexcept : program_(program) {}

  // Throws scenario_error.
  void run() {
    program_.streams = program_.events = program_.gates = program_.marks = program_.pools =
        program_.blocks = {};
    program_.threads = 1;
    program_.tasks = 0;
    program_.expects_race = false;
    for (auto& one : program_.statements) {
      make(one);
    }
    for (std::size_t at = 0; at < program_.statements.size(); ++at) {
      use(program_.statements[at], at);
    }
  }

private:
  struct maker {
    std::size_t statement;
    std::size_t thread;
    std::size_t index;
  };

  [[noreturn]] static void fail(const statement& at, std::string text) {
    throw scenario_error{at.line, std::move(text)};
  }

  static void enter(std::vector<std::string>& list, name& entered) {
    if (!entered.given()) {
      return;
    }
    for (entered.index = 0; entered.index < list.size(); ++entered.index) {
      if (list[entered.index] == entered.text) {
        return;
      }
    }
    list.push_back(entered.text);
  }

  // What a statement makes, and what comes into being by being named.
  void make(statement& one) {
    const auto number = static_cast<std::size_t>(&one - program_.statements.data());
    program_.threads = std::max(program_.threads, one.thread);
    enter(program_.streams, one.stream);
    enter(program_.events, one.event);
    enter(one.what == verb::seen ? program_.marks : program_.gates, one.gate);
    for (auto& access : one.accesses) {
      if (access.how == access::kind::mark) {
        enter(program_.marks, access.what);
      }
    }
    program_.tasks += one.what == verb::run ? 1 : 0;
    if (one.what == verb::make_pool) {
      auto& makers = pools_[one.pool.text];
      if (!makers.empty()) {
        fail(one, "pool '" + one.pool.text + "' is made a second time");
      }
      one.pool.index = program_.pools.size();
      program_.pools.push_back(one.pool.text);
      makers.push_back({number, one.thread, one.pool.index});
    } else if (one.what == verb::alloc || one.what == verb::malloc) {
      auto& makers = blocks_[one.block.text];
      one.block.index = program_.blocks.size();
      const auto again = makers.size() + 1;
      program_.blocks.push_back(one.block.text + (again > 1 ? "#" + std::to_string(again) : ""));
      makers.push_back({number, one.thread, one.block.index});
    }
    if (program_.tasks + program_.blocks.size() > most_tasks) {
      fail(one, "the scenario is too long: it may have " + std::to_string(most_tasks) + " tasks and blocks");
    }
    program_.expects_race =
        program_.expects_race ||
        (one.what == verb::expect && one.expected.what == quantity::races && !one.expected.races.empty());
  }

  // The latest that was made above; or the first below, if another thread makes it.
  void find(const std::map<std::string, std::vector<maker>>& all, const char* kind, name& used,
            const statement& by, std::size_t number) const {
    if (!used.given()) {
      return;
    }
    const auto makers = all.find(used.text);
    if (makers == all.end()) {
      fail(by, std::string(kind) + " '" + used.text + "' is never made");
    }
    const maker* found = nullptr;
    for (const auto& one : makers->second) {
      if (one.statement < number || (found == nullptr && one.thread != by.thread)) {
        found = &one;
      }
    }
    if (found == nullptr) {
      fail(by, std::string(kind) + " '" + used.text + "' is used before it is made");
    }
    used.index = found->index;
  }

  void use(statement& one, std::size_t number) {
    if (one.what == verb::alloc || one.what == verb::malloc) {
      if (one.what == verb::alloc && !one.pool.given()) {
        if (program_.pools.empty()) {
          fail(one, "an alloc needs a pool: write P = pool(1,0,0) above it");
        }
        one.pool.index = 0;
        return;
      }
    } else {
      find(blocks_, "block", one.block, one, number);
    }
    if (one.what != verb::make_pool) {
      find(pools_, "pool", one.pool, one, number);
    }
    find(blocks_, "block", one.expected.other, one, number);
    for (auto& access : one.accesses) {
      if (access.how != access::kind::mark) {
        find(blocks_, "block", access.what, one, number);
      }
    }
    if (one.what == verb::expect && one.expected.what == quantity::fails) {
      expect_failure(one);
    }
  }

  // An `expect fails(b)` says of the alloc that it fails.
  void expect_failure(const statement& expecting) {
    for (auto& one : program_.statements) {
      if ((one.what == verb::alloc || one.what == verb::malloc) && one.block.index == expecting.block.index) {
        one.outcome = wanted::failure;
      }
    }
  }

  scenario& program_;
  std::map<std::string, std::vector<maker>> pools_;
  std::map<std::string, std::vector<maker>> blocks_;
};

}  // namespace

tl::expected<void, scenario_error> resolve(scenario& program) {
  try {
    resolver(program).run();
  } catch (scenario_error& error) {
    return tl::unexpected(std::move(error));
  }
  return {};
}

}  // namespace soma::sim
