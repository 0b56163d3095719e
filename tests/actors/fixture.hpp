// What the tests of actors share: a system in which nothing runs by itself, probes that stand for the
// counterparts of the actor under test, and answers that a test can look at.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <caf/actor_registry.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/shell.hpp"
#include "memory/sizes.hpp"
#include "messages/all.hpp"
#include "messages/test_workers.hpp"

namespace actor_tests {

namespace actors = soma::actors;
namespace memory = soma::memory;
namespace messages = soma::messages;

using memory::fault_code;

inline constexpr std::uint64_t granule = memory::granule_bytes;

constexpr messages::position at(std::uint64_t stream, std::uint64_t sequence) {
  return {messages::stream_id{stream}, messages::sequence_number{sequence}};
}

inline messages::order_clock clock(std::initializer_list<messages::position> tasks) {
  messages::order_clock made;
  for (const auto& task : tasks) {
    made.add(task);
  }
  return made;
}

inline messages::fault broken(std::string text = "broken") {
  return {fault_code::task_failed, std::move(text)};
}

/// What a fault says, if there is one.
inline std::string text_of(const std::optional<messages::fault>& failure) {
  return failure ? failure->text : "no fault";
}

/// The answer to a request, once it is there.
template <class T>
class reply {
public:
  [[nodiscard]] messages::answer<T> token() const {
    return messages::answer<T>([got = got_](messages::result<T> value) { got->push_back(std::move(value)); });
  }

  [[nodiscard]] bool arrived() const { return !got_->empty(); }
  [[nodiscard]] std::size_t times() const { return got_->size(); }
  [[nodiscard]] bool succeeded() const { return arrived() && got_->front().has_value(); }

  [[nodiscard]] const T& value() const {
    if (!succeeded()) {
      throw std::logic_error(arrived() ? "a fault was answered: " + got_->front().error().text
                                       : "nothing was answered");
    }
    return *got_->front();
  }

  [[nodiscard]] const messages::fault& failure() const {
    if (!arrived() || got_->front().has_value()) {
      throw std::logic_error(arrived() ? "no fault was answered" : "nothing was answered");
    }
    return got_->front().error();
  }

  [[nodiscard]] bool failed_with(fault_code code) const {
    return arrived() && !got_->front() && got_->front().error().code == code;
  }

private:
  std::shared_ptr<std::vector<messages::result<T>>> got_ =
      std::make_shared<std::vector<messages::result<T>>>();
};

template <class T>
T answer_value(const messages::answer<T>& token);

template <class Message>
using reply_to = reply<decltype(answer_value(std::declval<Message&>().reply))>;

/// An actor that keeps what it receives, for a probe.
template <class Handle>
class probe_state;

template <class... Messages>
class probe_state<messages::handle<Messages...>> {
public:
  using handle_type = messages::handle<Messages...>;
  using inbox = std::deque<std::variant<Messages...>>;
  static constexpr auto name = "probe";

  probe_state(actors::self<handle_type> /*own*/, std::shared_ptr<inbox> received)
      : inbox_(std::move(received)) {}

  template <class Message>
  void handle(Message& message) {
    inbox_->push_back(std::move(message));
  }

private:
  std::shared_ptr<inbox> inbox_;
};

/// The test's end of an actor that only keeps what it receives.
template <class Handle>
class probe {
public:
  using inbox = typename probe_state<Handle>::inbox;

  explicit probe(caf::actor_system& system) : handle_(actors::spawn<probe_state<Handle>>(system, inbox_)) {}

  [[nodiscard]] const Handle& handle() const { return handle_; }

  [[nodiscard]] bool empty() const { return inbox_->empty(); }

  template <class Message>
  [[nodiscard]] std::size_t count() const {
    std::size_t found = 0;
    for (const auto& message : *inbox_) {
      found += std::holds_alternative<Message>(message) ? 1U : 0U;
    }
    return found;
  }

  /// Takes the oldest message, which must be of this kind.
  template <class Message>
  Message take() {
    if (empty()) {
      throw std::logic_error("the probe has received nothing");
    }
    if (!std::holds_alternative<Message>(inbox_->front())) {
      throw std::logic_error("what the probe has received first is of another kind");
    }
    auto message = std::get<Message>(std::move(inbox_->front()));
    inbox_->pop_front();
    return message;
  }

  /// Drops what was received, its tokens with it.
  [[nodiscard]] std::function<bool()> forgetter() const {
    return [received = inbox_] { return !std::exchange(*received, {}).empty(); };
  }

private:
  std::shared_ptr<inbox> inbox_ = std::make_shared<inbox>();
  Handle handle_;
};

struct test_config : caf::actor_system_config {
  test_config() { messages::configure_for_tests(*this); }
};

/// A system of actors that run when the test says so, on its thread. At the end of a test no actor may be
/// left.
class actor_fixture : public testing::Test {
protected:
  actor_fixture() { messages::forget_logger(); }

  ~actor_fixture() override {
    for (bool more = true; more;) {
      run();
      more = false;
      for (const auto& forget : forgetters_) {
        more = forget() || more;
      }
    }
    if (const auto left = system_.registry().running(); left > 0) {
      ADD_FAILURE() << left << " actors are left at the end of the test";
      system_.await_actors_before_shutdown(false);
    }
  }

  [[nodiscard]] caf::actor_system& system() { return system_; }

  template <class Handle>
  probe<Handle> make_probe() {
    probe<Handle> made(system_);
    forgetters_.push_back(made.forgetter());
    return made;
  }

  /// Puts a message into a mailbox.
  template <class Handle, class Message>
  void send(const Handle& to, Message message) {
    messages::enqueue(to, std::move(message), nullptr);
  }

  /// Runs actors until none is ready.
  void run() { messages::test_workers(system_).run(); }

  /// Handles one message.
  bool run_one() { return messages::test_workers(system_).try_run_once(); }

  template <class Handle, class Message>
  void tell(const Handle& to, Message message) {
    send(to, std::move(message));
    run();
  }

  template <class Handle, class Message>
  reply_to<Message> request(const Handle& to, Message message) {
    reply_to<Message> answered;
    message.reply = answered.token();
    send(to, std::move(message));
    return answered;
  }

  template <class Handle, class Message>
  reply_to<Message> ask(const Handle& to, Message message) {
    auto answered = request(to, std::move(message));
    run();
    return answered;
  }

  /// Answers a request that a probe has received.
  template <class T, class Value>
  void answer(const messages::answer<T>& token, Value value) {
    token(std::move(value));
    run();
  }

  template <class T>
  void refuse(const messages::answer<T>& token, messages::fault why) {
    token(tl::unexpected(std::move(why)));
    run();
  }

private:
  // What the test's thread wakes waits for run(), too.
  class queueing_unit final : public messages::own_unit {
  public:
    using own_unit::own_unit;
    void exec_later(caf::resumable* ready) override { messages::give_to_workers(system(), ready); }
  };

  test_config config_;
  caf::actor_system system_{config_};
  queueing_unit unit_{system_};
  actors::unit_scope scope_{&unit_};
  std::vector<std::function<bool()>> forgetters_;
};

}  // namespace actor_tests
