// From what the checker has found to what a program is told.

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "api/cpp/checks.hpp"

namespace soma {

std::string_view to_string(check_kind kind) noexcept {
  switch (kind) {
  case check_kind::use_before_malloc:
    return "use_before_malloc";
  case check_kind::use_after_free:
    return "use_after_free";
  case check_kind::free_before_malloc:
    return "free_before_malloc";
  case check_kind::free_before_last_use:
    return "free_before_last_use";
  case check_kind::double_free:
    return "double_free";
  case check_kind::foreign_free:
    return "foreign_free";
  case check_kind::out_of_bounds:
    return "out_of_bounds";
  case check_kind::leak:
    return "leak";
  case check_kind::stray_access:
    return "stray_access";
  }
  return "unknown kind";
}

namespace detail {

namespace {

using memory::finding;
using memory::finding_kind;
using memory::operation;
using memory::operation_kind;

check_kind kind_of(finding_kind kind) noexcept {
  switch (kind) {
  case finding_kind::use_before_malloc:
    return check_kind::use_before_malloc;
  case finding_kind::use_after_free:
    return check_kind::use_after_free;
  case finding_kind::free_before_malloc:
    return check_kind::free_before_malloc;
  case finding_kind::free_before_last_use:
    return check_kind::free_before_last_use;
  case finding_kind::double_free:
    return check_kind::double_free;
  case finding_kind::foreign_free:
    return check_kind::foreign_free;
  case finding_kind::out_of_bounds:
    return check_kind::out_of_bounds;
  case finding_kind::leak:
    return check_kind::leak;
  case finding_kind::stray_access:
    return check_kind::stray_access;
  }
  return check_kind::leak;
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

std::string without_folder(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

// Programs that are not position-independent are linked for the addresses at which they are.
bool is_at_its_place(const void* loaded_at) noexcept {
  return static_cast<const ElfW(Ehdr)*>(loaded_at)->e_type == ET_EXEC;
}

// For addr2line: the call itself, not the instruction behind it to which it returns.
std::string code_place(const void* returns_to) {
  const auto code = reinterpret_cast<std::uint64_t>(returns_to) - 1;
  Dl_info found{};
  if (::dladdr(to_pointer(memory::address{code}), &found) == 0 || found.dli_fname == nullptr) {
    return hexadecimal(code);
  }
  if (found.dli_sname != nullptr) {
    const auto begin = reinterpret_cast<std::uint64_t>(found.dli_saddr);
    return std::string(found.dli_sname) + "+" + hexadecimal(code - begin);
  }
  const auto base = is_at_its_place(found.dli_fbase) ? 0 : reinterpret_cast<std::uint64_t>(found.dli_fbase);
  return without_folder(found.dli_fname) + "+" + hexadecimal(code - base);
}

std::string place_text(const memory::place& where) {
  if (where.code != nullptr) {
    return code_place(where.code);
  }
  return where.file == nullptr ? std::string()
                               : without_folder(where.file) + ":" + std::to_string(where.line);
}

const char* noun(operation_kind kind) noexcept {
  switch (kind) {
  case operation_kind::malloc:
    return "malloc";
  case operation_kind::free:
    return "free";
  case operation_kind::task:
    return "task";
  case operation_kind::host_access:
    break;
  }
  return "access";
}

std::string name_of(const operation& what) {
  const std::string stream = "stream " + std::to_string(memory::number(what.at.stream));
  if (what.at.stream == memory::stream_id::none) {
    return std::string("the host's ") + noun(what.kind);
  }
  if (what.at.sequence == memory::sequence_number::none) {
    return std::string("a ") + noun(what.kind) + " on " + stream;
  }
  return stream + "'s " + noun(what.kind) + " " + std::to_string(memory::number(what.at.sequence));
}

check_operation operation_of(const operation& what) {
  check_operation made;
  made.name = name_of(what);
  made.call = what.where.call == nullptr ? "" : what.where.call;
  made.kernel = what.subject;
  made.place = place_text(what.where);
  made.file = what.where.file == nullptr ? "" : what.where.file;
  made.stream = memory::number(what.at.stream);
  made.sequence = memory::number(what.at.sequence);
  return made;
}

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string foreign_text(const finding& found, const std::string& after) {
  const auto frees = after + " frees an address ";
  if (!found.block) {
    return frees + "that was never given out";
  }
  const auto offset = found.at - found.block->memory.begin;
  if (offset == 0) {
    return after + " frees a block of another pool than the one that it was given to";
  }
  return frees + "inside of a block, " + bytes_text(offset) + " behind its begin";
}

std::string bounds_text(const finding& found, const std::string& after) {
  const auto offset = found.at - found.block->memory.begin;
  const auto passed = offset + found.bytes - found.block->requested;
  return after + " uses " + bytes_text(found.bytes) + " from byte " + std::to_string(offset) +
         " on of a block of " + bytes_text(found.block->requested) + ": " + bytes_text(passed) + " too many";
}

std::string stray_text(const finding& found, const std::string& after) {
  return after + " raised a fatal signal at " + hexadecimal(memory::number(found.at)) + ", byte " +
         std::to_string(found.at - found.block->memory.begin) + " of a block that was freed";
}

// What is wrong, in one sentence.
std::string headline(const finding& found) {
  const auto before = found.before ? name_of(*found.before) : std::string();
  const auto after = found.after ? name_of(*found.after) : std::string();
  switch (found.kind) {
  case finding_kind::use_before_malloc:
    return after + " uses a block that " + before + " allocates";
  case finding_kind::use_after_free:
    return found.order_missing ? before + " uses a block that " + after + " frees"
                               : after + " uses a block that " + before + " has freed";
  case finding_kind::free_before_malloc:
    return after + " frees a block that " + before + " allocates";
  case finding_kind::free_before_last_use:
    return after + " frees a block that " + before + " uses";
  case finding_kind::double_free:
    return after + " frees a block that " + before + " has freed";
  case finding_kind::foreign_free:
    return foreign_text(found, after);
  case finding_kind::out_of_bounds:
    return bounds_text(found, after);
  case finding_kind::leak:
    return "the block of " + before + " was never freed" +
           (found.block->pool_destroyed ? ", and its pool was destroyed with the block live" : "");
  case finding_kind::stray_access:
    return stray_text(found, after);
  }
  return {};
}

std::string edge_text(const finding& found) {
  if (!found.order_missing || !found.before || !found.after) {
    return {};
  }
  const auto before = name_of(*found.before);
  const auto after = name_of(*found.after);
  if (found.after->at == memory::position{}) {
    return "the host has not seen " + before + " complete before " + after;
  }
  return "no event orders " + before + " before " + after;
}

check_block block_of(const memory::block_life& life) {
  check_block made;
  made.address = memory::number(life.memory.begin);
  made.bytes = life.memory.bytes;
  made.requested = life.requested;
  made.allocated = operation_of(life.allocated);
  if (life.freed) {
    made.freed = operation_of(*life.freed);
  }
  made.pool_destroyed = life.pool_destroyed;
  return made;
}

}  // namespace

check_report report_of(const finding& found) {
  check_report report;
  report.kind = kind_of(found.kind);
  report.text = headline(found);
  report.missing_edge = edge_text(found);
  if (found.before) {
    report.first = operation_of(*found.before);
  }
  if (found.after) {
    report.second = operation_of(*found.after);
  }
  if (found.block) {
    report.block = block_of(*found.block);
  }
  report.address = memory::number(found.at);
  report.count = found.count;
  return report;
}

}  // namespace detail
}  // namespace soma
