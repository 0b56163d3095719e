// The DEVICE and what others keep of its memory: its plain pool, and physical memory that programs map.

#include <utility>

#include "actors/device.hpp"
#include "memory/sizes.hpp"

namespace soma::actors {

using memory::fault_code;

// -- the plain pool -----------------------------------------------------------------------------------------

// Blocks of the heap are the device's own, unless they are chunks; what begins elsewhere may be a part of
// one.
bool device_state::is_for_plain_pool(messages::plain_kind kind, memory::address block) const {
  return plain_pool_ && kind == messages::plain_kind::device &&
         (chunks_.contains(block) || plain_.index().find_busy(block) == nullptr);
}

void device_state::handle(messages::read_plain_pool& message) {
  if (plain_pool_) {
    post(plain_pool_, std::move(message));
  } else {
    message.reply(memory::plain_pool_figures{});
  }
}

// A chunk is a block of the heap, but what it is asked about is the part.
void device_state::handle(messages::find_plain& message) {
  const auto& in_host = settings_.layout.host.contains(message.inside);
  const auto& heap = in_host ? host_ : plain_;
  const auto begin = heap.index().find_busy_around(message.inside);
  if (begin == memory::address::null) {
    message.reply(memory::failed(fault_code::unknown_address, "the address is in no live allocation"));
    return;
  }
  if (plain_pool_ && chunks_.contains(begin)) {
    post(plain_pool_, std::move(message));
    return;
  }
  const auto* block = heap.index().find_busy(begin);
  messages::plain_block told;
  told.where = {begin, block->bytes};
  told.requested = block->requested;
  const auto pages = large_pages_.find(begin);
  told.page_bytes = pages == large_pages_.end() ? small_page_bytes : pages->second;
  const auto [file, offset] = backing_->file_of(told.where);
  told.file = file;
  told.offset = offset;
  message.reply(told);
}

// -- physical memory ----------------------------------------------------------------------------------------

void device_state::handle(messages::take_budget& message) {
  requests_.push_back({std::move(message), messages::pressure::executed, std::nullopt, false});
  serve();
}

bool device_state::serve(messages::take_budget& wanted, bool last_chance) {
  const auto rounded = memory::round_up_checked(wanted.bytes, memory::granule_bytes);
  if (rounded && *rounded <= left()) {
    reserved_ += *rounded;
    wanted.reply(messages::budget_taken{true, {}});
    return true;
  }
  if (!rounded || last_chance) {
    wanted.reply(messages::budget_taken{false, "the device cannot serve the request: wanted " +
                                                   memory::describe_bytes(wanted.bytes) + ", left " +
                                                   memory::describe_bytes(left()) + " of " +
                                                   memory::describe_bytes(settings_.memory)});
    return true;
  }
  ask_next_pool(requests_.front(), *rounded - left());
  return false;
}

void device_state::handle(messages::return_budget& message) {
  reserved_ -= memory::round_up(message.bytes, memory::granule_bytes);
}

}  // namespace soma::actors
