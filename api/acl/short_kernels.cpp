#include "api/acl/short_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "api/acl/current.hpp"

namespace soma::acl {
namespace {

// Between two looks at the stream: short at first, longer then, as each look is a message while messages are
// traced.
constexpr std::chrono::microseconds first_pause{50};
constexpr std::chrono::microseconds longest_pause{5000};

/// The stream of the thread's last launch; null when nothing is left to be done for it.
constinit thread_local void* launched_on = nullptr;

}  // namespace

void note_launch(void* stream) {
  launched_on = stream != nullptr ? stream : current_context()->default_stream;
}

void let_short_kernel_end() {
  if (launched_on == nullptr)
    return;
  const auto on = streams().find(std::exchange(launched_on, nullptr));
  if (!on)
    return;
  const auto end = std::chrono::steady_clock::now() + on->on->short_kernel_limit;
  for (auto pause = first_pause; !on->queue.has_run_all() && std::chrono::steady_clock::now() < end;
       pause = std::min(2 * pause, longest_pause))
    std::this_thread::sleep_for(pause);
}

}  // namespace soma::acl
