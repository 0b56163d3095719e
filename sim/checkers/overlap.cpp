#include <map>

#include "sim/checker.hpp"

namespace soma::sim {

namespace {

class overlap_checker final : public checker {
public:
  overlap_checker() : checker("overlap") {}

  void allocated(const block& made) override {
    for (const auto& [number, other] : live_) {
      if (made.memory.begin < other->memory.begin + other->rounded &&
          other->memory.begin < made.memory.begin + made.rounded) {
        fail(made.name + " was given out in the memory of " + other->name + ", which is live");
        return;
      }
    }
    live_.emplace(made.number, &made);
  }

  void freed(const block& given_back) override { live_.erase(given_back.number); }
  void kept(const block& not_freed) override { live_.emplace(not_freed.number, &not_freed); }

private:
  std::map<std::size_t, const block*> live_;
};

}  // namespace

std::unique_ptr<checker> check_overlap() { return std::make_unique<overlap_checker>(); }

}  // namespace soma::sim
