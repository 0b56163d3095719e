// Numbers of tasks, by which a program finds the task again that has failed.
#pragma once

#include <cstdint>

namespace soma::acl {

/// Gives a task that this thread is about to submit a number, which aclrtGetThreadLastTaskId then tells.
std::uint32_t note_task() noexcept;

/// The number of the last task of this thread; 0 if there is none.
std::uint32_t last_task() noexcept;

/// A task and the thread that submits it, in one number for soma::launch_arguments::tagged.
std::uint64_t tag_of(std::uint32_t task) noexcept;
std::uint32_t task_in(std::uint64_t tag) noexcept;
std::uint32_t thread_in(std::uint64_t tag) noexcept;

/// A host function has no tag at its launch: it tells its own when it begins, on its engine's thread, where
/// the one who is told of its failure finds it. Reading it takes it away.
void set_tag_of_host_function(std::uint64_t tag) noexcept;
std::uint64_t take_tag_of_host_function() noexcept;

}  // namespace soma::acl
