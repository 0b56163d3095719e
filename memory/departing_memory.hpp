// Memory that was moved away from its addresses, and is still there: tasks may touch it until the frees of
// what was there have been executed. Then it is due to go back to the system.
//
// A granule may be given out again before; then it stays. What the system refuses to take back stays due.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "memory/identifiers.hpp"
#include "memory/order_clock.hpp"

namespace soma::memory {

class departing_memory {
public:
  /// Granules whose memory goes when these frees have been executed: at once if there are none.
  void add(range granules, const std::vector<position>& frees);

  /// This free has been executed, and those before it on its stream; or all these were.
  void executed(position free);
  void executed(const order_clock& frees);

  /// The memory of those of these granules that are here stays: they have been given out again.
  void keep(range granules);

  [[nodiscard]] bool contains(address granule) const { return granules_.contains(granule); }
  [[nodiscard]] bool empty() const noexcept { return granules_.empty(); }

  /// Whether some of it waits for a free to be executed.
  [[nodiscard]] bool is_awaited() const noexcept { return due_.size() < granules_.size(); }

  /// What is due, by rising address, neighbours together; and all there is.
  [[nodiscard]] std::vector<range> due() const;
  [[nodiscard]] std::vector<range> all() const;

  /// These granules of what was due are gone.
  void gone(range granules);

private:
  void executed_up_to(position last);

  std::map<address, std::size_t> granules_;           // how many frees each waits for
  std::map<position, std::vector<address>> awaited_;  // the granules that wait for a free
  std::set<address> due_;
};

}  // namespace soma::memory
