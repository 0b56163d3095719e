// Keeps streams from executing anything, until it is opened.
//
// While the gate is closed each stream has a task in front that waits for it, on a thread of the device: what
// is submitted behind it is accepted, and is executed when the gate opens. It can be closed and opened any
// number of times.
#pragma once

#include <memory>
#include <vector>

#include "soma/stream.hpp"

namespace soma::tools {

class stream_gate {
public:
  /// The streams must outlive the gate. It is open at first.
  explicit stream_gate(std::vector<soma::stream>& streams) noexcept : streams_(&streams) {
    // nop
  }
  stream_gate(const stream_gate&) = delete;
  stream_gate& operator=(const stream_gate&) = delete;

  /// Opens it: nothing may wait for ever.
  ~stream_gate();

  /// What is submitted from now on waits. Precondition: it is open. On an error it stays open.
  expected<void> close();

  void open() noexcept;

private:
  struct door;

  std::vector<soma::stream>* streams_;
  std::shared_ptr<door> door_;  ///< shared with the tasks that wait; null while the gate is open
};

}  // namespace soma::tools
