// From a kernel's function to the handle that stands for it.
#pragma once

#include "soma/kernel.hpp"

namespace soma::acl {

void remember_function(soma::kernel_function function, void* handle);

/// The live handle that was given out last for this function; null if there is none.
void* handle_of_function(soma::kernel_function function);

}  // namespace soma::acl
