// A system with threads, as the library makes it.
#pragma once

#include <chrono>
#include <future>
#include <utility>

#include "fixture.hpp"
#include "support/gate.hpp"

namespace actor_tests {

struct threaded_config : caf::actor_system_config {
  explicit threaded_config(std::size_t workers) { messages::configure(*this, workers); }
};

/// Waits for an answer that comes on another thread; a fault says that it did not come in time.
template <class T>
class awaited_reply {
public:
  [[nodiscard]] messages::answer<T> token() const {
    return messages::answer<T>([got = got_](messages::result<T> value) { got->set_value(std::move(value)); });
  }

  [[nodiscard]] messages::result<T> get() {
    if (future_.wait_for(support::patience) != std::future_status::ready) {
      return memory::failed(fault_code::timed_out, "the answer did not come in time");
    }
    return future_.get();
  }

  [[nodiscard]] bool arrived() const {
    return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

private:
  std::shared_ptr<std::promise<messages::result<T>>> got_ =
      std::make_shared<std::promise<messages::result<T>>>();
  std::future<messages::result<T>> future_ = got_->get_future();
};

class threaded_fixture : public testing::Test {
protected:
  threaded_fixture() { messages::forget_logger(); }

  ~threaded_fixture() override {
    if (!all_end()) {
      ADD_FAILURE() << system_.registry().running() << " actors are left at the end of the test";
      system_.await_actors_before_shutdown(false);
    }
  }

  [[nodiscard]] caf::actor_system& system() { return system_; }

  [[nodiscard]] bool eventually_running(std::size_t actors) {
    return support::eventually([&] { return system_.registry().running() == actors; });
  }

private:
  [[nodiscard]] bool all_end() { return eventually_running(0); }

  threaded_config config_{2};
  caf::actor_system system_{config_};
};

}  // namespace actor_tests
