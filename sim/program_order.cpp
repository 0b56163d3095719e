#include "sim/program_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace soma::sim {

namespace {

// What a thread knows. An alloc or free takes part by what is ordered before it.
struct view {
  std::map<std::size_t, past> streams;  // submitted so far
  std::map<std::size_t, past> events;   // before the latest record
  past host;                            // seen complete

  void add(const view& other) {
    for (const auto& [stream, before] : other.streams) {
      streams[stream] |= before;
    }
    for (const auto& [event, before] : other.events) {
      events[event] |= before;
    }
    host |= other.host;
  }
};

struct block_history {
  bool made = false;
  bool freed = false;
  bool plain = false;
  std::size_t maker = 0;
  past reads;
  past writes;
};

class orderer {
public:
  explicit orderer(const scenario& program)
      : program_(program), views_(program.threads + 1), blocks_(program.blocks.size()),
        made_pools_(program.pools.size()), next_(program.threads + 1) {
    std::size_t task = 0;
    for (const auto& one : program.statements) {
      tasks_.push_back(one.what == verb::run ? task++ : no_index);
      if (one.what == verb::record) {
        records_[one.event.index].push_back(one.thread);
      }
    }
    result_.before.resize(task);
  }

  program_order run() {
    bool again = true;
    while (again) {
      again = false;
      for (std::size_t thread = 1; thread <= program_.threads; ++thread) {
        again = advance(thread) || again;
      }
    }
    for (std::size_t thread = 1; thread <= program_.threads; ++thread) {
      if (next_[thread] < program_.statements.size()) {
        fault(program_.statements[next_[thread]], "waits for ever for what another thread makes");
      }
    }
    return std::move(result_);
  }

private:
  bool advance(std::size_t thread) {
    bool moved = false;
    for (auto& at = next_[thread]; at < program_.statements.size(); ++at) {
      const auto& one = program_.statements[at];
      if (one.thread == thread) {
        if (!ready(one)) {
          return moved;
        }
        process(one, tasks_[at]);
      }
      moved = true;
    }
    return moved;
  }

  bool ready(const statement& one) {
    const auto made = [&](const name& block) { return block.index == no_index || blocks_[block.index].made; };
    const bool makes = one.what == verb::alloc || one.what == verb::malloc;
    bool all = (makes || made(one.block)) && made(one.expected.other);
    for (const auto& access : one.accesses) {
      all = all && (access.how == access::kind::mark || made(access.what));
    }
    if (one.what != verb::make_pool && one.pool.index != no_index) {
      all = all && made_pools_[one.pool.index];
    }
    return all;
  }

  void fault(const statement& at, const std::string& text) {
    if (result_.fault.empty()) {
      result_.fault = "line " + std::to_string(at.line) + ": " + to_text(at) + ": " + text;
    }
  }

  // A block of another thread: all that its maker knew when it was made is known now.
  void learn(view& own, std::size_t thread, std::size_t block) {
    if (blocks_[block].maker != thread) {
      own.add(made_views_[block]);
    }
  }

  void touch(const statement& one, std::size_t task) {
    auto& before = result_.before[task];
    for (const auto& access : one.accesses) {
      if (access.how == access::kind::mark) {
        continue;
      }
      auto& block = blocks_[access.what.index];
      if (block.freed) {
        fault(one, access.what.text + " is used after its free");
      }
      if (!allocated_before(block, access.what.index, before)) {
        fault(one, access.what.text + " is used without order after its alloc");
      }
      const auto conflicting = access.how == access::kind::write ? block.reads | block.writes : block.writes;
      if ((conflicting & ~before).any()) {
        fault(one, access.what.text + " is used by another task without order");
      }
      (access.how == access::kind::write ? block.writes : block.reads).set(task);
    }
  }

  // An alloc is a mark in the order like a task: a bit of its own, from the top end of the tasks' bits.
  [[nodiscard]] bool allocated_before(const block_history& block, std::size_t index,
                                      const past& before) const {
    return block.plain || before.test(alloc_bit(index));
  }
  [[nodiscard]] static std::size_t alloc_bit(std::size_t block) { return most_tasks - 1 - block; }

  void free(const statement& one, const past& before) {
    auto& block = blocks_[one.block.index];
    if (one.outcome != wanted::success) {
      return;
    }
    if (std::exchange(block.freed, true)) {
      fault(one, "it is freed a second time");
    }
    if (((block.reads | block.writes) & ~before).any()) {
      fault(one, "a task that uses it is not ordered before its free");
    }
    if (!allocated_before(block, one.block.index, before)) {
      fault(one, "it is freed without order after its alloc");
    }
  }

  // Which record is the latest is known to the thread that makes them all, or if there is only one.
  past before_record(const view& own, const statement& one) const {
    const auto records = records_.find(one.event.index);
    const auto known = own.events.find(one.event.index);
    if (records == records_.end() || known == own.events.end()) {
      return {};
    }
    const auto& by = records->second;
    const bool sure = by.size() == 1 ||
                      std::all_of(by.begin(), by.end(), [&](auto thread) { return thread == one.thread; });
    return sure ? known->second : past{};
  }

  void process(const statement& one, std::size_t task) {
    const bool makes = one.what == verb::alloc || one.what == verb::malloc || one.what == verb::make_pool;
    const bool frees = one.what == verb::free || one.what == verb::free_plainly;
    if (one.outcome != wanted::success && !makes && !frees) {
      return;
    }
    auto& own = views_[one.thread];
    if (one.block.index != no_index && one.what != verb::alloc && one.what != verb::malloc) {
      learn(own, one.thread, one.block.index);
    }
    switch (one.what) {
    case verb::make_pool:
      made_pools_[one.pool.index] = true;
      break;
    case verb::alloc:
    case verb::malloc: {
      auto& block = blocks_[one.block.index];
      block.made = true;
      block.maker = one.thread;
      block.plain = one.what == verb::malloc;
      if (one.what == verb::alloc) {
        own.streams[one.stream.index].set(alloc_bit(one.block.index));
      }
      made_views_[one.block.index] = own;
      break;
    }
    case verb::free:
      free(one, own.streams[one.stream.index] | own.host);
      break;
    case verb::free_plainly:
      free(one, own.host);
      break;
    case verb::run: {
      for (const auto& access : one.accesses) {
        if (access.how != access::kind::mark) {
          learn(own, one.thread, access.what.index);
        }
      }
      result_.before[task] = own.streams[one.stream.index] | own.host;
      touch(one, task);
      for (const auto& access : one.accesses) {
        if (access.how == access::kind::mark) {
          marks_[access.what.index].push_back(task);
        }
      }
      own.streams[one.stream.index].set(task);
      break;
    }
    case verb::seen:
      for (const auto setter : marks_[one.gate.index]) {
        own.host |= result_.before[setter];
        own.host.set(setter);
      }
      break;
    case verb::record:
      own.events[one.event.index] = own.streams[one.stream.index];
      break;
    case verb::wait:
      own.streams[one.stream.index] |= before_record(own, one);
      break;
    case verb::sync_stream:
      own.host |= one.limit_ms ? past{} : own.streams[one.stream.index];
      break;
    case verb::sync_event:
      own.host |= one.limit_ms ? past{} : before_record(own, one);
      break;
    case verb::sync_device:
      if (!one.limit_ms) {
        for (const auto& [stream, before] : own.streams) {
          own.host |= before;
        }
      }
      break;
    default:
      break;
    }
  }

  const scenario& program_;
  std::vector<view> views_;
  std::vector<block_history> blocks_;
  std::map<std::size_t, view> made_views_;
  std::map<std::size_t, std::vector<std::size_t>> marks_;    // who sets them
  std::map<std::size_t, std::vector<std::size_t>> records_;  // of an event, by thread
  std::vector<bool> made_pools_;
  std::vector<std::size_t> next_;
  std::vector<std::size_t> tasks_;
  program_order result_;
};

}  // namespace

program_order order_of(const scenario& program) {
  auto order = orderer(program).run();
  // The marks of allocs are no tasks.
  past tasks;
  for (std::size_t task = 0; task < order.before.size(); ++task) {
    tasks.set(task);
  }
  for (auto& before : order.before) {
    before &= tasks;
  }
  return order;
}

}  // namespace soma::sim
