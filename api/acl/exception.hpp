// Functions of the program that are called for tasks that fail.
#pragma once

#include "soma/runtime.hpp"

namespace soma::acl {

/// Calls them, on the thread of the device that ran the task.
void tell_exception(const soma::failed_task& failed);

}  // namespace soma::acl
