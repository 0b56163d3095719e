// What the race detector knows: the life of each block (its malloc, the tasks that used it, its free), and
// which of these happen before which. Pure logic; the checker actor feeds it.
//
// It is told of operations in an order that agrees with the program's: what happens before an operation was
// told before it. Each comes with its clock, to which what the host has seen complete so far is added. Waits
// that a pool inserts are in no clock, since the program cannot rely on them.
//
// The rules, for a task, free or malloc at p with the clock C:
//   R1  a task that uses a live block has its malloc in C, otherwise use_before_malloc
//   R2  a free has the malloc in C (free_before_malloc), and each task that used the block (use_after_free)
//   R3  a task that comes when the block is freed is use_after_free
//   R4  a free at once needs the host to have seen the malloc (free_before_malloc), and the tasks that used
//       the block (free_before_last_use)
//   R5  if the memory has a new owner whose malloc is not in C, the task means the latest block that it knows
//       (its malloc in C, its free not); otherwise the new one
// One missing order is one finding: a task that was reported is not remembered for the free, and a free that
// is not ordered after the malloc is not reported again for tasks of the malloc's stream.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "memory/access.hpp"
#include "memory/access_finding.hpp"
#include "memory/order_clock.hpp"

namespace soma::memory {

class access_history {
public:
  using findings = std::vector<finding>;

  /// What lies outside of these addresses is the program's own memory, and of no interest.
  explicit access_history(range addresses) noexcept : addresses_(addresses) {}

  /// A block was given out. One that was given out at once, without a stream, has no position.
  void allocated(block_life block);

  /// A free was submitted to a stream. If no block begins there it is ignored: it is about to be refused.
  findings freed(const operation& by, const order_clock& ordered, address block);

  /// The host frees at once.
  findings freed_at_once(const operation& by, address block);

  /// A free was refused, because no block begins there.
  findings refused(const operation& by, address block);

  /// A task was submitted. If it reads its arguments where they are when it runs, what they point to is told
  /// by arguments_read().
  findings touched(const operation& by, const order_clock& ordered, const std::vector<access>& accesses,
                   bool arguments_later = false);

  /// The kernel at this position is about to run with these pointers.
  findings arguments_read(position at, const std::vector<access>& pointers);

  /// The host itself uses memory, and is done with it before it does anything else.
  findings host_touched(const operation& by, const std::vector<access>& accesses);

  /// The host has seen these tasks complete.
  void saw(const order_clock& seen);

  void pool_destroyed(pool_id pool);

  /// A task raised a fatal signal about this address. A finding if a block was there and is not any more.
  findings signalled(const operation& by, address at);

  /// The blocks that are live; each is told once.
  findings leaks();

  [[nodiscard]] std::size_t live_blocks() const noexcept { return live_.size(); }
  [[nodiscard]] std::size_t past_blocks() const noexcept { return past_.size(); }

private:
  struct life : block_life {
    std::vector<operation> touches;  // the last of each stream, as far as the host has not seen it complete
    order_clock freed_after;         // of the free
    std::uint64_t freed_when = 0;
    bool told_as_leak = false;
  };

  // A task as the rules see it.
  struct task_view {
    const operation& by;
    const order_clock& ordered;  // with what the host had seen
    std::uint64_t when = 0;
  };

  struct late_task {
    operation by;
    order_clock ordered;
    std::uint64_t when = 0;
  };

  [[nodiscard]] life* find_live(address inside);
  [[nodiscard]] const life* latest_past(address inside) const;
  [[nodiscard]] const life* latest_known(const task_view& task, address inside) const;
  [[nodiscard]] order_clock with_seen(const order_clock& ordered) const;
  [[nodiscard]] bool is_end_pointer(const task_view& task, const access& pointer,
                                    const std::vector<access>& all) const;

  void touch(const task_view& task, const access& one, findings& found);
  void touch_live(life& block, const task_view& task, const access& one, findings& found);
  void touch_past(const life& block, const life* owner, const task_view& task, const access& one,
                  findings& found);
  void touch_all(const task_view& task, const std::vector<access>& accesses, findings& found);
  void remember(life& block, const operation& by) const;
  void end_life(std::map<address, life>::iterator at, const operation& by, order_clock ordered);
  void check_free(const life& block, const operation& by, const order_clock& ordered, finding_kind of_use,
                  findings& found) const;

  range addresses_;
  std::map<address, life> live_;
  std::deque<life> past_;  // by the time of their frees; the oldest are forgotten
  std::map<position, late_task> late_;
  order_clock seen_;
  std::uint64_t now_ = 0;  // counts what was told
};

}  // namespace soma::memory
