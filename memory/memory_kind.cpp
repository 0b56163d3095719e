#include "memory/memory_kind.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "memory/memory_file.hpp"
#include "memory/pointer_to.hpp"
#include "memory/sizes.hpp"
#include "memory/system_hook.hpp"

namespace soma::memory {

namespace {

constexpr std::uint32_t most_nodes = 1024;
constexpr std::uint32_t word_bits = 64;
constexpr auto shared_pages_file = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";
constexpr auto nodes_file = "/sys/devices/system/node/online";

// The pages that lie in the range as a whole.
range whole_pages(range memory) noexcept {
  const auto page = system_page_bytes();
  const auto begin = round_up(number(memory.begin), page);
  const auto end = round_down(number(memory.end()), page);
  return {address{begin}, end > begin ? end - begin : 0};
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The choice in brackets, of a line like "always [never] advise".
std::string chosen(const std::string& line) {
  const auto begin = line.find('[');
  const auto end = line.find(']', begin);
  return begin == std::string::npos || end == std::string::npos ? std::string()
                                                                : line.substr(begin + 1, end - begin - 1);
}

bool advise(range pages, int advice) {
  return !is_made_to_fail(system_request::kind) &&
         ::madvise(pointer_to(pages.begin), pages.bytes, advice) == 0;
}

// Returns why not, or nothing.
std::string ask_for_huge_pages(range pages) {
  const auto setting = chosen(first_line(shared_pages_file));
  if (setting.empty()) {
    return std::string("no huge pages: the system has no ") + shared_pages_file;
  }
  if (setting == "never" || setting == "deny") {
    return std::string("no huge pages: ") + shared_pages_file + " is \"" + setting +
           R"("; the system's administrator can write "advise" to it)";
  }
  if (pages.bytes < granule_bytes) {
    return "no huge pages: a huge page has 2 MiB, and the memory has less";
  }
  if (!advise(pages, MADV_HUGEPAGE)) {
    return std::string("no huge pages: madvise failed: ") + std::strerror(errno);
  }
  return {};
}

// Nodes of Linux are bits of a mask of words.
using node_mask = std::array<unsigned long, most_nodes / word_bits>;

bool set_policy(range pages, int policy, const node_mask& nodes) {
  return !is_made_to_fail(system_request::kind) && ::syscall(SYS_mbind, pointer_to(pages.begin), pages.bytes,
                                                             policy, nodes.data(), most_nodes, 0U) == 0;
}

std::string ask_for_node(range pages, std::uint32_t node) {
  const auto online = first_line(nodes_file);
  const auto wanted = "no memory of NUMA node " + std::to_string(node) + ": ";
  if (online.empty()) {
    return wanted + "the system tells of no nodes (" + nodes_file + ")";
  }
  if (!is_in_list(online, node)) {
    return wanted + "the system has nodes " + online;
  }
  if (pages.bytes == 0) {
    return wanted + "the memory has no whole page";
  }
  node_mask nodes{};
  nodes[node / word_bits] = 1UL << (node % word_bits);
  if (!set_policy(pages, MPOL_PREFERRED, nodes)) {
    return wanted + "mbind failed: " + std::strerror(errno);
  }
  return {};
}

}  // namespace

// A list like "0-3,8".
bool is_in_list(const std::string& list, std::uint32_t wanted) {
  std::istringstream parts(list);
  std::string part;
  while (std::getline(parts, part, ',')) {
    std::istringstream bounds(part);
    std::uint32_t first = 0;
    if (!(bounds >> first)) {
      continue;
    }
    std::uint32_t last = first;
    char dash = 0;
    if (bounds >> dash && dash == '-') {
      bounds >> last;
    }
    if (wanted >= first && wanted <= last && wanted < most_nodes) {
      return true;
    }
  }
  return false;
}

kind_answer ask_for(range memory, const kind_wish& wish) {
  const auto pages = whole_pages(memory);
  kind_answer answer;
  if (wish.huge_pages) {
    answer.text = ask_for_huge_pages(pages);
    answer.huge_pages = answer.text.empty();
  }
  if (wish.numa_node) {
    const auto refused = ask_for_node(pages, *wish.numa_node);
    answer.numa_node = refused.empty();
    answer.text += (answer.text.empty() || refused.empty() ? "" : "; ") + refused;
  }
  return answer;
}

// There is no way back to memory that nobody has asked anything about. Where huge pages are for those who
// ask, asking for none is the same; where they are for all, the wish has changed nothing.
void end_wish(range memory, const kind_wish& wish) noexcept {
  const auto pages = whole_pages(memory);
  if (pages.bytes == 0) {
    return;
  }
  if (wish.huge_pages && chosen(first_line(shared_pages_file)) == "advise") {
    static_cast<void>(advise(pages, MADV_NOHUGEPAGE));
  }
  if (wish.numa_node) {
    static_cast<void>(set_policy(pages, MPOL_DEFAULT, {}));
  }
}

// -- what came of it ----------------------------------------------------------------------------------------

namespace {

constexpr std::uint64_t pages_at_once = 4096;

// Calls count(begin, pages) for the range in parts, and adds up what it returns.
template <class Count>
std::uint64_t count_pages(range pages, const Count& count) {
  const auto page = system_page_bytes();
  std::uint64_t counted = 0;
  for (std::uint64_t offset = 0; offset < pages.bytes; offset += pages_at_once * page) {
    counted += count(pages.begin + offset, std::min(pages_at_once, (pages.bytes - offset) / page));
  }
  return counted;
}

std::uint64_t resident_bytes(range pages) {
  const auto page = system_page_bytes();
  return page * count_pages(pages, [page](address begin, std::uint64_t count) -> std::uint64_t {
           std::array<unsigned char, pages_at_once> resident{};
           if (::mincore(pointer_to(begin), count * page, resident.data()) != 0) {
             return 0;
           }
           return static_cast<std::uint64_t>(std::count_if(
               resident.begin(), resident.end(), [](unsigned char one) { return (one & 1U) != 0; }));
         });
}

std::uint64_t bytes_on_node(range pages, std::uint32_t node) {
  const auto page = system_page_bytes();
  return page * count_pages(pages, [=](address begin, std::uint64_t count) -> std::uint64_t {
           std::array<void*, pages_at_once> places{};
           std::array<int, pages_at_once> nodes{};
           nodes.fill(-1);
           for (std::uint64_t number = 0; number < count; ++number) {
             places[number] = pointer_to(begin + number * page);
           }
           if (::syscall(SYS_move_pages, 0, count, places.data(), nullptr, nodes.data(), 0) != 0) {
             return 0;
           }
           return static_cast<std::uint64_t>(std::count(nodes.begin(), nodes.end(), static_cast<int>(node)));
         });
}

bool overlaps(const std::vector<range>& parts, std::uint64_t begin, std::uint64_t end) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](range part) { return begin < number(part.end()) && end > number(part.begin); });
}

// The system tells of whole mappings; memory that was asked to be of huge pages is one of its own.
std::uint64_t huge_bytes(const std::vector<range>& parts) {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  std::uint64_t kib = 0;
  bool inside = false;
  while (std::getline(maps, line)) {
    std::istringstream words(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char dash = 0;
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      inside = overlaps(parts, begin, end);
      continue;
    }
    std::uint64_t here = 0;
    std::istringstream pair(line);
    std::string name;
    if (inside && pair >> name >> here && (name == "ShmemPmdMapped:" || name == "AnonHugePages:")) {
      kib += here;
    }
  }
  return kib * 1024;
}

}  // namespace

kind_found look_at(const std::vector<range>& parts, std::optional<std::uint32_t> node) {
  kind_found found;
  std::uint64_t whole = 0;
  for (const auto& part : parts) {
    const auto pages = whole_pages(part);
    whole += pages.bytes;
    found.resident_bytes += resident_bytes(pages);
    found.node_bytes += node ? bytes_on_node(pages, *node) : 0;
  }
  found.huge_bytes = whole == 0 ? 0 : std::min(huge_bytes(parts), whole);
  return found;
}

}  // namespace soma::memory
