// Making events, for all calls that do (event.cpp), and the flags of them.
#pragma once

#include <cstdint>
#include <memory>

#include "api/acl/shared_word.hpp"

namespace soma::acl {

/// A bit without a public name, by which streams can wait for the events of aclrtCreateEvent.
inline constexpr std::uint32_t event_flag_unnamed_sync = 0x4U;

/// Makes an event in the current context and gives its handle. `shared` is null for events of this process
/// alone.
void* make_event(bool is_new_kind, std::uint32_t flags, std::shared_ptr<shared_word> shared);

}  // namespace soma::acl
