#include "tools/stress_hang.hpp"

#include <chrono>
#include <future>
#include <thread>

#include "tools/byte_size.hpp"

namespace soma::tools {

namespace {

std::string print_figures(stress_world& world) {
  std::string lines;
  for (std::size_t index = 0; index < world.pools.size(); ++index) {
    const auto pool = world.pools.get(index);
    lines += "  pool " + std::to_string(pool->number) + ": ";
    if (const auto figures = pool->object.statistics()) {
      lines += "used " + print_byte_size(figures->used) + ", idle " + print_byte_size(figures->idle) +
               ", reserved " + print_byte_size(figures->reserved) + ", limit " +
               print_byte_size(figures->limit) + ", live blocks " + std::to_string(figures->live_blocks) +
               "\n";
    } else {
      lines += figures.error().message + "\n";
    }
  }
  return lines;
}

}  // namespace

std::string describe_threads(const std::vector<const stress_activity*>& threads) {
  std::string lines;
  for (std::size_t index = 0; index < threads.size(); ++index) {
    const stress_activity& activity = *threads[index];
    lines += "  thread " + std::to_string(index) + ": " + activity.doing.load();
    if (const auto stream = activity.stream.load(); stream != 0) {
      lines += ", stream " + std::to_string(stream);
    }
    if (const auto pool = activity.pool.load(); pool != 0) {
      lines += ", pool " + std::to_string(pool);
    }
    lines += ", operation " + std::to_string(activity.operations.load()) + "\n";
  }
  return lines;
}

std::string describe_pools(stress_world& world) {
  std::promise<std::string> printed;
  auto lines = printed.get_future();
  // Nobody waits for this thread: the process ends soon, whether it has an answer or not.
  std::thread([&world, promise = std::move(printed)]() mutable {
    promise.set_value(print_figures(world));
  }).detach();
  return lines.wait_for(std::chrono::seconds(5)) == std::future_status::ready
             ? lines.get()
             : std::string("  the pools do not answer\n");
}

}  // namespace soma::tools
