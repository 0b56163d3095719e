// The ADDRESS SPACE: memory of the program that devices may use, and managed memory, which is for both.

#include <algorithm>
#include <utility>

#include "actors/address_space.hpp"
#include "memory/sizes.hpp"

namespace soma::actors {

using memory::failed;
using memory::fault_code;
using messages::span_kind;

void address_space_state::handle(messages::register_host& message) {
  if (message.what.bytes == 0 ||
      memory::number(message.what.begin) + message.what.bytes < message.what.bytes) {
    message.reply(
        failed(fault_code::invalid_argument, "the range is empty, or goes beyond the last address"));
    return;
  }
  if (!is_free(registered_, message.what)) {
    message.reply(failed(fault_code::already_done,
                         "a part of the range is registered: unregister it, or register each range once"));
    return;
  }
  placed made;
  made.what = {
      message.what, span_kind::registered, {true, 0}, memory::system_page_bytes(), message.read_only};
  registered_.emplace(message.what.begin, std::move(made));
  message.reply(messages::done{});
}

void address_space_state::handle(messages::unregister_host& message) {
  message.reply(registered_.erase(message.begin) > 0
                    ? messages::result<messages::done>{}
                    : failed(fault_code::unknown_address, "no registered range begins at this address"));
}

void address_space_state::handle(messages::allocate_managed& message) {
  const auto bytes = memory::round_up_checked(message.bytes, memory::granule_bytes);
  if (message.bytes == 0 || !bytes) {
    message.reply(failed(fault_code::invalid_argument, "the size is 0, or cannot be rounded up to 2 MiB"));
    return;
  }
  auto file = memory::memory_file::create(*bytes);
  if (!file) {
    message.reply(tl::unexpected(std::move(file.error())));
    return;
  }
  auto where = memory::take_addresses(*bytes);
  if (!where) {
    message.reply(tl::unexpected(std::move(where.error())));
    return;
  }
  if (auto mapped = memory::map_file(*where, **file, 0, memory::protection::read_write); !mapped) {
    memory::drop_addresses(*where);
    message.reply(tl::unexpected(std::move(mapped.error())));
    return;
  }
  placed made;
  made.what = {*where, span_kind::managed, message.site, memory::granule_bytes};
  used_.emplace(where->begin, std::move(made));
  message.reply(where->begin);
}

void address_space_state::handle(messages::free_managed& message) {
  const auto found = used_.find(message.begin);
  if (found == used_.end() || found->second.what.kind != span_kind::managed) {
    message.reply(failed(fault_code::unknown_address, "no managed memory begins at this address"));
    return;
  }
  drop(found->second);
  used_.erase(found);
  message.reply(messages::done{});
}

// -- hints --------------------------------------------------------------------------------------------------

messages::result<std::vector<address_space_state::placed*>>
address_space_state::managed_in(memory::range where) {
  std::vector<placed*> found;
  for (auto at = where.begin; at < where.end() || found.empty(); at = found.back()->what.where.end()) {
    auto* const next = find(used_, at);
    if (next == nullptr || next->what.kind != span_kind::managed) {
      return failed(fault_code::unknown_address, "a part of the range is no managed memory");
    }
    found.push_back(next);
  }
  return found;
}

void address_space_state::handle(messages::hint_managed& message) {
  auto found = managed_in(message.where);
  if (!found) {
    message.reply(tl::unexpected(std::move(found.error())));
    return;
  }
  const auto place = message.set ? std::optional(message.place) : std::nullopt;
  for (auto* one : *found) {
    auto& hints = one->hints;
    switch (message.which) {
    case messages::managed_hint::read_mostly:
      hints.read_mostly = message.set;
      break;
    case messages::managed_hint::preferred:
      hints.preferred = place;
      break;
    case messages::managed_hint::prefetch:
      hints.last_prefetch = place;
      break;
    case messages::managed_hint::accessed_by:
      std::erase(hints.accessed_by, message.place);
      if (message.set) {
        hints.accessed_by.push_back(message.place);
      }
      break;
    }
  }
  message.reply(messages::done{});
}

void address_space_state::handle(messages::read_hints& message) {
  auto found = managed_in(message.where);
  if (!found) {
    message.reply(tl::unexpected(std::move(found.error())));
    return;
  }
  auto common = found->front()->hints;
  for (const auto* one : *found) {
    const auto& hints = one->hints;
    common.read_mostly = common.read_mostly && hints.read_mostly;
    common.preferred = common.preferred == hints.preferred ? common.preferred : std::nullopt;
    common.last_prefetch = common.last_prefetch == hints.last_prefetch ? common.last_prefetch : std::nullopt;
    std::erase_if(common.accessed_by, [&](const auto& place) {
      return std::find(hints.accessed_by.begin(), hints.accessed_by.end(), place) == hints.accessed_by.end();
    });
  }
  message.reply(std::move(common));
}

}  // namespace soma::actors
