#include "bench/support/process_memory.hpp"

#include <malloc.h>

#include <fstream>
#include <string>

namespace soma::bench {

std::uint64_t private_bytes() {
  ::malloc_trim(0);
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "RssAnon:") {
      std::uint64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
  }
  return 0;
}

std::size_t mapping_count() {
  std::ifstream maps("/proc/self/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(maps, line);) {
    ++lines;
  }
  return lines;
}

std::size_t mapping_limit() {
  std::ifstream file("/proc/sys/vm/max_map_count");
  std::size_t limit = 0;
  file >> limit;
  return limit;
}

}  // namespace soma::bench
