// What the contract says of a device with streams, events and pools: for each call what it returns, and what
// changes. Calls are made by one thread. Whatever depends on execution takes it as far as it can have got;
// the runner sees to it that the runtime is there too (history::execute).
//
// The figures are sums over the history or over the units of memory, wherever that is possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "oracle/history.hpp"
#include "oracle/window_model.hpp"
#include "soma/soma.hpp"

namespace oracle {

enum class served : std::uint8_t { same_stream, event, opportunistic, internal, new_memory };
inline constexpr std::size_t served_kinds = 5;

struct block_model {
  std::uint64_t units = 0;
  std::uint64_t requested = 0;
};

struct pool_model {
  pool_model(const soma::pool_options& options, std::uint64_t limit_bytes);

  [[nodiscard]] std::uint64_t used() const;
  [[nodiscard]] std::uint64_t requested() const;

  window_model memory;
  std::uint64_t limit;
  soma::reuse_switches switches;
  std::uint64_t threshold;
  std::map<std::uint64_t, block_model> blocks;  // live ones, by their first unit
  std::uint64_t reserved_high = 0;
  std::uint64_t used_high = 0;
  std::uint64_t requested_high = 0;
  std::uint64_t served_counts[served_kinds] = {};
  std::uint64_t moved = 0;  // granules
  std::uint64_t takes = 0;  // from the system
  std::uint64_t taken_bytes = 0;
  std::uint64_t returns = 0;  // to the system
  std::uint64_t returned_bytes = 0;
  bool destroyed = false;
};

/// What a request for a block must get.
struct verdict {
  std::optional<soma::errc> error;
  served how = served::new_memory;
  std::uint64_t begin = 0;  // the first unit
  std::uint64_t units = 0;
  std::uint64_t new_granules = 0;
  std::uint64_t held = 0;   // granules without memory
  std::uint64_t gaps = 0;   // that these are in
  std::set<task_id> moved;  // the frees of what was moved there
  rule allowed;
  std::uint64_t asked = 0;
  bool served_by_order_alone = true;  // no other block or stream was asked to give anything up
};

class device_model {
public:
  explicit device_model(std::uint64_t memory_bytes) : memory_(memory_bytes), plain_(plain_unit) {}

  static constexpr std::uint64_t plain_unit = 512;

  history past;

  // -- pools ------------------------------------------------------------------------------------------------

  [[nodiscard]] std::optional<soma::errc> create_pool(const soma::pool_options& options);
  [[nodiscard]] pool_model& pool(std::size_t index) { return pools_[index]; }
  [[nodiscard]] const pool_model& pool(std::size_t index) const { return pools_[index]; }
  [[nodiscard]] std::size_t pools() const { return pools_.size(); }
  void destroy_pool(std::size_t index);

  /// What malloc_async must give. Idle memory that goes for it is released here already.
  verdict malloc_async(std::size_t pool, std::size_t stream, std::uint64_t bytes);

  /// The block that was got; or what is wrong with it, in words. `may_be_lent`: something may be lent to the
  /// stream, since the pool's figures were not read right before.
  std::optional<std::string> granted(std::size_t pool, std::size_t stream, const verdict& expected,
                                     std::uint64_t begin, bool may_be_lent);

  /// A live block becomes idle: by a task, or at once.
  void free_async(std::size_t pool, std::uint64_t begin, std::size_t stream);
  void free(std::size_t pool, std::uint64_t begin);

  std::optional<soma::errc> trim_to(std::size_t pool, std::uint64_t keep);

  /// Whether a request of this size may depend on what has been executed by now.
  [[nodiscard]] bool depends_on_execution(std::size_t pool, std::uint64_t bytes) const;

  /// The streams with frees in this pool's idle memory that are not executed yet, with the last of them.
  [[nodiscard]] std::map<std::size_t, task_id> pending_frees(std::size_t pool) const;

  /// Whether frees that are not executed yet will give the device memory back by themselves: those of
  /// destroyed pools, and of plain memory.
  [[nodiscard]] bool will_get_memory_back() const;

  /// Whether a request would be served now without an inserted wait, and without what other pools could give
  /// up.
  [[nodiscard]] bool would_serve(std::size_t pool, std::size_t stream, std::uint64_t bytes) const;

  /// The largest block to be had that way is this one: it would be served, and nothing larger would.
  [[nodiscard]] bool is_largest(std::size_t pool, std::size_t stream, std::uint64_t bytes) const;

  // -- plain memory -----------------------------------------------------------------------------------------

  verdict malloc(std::uint64_t bytes);
  std::optional<std::string> plain_granted(const verdict& expected, std::uint64_t begin);
  [[nodiscard]] bool plain_live(std::uint64_t begin) const;
  void plain_free(std::uint64_t begin);
  void plain_free_async(std::uint64_t begin, std::size_t stream);

  // -- the host ---------------------------------------------------------------------------------------------

  /// The host has seen this task, and all in front of it, complete.
  void saw(task_id id);
  void saw_everything();
  /// The end of a synchronize.
  void release_above_threshold();

  /// Executes what can be executed, and what follows from it.
  void execute();

  [[nodiscard]] std::uint64_t left() const;

private:
  struct plain_block {
    block_model block;
    task_id freed_by = no_task;  // a free that has not been executed
  };

  [[nodiscard]] rule executed() const;
  [[nodiscard]] rule without_waiting(const pool_model& of, std::size_t stream) const;
  enum class pressure : std::uint8_t { none, seen, executed };
  [[nodiscard]] rule may_be_given_up(pressure allowed) const;
  std::optional<verdict> reuse(pool_model& of, std::size_t stream, verdict wish) const;
  verdict serve(std::size_t pool, std::size_t stream, verdict wish);
  bool take_from_device(std::size_t pool, std::uint64_t bytes, pressure allowed, std::uint64_t& credit);
  bool grow(std::size_t pool, pressure allowed, verdict& wish, std::uint64_t& credit);
  void move_away(pool_model& of, verdict& wish) const;
  [[nodiscard]] place growth_place(const pool_model& of, const verdict& wish, pressure allowed) const;
  [[nodiscard]] bool could_serve(std::size_t pool, std::size_t stream, const verdict& wish) const;
  std::uint64_t give_up(pool_model& of, std::uint64_t bytes, pressure allowed,
                        const stretch& spared = {}) const;
  void settle();
  void empty_destroyed_pools();

  std::uint64_t memory_;
  std::vector<pool_model> pools_;
  window_model plain_;
  std::map<std::uint64_t, plain_block> plain_blocks_;
};

}  // namespace oracle
