// What went wrong last: the texts and the code that a program asks for after a failed call.
#pragma once

#include <string_view>

#include "acl/acl_base.h"

namespace soma::acl {

/// Keeps a failure for aclGetRecentErrMsg and, if it comes from below the argument checks, for
/// aclrtGetLastError. Gives the code back. A text that cannot be kept for want of memory is lost.
aclError report(const char* function, aclError code, std::string_view text) noexcept;

/// Whether the texts of all threads go into one list (true), or each thread has its own (false, the default).
void share_texts(bool shared) noexcept;

}  // namespace soma::acl
