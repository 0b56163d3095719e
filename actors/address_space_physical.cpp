// The ADDRESS SPACE: physical memory.

#include <string>
#include <utility>

#include "actors/address_space.hpp"
#include "memory/sizes.hpp"

namespace soma::actors {

using memory::failed;
using memory::fault_code;
using messages::physical_id;

namespace {

constexpr auto no_such_physical = "the handle is of no physical memory: it was released, or never made";

}  // namespace

void address_space_state::handle(messages::create_physical& message) {
  const auto bytes = memory::round_up_checked(message.wanted.bytes, message.wanted.page_bytes);
  if (message.wanted.bytes == 0 || !bytes) {
    message.reply(
        failed(fault_code::invalid_argument, std::to_string(message.wanted.bytes) +
                                                 " bytes of physical memory were asked for; ask for "
                                                 "at least 1, and for less than 2^64 - 2 MiB"));
    return;
  }
  message.wanted.bytes = *bytes;
  auto file = memory::memory_file::create(*bytes);
  if (!file) {
    message.reply(tl::unexpected(std::move(file.error())));
    return;
  }
  if (!message.device) {
    const auto what = message.wanted;
    message.reply(add({what, std::move(*file), {}}));
    return;
  }
  const auto ticket = ++last_number_;
  const auto device = message.device;
  wanted_.emplace(ticket, wanted_physical{std::move(message), std::move(*file)});
  post(device, messages::take_budget{*bytes, answer_to<messages::budget_taken>(own_.handle(), ticket)});
}

void address_space_state::handle(messages::answered<messages::budget_taken>& message) {
  const auto found = wanted_.find(message.ticket);
  if (found == wanted_.end()) {
    return;
  }
  auto wanted = std::move(found->second);
  wanted_.erase(found);
  if (!message.value) {
    wanted.request.reply(tl::unexpected(std::move(message.value.error())));
  } else if (!message.value->granted) {
    wanted.request.reply(failed(fault_code::out_of_memory, std::move(message.value->refusal)));
  } else {
    wanted.request.reply(add({wanted.request.wanted, std::move(wanted.file), wanted.request.device}));
  }
}

physical_id address_space_state::add(physical made) {
  const physical_id id{++last_number_};
  physicals_.emplace(id, std::move(made));
  return id;
}

void address_space_state::handle(messages::release_physical& message) {
  const auto found = physicals_.find(message.id);
  if (found == physicals_.end() || found->second.references == 0) {
    message.reply(failed(fault_code::unknown_address, no_such_physical));
    return;
  }
  --found->second.references;
  drop_if_unused(message.id);
  message.reply(messages::done{});
}

void address_space_state::drop_if_unused(physical_id id) {
  const auto found = physicals_.find(id);
  auto& one = found->second;
  if (one.references > 0 || one.mappings > 0) {
    return;
  }
  if (one.device) {
    post(one.device, messages::return_budget{one.what.bytes});
  }
  if (one.exported) {
    if (const auto shared = exports_.find(*one.exported); shared != exports_.end()) {
      shared->second.record->close();
      exports_.erase(shared);
    }
  }
  physicals_.erase(found);
}

void address_space_state::handle(messages::retain_physical& message) {
  const auto* found = find(used_, message.inside);
  if (found == nullptr || found->what.kind != messages::span_kind::mapped) {
    message.reply(failed(fault_code::unknown_address, "no physical memory is mapped at this address"));
    return;
  }
  ++physicals_.at(found->physical).references;
  message.reply(found->physical);
}

void address_space_state::handle(messages::read_physical& message) {
  const auto found = physicals_.find(message.id);
  if (found == physicals_.end()) {
    message.reply(failed(fault_code::unknown_address, no_such_physical));
    return;
  }
  message.reply(found->second.what);
}

}  // namespace soma::actors
