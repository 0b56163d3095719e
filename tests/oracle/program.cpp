#include "oracle/program.hpp"

#include <ostream>
#include <string_view>

namespace oracle {

namespace {

struct kind_entry {
  std::size_t weight;
  command_kind kind;
  std::string_view name;
};

constexpr kind_entry kinds[] = {
    {60, command_kind::malloc_async, "malloc_async"},
    {40, command_kind::free_async, "free_async"},
    {4, command_kind::free_wrongly, "free_wrongly"},
    {3, command_kind::free_at_once, "free_at_once"},
    {5, command_kind::record, "record"},
    {5, command_kind::wait, "wait"},
    {14, command_kind::order, "order"},
    {1, command_kind::reset_event, "reset_event"},
    {10, command_kind::hold, "hold"},
    {9, command_kind::open, "open"},
    {3, command_kind::synchronize_stream, "synchronize_stream"},
    {3, command_kind::synchronize_event, "synchronize_event"},
    {1, command_kind::synchronize_device, "synchronize_device"},
    {3, command_kind::query_stream, "query_stream"},
    {3, command_kind::query_event, "query_event"},
    {5, command_kind::trim, "trim"},
    {6, command_kind::set_switch, "set_switch"},
    {2, command_kind::set_threshold, "set_threshold"},
    {3, command_kind::set_high_mark, "set_high_mark"},
    {2, command_kind::replace_pool, "replace_pool"},
    {2, command_kind::replace_stream, "replace_stream"},
    {1, command_kind::replace_event, "replace_event"},
    {1, command_kind::fail, "fail"},
    {1, command_kind::stop, "stop"},
    {4, command_kind::malloc_plain, "malloc_plain"},
    {4, command_kind::free_plain, "free_plain"},
    {1, command_kind::ask_largest, "ask_largest"},
    {3, command_kind::ask_block, "ask_block"},
};

rc::Gen<std::uint32_t> any_number() { return rc::gen::inRange(0U, 1U << 16); }

template <std::size_t count>
rc::Gen<std::array<std::uint32_t, count>> numbers() {
  return rc::gen::container<std::array<std::uint32_t, count>>(rc::gen::resize(100, any_number()));
}

rc::Gen<command_kind> any_kind() {
  std::vector<command_kind> by_weight;
  for (const auto& each : kinds) {
    by_weight.insert(by_weight.end(), each.weight, each.kind);
  }
  return rc::gen::elementOf(by_weight);
}

rc::Gen<command> any_command() {
  return rc::gen::apply(
      [](command_kind kind, const std::array<std::uint32_t, 4>& all) {
        return command{kind, all};
      },
      any_kind(), numbers<4>());
}

rc::Gen<setup> any_setup() {
  return rc::gen::apply(
      [](std::uint32_t granules, const std::array<std::array<std::uint32_t, 4>, 3>& pools) {
        return setup{granules, pools};
      },
      rc::gen::resize(100, any_number()),
      rc::gen::container<std::array<std::array<std::uint32_t, 4>, 3>>(numbers<4>()));
}

}  // namespace

rc::Gen<program> any_program(int longest) {
  return rc::gen::apply(
      [](const setup& start, const std::vector<command>& commands) {
        return program{start, commands};
      },
      any_setup(), rc::gen::resize(longest, rc::gen::container<std::vector<command>>(any_command())));
}

std::ostream& operator<<(std::ostream& to, const command& each) {
  for (const auto& entry : kinds) {
    if (entry.kind == each.kind) {
      to << entry.name;
    }
  }
  for (const auto number : each.numbers) {
    to << ' ' << number;
  }
  return to;
}

std::ostream& operator<<(std::ostream& to, const program& whole) {
  to << "a device of number " << whole.start.granules << ", pools of";
  for (const auto& pool : whole.start.pools) {
    for (const auto number : pool) {
      to << ' ' << number;
    }
    to << ';';
  }
  for (const auto& each : whole.commands) {
    to << "\n  " << each;
  }
  return to;
}

}  // namespace oracle
