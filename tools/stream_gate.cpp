#include "tools/stream_gate.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace soma::tools {

struct stream_gate::door {
  std::mutex lock;
  std::condition_variable opened;
  bool open = false;

  void wait() {
    std::unique_lock guard{lock};
    opened.wait(guard, [this] { return open; });
  }
};

stream_gate::~stream_gate() { open(); }

expected<void> stream_gate::close() {
  door_ = std::make_shared<door>();
  for (soma::stream& each : *streams_) {
    if (auto called = each.call([door = door_] { door->wait(); }); !called) {
      open();
      return called;
    }
  }
  return {};
}

void stream_gate::open() noexcept {
  const auto opening = std::exchange(door_, nullptr);
  if (opening == nullptr) {
    return;
  }
  {
    const std::lock_guard guard{opening->lock};
    opening->open = true;
  }
  opening->opened.notify_all();
}

}  // namespace soma::tools
