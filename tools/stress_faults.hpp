// Operations of a stress run that are wrong or fail on purpose. Each must get the documented error and harm
// nothing.
//
// Where a wrong call could be right by chance (an address that was freed may be another thread's block by
// now), the thread has a stream and a pool of its own for it. Blocks that such calls are about are stamped
// and checked too.
#pragma once

#include <optional>
#include <vector>

#include "tools/stress_random.hpp"
#include "tools/stress_thread.hpp"

namespace soma::tools {

class stress_faults {
public:
  explicit stress_faults(stress_thread& thread);

  /// One of them; `live` are the thread's blocks, which stay as they are.
  void commit(stress_random& random, const std::vector<live_block>& live);

  /// Nothing may be left in the thread's own pool.
  void drain();

private:
  using fault = void (stress_faults::*)(stress_random&);

  void free_twice(stress_random& random);
  void free_what_is_no_block(stress_random& random);
  void use_a_destroyed_stream(stress_random& random);
  void use_a_destroyed_pool(stress_random& random);
  void use_a_destroyed_event(stress_random& random);
  void ask_for_impossible_sizes(stress_random& random);
  void set_impossible_values(stress_random& random);
  void mix_devices(stress_random& random);
  void call_from_a_task(stress_random& random);
  void fail_a_task(stress_random& random);
  void stop_a_stream(stress_random& random);

  void free_inside(const live_block& block, stress_random& random);

  /// A stamped block of the own pool on the own stream; none if memory is short.
  std::optional<live_block> lend(const std::shared_ptr<shared_pool>& pool, stress_random& random);
  /// Checks and frees it.
  void settle(const live_block& block);

  stress_thread& thread_;
  stress_world& world_;
  std::optional<stream> stream_;
  std::shared_ptr<shared_pool> pool_;
  std::uint64_t blocks_ = 0;
};

}  // namespace soma::tools
