#include "sim/checker.hpp"
#include "sim/program_order.hpp"

namespace soma::sim {

namespace {

class order_checker final : public checker {
public:
  explicit order_checker(const scenario& program)
      : checker("order"), asked_for_(order_of(program).before), done_(program.tasks) {
    for (const auto& one : program.statements) {
      if (one.what == verb::run) {
        tasks_.push_back(&one);
      }
    }
  }

  void submits(const task& submitted) override { submitted_.set(submitted.number); }

  void begins(const task& running, const past& before) override {
    if (done_[running.number]) {
      fail(to_text(*running.what) + " runs a second time");
      return;
    }
    done_[running.number] = true;
    const auto missing = asked_for_[running.number] & submitted_ & ~before;
    for (std::size_t earlier = 0; earlier < tasks_.size(); ++earlier) {
      if (missing.test(earlier)) {
        fail(to_text(*running.what) + " runs, and nothing orders it behind " + to_text(*tasks_[earlier]) +
             ", as the program asks for");
        return;
      }
    }
  }

  void ended(const std::vector<block>& /*blocks*/, const std::vector<pool_at_end>& /*pools*/) override {
    for (std::size_t number = 0; number < tasks_.size(); ++number) {
      if (submitted_.test(number) && !done_[number]) {
        fail(to_text(*tasks_[number]) + " has not run, although the device was synchronized");
        return;
      }
    }
  }

private:
  std::vector<past> asked_for_;
  past submitted_;
  std::vector<bool> done_;
  std::vector<const statement*> tasks_;
};

}  // namespace

std::unique_ptr<checker> check_order(const scenario& program) {
  return std::make_unique<order_checker>(program);
}

std::vector<std::unique_ptr<checker>> checkers_for(const scenario& program) {
  std::vector<std::unique_ptr<checker>> all;
  all.push_back(check_overlap());
  all.push_back(check_counters());
  all.push_back(check_order(program));
  if (!program.expects_race) {
    all.push_back(check_hand_over());
    all.push_back(check_contents());
  }
  return all;
}

}  // namespace soma::sim
