#include "memory/stock.hpp"

#include <cassert>
#include <utility>

namespace soma::memory {

// A class with live blocks only stays: its number is in their nodes.
stock::class_number stock::class_of(const stocked_block& block) {
  if (const auto known = by_requested_.find(block.requested); known != 0) {
    return known;
  }
  constexpr std::size_t few = 64;
  if (classes_.size() > few && classes_.size() > 2 * nodes_.size()) {
    forget_empty_classes();
  }
  const auto made = static_cast<class_number>(classes_.size());
  classes_.push_back({block.requested, block.bytes, 0});
  by_requested_.insert(block.requested, made);
  return made;
}

void stock::forget_empty_classes() {
  std::vector<size_class> kept{1};
  number_table by_requested;
  nodes_.for_each([&](node& each) {
    const auto requested = classes_[each.of].requested;
    auto of = by_requested.find(requested);
    if (of == 0) {
      of = static_cast<class_number>(kept.size());
      kept.push_back(classes_[each.of]);
      by_requested.insert(requested, of);
    }
    each.of = of;
  });
  classes_ = std::move(kept);
  by_requested_ = std::move(by_requested);
  latest_class_ = 0;
}

stock::node_number stock::add_node(const stocked_block& lent, bool is_live) {
  assert(find(lent.begin) == holding::nothing);
  if (nodes_.is_full()) {
    make_room();
  }
  return nodes_.add({lent.begin, lent.freed, class_of(lent), 0, is_live});
}

// What lists and the latest one say of places is true again then.
void stock::make_room() {
  const auto moved = nodes_.rebuild();
  nodes_.for_each([&](node& each) { each.earlier = each.is_live ? 0 : moved[each.earlier]; });
  for (auto& of : classes_) {
    of.latest = moved[of.latest];
  }
  latest_given_ = moved[latest_given_];
}

sequence_number stock::forget_live(address begin) noexcept {
  const auto at = nodes_.find(begin);
  forget(at);
  return nodes_[at].freed;
}

// For a block that is in no list of its class.
void stock::forget(node_number at) noexcept {
  nodes_.remove(at);
  if (latest_given_ == at) {
    latest_given_ = 0;
  }
}

std::optional<stocked_block> stock::offer(std::uint64_t asked) {
  auto smallest = stock_report::nothing;
  for (const auto& of : classes_) {
    if (of.latest != 0 && of.bytes >= asked) {
      smallest = std::min(smallest, of.bytes);
    }
  }
  const node* lowest = nullptr;
  for (const auto& of : classes_) {
    for (auto at = of.bytes == smallest ? of.latest : 0; at != 0; at = nodes_[at].earlier) {
      if (lowest == nullptr || nodes_[at].begin < lowest->begin) {
        lowest = &nodes_[at];
      }
    }
  }
  if (lowest == nullptr) {
    return std::nullopt;
  }
  offered_ = lowest->begin;
  return block_of(*lowest);
}

stock_report stock::report() const noexcept {
  return {served_, least_bytes_, least_requested_, bytes_, requested_};
}

void stock::reported(bool took_offer) {
  served_ = 0;
  least_bytes_ = stock_report::nothing;
  least_requested_ = stock_report::nothing;
  const auto offered = std::exchange(offered_, address::null);
  const auto taken = took_offer ? nodes_.find(offered) : 0;
  if (taken == 0) {
    return;
  }
  auto* link = &classes_[nodes_[taken].of].latest;
  while (*link != taken) {
    link = &nodes_[*link].earlier;
  }
  *link = nodes_[taken].earlier;
  leave(nodes_[taken]);
  forget(taken);
}

std::vector<stocked_block> stock::take_oldest() {
  std::vector<sequence_number> frees;
  frees.reserve(count_);
  for (const auto& of : classes_) {
    for (auto at = of.latest; at != 0; at = nodes_[at].earlier) {
      frees.push_back(nodes_[at].freed);
    }
  }
  if (frees.empty()) {
    return {};
  }
  const auto last = frees.begin() + static_cast<std::ptrdiff_t>(std::min(returned_at_once, frees.size()) - 1);
  std::nth_element(frees.begin(), last, frees.end());
  std::vector<stocked_block> oldest;
  for (auto& of : classes_) {
    auto* link = &of.latest;
    while (*link != 0 && nodes_[*link].freed > *last) {
      link = &nodes_[*link].earlier;
    }
    for (auto at = std::exchange(*link, 0); at != 0;) {
      const auto earlier = nodes_[at].earlier;
      oldest.push_back(block_of(nodes_[at]));
      leave(nodes_[at]);
      forget(at);
      at = earlier;
    }
  }
  return oldest;
}

std::vector<stocked_block> stock::take_idle() {
  std::vector<stocked_block> idle;
  idle.reserve(count_);
  for (auto& of : classes_) {
    for (auto at = std::exchange(of.latest, 0); at != 0;) {
      const auto earlier = nodes_[at].earlier;
      idle.push_back(block_of(nodes_[at]));
      leave(nodes_[at]);
      forget(at);
      at = earlier;
    }
  }
  std::sort(idle.begin(), idle.end(),
            [](const auto& one, const auto& other) { return one.freed < other.freed; });
  reported(false);
  return idle;
}

}  // namespace soma::memory
