// The ADDRESS SPACE: memory that is shared with other processes. What crosses is a memory file and the record
// that tells of it (memory/shared_record.hpp): both sides then have the same bytes at addresses of their own.

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "actors/address_space.hpp"
#include "memory/sizes.hpp"

namespace soma::actors {

using memory::failed;
using memory::fault_code;
using memory::shared_record;
using messages::span_kind;

namespace {

tl::unexpected<messages::fault> not_shared_here() {
  return failed(fault_code::unknown_address,
                "nothing is shared by this name here: it was closed, or belongs to another process");
}

}  // namespace

// -- sharing ------------------------------------------------------------------------------------------------

void address_space_state::handle(messages::export_physical& message) {
  const auto found = physicals_.find(message.id);
  if (found == physicals_.end()) {
    message.reply(failed(fault_code::unknown_address,
                         "the handle is of no physical memory: it was released, or never made"));
    return;
  }
  auto& shared = found->second;
  if (shared.exported) {
    message.reply(failed(fault_code::invalid_argument,
                         "this physical memory was exported before: pass on what that call gave"));
    return;
  }
  auto record = shared_record::create(
      {shared.file->number(), 0, shared.what.bytes, shared.what.page_bytes, shared.what.attribute, 0},
      message.anyone);
  if (!record) {
    message.reply(tl::unexpected(std::move(record.error())));
    return;
  }
  shared.exported = (*record)->name();
  exports_.emplace(*shared.exported, exported{std::move(*record), {}, message.anyone});
  message.reply(*shared.exported);
}

// The record tells of whole pages; what is shared may begin in the middle of the first.
void address_space_state::handle(messages::export_range& message) {
  auto file = message.file;
  auto offset = message.offset;
  auto page_bytes = memory::system_page_bytes();
  if (file < 0) {
    const auto* found = find(used_, message.what.begin);
    if (found == nullptr || found->what.kind != span_kind::mapped ||
        message.what.bytes > found->what.where.end() - message.what.begin) {
      message.reply(failed(fault_code::unknown_address, "the range is in no memory that can be shared"));
      return;
    }
    file = physicals_.at(found->physical).file->number();
    offset = message.what.begin - found->what.where.begin;
    page_bytes = found->what.page_bytes;
  }
  for (auto& [key, one] : exports_) {
    if (one.what == message.what && one.anyone == message.anyone) {
      ++one.exports;
      message.reply(key);
      return;
    }
  }
  const auto within = offset % memory::system_page_bytes();
  auto record = shared_record::create({file, offset - within, message.what.bytes, page_bytes, 0, within},
                                      message.anyone);
  if (!record) {
    message.reply(tl::unexpected(std::move(record.error())));
    return;
  }
  const auto key = (*record)->name();
  exports_.emplace(key, exported{std::move(*record), message.what, message.anyone});
  message.reply(key);
}

void address_space_state::handle(messages::allow_import& message) {
  const auto named = std::find_if(exports_.begin(), exports_.end(), [&](const auto& each) {
    return memory::stands_for(message.name, each.first);
  });
  if (named == exports_.end()) {
    message.reply(not_shared_here());
    return;
  }
  auto allowed = named->second.record->allow(message.processes);
  message.reply(allowed ? messages::result<messages::done>{} : tl::unexpected(std::move(allowed.error())));
}

// -- importing ----------------------------------------------------------------------------------------------

messages::result<std::unique_ptr<shared_record>>
address_space_state::open_allowed(const memory::shared_name& key) const {
  const auto self_process = static_cast<std::int32_t>(::getpid());
  if (key.process == self_process) {
    return failed(
        fault_code::invalid_argument,
        "the memory is shared by this very process: another process imports it; here it has its address");
  }
  auto record = shared_record::open(key);
  if (record && !(*record)->allows(self_process)) {
    return failed(fault_code::not_allowed,
                  "process " + std::to_string(key.process) + " shares this memory, but not with process " +
                      std::to_string(self_process) +
                      ": let it name this process before, or export without validation of processes");
  }
  return record;
}

void address_space_state::handle(messages::import_physical& message) {
  auto record = open_allowed(message.name);
  if (!record) {
    message.reply(tl::unexpected(std::move(record.error())));
    return;
  }
  const auto& what = (*record)->what();
  auto file = memory::memory_file::open(message.name.process, what.file);
  if (!file) {
    message.reply(tl::unexpected(std::move(file.error())));
    return;
  }
  message.reply(add({{message.site, what.bytes, what.page_bytes, what.attribute}, std::move(*file), {}}));
}

void address_space_state::handle(messages::import_range& message) {
  auto record = open_allowed(message.name);
  if (!record) {
    message.reply(tl::unexpected(std::move(record.error())));
    return;
  }
  for (auto& [begin, one] : used_) {
    if (one.name == (*record)->name()) {
      ++one.imports;
      message.reply(begin);
      return;
    }
  }
  const auto& what = (*record)->what();
  auto file = memory::memory_file::open(message.name.process, what.file);
  if (!file) {
    message.reply(tl::unexpected(std::move(file.error())));
    return;
  }
  const auto bytes = memory::round_up(what.within + what.bytes, memory::system_page_bytes());
  auto where = memory::take_addresses(bytes);
  if (!where) {
    message.reply(tl::unexpected(std::move(where.error())));
    return;
  }
  if (auto mapped = memory::map_file(*where, **file, what.offset, memory::protection::read_write); !mapped) {
    memory::drop_addresses(*where);
    message.reply(tl::unexpected(std::move(mapped.error())));
    return;
  }
  placed made;
  made.what = {{where->begin + what.within, what.bytes}, span_kind::imported, message.site, what.page_bytes};
  made.name = (*record)->name();
  const auto begin = made.what.where.begin;
  used_.emplace(begin, std::move(made));
  message.reply(begin);
}

// -- the end ------------------------------------------------------------------------------------------------

void address_space_state::handle(messages::close_shared& message) {
  if (const auto found = exports_.find(message.name); found != exports_.end()) {
    if (--found->second.exports == 0) {
      found->second.record->close();
      exports_.erase(found);
    }
    message.reply(messages::done{});
    return;
  }
  message.reply(close_imports(message.name) ? messages::result<messages::done>{} : not_shared_here());
}

bool address_space_state::close_imports(const memory::shared_name& key) {
  const auto found = std::find_if(used_.begin(), used_.end(), [&](const auto& each) {
    return each.second.what.kind == span_kind::imported && each.second.name == key;
  });
  if (found == used_.end()) {
    return false;
  }
  if (--found->second.imports == 0) {
    drop(found->second);
    used_.erase(found);
  }
  return true;
}

void address_space_state::handle(messages::close_import& message) {
  const auto found = used_.find(message.begin);
  if (found == used_.end() || found->second.what.kind != span_kind::imported) {
    message.reply(failed(fault_code::unknown_address, "no imported memory begins at this address"));
    return;
  }
  if (--found->second.imports == 0) {
    drop(found->second);
    used_.erase(found);
  }
  message.reply(messages::done{});
}

}  // namespace soma::actors
