// Random programs. A command is a kind and some numbers; what the numbers mean is found out when the command
// is run, by what exists then, so that any part of a program is a program (which is what shrinking needs).
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include <rapidcheck.h>

namespace oracle {

enum class command_kind : std::uint8_t {
  malloc_async,
  free_async,
  free_wrongly,
  free_at_once,
  record,
  wait,
  order,
  reset_event,
  hold,
  open,
  synchronize_stream,
  synchronize_event,
  synchronize_device,
  query_stream,
  query_event,
  trim,
  set_switch,
  set_threshold,
  set_high_mark,
  replace_pool,
  replace_stream,
  replace_event,
  fail,
  stop,
  malloc_plain,
  free_plain,
  ask_largest,
  ask_block,
};

struct command {
  command_kind kind = command_kind::malloc_async;
  std::array<std::uint32_t, 4> numbers{};
};

/// The pools and the device that a program starts with: numbers as well.
struct setup {
  std::uint32_t granules = 0;
  std::array<std::array<std::uint32_t, 4>, 3> pools{};
};

struct program {
  setup start;
  std::vector<command> commands;
};

rc::Gen<program> any_program(int longest);

std::ostream& operator<<(std::ostream& to, const command& each);
std::ostream& operator<<(std::ostream& to, const program& whole);

}  // namespace oracle
