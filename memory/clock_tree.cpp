#include "memory/clock_tree.hpp"

#include <algorithm>

namespace soma::memory {

namespace {

constexpr unsigned highest_level = 15;  // of ids of 64 bits

}  // namespace

void clock_tree::link::destroy(node* last_of) noexcept {
  if (last_of->level == 0) {
    delete static_cast<leaf*>(last_of);
  } else {
    delete static_cast<branch*>(last_of);
  }
}

clock_tree::link clock_tree::make_leaf(const std::array<sequence_number, fan_out>& last) {
  const auto unknown = std::count(last.begin(), last.end(), sequence_number::none);
  if (unknown == fan_out) {
    return {};
  }
  auto* made = new leaf;
  made->last = last;
  made->streams = fan_out - static_cast<std::size_t>(unknown);
  return link(made);
}

clock_tree::link clock_tree::make_branch(unsigned level, std::array<link, fan_out> below) {
  std::size_t streams = 0;
  for (const auto& part : below) {
    streams += part == nullptr ? 0 : part->streams;
  }
  if (streams == 0) {
    return {};
  }
  auto* made = new branch(level);
  made->below = std::move(below);
  made->streams = streams;
  return link(made);
}

sequence_number clock_tree::of(stream_id stream) const noexcept {
  const auto id = number(stream);
  if (root_ == nullptr || (root_->level < highest_level && id >> (bits * (root_->level + 1)) != 0)) {
    return sequence_number::none;
  }
  const auto* at = &root_;
  while (*at != nullptr && (*at)->level > 0) {
    at = &as_branch(*at).below[id >> (bits * (*at)->level) & (fan_out - 1)];
  }
  return *at == nullptr ? sequence_number::none : as_leaf(*at).last[id & (fan_out - 1)];
}

// The same tree below a root of at least this level.
clock_tree::link clock_tree::raised(link root, unsigned level) {
  while (root != nullptr && root->level < level) {
    const auto above = root->level + 1;
    std::array<link, fan_out> below;
    below[0] = std::move(root);
    root = make_branch(above, std::move(below));
  }
  return root;
}

clock_tree::link clock_tree::with(const link& old, unsigned level, std::uint64_t stream,
                                  sequence_number last) {
  const auto at = stream >> (bits * level) & (fan_out - 1);
  if (level == 0) {
    auto all = old == nullptr ? std::array<sequence_number, fan_out>{} : as_leaf(old).last;
    all[at] = last;
    return make_leaf(all);
  }
  auto below = old == nullptr ? std::array<link, fan_out>{} : as_branch(old).below;
  below[at] = with(below[at], level - 1, stream, last);
  return make_branch(level, std::move(below));
}

void clock_tree::add(position task) {
  const auto id = number(task.stream);
  unsigned level = root_ == nullptr ? 0 : root_->level;
  while (level < highest_level && id >> (bits * (level + 1)) != 0) {
    ++level;
  }
  root_ = with(raised(std::move(root_), level), level, id, task.sequence);
}

// One of both, if it has everything: then nothing new is made.
clock_tree::link clock_tree::merged_leaves(const link& mine, const link& theirs) {
  auto last = as_leaf(mine).last;
  const auto& other = as_leaf(theirs).last;
  std::transform(last.begin(), last.end(), other.begin(), last.begin(),
                 [](auto one, auto another) { return std::max(one, another); });
  return last == as_leaf(mine).last ? mine : last == other ? theirs : make_leaf(last);
}

// The same for trees of one level.
clock_tree::link clock_tree::merged(const link& mine, const link& theirs) {
  if (theirs == nullptr || mine == theirs) {
    return mine;
  }
  if (mine == nullptr) {
    return theirs;
  }
  if (mine->level == 0) {
    return merged_leaves(mine, theirs);
  }
  const auto& ours = as_branch(mine).below;
  const auto& others = as_branch(theirs).below;
  std::array<link, fan_out> both;
  std::transform(ours.begin(), ours.end(), others.begin(), both.begin(), merged);
  return both == ours ? mine : both == others ? theirs : make_branch(mine->level, std::move(both));
}

bool clock_tree::add(const clock_tree& other) {
  if (other.empty()) {
    return false;
  }
  const auto level = std::max(root_ == nullptr ? 0 : root_->level, other.root_->level);
  auto mine = raised(root_, level);
  auto both = merged(mine, raised(other.root_, level));
  if (both == mine) {
    return false;
  }
  root_ = std::move(both);
  return true;
}

// Of trees of one level.
clock_tree::link clock_tree::without(const link& mine, const link& known) {
  if (mine == nullptr || mine == known) {
    return {};
  }
  if (known == nullptr) {
    return mine;
  }
  if (mine->level > 0) {
    const auto& ours = as_branch(mine).below;
    const auto& others = as_branch(known).below;
    std::array<link, fan_out> rest;
    std::transform(ours.begin(), ours.end(), others.begin(), rest.begin(), without);
    return rest == ours ? mine : make_branch(mine->level, std::move(rest));
  }
  auto last = as_leaf(mine).last;
  const auto& other = as_leaf(known).last;
  std::transform(last.begin(), last.end(), other.begin(), last.begin(),
                 [](auto one, auto another) { return another >= one ? sequence_number::none : one; });
  return last == as_leaf(mine).last ? mine : make_leaf(last);
}

void clock_tree::forget(const clock_tree& other) {
  if (empty() || other.empty()) {
    return;
  }
  const auto level = std::max(root_->level, other.root_->level);
  root_ = without(raised(root_, level), raised(other.root_, level));
}

}  // namespace soma::memory
