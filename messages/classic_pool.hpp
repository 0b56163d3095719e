// What a CLASSIC POOL takes: a pool without stream order (memory/classic_pool.hpp). All are answered at once,
// but allocations that wait for memory of the device, and those that came behind them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "memory/classic_pool.hpp"
#include "messages/actors.hpp"

namespace soma::messages {

struct allocate_block {
  std::uint64_t bytes = 0;
  answer<memory::range> reply;
};

struct free_block {
  memory::address block = memory::address::null;
  answer<done> reply;
};

/// One more user of the block.
struct retain_block {
  memory::address block = memory::address::null;
  answer<done> reply;
};

struct classic_pool_figures {
  memory::classic_figures all;
  std::vector<memory::tier_figures> tiers;
};

struct read_classic_figures {
  answer<classic_pool_figures> reply;
};

/// The pool is given up. What it took from the device itself goes back; the memory that it was made with is
/// the affair of who made it.
struct retire_classic_pool {};

/// Memory of a device on its way to a pool. It goes back if the pool has ended before it arrives.
class memory_on_its_way;

/// The device's answer to a pool that has asked for memory.
struct memory_came {
  result<std::shared_ptr<memory_on_its_way>> memory;
};

}  // namespace soma::messages
