#include "memory/access_history.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace soma::memory {

namespace {

// Blocks that were freed, for what still uses them. Some 200 bytes each.
constexpr std::size_t kept_past = 4096;

// Whether `task` happens before something at `point` with this clock. What has no position was done at once
// by the host, before anything that was told later.
bool happens_before(position task, position point, const order_clock& clock) {
  if (task == position{}) {
    return true;
  }
  if (task.stream == point.stream && point.sequence != sequence_number::none) {
    return task.sequence < point.sequence;
  }
  return clock.covers(task);
}

finding make_finding(finding_kind kind, const block_life& block, const operation& before,
                     const operation& after, bool order_missing, address at) {
  finding made;
  made.kind = kind;
  made.before = before;
  made.after = after;
  made.order_missing = order_missing;
  made.block = block;
  made.at = at;
  return made;
}

}  // namespace

order_clock access_history::with_seen(const order_clock& ordered) const {
  auto all = ordered;
  all.add(seen_);
  return all;
}

access_history::life* access_history::find_live(address inside) {
  auto at = live_.upper_bound(inside);
  if (at == live_.begin()) {
    return nullptr;
  }
  --at;
  return at->second.memory.contains(inside) ? &at->second : nullptr;
}

const access_history::life* access_history::latest_past(address inside) const {
  const auto found = std::find_if(past_.rbegin(), past_.rend(),
                                  [&](const life& block) { return block.memory.contains(inside); });
  return found == past_.rend() ? nullptr : &*found;
}

const access_history::life* access_history::latest_known(const task_view& task, address inside) const {
  const auto found = std::find_if(past_.rbegin(), past_.rend(), [&](const life& block) {
    return block.memory.contains(inside) && happens_before(block.allocated.at, task.by.at, task.ordered);
  });
  return found == past_.rend() ? nullptr : &*found;
}

// -- lives --------------------------------------------------------------------------------------------------

void access_history::allocated(block_life block) {
  ++now_;
  life begun;
  static_cast<block_life&>(begun) = std::move(block);
  // What was there is over, even if its end was not told: a pool that ended by a fault takes its blocks
  // along.
  auto next = live_.lower_bound(begun.memory.begin);
  if (next != live_.begin() && std::prev(next)->second.memory.contains(begun.memory.begin)) {
    --next;
  }
  while (next != live_.end() && next->first < begun.memory.end()) {
    next = live_.erase(next);
  }
  live_.emplace_hint(next, begun.memory.begin, std::move(begun));
}

void access_history::end_life(std::map<address, life>::iterator at, const operation& by,
                              order_clock ordered) {
  auto ended = std::move(at->second);
  live_.erase(at);
  ended.freed = by;
  ended.freed_after = std::move(ordered);
  ended.freed_when = now_;
  ended.touches = {};
  past_.push_back(std::move(ended));
  if (past_.size() > kept_past) {
    past_.pop_front();
  }
}

void access_history::saw(const order_clock& seen) {
  ++now_;
  seen_.add(seen);
  std::erase_if(late_, [&](const auto& entry) { return seen_.covers(entry.first); });
}

void access_history::pool_destroyed(pool_id pool) {
  ++now_;
  for (auto& [begin, block] : live_) {
    block.pool_destroyed = block.pool_destroyed || block.pool == pool;
  }
}

access_history::findings access_history::leaks() {
  ++now_;
  findings found;
  for (auto& [begin, block] : live_) {
    if (!std::exchange(block.told_as_leak, true)) {
      finding leaked;
      leaked.kind = finding_kind::leak;
      leaked.before = block.allocated;
      leaked.block = block;
      leaked.at = begin;
      found.push_back(std::move(leaked));
    }
  }
  return found;
}

// -- frees --------------------------------------------------------------------------------------------------

void access_history::check_free(const life& block, const operation& by, const order_clock& ordered,
                                finding_kind of_use, findings& found) const {
  const auto malloc = block.allocated.at;
  const bool after_malloc = happens_before(malloc, by.at, ordered);
  if (!after_malloc) {
    found.push_back(
        make_finding(finding_kind::free_before_malloc, block, block.allocated, by, true, block.memory.begin));
  }
  for (const auto& use : block.touches) {
    if (!after_malloc && use.at.stream == malloc.stream) {
      continue;  // the order that is missing was told already
    }
    if (!happens_before(use.at, by.at, ordered)) {
      found.push_back(make_finding(of_use, block, use, by, true, block.memory.begin));
    }
  }
}

access_history::findings access_history::freed(const operation& by, const order_clock& ordered,
                                               address block) {
  ++now_;
  findings found;
  if (const auto at = live_.find(block); at != live_.end()) {
    auto clock = with_seen(ordered);
    check_free(at->second, by, clock, finding_kind::use_after_free, found);
    end_life(at, by, std::move(clock));
  }
  return found;
}

access_history::findings access_history::freed_at_once(const operation& by, address block) {
  ++now_;
  findings found;
  if (const auto at = live_.find(block); at != live_.end()) {
    check_free(at->second, by, seen_, finding_kind::free_before_last_use, found);
    end_life(at, by, seen_);
  }
  return found;
}

access_history::findings access_history::refused(const operation& by, address block) {
  ++now_;
  finding refusal;
  refusal.kind = finding_kind::foreign_free;
  refusal.after = by;
  refusal.at = block;
  if (const auto* live = find_live(block); live != nullptr) {
    refusal.block = *live;
  } else if (const auto* past = latest_past(block); past != nullptr) {
    refusal.block = *past;
    if (past->memory.begin == block) {
      refusal.kind = finding_kind::double_free;
      refusal.before = past->freed;
    }
  }
  return {std::move(refusal)};
}

// -- uses ---------------------------------------------------------------------------------------------------

access_history::findings access_history::touched(const operation& by, const order_clock& ordered,
                                                 const std::vector<access>& accesses, bool arguments_later) {
  ++now_;
  findings found;
  if (accesses.empty() && !arguments_later) {
    return found;
  }
  auto clock = with_seen(ordered);
  touch_all({by, clock, now_}, accesses, found);
  if (arguments_later) {
    late_.insert_or_assign(by.at, late_task{by, std::move(clock), now_});
  }
  return found;
}

access_history::findings access_history::arguments_read(position at, const std::vector<access>& pointers) {
  findings found;
  if (const auto task = late_.find(at); task != late_.end()) {
    touch_all({task->second.by, task->second.ordered, task->second.when}, pointers, found);
    late_.erase(task);
  }
  return found;
}

access_history::findings access_history::host_touched(const operation& by,
                                                      const std::vector<access>& accesses) {
  ++now_;
  findings found;
  touch_all({by, seen_, now_}, accesses, found);
  return found;
}

void access_history::touch_all(const task_view& task, const std::vector<access>& accesses, findings& found) {
  for (const auto& one : accesses) {
    if (!addresses_.contains(one.begin)) {
      continue;
    }
    if (one.kind == access_kind::pointer ? !is_end_pointer(task, one, accesses) : one.bytes > 0) {
      touch(task, one, found);
    }
  }
}

// A kernel may get the end of its block as an argument, which is the next block's begin or no block at all.
// Where it could mean either, it is taken for the end if it would be wrong as a begin.
bool access_history::is_end_pointer(const task_view& task, const access& pointer,
                                    const std::vector<access>& all) const {
  const auto next = live_.lower_bound(pointer.begin);
  if (next != live_.end() && next->first == pointer.begin &&
      happens_before(next->second.allocated.at, task.by.at, task.ordered)) {
    return false;
  }
  const auto is_used_and_ends_here = [&](const life& block) {
    return block.memory.end() == pointer.begin &&
           std::any_of(all.begin(), all.end(),
                       [&](const access& other) { return block.memory.contains(other.begin); });
  };
  return (next != live_.begin() && is_used_and_ends_here(std::prev(next)->second)) ||
         std::any_of(past_.begin(), past_.end(), is_used_and_ends_here);
}

void access_history::touch(const task_view& task, const access& one, findings& found) {
  auto* live = find_live(one.begin);
  if (live != nullptr && happens_before(live->allocated.at, task.by.at, task.ordered)) {
    touch_live(*live, task, one, found);
  } else if (const auto* past = latest_known(task, one.begin); past != nullptr) {
    touch_past(*past, live, task, one, found);
  } else if (live != nullptr) {
    found.push_back(
        make_finding(finding_kind::use_before_malloc, *live, live->allocated, task.by, true, one.begin));
  } else if (past = latest_past(one.begin); past != nullptr) {
    touch_past(*past, nullptr, task, one, found);
  }
}

void access_history::touch_live(life& block, const task_view& task, const access& one, findings& found) {
  const auto end = block.asked_for().end();
  if (one.kind != access_kind::pointer && (one.begin > end || one.bytes > end - one.begin)) {
    auto passed =
        make_finding(finding_kind::out_of_bounds, block, block.allocated, task.by, false, one.begin);
    passed.bytes = one.bytes;
    found.push_back(std::move(passed));
  }
  if (task.by.at != position{}) {
    remember(block, task.by);
  }
}

// `block` is the one that the task means, `owner` who has the memory now.
void access_history::touch_past(const life& block, const life* owner, const task_view& task,
                                const access& one, findings& found) {
  const auto& free = *block.freed;
  const bool by_host = free.at == position{};
  const bool host_accesses = task.by.at == position{};
  if (by_host && task.when < block.freed_when) {
    found.push_back(make_finding(finding_kind::free_before_last_use, block, task.by, free, true, one.begin));
    return;
  }
  if (!by_host && !host_accesses && happens_before(task.by.at, free.at, block.freed_after)) {
    return;  // arguments that were read late, of a task in front of the free
  }
  const bool behind = host_accesses || happens_before(free.at, task.by.at, task.ordered);
  if (behind && owner != nullptr) {
    found.push_back(
        make_finding(finding_kind::use_before_malloc, *owner, owner->allocated, task.by, true, one.begin));
  } else if (behind) {
    found.push_back(make_finding(finding_kind::use_after_free, block, free, task.by, false, one.begin));
  } else {
    found.push_back(make_finding(finding_kind::use_after_free, block, task.by, free, true, one.begin));
  }
}

// Of each stream the last use is enough: what is ordered after it is ordered after the others too.
void access_history::remember(life& block, const operation& by) const {
  std::erase_if(block.touches, [&](const operation& use) { return seen_.covers(use.at); });
  const auto known = std::find_if(block.touches.begin(), block.touches.end(),
                                  [&](const operation& use) { return use.at.stream == by.at.stream; });
  if (known == block.touches.end()) {
    block.touches.push_back(by);
  } else if (known->at.sequence < by.at.sequence) {
    *known = by;
  }
}

access_history::findings access_history::signalled(const operation& by, address at) {
  ++now_;
  findings found;
  const auto* past = find_live(at) == nullptr ? latest_past(at) : nullptr;
  if (past != nullptr) {
    found.push_back(make_finding(finding_kind::stray_access, *past, *past->freed, by, false, at));
  }
  return found;
}

}  // namespace soma::memory
