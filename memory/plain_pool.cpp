#include "memory/plain_pool.hpp"

#include <algorithm>
#include <cassert>

namespace soma::memory {

std::optional<std::uint64_t> plain_pool::part_bytes(std::uint64_t asked) {
  const auto rounded = round_up_checked(asked, part_unit);
  return asked == 0 || !rounded || *rounded > chunk_bytes ? std::nullopt : rounded;
}

std::optional<address> plain_pool::take(std::uint64_t asked, bool read_only) {
  const auto bytes = part_bytes(asked);
  assert(bytes);
  for (auto& from : chunks_) {
    if (from.read_only != read_only) {
      continue;
    }
    const auto part = std::find_if(from.free_parts.begin(), from.free_parts.end(),
                                   [&](const range& free) { return free.bytes >= *bytes; });
    if (part == from.free_parts.end()) {
      continue;
    }
    const auto begin = part->begin;
    if (part->bytes == *bytes) {
      from.free_parts.erase(part);
    } else {
      *part = {begin + *bytes, part->bytes - *bytes};
    }
    from.live.emplace(begin, live_part{{begin, *bytes}, asked});
    from.used += *bytes;
    ++served_;
    return begin;
  }
  return std::nullopt;
}

void plain_pool::add_chunk(address begin, bool read_only) {
  auto& added = chunks_.emplace_back();
  added.begin = begin;
  added.read_only = read_only;
  added.free_parts.push_back({begin, chunk_bytes});
  by_address_.emplace(begin, &added);
}

result<void> plain_pool::begin_free(address part) {
  const auto* in = chunk_of(part);
  if (in == nullptr || !in->live.contains(part) || !announced_.insert(part).second) {
    return failed(fault_code::unknown_address,
                  "no live allocation starts at this address: it was freed before, or it points into an "
                  "allocation, or it was never given out");
  }
  return {};
}

std::vector<address> plain_pool::end_free(address part) {
  if (announced_.erase(part) == 0) {
    return {};
  }
  auto& in = *std::prev(by_address_.upper_bound(part))->second;
  const auto freed = in.live.find(part);
  in.free_parts.push_back(freed->second.where);
  in.used -= std::min(in.used, freed->second.where.bytes);
  in.live.erase(freed);

  auto surplus = static_cast<std::uint64_t>(
      std::count_if(chunks_.begin(), chunks_.end(), [](const chunk& one) { return one.used == 0; }));
  std::vector<address> given_up;
  for (auto at = chunks_.begin(); at != chunks_.end() && surplus > kept_chunks;) {
    if (at->used != 0) {
      ++at;
      continue;
    }
    given_up.push_back(at->begin);
    by_address_.erase(at->begin);
    at = chunks_.erase(at);
    --surplus;
    ++released_;
  }
  return given_up;
}

std::optional<plain_pool::live_part> plain_pool::find(address inside) const {
  const auto* in = chunk_of(inside);
  if (in == nullptr) {
    return std::nullopt;
  }
  const auto behind = in->live.upper_bound(inside);
  if (behind == in->live.begin() || !std::prev(behind)->second.where.contains(inside)) {
    return std::nullopt;
  }
  return std::prev(behind)->second;
}

plain_pool_figures plain_pool::figures() const {
  plain_pool_figures told;
  told.chunks = chunks_.size();
  told.reserved = told.chunks * chunk_bytes;
  for (const auto& one : chunks_) {
    told.free_chunks += one.used == 0 ? 1 : 0;
    told.used += one.used;
    told.live_parts += one.live.size();
  }
  told.served = served_;
  told.bypassed = bypassed_;
  told.released = released_;
  return told;
}

const plain_pool::chunk* plain_pool::chunk_of(address inside) const {
  const auto behind = by_address_.upper_bound(inside);
  if (behind == by_address_.begin()) {
    return nullptr;
  }
  const auto* found = std::prev(behind)->second;
  return range{found->begin, chunk_bytes}.contains(inside) ? found : nullptr;
}

}  // namespace soma::memory
