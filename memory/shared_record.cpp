#include "memory/shared_record.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <new>
#include <utility>

#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

constexpr std::uint64_t magic = 0x31302d616d6f73;  // "soma-01": its last part changes with the record's form
constexpr std::size_t most_processes = 512;

// How the number of a name is divided.
constexpr unsigned process_bits = 22;
constexpr unsigned file_bits = 20;
constexpr unsigned check_bits = 64 - process_bits - file_bits;

constexpr std::uint64_t low(std::uint64_t value, unsigned bits) noexcept {
  return value & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t random_number() {
  std::uint64_t drawn = 0;
  if (::getrandom(&drawn, sizeof drawn, 0) != static_cast<ssize_t>(sizeof drawn)) {
    static std::atomic<std::uint64_t> last{0};  // no random numbers: at least never the same twice
    drawn = ++last * 0x9E3779B97F4A7C15U;
  }
  return drawn | 1U;
}

// A name that was made from a number knows a part of the check only; its lowest bit is then 0.
bool is_same_check(std::uint64_t wanted, std::uint64_t real) noexcept {
  return (wanted & 1U) != 0 ? wanted == real : wanted >> 1U == low(real, check_bits);
}

tl::unexpected<fault> no_record(const shared_name& name) {
  return failed(fault_code::unknown_address,
                "process " + std::to_string(name.process) +
                    " shares no memory by this name: it was closed, or never shared");
}

}  // namespace

struct shared_record::page {
  std::uint64_t magic;
  std::uint64_t check;
  shared_memory what;
  std::atomic<bool> anyone;
  std::atomic<bool> closed;
  std::atomic<std::uint32_t> processes;
  std::array<std::atomic<std::int32_t>, most_processes> allowed;
};

std::string to_text(const shared_name& name) {
  std::array<char, 65> text{};
  std::snprintf(text.data(), text.size(), "soma-%08" PRIx32 "-%08" PRIx32 "-%016" PRIx64,
                static_cast<std::uint32_t>(name.process), static_cast<std::uint32_t>(name.file), name.check);
  return text.data();
}

std::optional<shared_name> shared_name_of(std::string_view text) {
  std::uint32_t process = 0;
  std::uint32_t file = 0;
  shared_name name;
  const std::string whole(text);
  if (std::sscanf(whole.c_str(), "soma-%8" SCNx32 "-%8" SCNx32 "-%16" SCNx64, &process, &file, &name.check) !=
      3) {
    return std::nullopt;
  }
  name.process = static_cast<std::int32_t>(process);
  name.file = static_cast<std::int32_t>(file);
  return to_text(name) == whole ? std::optional(name) : std::nullopt;
}

std::optional<std::uint64_t> to_number(const shared_name& name) {
  const auto process = static_cast<std::uint64_t>(name.process);
  const auto file = static_cast<std::uint64_t>(name.file);
  if (low(process, process_bits) != process || low(file, file_bits) != file) {
    return std::nullopt;
  }
  return process << (file_bits + check_bits) | file << check_bits | low(name.check, check_bits);
}

shared_name shared_name_of(std::uint64_t number) {
  shared_name name;
  name.process = static_cast<std::int32_t>(number >> (file_bits + check_bits));
  name.file = static_cast<std::int32_t>(low(number >> check_bits, file_bits));
  name.check = low(number, check_bits) << 1U;
  return name;
}

bool stands_for(const shared_name& name, const shared_name& of_record) noexcept {
  return name.process == of_record.process && name.file == of_record.file &&
         is_same_check(name.check, of_record.check);
}

result<std::unique_ptr<shared_record>> shared_record::create(const shared_memory& what, bool anyone) {
  const auto bytes = round_up(sizeof(page), system_page_bytes());
  auto file = memory_file::create(bytes);
  if (!file) {
    return tl::unexpected(std::move(file.error()));
  }
  auto where = take_addresses(bytes);
  if (!where) {
    return tl::unexpected(std::move(where.error()));
  }
  const shared_name name{static_cast<std::int32_t>(::getpid()), (*file)->number(), random_number()};
  std::unique_ptr<shared_record> made(new shared_record(std::move(*file), *where, name));
  if (auto mapped = map_file(*where, *made->file_, 0, protection::read_write); !mapped) {
    return tl::unexpected(std::move(mapped.error()));
  }
  auto* const told = new (&made->contents()) page{};
  told->what = what;
  told->check = name.check;
  told->anyone = anyone;
  told->magic = magic;
  return made;
}

result<std::unique_ptr<shared_record>> shared_record::open(const shared_name& name) {
  auto file = memory_file::open(name.process, name.file);
  if (!file) {
    return tl::unexpected(std::move(file.error()));
  }
  const auto bytes = round_up(sizeof(page), system_page_bytes());
  struct stat status = {};
  // What is no record must not be looked into: beyond a file's end there is no memory.
  if (::fstat((*file)->number(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) != bytes) {
    return no_record(name);
  }
  auto where = take_addresses(bytes);
  if (!where) {
    return tl::unexpected(std::move(where.error()));
  }
  std::unique_ptr<shared_record> opened(new shared_record(std::move(*file), *where, name));
  if (auto mapped = map_file(*where, *opened->file_, 0, protection::read_write); !mapped) {
    return tl::unexpected(std::move(mapped.error()));
  }
  const auto& told = opened->contents();
  if (told.magic != magic || !is_same_check(name.check, told.check) || told.closed) {
    return no_record(name);
  }
  opened->name_.check = told.check;
  return opened;
}

shared_record::shared_record(std::shared_ptr<memory_file> file, range where, shared_name name) noexcept
    : file_(std::move(file)), where_(where), name_(name) {}

shared_record::~shared_record() { drop_addresses(where_); }

shared_record::page& shared_record::contents() const noexcept {
  return *reinterpret_cast<page*>(number(where_.begin));  // NOLINT(performance-no-int-to-ptr): mapped there
}

const shared_memory& shared_record::what() const noexcept { return contents().what; }

result<void> shared_record::allow(const std::vector<std::int32_t>& processes) {
  auto& told = contents();
  const auto count = told.processes.load(std::memory_order_relaxed);
  if (count + processes.size() > most_processes) {
    return failed(fault_code::out_of_memory,
                  "at most " + std::to_string(most_processes) +
                      " processes can be named for one piece of shared memory, and " + std::to_string(count) +
                      " were named before");
  }
  for (std::size_t at = 0; at != processes.size(); ++at) {
    told.allowed.at(count + at).store(processes[at], std::memory_order_relaxed);
  }
  told.processes.store(count + static_cast<std::uint32_t>(processes.size()), std::memory_order_release);
  return {};
}

bool shared_record::allows(std::int32_t process) const noexcept {
  const auto& told = contents();
  if (told.anyone) {
    return true;
  }
  const auto count = std::min<std::size_t>(told.processes.load(std::memory_order_acquire), most_processes);
  for (std::size_t at = 0; at != count; ++at) {
    if (told.allowed[at].load(std::memory_order_relaxed) == process) {
      return true;
    }
  }
  return false;
}

void shared_record::close() noexcept { contents().closed = true; }

}  // namespace soma::memory
