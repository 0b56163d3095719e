#include "sim/checker.hpp"

namespace soma::sim {

namespace {

class hand_over_checker final : public checker {
public:
  hand_over_checker() : checker("hand_over") {}

  void touches(const task& running, const access& how, const block& touched, const past& before) override {
    for (const auto& earlier : done_) {
      const bool same_memory =
          earlier.memory.begin < touched.memory.end() && touched.memory.begin < earlier.memory.end();
      if (same_memory && earlier.block != touched.number && earlier.task != running.number &&
          !before.test(earlier.task)) {
        fail(to_text(*running.what) + " touches " + touched.name + " in memory that was " + earlier.name +
             "'s, and nothing orders it behind " + to_text(*earlier.what));
        return;
      }
    }
    done_.push_back({running.number, touched.number, touched.memory, touched.name, running.what});
    static_cast<void>(how);
  }

private:
  struct touch {
    std::size_t task;
    std::size_t block;
    memory::range memory;
    std::string name;
    const statement* what;
  };

  std::vector<touch> done_;
};

}  // namespace

std::unique_ptr<checker> check_hand_over() { return std::make_unique<hand_over_checker>(); }

}  // namespace soma::sim
