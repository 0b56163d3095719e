// A hash table from addresses to block numbers, for the baseline's live blocks: open addressing with linear
// probing, at most half full, and deletion that closes the gap instead of leaving a mark, so that nothing
// grows with what was there before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace soma::bench {

class address_table {
public:
  address_table();

  /// Precondition: the address is not in the table.
  void insert(std::uint64_t address, std::uint32_t block);

  /// Takes the address out and returns its block; nothing if it is not in the table.
  std::optional<std::uint32_t> take(std::uint64_t address) noexcept;

  [[nodiscard]] bool contains(std::uint64_t address) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  struct entry {
    std::uint64_t address = 0;
    std::uint32_t block = nothing;
  };

  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  [[nodiscard]] std::size_t home(std::uint64_t address) const noexcept;
  [[nodiscard]] std::size_t behind(std::size_t place) const noexcept { return (place + 1) & mask_; }

  /// Where the address is, or the empty entry where it would be.
  [[nodiscard]] std::size_t find(std::uint64_t address) const noexcept;
  void close_gap(std::size_t gap) noexcept;
  void grow();

  std::vector<entry> entries_;
  std::size_t mask_;
  unsigned shift_;
  std::size_t size_ = 0;
};

}  // namespace soma::bench
