// The STREAM and the CHECKER: what a stream accepts is told before it is passed on.

#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "actors/stream.hpp"

namespace soma::actors {

namespace {

memory::address address_of(const void* pointer) noexcept {
  return memory::address{reinterpret_cast<std::uint64_t>(pointer)};
}

memory::operation operation_of(const messages::work& work, messages::position at,
                               const memory::place& where) {
  const auto* kernel = std::get_if<messages::kernel_launch>(&work);
  return {memory::operation_kind::task, at, where, kernel == nullptr ? std::string() : kernel->name};
}

}  // namespace

void stream_state::tell_malloc(const messages::malloc_async& message, memory::range block) {
  memory::block_life life;
  life.memory = block;
  life.requested = message.bytes;
  life.pool = message.pool_number;
  life.allocated = {memory::operation_kind::malloc, {id_, last_}, message.where, {}};
  post(checker_, messages::block_allocated{std::move(life), {}});
}

void stream_state::tell_free(messages::address block, const memory::place& where) {
  post(checker_,
       messages::free_submitted{{memory::operation_kind::free, next_position(), where, {}}, ordered_, block});
}

// The accesses of copies and fills are known; those of kernels and host functions come with the message.
void stream_state::tell_work(const messages::submit_work& message) {
  messages::memory_touched touched;
  touched.by = operation_of(message.task, next_position(), message.where);
  touched.accesses = message.accesses;
  if (const auto* copy = std::get_if<messages::copy_bytes>(&message.task)) {
    touched.accesses = {{address_of(copy->destination), copy->bytes, memory::access_kind::writes},
                        {address_of(copy->source), copy->bytes, memory::access_kind::reads}};
  } else if (const auto* fill = std::get_if<messages::fill_bytes>(&message.task)) {
    touched.accesses = {{address_of(fill->destination), fill->bytes, memory::access_kind::writes}};
  } else if (const auto* kernel = std::get_if<messages::kernel_launch>(&message.task)) {
    touched.arguments_later = kernel->tell_arguments;
  }
  if (touched.arguments_later || !touched.accesses.empty()) {
    touched.ordered = ordered_;
    post(checker_, std::move(touched));
  }
}

// -- execution ----------------------------------------------------------------------------------------------

void stream_state::remember_run() {
  running_operations_.clear();
  auto at = executed_;
  for (const auto& queued : tasks_) {
    const auto* work = std::get_if<work_task>(&queued);
    if (work == nullptr) {
      break;
    }
    at = memory::next(at);
    running_operations_.push_back(operation_of(work->work, {id_, at}, work->where));
  }
}

void stream_state::tell_signal(const messages::tasks_run& run) {
  if (run.failure->signal_address != 0 && run.failed < running_operations_.size()) {
    post(checker_, messages::signal_raised{running_operations_[run.failed],
                                           memory::address{run.failure->signal_address}});
  }
}

}  // namespace soma::actors
