// A thread of a stress run: one random operation after the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "tools/stress_faults.hpp"
#include "tools/stress_random.hpp"
#include "tools/stress_thread.hpp"
#include "tools/stress_world.hpp"

namespace soma::tools {

class stress_worker {
public:
  stress_worker(stress_world& world, std::uint32_t number);

  /// Until the deadline (none: for ever), `operations` (0: any number), or a finding of any thread.
  void run(std::optional<std::chrono::steady_clock::time_point> deadline, std::uint64_t operations);

  /// Checks and frees all blocks of this thread, and those that nobody has taken over.
  void drain();

  [[nodiscard]] const stress_activity& activity() const noexcept { return thread_.activity; }
  [[nodiscard]] const stress_counts& counts() const noexcept { return thread_.counts; }

private:
  void operate(stress_random& random);
  bool operate_on_blocks(std::uint64_t kind, stress_random& random);
  bool operate_on_order(std::uint64_t kind, stress_random& random);

  void allocate(stress_random& random);
  void keep(live_block block, stream& on);
  void free_some(stress_random& random);
  void free_block(const live_block& block, stress_random& random);
  bool free_on_own(const live_block& block);
  void free_elsewhere(const live_block& block, stress_random& random);
  void free_at_once(stress_random& random);
  void recheck(stress_random& random);
  void hand_over(stress_random& random);

  void order_streams(stress_random& random);
  void synchronize_stream(stress_random& random);
  void synchronize_other(stress_random& random);
  void query(stress_random& random);
  void read_figures(stress_random& random);
  void trim(stress_random& random);

  void replace_stream(stress_random& random);
  void replace_event(stress_random& random);
  void replace_pool(stress_random& random);

  std::shared_ptr<shared_stream> any_stream(stress_random& random);
  live_block take(stress_random& random);

  stress_world& world_;
  stress_thread thread_;
  stress_faults faults_;
  std::vector<live_block> blocks_;
  std::vector<event> events_;  ///< of this thread alone: it knows what their latest record stands for
};

}  // namespace soma::tools
