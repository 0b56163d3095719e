#include "sim/generate.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "sim/program_order.hpp"

namespace soma::sim {

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;

// Puts statements together at random, each so that the program stays correct: the order that is asked for is
// the generator's own affair, and order_of() looks over the result.
class generator {
public:
  explicit generator(std::uint64_t seed) : source_(seed) {}

  scenario make() {
    program_.device_bytes = pick({64, 128, 1024}) * mebi;
    streams_ = 2 + below(2);
    threads_ = below(3) == 0 ? 2 : 1;
    add_pool("P");
    if (below(4) == 0) {
      add_pool("Q");
    }
    const auto length = 4 + below(12);
    for (std::size_t at = 0; at < length; ++at) {
      add_step();
    }
    if (below(2) == 0) {
      while (!gates_.empty()) {
        open_gate();
      }
      add(1, verb::sync_device);
    }
    return std::move(program_);
  }

private:
  struct live_block {
    std::string name;
    std::size_t thread;
    std::string stream;              // of the alloc
    std::vector<std::string> users;  // streams that are ordered behind the alloc
    std::uint8_t value = 0;
    bool written = false;
  };

  std::size_t below(std::size_t limit) { return source_() % limit; }
  std::uint64_t pick(std::initializer_list<std::uint64_t> values) {
    return *(values.begin() + below(values.size()));
  }

  statement& add(std::size_t thread, verb what) {
    auto& made = program_.statements.emplace_back();
    made.what = what;
    made.thread = thread;
    return made;
  }

  void add_pool(const std::string& name) {
    auto& made = add(1, verb::make_pool);
    made.pool = {name};
    for (auto& on : made.settings.switches) {
      on = below(2) == 0;
    }
    made.settings.limit = pick({0, 8, 16, 32}) * mebi;
    if (below(2) == 0) {
      made.settings.threshold = pick({0, 0, 4, 8}) * mebi;
    }
    if (below(4) == 0) {
      made.settings.minimum_block = pick({512, 4096, 65536});
    }
    pools_.push_back(name);
  }

  // Threads keep to streams of their own, so that what the program asks for is known.
  std::string stream_of(std::size_t thread) {
    std::vector<std::string> own;
    for (std::size_t number = 1; number <= streams_; ++number) {
      if (threads_ == 1 || (number % 2 == 1) == (thread == 1)) {
        own.push_back("S" + std::to_string(number));
      }
    }
    return own[below(own.size())];
  }

  void add_step() {
    const auto thread = 1 + below(threads_);
    switch (below(16)) {
    case 0:
    case 1:
    case 2:
      alloc(thread);
      break;
    case 3:
    case 4:
    case 5:
      use(thread);
      break;
    case 6:
    case 7:
    case 8:
      free(thread);
      break;
    case 9:
      hold(thread);
      break;
    case 10:
      open_gate();
      break;
    case 11:
    case 12:
      order(thread, stream_of(thread), stream_of(thread));
      break;
    case 13:
      sync(thread);
      break;
    case 14: {
      auto& trimmed = add(thread, verb::trim);
      trimmed.pool = {pools_[below(pools_.size())]};
      trimmed.bytes = pick({0, 0, 4, 8}) * mebi;
      // The contract refuses a value above the limit.
      trimmed.outcome = wanted::either;
      break;
    }
    default: {
      auto& query = add(thread, verb::query_stream);
      query.stream = {stream_of(thread)};
    }
    }
  }

  void alloc(std::size_t thread) {
    const std::string name = "b" + std::to_string(++last_block_);
    auto& made = add(thread, verb::alloc);
    made.outcome = wanted::either;  // the limit may be reached
    made.block = {name};
    made.stream = {stream_of(thread)};
    made.pool = {pools_[below(pools_.size())]};
    made.bytes = pick({2, 2, 4, 4, 8}) * mebi;
    if (below(4) == 0) {
      made.bytes = pick({512, 5000, 65536, 2 * mebi + 1});
    }
    live_.push_back({name, thread, made.stream.text, {made.stream.text}});
    if (below(3) != 0) {
      touch(live_.back(), made.stream.text);
    }
  }

  // By value: a reference to a statement's text does not outlive the next add().
  void touch(live_block& block, std::string stream) {
    auto& task = add(block.thread, verb::run);
    task.stream = {std::move(stream)};
    access how;
    how.what = {block.name};
    if (!block.written || below(3) == 0) {
      how.how = access::kind::write;
      block.value = static_cast<std::uint8_t>(1 + below(255));
      block.written = true;
    }
    how.value = block.value;
    task.accesses.push_back(std::move(how));
  }

  live_block* any_block(std::size_t thread) {
    std::vector<live_block*> own;
    for (auto& one : live_) {
      if (one.thread == thread) {
        own.push_back(&one);
      }
    }
    return own.empty() ? nullptr : own[below(own.size())];
  }

  void use(std::size_t thread) {
    auto* block = any_block(thread);
    if (block == nullptr) {
      return;
    }
    const auto stream = stream_of(thread);
    for (const auto& user : std::vector(block->users)) {
      order(thread, user, stream);
    }
    if (std::find(block->users.begin(), block->users.end(), stream) == block->users.end()) {
      block->users.push_back(stream);
    }
    touch(*block, stream);
  }

  void free(std::size_t thread) {
    auto* block = any_block(thread);
    if (block == nullptr) {
      return;
    }
    const auto stream = block->users[below(block->users.size())];
    for (const auto& user : block->users) {
      order(thread, user, stream);
    }
    auto& freed = add(thread, verb::free);
    freed.block = {block->name};
    freed.stream = {stream};
    live_.erase(live_.begin() + (block - live_.data()));
  }

  void order(std::size_t thread, const std::string& before, const std::string& after) {
    if (before == after) {
      return;
    }
    const std::string event = "E" + std::to_string(thread) + (below(2) == 0 ? "a" : "b");
    auto& record = add(thread, verb::record);
    record.event = {event};
    record.stream = {before};
    auto& wait = add(thread, verb::wait);
    wait.event = {event};
    wait.stream = {after};
  }

  void hold(std::size_t thread) {
    const std::string gate = "g" + std::to_string(++last_gate_);
    auto& task = add(thread, verb::run);
    task.stream = {stream_of(thread)};
    task.gate = {gate};
    gates_.push_back(gate);
  }

  void open_gate() {
    if (gates_.empty()) {
      return;
    }
    const auto which = below(gates_.size());
    add(1, verb::open).gate = {gates_[which]};
    gates_.erase(gates_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  // A thread waits only while no gate is closed, and the main thread opens all; so nobody waits for ever.
  void sync(std::size_t thread) {
    if (thread != 1) {
      return;
    }
    while (!gates_.empty()) {
      open_gate();
    }
    auto& made = add(thread, verb::sync_stream);
    made.stream = {stream_of(thread)};
    if (below(4) == 0) {
      made.limit_ms = 0;
    }
  }

  std::mt19937_64 source_;
  scenario program_;
  std::size_t streams_ = 2;
  std::size_t threads_ = 1;
  std::vector<std::string> pools_;
  std::vector<live_block> live_;
  std::vector<std::string> gates_;
  std::size_t last_block_ = 0;
  std::size_t last_gate_ = 0;
};

}  // namespace

scenario random_scenario(std::uint64_t seed) {
  while (true) {
    auto made = generator(seed).make();
    std::size_t line = 2;
    for (auto& one : made.statements) {
      one.line = line++;
    }
    made.title = "the random scenario " + std::to_string(seed);
    if (resolve(made) && order_of(made).fault.empty()) {
      return made;
    }
    seed += std::uint64_t{1} << 32;
  }
}

}  // namespace soma::sim
