// The names of things as types, so that one cannot be taken for another.
//
// 0 stands for "none" in each of them; real ones start at 1 and are never given twice in a runtime.
#pragma once

#include <compare>
#include <cstdint>

namespace soma::memory {

enum class stream_id : std::uint64_t { none = 0 };
enum class event_id : std::uint64_t { none = 0 };
enum class pool_id : std::uint64_t { none = 0 };

/// The place of a task in its stream. Numbers start at 1 and follow the order of submission.
enum class sequence_number : std::uint64_t { none = 0, all = ~std::uint64_t{0} };

/// The number of a record of an event, counted by the callers from 1.
enum class record_number : std::uint64_t { none = 0 };

/// An address of simulated device memory. It is a real address of this process.
enum class address : std::uint64_t { null = 0 };

template <class Number>
constexpr std::uint64_t number(Number id) noexcept {
  return static_cast<std::uint64_t>(id);
}

template <class Number>
constexpr Number next(Number id) noexcept {
  return Number{number(id) + 1};
}

constexpr address operator+(address begin, std::uint64_t bytes) noexcept {
  return address{number(begin) + bytes};
}

/// The bytes from one address up to another. Precondition: begin <= end.
constexpr std::uint64_t operator-(address end, address begin) noexcept { return number(end) - number(begin); }

/// A task of a stream.
struct position {
  stream_id stream = stream_id::none;
  sequence_number sequence = sequence_number::none;

  friend constexpr auto operator<=>(const position&, const position&) = default;
};

/// A range of addresses.
struct range {
  address begin = address::null;
  std::uint64_t bytes = 0;

  [[nodiscard]] constexpr address end() const noexcept { return begin + bytes; }
  [[nodiscard]] constexpr bool contains(address inside) const noexcept {
    return inside >= begin && inside < end();
  }
  friend constexpr bool operator==(const range&, const range&) = default;
};

}  // namespace soma::memory
