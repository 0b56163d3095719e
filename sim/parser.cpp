#include "sim/parser.hpp"

#include <utility>

#include "sim/parser_parts.hpp"

namespace soma::sim {

namespace {

// -- parts of statements ------------------------------------------------------------------------------------

name stream_name(cursor& at) {
  auto word = at.word("a stream, S1 or the like");
  if (!is_stream(word)) {
    at.fail(word, "a stream: a name that begins with S");
  }
  return {std::move(word)};
}

name event_name(cursor& at) {
  auto word = at.word("an event, E1 or the like");
  if (!is_event(word)) {
    at.fail(word, "an event: a name that begins with E");
  }
  return {std::move(word)};
}

name made_name(cursor& at, const std::string& word) {
  if (is_stream(word) || is_event(word)) {
    at.fail(word, "the name of a block or pool; names that begin with S or E are streams and events");
  }
  return {word};
}

std::vector<access> accesses(cursor& at) {
  std::vector<access> found;
  while (at.take(",")) {
    const auto kind = at.word("r:, w: or mark:");
    access one;
    if (kind == "w") {
      one.how = access::kind::write;
    } else if (kind == "mark") {
      one.how = access::kind::mark;
    } else if (kind != "r") {
      at.fail(kind, "r:BLOCK, w:BLOCK=BYTE or mark:NAME");
    }
    at.need(":");
    one.what = {at.word(one.how == access::kind::mark ? "the name of a mark" : "the name of a block")};
    if (one.how != access::kind::mark && at.take("=")) {
      one.value = at.byte();
    } else if (one.how == access::kind::write) {
      at.need("=");
    }
    found.push_back(std::move(one));
  }
  return found;
}

bool switch_value(cursor& at) {
  const auto value = at.size();
  if (value > 1) {
    at.fail(std::to_string(value), "0 or 1");
  }
  return value == 1;
}

pool_settings settings_of(cursor& at) {
  pool_settings settings;
  at.need("(");
  for (std::size_t which = 0; which < settings.switches.size(); ++which) {
    if (which > 0) {
      at.need(",");
    }
    settings.switches.at(which) = switch_value(at);
  }
  const auto part = [&](std::uint64_t& value) {
    if (at.take(";") && !at.sees(";") && !at.sees(")")) {
      value = at.size();
    }
  };
  part(settings.limit);
  part(settings.threshold);
  part(settings.minimum_block);
  at.need(")");
  return settings;
}

// -- calls --------------------------------------------------------------------------------------------------

void parse_task(cursor& at, statement& made, bool held) {
  made.what = verb::run;
  made.stream = stream_name(at);
  if (held) {
    at.need(",");
    made.gate = {at.word("the name of a gate")};
  }
  made.accesses = accesses(at);
}

void parse_limit(cursor& at, statement& made) {
  if (at.take(",")) {
    made.limit_ms = at.size();
  }
}

void parse_destroy(cursor& at, statement& made) {
  auto word = at.word("a stream, an event or a pool");
  if (is_stream(word)) {
    made.what = verb::destroy_stream;
    made.stream = {std::move(word)};
  } else if (is_event(word)) {
    made.what = verb::destroy_event;
    made.event = {std::move(word)};
  } else {
    made.what = verb::destroy_pool;
    made.pool = {std::move(word)};
  }
}

void parse_set(cursor& at, statement& made) {
  made.what = verb::set;
  made.pool = {at.word("a pool")};
  at.need(",");
  const auto which = at.word("event, opportunistic, internal or threshold");
  if (which == "event") {
    made.which = setting::event;
  } else if (which == "opportunistic") {
    made.which = setting::opportunistic;
  } else if (which == "internal") {
    made.which = setting::internal;
  } else if (which != "threshold") {
    at.fail(which, "event, opportunistic, internal or threshold");
  }
  at.need(",");
  made.bytes = at.size();
}

void parse_call(cursor& at, statement& made, const std::string& function) {
  if (function == "dsync") {
    made.what = verb::sync_device;
    if (at.take("(")) {
      if (!at.sees(")")) {
        made.limit_ms = at.size();
      }
      at.need(")");
    }
    return;
  }
  if (function == "open") {
    made.what = verb::open;
    made.gate = {at.word("the name of a gate")};
    return;
  }
  constexpr std::array known{"free",  "pfree", "hold", "run",     "rec",   "wait",    "sync",
                             "query", "trim",  "set",  "destroy", "renew", "started", "seen"};
  bool found = false;
  for (const auto* one : known) {
    found = found || function == one;
  }
  if (!found) {
    at.fail(function,
            "NAME = ..., expect, or one of free pfree hold run rec wait sync dsync query trim set destroy "
            "renew open started seen");
  }
  at.need("(");
  if (function == "free") {
    made.what = verb::free;
    made.block = {at.word("the name of a block")};
    at.need(",");
    made.stream = stream_name(at);
  } else if (function == "pfree") {
    made.what = verb::free_plainly;
    made.block = {at.word("the name of a block")};
  } else if (function == "hold" || function == "run") {
    parse_task(at, made, function == "hold");
  } else if (function == "rec") {
    made.what = verb::record;
    made.event = event_name(at);
    at.need(",");
    made.stream = stream_name(at);
  } else if (function == "wait") {
    made.what = verb::wait;
    made.stream = stream_name(at);
    at.need(",");
    made.event = event_name(at);
  } else if (function == "sync") {
    parse_waited_for(at, made, verb::sync_stream, verb::sync_event);
    parse_limit(at, made);
  } else if (function == "query") {
    parse_waited_for(at, made, verb::query_stream, verb::query_event);
  } else if (function == "trim") {
    made.what = verb::trim;
    made.pool = {at.word("a pool")};
    at.need(",");
    made.bytes = at.size();
  } else if (function == "set") {
    parse_set(at, made);
  } else if (function == "destroy") {
    parse_destroy(at, made);
  } else if (function == "renew") {
    made.what = verb::renew_stream;
    made.stream = stream_name(at);
  } else {
    made.what = function == "started" ? verb::started : verb::seen;
    made.gate = {at.word(function == "started" ? "the name of a gate" : "the name of a mark")};
  }
  at.need(")");
}

void parse_assignment(cursor& at, statement& made, const std::string& assigned) {
  const auto function = at.word("pool(...), alloc(...) or malloc(...)");
  if (function == "pool") {
    made.what = verb::make_pool;
    made.pool = made_name(at, assigned);
    made.settings = settings_of(at);
    return;
  }
  made.block = made_name(at, assigned);
  if (function == "alloc") {
    made.what = verb::alloc;
    at.need("(");
    made.stream = stream_name(at);
    at.need(",");
    made.bytes = at.size();
    if (at.take(",")) {
      made.pool = {at.word("a pool")};
    }
  } else if (function == "malloc") {
    made.what = verb::malloc;
    at.need("(");
    made.bytes = at.size();
  } else {
    at.fail(function, "pool(...), alloc(...) or malloc(...)");
  }
  at.need(")");
}

// -- statements ---------------------------------------------------------------------------------------------

std::size_t thread_number(cursor& at, const std::string& word) {
  std::size_t number = 0;
  for (const char digit : word.substr(1)) {
    if (digit < '0' || digit > '9' || number > 99) {
      return 0;
    }
    number = number * 10 + static_cast<std::size_t>(digit - '0');
  }
  if (word.front() != 'T' || number == 0 || number > most_threads) {
    at.fail(word, "the number of a thread before ':', T2 to T" + std::to_string(most_threads));
  }
  return number;
}

void parse_statement(cursor& at, scenario& program) {
  statement made;
  made.line = at.line();
  auto word = at.word("a statement");
  if (at.take_prefix_colon()) {
    made.thread = thread_number(at, word);
    if (made.thread == 0) {
      at.fail(word, "the name of a thread before ':', such as T2");
    }
    word = at.word("a statement");
  }
  if (word == "device") {
    if (!program.statements.empty()) {
      at.fail(word, "it as the first statement of the scenario");
    }
    program.device_bytes = at.size();
    at.need_end();
    return;
  }
  if (word == "fails" || word == "maybe") {
    made.outcome = word == "fails" ? wanted::failure : wanted::either;
    word = at.word("a call");
  }
  if (word == "expect") {
    parse_expect(at, made);
  } else if (at.take("=")) {
    parse_assignment(at, made, word);
  } else {
    parse_call(at, made, word);
  }
  at.need_end();
  program.statements.push_back(std::move(made));
}

}  // namespace

tl::expected<scenario, scenario_error> parse_scenario(std::string_view text, std::string title) {
  scenario program;
  program.title = std::move(title);
  for (const auto& [part, line] : split_statements(text)) {
    cursor at(part, line);
    try {
      parse_statement(at, program);
    } catch (scenario_error& error) {
      return tl::unexpected(std::move(error));
    }
  }
  if (auto resolved = resolve(program); !resolved) {
    return tl::unexpected(std::move(resolved.error()));
  }
  return program;
}

}  // namespace soma::sim
