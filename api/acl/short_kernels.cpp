#include "api/acl/short_kernels.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "api/acl/current.hpp"

namespace soma::acl {
namespace {

constexpr std::chrono::microseconds between_looks{100};

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
  while (!on->queue.has_run_all() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(between_looks);
}

}  // namespace soma::acl
