// What the calls of the C++ interface that submit to a stream have in common (stream.cpp).
#pragma once

#include <memory>
#include <string_view>

#include "api/cpp/ends.hpp"

namespace soma::detail {

/// The error for a fault, where a call that raced with the stream's destruction says so.
error gone_or(std::string_view call, const stream_end& end, memory::fault fault);

/// Submits work. It is in the stream's mailbox when the call returns. Whether the stream has taken it already
/// is not waited for, as another thread may be running it, unless it may refuse, or the race detector has to
/// be told first.
expected<void> submit_work(std::string_view call, const std::shared_ptr<stream_end>& end,
                           messages::submit_work message);

}  // namespace soma::detail
