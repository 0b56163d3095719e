#include "memory/granule_map.hpp"

#include <sys/mman.h>

#include <cassert>
#include <numeric>
#include <utility>

#include "memory/sizes.hpp"
#include "memory/system_hook.hpp"

namespace soma::memory {

granule_map::granule_map(range memory, int file, std::uint64_t offset)
    : memory_(memory), file_(file), offset_(offset), granules_(memory.bytes / granule_bytes) {
  std::iota(granules_.begin(), granules_.end(), std::uint64_t{0});
}

bool granule_map::put(std::uint64_t place, std::uint64_t granule) const {
  if (is_made_to_fail(system_request::addresses)) {
    return false;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): for the system
  auto* const where = reinterpret_cast<void*>(number(memory_.begin + place * granule_bytes));
  if (::mmap(where, granule_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file_,
             static_cast<off_t>(offset_ + granule * granule_bytes)) == MAP_FAILED) {
    return false;
  }
  ::madvise(where, granule_bytes, MADV_DONTFORK);  // as all of a backing
  return true;
}

// A granule that is mapped twice would be written to by two blocks: if the second mapping fails, the first is
// taken back, which needs nothing new of the system, as the two places look the same to it then.
bool granule_map::exchange(address one, address other) {
  const auto first = (one - memory_.begin) / granule_bytes;
  const auto second = (other - memory_.begin) / granule_bytes;
  assert(first < granules_.size() && second < granules_.size());
  if (!put(first, granules_[second])) {
    return false;
  }
  if (!put(second, granules_[first])) {
    static_cast<void>(put(first, granules_[first]));
    return false;
  }
  std::swap(granules_[first], granules_[second]);
  return true;
}

bool granule_map::restore() {
  bool all = true;
  for (std::uint64_t place = 0; place < granules_.size(); ++place) {
    if (granules_[place] != place && put(place, place)) {
      granules_[place] = place;
    }
    all = all && granules_[place] == place;
  }
  return all;
}

}  // namespace soma::memory
