// Reading expectations.

#include <utility>

#include "sim/parser_parts.hpp"

namespace soma::sim {

void parse_waited_for(cursor& at, statement& made, verb for_stream, verb for_event) {
  auto word = at.word("a stream or an event");
  if (is_stream(word)) {
    made.what = for_stream;
    made.stream = {std::move(word)};
  } else if (is_event(word)) {
    made.what = for_event;
    made.event = {std::move(word)};
  } else {
    at.fail(word, "a stream (S...) or an event (E...)");
  }
}

namespace {

comparison comparison_of(cursor& at) {
  constexpr std::array<std::pair<const char*, comparison>, 6> all{{{"==", comparison::equal},
                                                                   {"!=", comparison::unequal},
                                                                   {"<=", comparison::at_most},
                                                                   {">=", comparison::at_least},
                                                                   {"<", comparison::less},
                                                                   {">", comparison::more}}};
  for (const auto& [sign, meaning] : all) {
    if (at.take(sign)) {
      return meaning;
    }
  }
  at.fail_here("==, !=, <=, >=, < or >");
  return comparison::equal;
}

void parse_served(cursor& at, statement& made) {
  at.need(",");
  const auto how = at.word("same_stream, event, opportunistic, internal or new_memory");
  if (how == "same_stream") {
    made.expected.what = quantity::served_same_stream;
  } else if (how == "event") {
    made.expected.what = quantity::served_event;
  } else if (how == "opportunistic") {
    made.expected.what = quantity::served_opportunistic;
  } else if (how == "internal") {
    made.expected.what = quantity::served_internal;
  } else if (how == "new_memory") {
    made.expected.what = quantity::served_new_memory;
  } else {
    at.fail(how, "same_stream, event, opportunistic, internal or new_memory");
  }
}

void parse_quantity(cursor& at, statement& made, const std::string& function) {
  constexpr std::array<std::pair<const char*, quantity>, 8> of_pool{
      {{"used", quantity::used},
       {"used_high", quantity::used_high},
       {"reserved", quantity::reserved},
       {"reserved_high", quantity::reserved_high},
       {"idle", quantity::idle},
       {"live", quantity::live},
       {"os", quantity::backing_requests},
       {"osreturns", quantity::backing_returns}}};
  if (function == "query") {
    parse_waited_for(at, made, verb::query_stream, verb::query_event);
    made.expected.what = made.what == verb::query_stream ? quantity::stream_done : quantity::event_done;
  } else if (function == "served") {
    made.pool = {at.word("a pool")};
    parse_served(at, made);
  } else {
    bool found = false;
    for (const auto& [word, meaning] : of_pool) {
      if (function == word) {
        made.expected.what = meaning;
        found = true;
      }
    }
    if (!found) {
      at.fail(function,
              "used, used_high, reserved, reserved_high, idle, live, served, os, osreturns, query, inside, "
              "fails or race");
    }
    made.pool = {at.word("a pool")};
  }
  at.need(")");
  made.expected.how = comparison_of(at);
  made.expected.value = at.size();
}

}  // namespace

void parse_expect(cursor& at, statement& made) {
  auto word = at.word("a block, or what is compared, such as used(P)");
  if (word == "race") {
    made.expected.what = quantity::races;
    while (!at.at_end()) {
      made.expected.races.push_back(at.word("the name of a race"));
      at.take(",");
    }
  } else if (!at.take("(")) {
    made.block = {std::move(word)};
    made.expected.what = quantity::address;
    made.expected.how = comparison_of(at);
    if (made.expected.how != comparison::equal && made.expected.how != comparison::unequal) {
      at.fail_here("== or !=, since blocks are compared");
    }
    made.expected.other = {at.word("the name of a block")};
  } else if (word == "inside" || word == "fails") {
    made.expected.what = word == "fails" ? quantity::fails : quantity::inside;
    made.block = {at.word("the name of a block")};
    if (word == "inside") {
      at.need(",");
      made.expected.other = {at.word("the name of a block")};
    }
    at.need(")");
  } else {
    parse_quantity(at, made, word);
  }
  made.what = verb::expect;
}

}  // namespace soma::sim
