// Carries out the statements of a scenario through the C++ interface.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/checker.hpp"
#include "sim/stage.hpp"
#include "sim/world.hpp"
#include "soma/soma.hpp"

namespace soma::sim {

class interpreter {
public:
  interpreter(const scenario& program, world& in, stage& on, std::vector<std::unique_ptr<checker>>& checkers);
  interpreter(const interpreter&) = delete;
  interpreter& operator=(const interpreter&) = delete;

  /// Makes the streams and events.
  void set_up(soma::device device);
  /// The statements of a thread, 1 being the main one, until the run is over.
  void perform(std::size_t thread);
  /// What follows the last statement: all gates are opened, the device is synchronized, the figures are read.
  void end();
  void open_all_gates();
  /// Gives all objects up, in a fixed order.
  void tear_down();

  [[nodiscard]] bool is_open(const task& of) const;

private:
  struct gate_state {
    bool open = false;
    past opened;  // what happened before
    const task* held = nullptr;
  };
  struct mark_state {
    bool set = false;
    past before;
  };

  void perform(const statement& one);
  [[nodiscard]] soma::place place_of(const statement& one) const;
  bool await_parts(const statement& one);
  bool await_made(const bool& made, const past& maker, const std::string& what);
  void await_started(const statement& one);
  void await_mark(const statement& one);

  expected<void> renew(soma::stream& stream, const std::string& name);
  void make_pool(const statement& one);
  void allocate(const statement& one);
  void free(const statement& one);
  void submit(const statement& one);
  void expect(const statement& one);
  void expect_blocks(const statement& one);
  std::optional<std::uint64_t> measure(const statement& one);
  expected<void> call(const statement& one);

  template <class T>
  bool judge(const statement& one, const expected<T>& result) {
    return judge_error(one, result ? nullptr : &result.error());
  }
  bool judge_error(const statement& one, const error* found);
  void fail(const statement& one, std::string checker, const std::string& text);
  void run_task(task& running);
  void open(gate_state& opened);

  template <class F>
  void tell(F what) {
    for (auto& one : checkers_) {
      what(*one);
    }
  }

  const scenario& program_;
  world& world_;
  stage& stage_;
  std::vector<std::unique_ptr<checker>>& checkers_;
  task_call::body body_;
  std::vector<task> tasks_;
  std::vector<std::size_t> task_of_;  // by statement
  std::vector<gate_state> gates_;
  std::vector<mark_state> marks_;
  std::vector<block> blocks_;
  struct made_pool {
    std::optional<soma::pool> pool;
    bool made = false;
    bool destroyed = false;
    std::uint64_t minimum_block = 0;
    past maker;
  };
  std::optional<soma::device> device_;
  std::vector<soma::stream> streams_;
  std::vector<soma::event> events_;
  std::vector<made_pool> pools_;
};

}  // namespace soma::sim
