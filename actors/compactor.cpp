#include "actors/compactor.hpp"

#include <cstring>
#include <utility>

#include "memory/sizes.hpp"

namespace soma::messages {

namespace {

void* pointer(memory::address place) noexcept {
  return reinterpret_cast<void*>(
      memory::number(place));  // NOLINT(performance-no-int-to-ptr): the pool's memory
}

}  // namespace

void moving_task::run() const {
  for (const auto& each : moves_) {
    std::uint64_t done = 0;
    while (done < each.mapped && memory_->granules().exchange(each.to + done, each.from + done)) {
      done += memory::granule_bytes;
    }
    std::memmove(pointer(each.to + done), pointer(each.from + done), each.bytes - done);
  }
}

}  // namespace soma::messages

namespace soma::actors {

namespace {

// What a stream has of a compaction: it tells the compactor that the moves were made, or that the stream has
// dropped them.
class moving_ticket {
public:
  moving_ticket(messages::compactor_actor compactor, std::shared_ptr<messages::moving_task> moves)
      : compactor_(std::move(compactor)), moves_(std::move(moves)) {}
  ~moving_ticket() {
    if (moves_ != nullptr) {
      post(compactor_, messages::blocks_moved{std::move(moves_)});
    }
  }
  moving_ticket(const moving_ticket&) = delete;
  moving_ticket& operator=(const moving_ticket&) = delete;

  // Told before the task ends, so that who waits for the stream finds the compaction over.
  void run() {
    moves_->run();
    moves_ = nullptr;
    post(compactor_, messages::blocks_moved{});
  }

private:
  messages::compactor_actor compactor_;
  std::shared_ptr<messages::moving_task> moves_;
};

}  // namespace

compactor_memory::~compactor_memory() {
  if (granules_.restore()) {
    source_.give_back(owned_.begin);
  }
}

compactor_state::compactor_state(self<handle_type> own, memory::movable_pool pool,
                                 std::shared_ptr<compactor_memory> memory)
    : own_(own), pool_(std::move(pool)), memory_(std::move(memory)) {}

void compactor_state::handle(messages::allocate_movable& message) {
  message.reply(pool_.allocate(message.bytes));
}

void compactor_state::handle(messages::free_movable& message) {
  const auto block = message.at == memory::address::null ? message.which : pool_.at(message.at);
  if (block == memory::movable_id::none) {
    message.reply(memory::no_live_block("compactor"));
    return;
  }
  auto freed = pool_.free(block);
  if (freed && message.at != memory::address::null) {
    freed = pool_.unpin(block);
  }
  message.reply(as_done(std::move(freed)));
}

void compactor_state::handle(messages::pin_movable& message) { message.reply(pool_.pin(message.which)); }

void compactor_state::handle(messages::unpin_movable& message) {
  message.reply(as_done(pool_.unpin(message.which)));
}

void compactor_state::handle(messages::compact_blocks& message) {
  auto plan = pool_.compact();
  if (!plan) {
    message.reply(tl::unexpected(std::move(plan.error())));
    return;
  }
  if (!plan->moves.empty()) {
    moving_on_ = message.on;
    submit(std::make_shared<messages::moving_task>(std::move(plan->moves), memory_));
  }
  message.reply(plan->report);
}

void compactor_state::submit(std::shared_ptr<messages::moving_task> moves) {
  const auto ticket = std::make_shared<moving_ticket>(own_.handle(), std::move(moves));
  post(moving_on_, messages::submit_work{messages::host_call{[ticket] { ticket->run(); }, "compaction"},
                                         {},
                                         {.call = "compactor::compact"}});
}

// Blocks have their new addresses already, so the moves must be made. A stream that was aborted takes the
// task again, behind what it is still running; one that has stopped or ended runs nothing any more, and the
// moves are made here.
void compactor_state::handle(messages::blocks_moved& message) {
  if (message.dropped != nullptr && !std::exchange(was_dropped_, true)) {
    submit(std::move(message.dropped));
    return;
  }
  if (message.dropped != nullptr) {
    message.dropped->run();
  }
  was_dropped_ = false;
  moving_on_ = {};
  pool_.finish();
}

void compactor_state::handle(messages::read_classic_figures& message) {
  message.reply(messages::classic_pool_figures{pool_.figures(), {}});
}

void compactor_state::handle(messages::retire_classic_pool& /*message*/) { own_.quit(); }

}  // namespace soma::actors
