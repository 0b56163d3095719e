// A table from 64-bit numbers to 32-bit numbers other than 0, for look-ups that must cost next to nothing.
//
// Open addressing with linear probing; what is removed leaves no mark, so the table does not age.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace soma::memory {

class number_table {
public:
  /// The number that the key stands for, or 0.
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const noexcept;

  /// Precondition: the key is not in the table, and the value is not 0.
  void insert(std::uint64_t key, std::uint32_t value);

  /// Precondition: the key is in the table.
  void erase(std::uint64_t key) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
  struct slot {
    std::uint64_t key = 0;
    std::uint32_t value = 0;  // 0: the slot is empty
  };

  static constexpr std::size_t first_slots = 16;
  static constexpr unsigned first_shift = 60;  // 64 less the logarithm of the above

  // Multiplication carries every bit of the key to the upper bits of the product.
  [[nodiscard]] std::size_t home(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> shift_);
  }
  void grow();

  std::vector<slot> slots_{first_slots};
  std::size_t mask_ = first_slots - 1;
  unsigned shift_ = first_shift;
  std::size_t size_ = 0;
};

inline std::uint32_t number_table::find(std::uint64_t key) const noexcept {
  for (auto at = home(key); slots_[at].value != 0; at = (at + 1) & mask_) {
    if (slots_[at].key == key) {
      return slots_[at].value;
    }
  }
  return 0;
}

}  // namespace soma::memory
