#include "oracle/device_model.hpp"

#include <algorithm>
#include <limits>

namespace oracle {

namespace {

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

bool wraps(std::uint64_t bytes, std::uint64_t unit) {
  return bytes > std::numeric_limits<std::uint64_t>::max() - (unit - 1);
}

}  // namespace

pool_model::pool_model(const soma::pool_options& options, std::uint64_t limit_bytes)
    : memory(options.minimum_block), limit(limit_bytes), switches(options.reuse),
      threshold(options.release_threshold) {}

std::uint64_t pool_model::used() const {
  std::uint64_t sum = 0;
  for (const auto& [begin, block] : blocks) {
    sum += block.units * memory.unit_bytes();
  }
  return sum;
}

std::uint64_t pool_model::requested() const {
  std::uint64_t sum = 0;
  for (const auto& [begin, block] : blocks) {
    sum += block.requested;
  }
  return sum;
}

std::optional<soma::errc> device_model::create_pool(const soma::pool_options& options) {
  const auto unit = options.minimum_block;
  const bool power_of_two = unit != 0 && (unit & (unit - 1)) == 0;
  const auto limit = options.limit == 0 ? memory_ : options.limit;
  if (!power_of_two || unit < 512 || unit > granule || wraps(limit, granule) ||
      rounded_up(limit, granule) > memory_) {
    return soma::errc::invalid_argument;
  }
  pools_.emplace_back(options, rounded_up(limit, granule));
  return std::nullopt;
}

// -- what follows from what
// -----------------------------------------------------------------------------------

rule device_model::executed() const {
  return [this](origin from) { return from < 0 || past.at(from).executed; };
}

void device_model::saw(task_id id) {
  past.see(id);
  settle();
}

void device_model::saw_everything() {
  past.see_everything();
  settle();
}

void device_model::settle() {
  for (auto& each : pools_) {
    each.memory.settle([this](origin from) { return past.at(from).seen; });
  }
}

void device_model::release_above_threshold() {
  for (auto& each : pools_) {
    const auto idle = each.memory.reserved() - each.used();
    if (idle > each.threshold) {
      give_up(each, rounded_up(idle - each.threshold, granule), pressure::seen);
    }
  }
}

void device_model::execute() {
  past.execute();
  std::vector<std::uint64_t> freed;
  for (const auto& [begin, block] : plain_blocks_) {
    if (block.freed_by != no_task && past.at(block.freed_by).executed) {
      freed.push_back(begin);
    }
  }
  for (const auto begin : freed) {
    plain_free(begin);
  }
  empty_destroyed_pools();
}

// What a destroyed pool can give back, it gives back at once.
void device_model::empty_destroyed_pools() {
  for (auto& each : pools_) {
    if (each.destroyed) {
      give_up(each, each.memory.reserved(), pressure::executed);
    }
  }
}

void device_model::destroy_pool(std::size_t index) {
  pools_[index].destroyed = true;
  empty_destroyed_pools();
}

std::uint64_t device_model::left() const {
  auto held = plain_.reserved();
  for (const auto& each : pools_) {
    held += each.memory.reserved();
  }
  return memory_ - held;
}

rule device_model::may_be_given_up(pressure allowed) const {
  switch (allowed) {
  case pressure::none:
    break;
  case pressure::seen:
    return [](origin from) { return from < 0; };
  case pressure::executed:
    return executed();
  }
  return [](origin) { return false; };
}

std::uint64_t device_model::give_up(pool_model& of, std::uint64_t bytes, pressure allowed,
                                    const stretch& spared) const {
  const auto given_up = of.memory.release(bytes, may_be_given_up(allowed), spared);
  of.returned_bytes += given_up.bytes;
  of.returns += given_up.ranges;
  return given_up.bytes;
}

// -- freeing and trimming
// -------------------------------------------------------------------------------------

void device_model::free_async(std::size_t pool, std::uint64_t begin, std::size_t stream) {
  auto& of = pools_[pool];
  of.memory.vacate(begin, of.blocks.at(begin).units, past.add(stream, task_kind::free));
  of.blocks.erase(begin);
}

void device_model::free(std::size_t pool, std::uint64_t begin) {
  auto& of = pools_[pool];
  of.memory.vacate(begin, of.blocks.at(begin).units, settled);
  of.blocks.erase(begin);
  empty_destroyed_pools();
}

std::optional<soma::errc> device_model::trim_to(std::size_t pool, std::uint64_t keep) {
  auto& of = pools_[pool];
  if (keep > of.limit) {
    return soma::errc::invalid_argument;
  }
  const auto target = std::max(of.used(), rounded_up(keep, granule));
  if (of.memory.reserved() > target) {
    give_up(of, of.memory.reserved() - target, pressure::executed);
  }
  return std::nullopt;
}

std::map<std::size_t, task_id> device_model::pending_frees(std::size_t pool) const {
  std::map<std::size_t, task_id> last;
  for (const auto from : pools_[pool].memory.origins()) {
    if (from >= 0 && !past.at(from).executed) {
      last[past.at(from).stream] = from;  // by rising task
    }
  }
  return last;
}

// -- plain memory
// -----------------------------------------------------------------------------------------------

verdict device_model::malloc(std::uint64_t bytes) {
  verdict wish;
  if (bytes == 0 || wraps(bytes, plain_unit)) {
    wish.error = soma::errc::invalid_argument;
    return wish;
  }
  wish.units = rounded_up(bytes, plain_unit) / plain_unit;
  wish.allowed = [](origin from) { return from < 0; };
  wish.asked = bytes;
  if (const auto begin = plain_.find_idle(wish.units, wish.allowed)) {
    wish.begin = *begin;
    return wish;
  }
  constexpr auto more_than_addresses = std::uint64_t{1} << 46;
  if (bytes > more_than_addresses) {  // nothing is given up for what no address range could hold
    wish.error = soma::errc::out_of_memory;
    return wish;
  }
  const auto too_many = memory_ / granule + 1;
  wish.new_granules = too_many;
  if (wish.units <= memory_ / plain_unit) {
    const auto where = plain_.find_new(wish.units, wish.allowed);
    wish.begin = where.begin;
    wish.new_granules = where.new_granules;
  }
  const auto needed = wish.new_granules * granule;
  for (auto& each : pools_) {
    if (needed <= left()) {
      break;
    }
    give_up(each, wish.new_granules == too_many ? memory_ : needed - left(), pressure::executed);
  }
  if (needed > left()) {
    wish.error = soma::errc::out_of_memory;
  }
  return wish;
}

std::optional<std::string> device_model::plain_granted(const verdict& expected, std::uint64_t begin) {
  if (auto wrong = plain_.objection(begin, expected.units, expected.allowed)) {
    return wrong;
  }
  if (expected.begin != begin) {
    return "another piece fits better: at unit " + std::to_string(expected.begin);
  }
  plain_.occupy(begin, expected.units);
  plain_blocks_[begin] = {{expected.units, expected.asked}, no_task};
  return std::nullopt;
}

bool device_model::plain_live(std::uint64_t begin) const {
  const auto found = plain_blocks_.find(begin);
  return found != plain_blocks_.end() && found->second.freed_by == no_task;
}

void device_model::plain_free(std::uint64_t begin) {
  plain_.vacate(begin, plain_blocks_.at(begin).block.units, settled);
  plain_blocks_.erase(begin);
  plain_.release(plain_.reserved(), [](origin from) { return from < 0; });
}

void device_model::plain_free_async(std::uint64_t begin, std::size_t stream) {
  plain_blocks_.at(begin).freed_by = past.add(stream, task_kind::free);
}

}  // namespace oracle
