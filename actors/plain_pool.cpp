#include "actors/plain_pool.hpp"

#include <utility>

namespace soma::actors {

plain_pool_state::plain_pool_state(self<handle_type> own, messages::device_actor device)
    : own_(own), device_(std::move(device)) {}

void plain_pool_state::handle(messages::malloc_plain& message) {
  waiting_.push_back(std::move(message));
  serve();
}

void plain_pool_state::serve() {
  while (!waiting_.empty() && !chunk_wanted_ && serve(waiting_.front())) {
    waiting_.pop_front();
  }
}

// Answers, or asks the device for a chunk.
bool plain_pool_state::serve(messages::malloc_plain& wanted) {
  if (!memory::plain_pool::part_bytes(wanted.bytes)) {
    parts_.count_bypass();
    post(device_, messages::malloc_plain{messages::plain_kind::chunk, wanted.bytes, std::move(wanted.reply),
                                         wanted.page_bytes});
    return true;
  }
  if (const auto part = parts_.take(wanted.bytes, wanted.read_only)) {
    wanted.reply(*part);
    return true;
  }
  chunk_wanted_ = true;
  post(device_,
       messages::malloc_plain{messages::plain_kind::chunk, memory::plain_pool::chunk_bytes,
                              answer_to<memory::address>(own_.handle()), memory::plain_pool::chunk_bytes});
  return false;
}

void plain_pool_state::handle(messages::answered<memory::address>& message) {
  chunk_wanted_ = false;
  if (message.value) {
    parts_.add_chunk(*message.value, !waiting_.empty() && waiting_.front().read_only);
  } else if (!waiting_.empty()) {
    waiting_.front().reply(tl::unexpected(std::move(message.value.error())));
    waiting_.pop_front();
  }
  serve();
}

void plain_pool_state::handle(messages::free_plain& message) {
  auto begun = parts_.begin_free(message.block);
  if (!begun) {
    message.reply(tl::unexpected(std::move(begun.error())));
    return;
  }
  end_free(message.block);
  message.reply(messages::done{});
}

void plain_pool_state::handle(messages::begin_plain_free& message) {
  auto begun = parts_.begin_free(message.block);
  message.reply(begun ? messages::result<messages::done>{} : tl::unexpected(std::move(begun.error())));
}

void plain_pool_state::handle(messages::end_plain_free& message) { end_free(message.block); }

void plain_pool_state::end_free(memory::address part) {
  for (const auto chunk : parts_.end_free(part)) {
    post(device_, messages::free_plain{messages::plain_kind::chunk, chunk, {}});
  }
}

void plain_pool_state::handle(messages::find_plain& message) {
  const auto found = parts_.find(message.inside);
  if (!found) {
    message.reply(
        memory::failed(memory::fault_code::unknown_address, "the address is in no live allocation"));
    return;
  }
  messages::plain_block told;
  told.where = found->where;
  told.requested = found->requested;
  told.page_bytes = memory::plain_pool::chunk_bytes;
  message.reply(told);
}

void plain_pool_state::handle(messages::read_plain_pool& message) { message.reply(parts_.figures()); }

void plain_pool_state::handle(messages::stop_plain_pool& /*message*/) {
  waiting_.clear();
  own_.quit();
}

}  // namespace soma::actors
