// What a process holds: threads, open files, mappings, and memory of its heap.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

namespace host_tests {

struct process_size {
  std::ptrdiff_t threads = 0;
  std::ptrdiff_t files = 0;
  std::ptrdiff_t mappings = 0;
  std::size_t heap_bytes = 0;  // in live allocations
};

inline std::ostream& operator<<(std::ostream& to, const process_size& size) {
  return to << size.threads << " threads, " << size.files << " open files, " << size.mappings << " mappings, "
            << size.heap_bytes << " bytes in the heap";
}

inline std::ptrdiff_t entries_of(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

inline process_size size_of_process() {
  process_size now;
  now.threads = entries_of("/proc/self/task");
  now.files = entries_of("/proc/self/fd") - 1;  // less the one that lists them
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    ++now.mappings;
  }
  const auto heap = ::mallinfo2();
  now.heap_bytes = heap.uordblks + heap.hblkhd;
  return now;
}

}  // namespace host_tests
