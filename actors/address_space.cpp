// The ADDRESS SPACE: reserved addresses, and what is mapped there.

#include "actors/address_space.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "memory/sizes.hpp"

namespace soma::actors {

using memory::failed;
using memory::fault_code;
using messages::memory_access;
using messages::span_kind;

namespace {

std::string text_of(memory::range where) {
  char text[64];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(memory::number(where.begin)));
  return std::string(text) + " with " + memory::describe_bytes(where.bytes);
}

bool overlap(memory::range one, memory::range other) {
  return one.begin < other.end() && other.begin < one.end();
}

}  // namespace

address_space_state::~address_space_state() {
  for (const auto& [begin, one] : used_) {
    drop(one);
  }
  for (const auto& [begin, one] : reserved_) {
    memory::drop_addresses(one.what.where);
  }
}

// -- looking ------------------------------------------------------------------------------------------------

address_space_state::placed* address_space_state::find(layer& in, memory::address inside) {
  const auto behind = in.upper_bound(inside);
  if (behind == in.begin()) {
    return nullptr;
  }
  auto& before = std::prev(behind)->second;
  return before.what.where.contains(inside) ? &before : nullptr;
}

bool address_space_state::is_free(layer& in, memory::range where) {
  const auto behind = in.lower_bound(where.begin);
  return (behind == in.end() || !overlap(behind->second.what.where, where)) &&
         (behind == in.begin() || !overlap(std::prev(behind)->second.what.where, where));
}

void address_space_state::handle(messages::find_span& message) {
  for (auto* in : {&used_, &registered_, &reserved_}) {
    if (const auto* found = find(*in, message.inside); found != nullptr) {
      message.reply(found->what);
      return;
    }
  }
  message.reply(failed(fault_code::unknown_address, "nothing is known of this address"));
}

void address_space_state::handle(messages::count_spans& message) {
  message.reply(
      messages::span_count{reserved_.size() + used_.size() + registered_.size() + physicals_.size()});
}

// -- addresses ----------------------------------------------------------------------------------------------

void address_space_state::handle(messages::reserve_addresses& message) {
  const auto bytes = memory::round_up_checked(message.bytes, memory::granule_bytes);
  if (message.bytes == 0 || !bytes) {
    message.reply(
        failed(fault_code::invalid_argument, std::to_string(message.bytes) +
                                                 " bytes of addresses were asked for; ask for at least 1, "
                                                 "and for less than 2^64 - 2 MiB"));
    return;
  }
  auto where = memory::take_addresses(*bytes, message.wanted);
  if (!where) {
    message.reply(tl::unexpected(std::move(where.error())));
    return;
  }
  placed made;
  made.what.where = *where;
  made.what.kind = span_kind::reserved;
  reserved_.emplace(where->begin, std::move(made));
  message.reply(where->begin);
}

void address_space_state::handle(messages::release_addresses& message) {
  const auto found = reserved_.find(message.begin);
  if (found == reserved_.end()) {
    message.reply(failed(fault_code::unknown_address, "no reserved addresses begin here"));
    return;
  }
  if (!is_free(used_, found->second.what.where)) {
    message.reply(failed(fault_code::invalid_argument,
                         "memory is still mapped in these addresses: unmap it before they are released"));
    return;
  }
  memory::drop_addresses(found->second.what.where);
  reserved_.erase(found);
  message.reply(messages::done{});
}

// -- mapping ------------------------------------------------------------------------------------------------

messages::result<void> address_space_state::check_mapping(const messages::map_physical& wanted) {
  const auto backed_by = physicals_.find(wanted.id);
  if (backed_by == physicals_.end()) {
    return failed(fault_code::unknown_address,
                  "the handle is of no physical memory: it was released, or never made");
  }
  if (wanted.where.bytes != backed_by->second.what.bytes) {
    return failed(fault_code::invalid_argument, "the size is " + memory::describe_bytes(wanted.where.bytes) +
                                                    ", but physical memory is mapped as a whole: " +
                                                    memory::describe_bytes(backed_by->second.what.bytes));
  }
  if (memory::number(wanted.where.begin) % memory::granule_bytes != 0) {
    return failed(fault_code::invalid_argument,
                  "the address is no multiple of the granularity, which is 2 MiB (2097152 bytes)");
  }
  const auto* around = find(reserved_, wanted.where.begin);
  if (around == nullptr || wanted.where.bytes > around->what.where.end() - wanted.where.begin) {
    return failed(fault_code::invalid_argument,
                  "the range " + text_of(wanted.where) + " does not lie in reserved addresses");
  }
  if (!is_free(used_, wanted.where)) {
    return failed(fault_code::invalid_argument,
                  "something is mapped already in the range " + text_of(wanted.where) + ": unmap it before");
  }
  return {};
}

void address_space_state::handle(messages::map_physical& message) {
  if (auto right = check_mapping(message); !right) {
    message.reply(tl::unexpected(std::move(right.error())));
    return;
  }
  auto& backed_by = physicals_.at(message.id);
  placed made;
  made.what = {message.where, span_kind::mapped, backed_by.what.site, backed_by.what.page_bytes};
  made.physical = message.id;
  if (message.accessible) {
    made.access.push_back({backed_by.what.site, memory_access::read_write});
  }
  if (auto mapped = memory::map_file(message.where, *backed_by.file, 0, protection_of(made)); !mapped) {
    message.reply(tl::unexpected(std::move(mapped.error())));
    return;
  }
  ++backed_by.mappings;
  used_.emplace(message.where.begin, std::move(made));
  message.reply(messages::done{});
}

void address_space_state::handle(messages::unmap_physical& message) {
  const auto found = used_.find(message.begin);
  if (found == used_.end() || found->second.what.kind != span_kind::mapped) {
    message.reply(failed(fault_code::unknown_address, "no mapping begins at this address"));
    return;
  }
  if (auto unmapped = memory::unmap_file(found->second.what.where); !unmapped) {
    message.reply(tl::unexpected(std::move(unmapped.error())));
    return;
  }
  const auto id = found->second.physical;
  used_.erase(found);
  --physicals_.at(id).mappings;
  drop_if_unused(id);
  message.reply(messages::done{});
}

// -- access -------------------------------------------------------------------------------------------------

// All sites are one process here: memory can be used by all if it can be used by one.
memory::protection address_space_state::protection_of(const placed& mapping) {
  auto all = memory_access::none;
  for (const auto& one : mapping.access) {
    all = std::max(all, one.access);
  }
  return memory::protection{static_cast<std::uint8_t>(all)};
}

void address_space_state::handle(messages::set_access& message) {
  const auto found = used_.find(message.where.begin);
  if (found == used_.end() || found->second.what.kind != span_kind::mapped ||
      found->second.what.where != message.where) {
    message.reply(failed(fault_code::invalid_argument,
                         "the range " + text_of(message.where) +
                             " is not that of a mapping: access is changed for a mapping as a whole"));
    return;
  }
  auto changed = found->second;
  for (const auto& one : message.changes) {
    std::erase_if(changed.access, [&](const auto& before) { return before.site == one.site; });
    changed.access.push_back(one);
  }
  if (auto done = memory::protect(message.where, protection_of(changed)); !done) {
    message.reply(tl::unexpected(std::move(done.error())));
    return;
  }
  found->second = std::move(changed);
  message.reply(messages::done{});
}

void address_space_state::handle(messages::read_access& message) {
  const auto* found = find(used_, message.inside);
  if (found == nullptr || found->what.kind != span_kind::mapped) {
    message.reply(failed(fault_code::unknown_address, "nothing is mapped at this address"));
    return;
  }
  const auto one = std::find_if(found->access.begin(), found->access.end(),
                                [&](const auto& each) { return each.site == message.site; });
  message.reply(one == found->access.end() ? memory_access::none : one->access);
}

// -- the end ------------------------------------------------------------------------------------------------

// Mappings keep their addresses reserved; imports and managed memory have addresses of their own.
void address_space_state::drop(const placed& gone) {
  if (gone.what.kind != span_kind::mapped) {
    const auto pages = memory::system_page_bytes();
    const auto begin = memory::round_down(memory::number(gone.what.where.begin), pages);
    const auto end = memory::round_up(memory::number(gone.what.where.end()), pages);
    memory::drop_addresses({memory::address{begin}, end - begin});
  }
}

void address_space_state::handle(messages::stop_address_space& /*message*/) { own_.quit(); }

}  // namespace soma::actors
