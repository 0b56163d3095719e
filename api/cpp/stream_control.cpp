// Streams: words in memory, cutting work short, and notes.

#include <utility>

#include "api/cpp/checks.hpp"
#include "api/cpp/submission.hpp"
#include "soma/stream.hpp"

namespace soma {

namespace detail {

namespace {

expected<void> check_word(std::string_view call, const void* word) {
  if (word == nullptr || reinterpret_cast<std::uintptr_t>(word) % sizeof(std::uint64_t) != 0) {
    return fail(call, errc::invalid_argument, "the word is null or not at a multiple of 8 bytes");
  }
  return {};
}

// Asks a stream something that is no task, and that any thread may ask.
template <class T, class Message>
expected<T> ask_stream(std::string_view call, const std::shared_ptr<stream_end>& end, Message message) {
  if (auto ok = check(call, end); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto& runtime = end->device.runtime;
  if (auto ok = runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto answered = actors::ask<T>(runtime.caller(), end->actor, std::move(message));
  if (!answered) {
    return tl::unexpected(gone_or(call, *end, std::move(answered.error())));
  }
  return std::move(*answered);
}

expected<void> without_value(expected<messages::done> done) {
  if (!done) {
    return tl::unexpected(std::move(done.error()));
  }
  return {};
}

}  // namespace
}  // namespace detail

expected<void> stream::write_value(std::uint64_t* word, std::uint64_t value, std::shared_ptr<void> owner,
                                   place at) {
  constexpr auto call = "stream::write_value";
  if (auto ok = detail::check_word(call, word); !ok) {
    return ok;
  }
  return detail::submit_work(
      call, end_,
      messages::submit_work{messages::write_value{word, value, std::move(owner)},
                            {},
                            detail::place_of(call, at),
                            {{detail::to_address(word), sizeof *word, memory::access_kind::writes}}});
}

expected<void> stream::wait_value(std::uint64_t* word, value_condition until, place at) {
  constexpr auto call = "stream::wait_value";
  if (auto ok = detail::check_word(call, word); !ok) {
    return ok;
  }
  const auto test = static_cast<messages::value_test>(until.test);
  return detail::submit_work(
      call, end_,
      messages::submit_work{
          messages::await_value{word, until.value, test, until.clear, until.limit, std::move(until.owner)},
          {},
          detail::place_of(call, at),
          {{detail::to_address(word), sizeof *word, memory::access_kind::reads}}});
}

expected<void> stream::stop_task() {
  return detail::without_value(
      detail::ask_stream<messages::done>("stream::stop_task", end_, messages::stop_task{}));
}

expected<void> stream::abort() {
  constexpr auto call = "stream::abort";
  if (auto ok = detail::check(call, end_); !ok) {
    return ok;
  }
  if (auto ok = end_->device.runtime.may_submit(call); !ok) {
    return ok;
  }
  const memory::fault why{memory::fault_code::stream_aborted, "the stream was aborted"};
  return detail::without_value(
      detail::ask_stream<messages::done>(call, end_, messages::abort_stream{why, {}}));
}

expected<std::uint64_t> stream::note(stream_note which) const {
  return detail::ask_stream<std::uint64_t>(
      "stream::note", end_, messages::read_stream_note{static_cast<messages::stream_note>(which), {}});
}

expected<void> stream::set_note(stream_note which, std::uint64_t value) {
  return detail::without_value(detail::ask_stream<messages::done>(
      "stream::set_note", end_,
      messages::write_stream_note{static_cast<messages::stream_note>(which), value, {}}));
}

}  // namespace soma
