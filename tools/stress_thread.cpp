#include "tools/stress_thread.hpp"

namespace soma::tools {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

void stress_thread::at(const char* call, std::uint64_t stream, std::uint64_t pool) noexcept {
  activity.doing.store(call, relaxed);
  activity.stream.store(stream, relaxed);
  activity.pool.store(pool, relaxed);
}

void stress_thread::find(const std::string& text) {
  std::string where = "thread " + std::to_string(number) + ", operation " +
                      std::to_string(activity.operations.load(relaxed)) + ": " + activity.doing.load(relaxed);
  if (const auto stream = activity.stream.load(relaxed); stream != 0) {
    where += " on stream " + std::to_string(stream);
  }
  if (const auto pool = activity.pool.load(relaxed); pool != 0) {
    where += " for pool " + std::to_string(pool);
  }
  world.findings.add(where + " " + text);
}

void stress_thread::synchronized(const expected<void>& answer, bool may_be_gone) {
  ++counts.synchronizes;
  if (answer) {
    return;
  }
  const auto code = answer.error().code;
  const bool on_purpose = code == errc::task_failed && world.settings.faults > 0 &&
                          answer.error().message.find(failing_kernel) != std::string::npos;
  if (!on_purpose && !(code == errc::invalid_handle && may_be_gone)) {
    must(answer);
  }
}

// Counted ahead of the task's own count, so that the difference is never negative.
void stress_thread::submitted(const expected<void>& answer) {
  if (!must(answer)) {
    world.submitted_tasks.fetch_sub(1, relaxed);
  }
}

void stress_thread::stamp(stream& on, const stamped_block& block) {
  at("stream::launch of a stamp", on.id(), block.pool);
  world.submitted_tasks.fetch_add(1, relaxed);
  submitted(launch_stamp(on, block, world.findings));
}

void stress_thread::check(stream& on, const stamped_block& block) {
  at("stream::launch of a check", on.id(), block.pool);
  world.submitted_tasks.fetch_add(1, relaxed);
  submitted(launch_check(on, block, world.findings));
}

void stress_thread::fail_kernel(stream& on, std::uint64_t way) {
  at("stream::launch of a failing kernel", on.id());
  world.submitted_tasks.fetch_add(1, relaxed);
  submitted(launch_failure(on, way, world.findings));
  ++counts.failing_kernels;
}

void stress_thread::give_back(stream& on, const live_block& block) {
  if (block.pool != nullptr) {
    at("pool::free_async", on.id(), block.block.pool);
    const auto freed = block.pool->object.free_async(block.block.address, on);
    if (freed || freed.error().code != errc::invalid_handle || !block.pool->retired) {
      must(freed);
      return;
    }
  }
  at("device::free_async", on.id(), block.block.pool);
  must(world.device.free_async(block.block.address, on));
}

}  // namespace soma::tools
