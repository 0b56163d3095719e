// What the C++ interface tells the race detector of a runtime, and how it is told of it.
//
// The functions that tell something do nothing if the runtime is not checked.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "actors/reporter.hpp"
#include "api/cpp/ends.hpp"

namespace soma::detail {

/// Where a call was made: the name of the C++ call, unless it is a C function that makes it.
memory::place place_of(const char* call, const place& at) noexcept;

/// The accesses that a program has declared.
std::vector<memory::access> accesses_of(std::span<const access> declared);

/// A block that was given out at once.
void tell_allocated(runtime_end& runtime, memory::block_origin origin, memory::address block,
                    std::uint64_t bytes, const char* call, const place& at);

/// A free at once is about to be made.
void tell_freed_at_once(runtime_end& runtime, memory::address block, const memory::place& where);

/// A free failed. It is told if it failed since no block begins there. `on` is the stream that it was for.
void tell_failed_free(runtime_end& runtime, errc code, memory::address block, const memory::place& where,
                      memory::stream_id on = memory::stream_id::none);

void tell_host_saw(runtime_end& runtime, const messages::order_clock& seen);

void tell_pool_destroyed(runtime_end& runtime, memory::pool_id pool);

/// What the environment variable SOMA_CHECK asks for. A value that means nothing is told on standard error,
/// and checks nothing.
std::optional<check_options> check_from_environment();

check_report report_of(const memory::finding& found);

/// Writes reports and gives them to the program.
actors::report_sink sink_for(const check_options& options);

}  // namespace soma::detail
