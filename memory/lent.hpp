// What a stream and a pool tell each other about the blocks that the pool has lent to the stream (stock.hpp).
#pragma once

#include <cstdint>

#include "memory/identifiers.hpp"

namespace soma::memory {

/// A block in a stock. Bytes.
struct stocked_block {
  address begin = address::null;
  std::uint64_t bytes = 0;
  std::uint64_t requested = 0;
  sequence_number freed = sequence_number::none;
};

/// What has happened since the last report, and what there is now.
struct stock_report {
  static constexpr auto nothing = ~std::uint64_t{0};

  std::uint64_t served = 0;             // requests served from the stock
  std::uint64_t least_bytes = nothing;  // in the stock right after one of them
  std::uint64_t least_requested = nothing;
  std::uint64_t bytes = 0;  // in the stock now
  std::uint64_t requested = 0;
  std::uint64_t term = 0;  // of the lease, as the stream knows it; 0: nothing is lent to it
};

}  // namespace soma::memory
