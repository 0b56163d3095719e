// What the metrics of a runtime need beside its actors: the last figures of pools that are gone, kept only if
// the environment variable SOMA_METRICS asks for a file.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "memory/identifiers.hpp"
#include "messages/pool.hpp"

namespace soma::detail {

struct known_figures {
  std::uint32_t device = 0;
  memory::pool_id id = memory::pool_id::none;
  bool is_destroyed = false;
  messages::pool_figures figures;
};

class metrics_keeper {
public:
  metrics_keeper();

  /// Where the metrics go when the runtime ends; empty for nowhere.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

  /// The pool is about to be destroyed. Any thread may call it.
  void keep(known_figures last);

  [[nodiscard]] std::vector<known_figures> destroyed_pools() const;

private:
  std::string file_;
  mutable std::mutex lock_;  // guards what follows
  std::vector<known_figures> destroyed_;
};

}  // namespace soma::detail
