// Checkers watch a run and say what is wrong. They cannot influence it.
//
// Each is one file in sim/checkers/, with a function that makes it. A checker says what it found once; the
// run ends then.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memory/identifiers.hpp"
#include "sim/failure.hpp"
#include "sim/party.hpp"
#include "sim/task.hpp"
#include "soma/pool.hpp"

namespace soma::sim {

/// A block of a scenario, from the host's point of view.
struct block {
  std::string name;
  std::size_t number = 0;
  std::size_t pool = no_index;  // none: plain memory
  memory::range memory;         // as asked for
  std::uint64_t rounded = 0;    // as counted by its pool
  bool made = false;            // the call has returned
  bool failed = false;          // without a block
  bool live = false;            // and not freed
  past maker;                   // what happened before it was made
};

/// What is known of a pool at the end of a run, when everything was synchronized.
struct pool_at_end {
  std::string name;
  std::size_t number = 0;
  pool_statistics figures;
};

class checker {
public:
  using report = std::function<void(failure)>;

  explicit checker(std::string name) : name_(std::move(name)) {}
  checker(const checker&) = delete;
  checker& operator=(const checker&) = delete;
  virtual ~checker() = default;

  void report_to(report listener) { listener_ = std::move(listener); }

  /// A call has returned a block, and a call that frees one begins, or has failed.
  virtual void allocated(const block& /*made*/) {}
  virtual void freed(const block& /*given_back*/) {}
  virtual void kept(const block& /*not_freed*/) {}

  /// A call begins that submits a task.
  virtual void submits(const task& /*submitted*/) {}

  /// A task begins; then it touches blocks; `before` is what really happened before it.
  virtual void begins(const task& /*running*/, const past& /*before*/) {}
  virtual void touches(const task& /*running*/, const access& /*how*/, const block& /*touched*/,
                       const past& /*before*/) {}

  /// The scenario has ended and the device was synchronized.
  virtual void ended(const std::vector<block>& /*blocks*/, const std::vector<pool_at_end>& /*pools*/) {}

protected:
  void fail(std::string text) const {
    if (listener_) {
      listener_({name_, std::move(text)});
    }
  }

private:
  std::string name_;
  report listener_;
};

/// No two live blocks overlap.
std::unique_ptr<checker> check_overlap();
/// A task that touches a block comes behind all that touched the same memory as another block.
std::unique_ptr<checker> check_hand_over();
/// A block holds what was written to it. This checker reads and writes the memory itself.
std::unique_ptr<checker> check_contents();
/// The pools' counters are the sums of the live blocks.
std::unique_ptr<checker> check_counters();
/// Each task runs once, and behind those that the program orders before it.
std::unique_ptr<checker> check_order(const scenario& program);

/// Those that a scenario is run with: one that shows a race on purpose is not watched for it.
std::vector<std::unique_ptr<checker>> checkers_for(const scenario& program);

}  // namespace soma::sim
