// The memory behind simulated devices: one reserved range of addresses and one memory file.
//
// The range has no memory behind it at first. hold() puts granules of the file behind a part of it, release()
// gives them back to the operating system, so that the resident size really falls. The file's offset is the
// distance from the start of the mapping, so neighbours form one mapping and the number of mappings stays
// small. A child after fork does not have the range: a shared mapping would let it write into the parent's
// memory.
//
// Calls for disjoint parts may be made from any threads at the same time; the class keeps no other state.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "memory/fault.hpp"
#include "memory/identifiers.hpp"

namespace soma::memory {

class backing {
public:
  /// Reserves `wanted` bytes of addresses, or as much of it (halved until it works, but not below `least`) as
  /// the system allows. Both are whole granules.
  static result<std::unique_ptr<backing>> reserve(std::uint64_t wanted, std::uint64_t least);

  /// How many bytes of addresses a runtime should ask for on this machine: plenty, but less under
  /// ThreadSanitizer, and little under Valgrind, which refuse more.
  static std::uint64_t sensible_range() noexcept;

  ~backing();
  backing(const backing&) = delete;
  backing& operator=(const backing&) = delete;

  [[nodiscard]] range addresses() const noexcept { return addresses_; }

  /// Puts memory behind the part, which must consist of whole granules without memory. It reads as zero.
  result<void> hold(range part);

  /// The same for several parts. If one of them gets no memory, none does.
  result<void> hold(const std::vector<range>& parts);

  /// Gives the memory of the part, which must consist of whole granules with memory, back to the system. If
  /// that fails the part has its memory as before.
  result<void> release(range part);

  /// The file that a part of the range has its memory in, and where it lies in it.
  [[nodiscard]] std::pair<int, std::uint64_t> file_of(range part) const noexcept {
    return {file_, part.begin - mapped_.begin};
  }

  /// The parts of a part that have pages of memory at this moment, lowest first. Takes a call to the system
  /// for each; what the system does not tell counts as having none.
  [[nodiscard]] std::vector<range> touched(range part) const;

  /// Makes granules with memory inaccessible, and accessible again. What they hold stays.
  result<void> guard(range part);
  result<void> unguard(range part);

private:
  backing(int file, range mapped, range addresses) noexcept
      : file_(file), mapped_(mapped), addresses_(addresses) {}

  int file_;
  range mapped_;     // what the system gave
  range addresses_;  // the part of it that starts at a multiple of a granule
};

}  // namespace soma::memory
