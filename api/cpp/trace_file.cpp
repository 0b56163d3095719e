#include "api/cpp/trace_file.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "api/cpp/trace_text.hpp"

namespace soma::detail {

using actors::actor_kind;
using actors::entry_type;

namespace {

constexpr std::string_view kind_names[actors::actor_kinds] = {"actor", "device", "stream",  "event",
                                                              "pool",  "engine", "checker", "reporter"};
constexpr std::string_view work_names[] = {"kernel", "copy", "fill", "host function"};
constexpr std::string_view served_names[] = {"same stream", "event", "opportunistic", "internal",
                                             "new memory"};

class file_writer {
public:
  file_writer(int file, const trace_snapshot& of) noexcept : text_(file), of_(of) {}

  int write() noexcept {
    text_.raw("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    processes();
    tracks();
    for (std::size_t which = 0; which < of_.slices(); ++which) {
      slice(of_.slice(which));
    }
    for (std::size_t at = 0; at < of_.size(); ++at) {
      rest(at);
    }
    summary();
    return text_.finish();
  }

private:
  // -- events ----------------------------------------------------------------------------------------------

  void begin(std::string_view phase) noexcept {
    text_.raw(std::exchange(is_first_, false) ? "\n{\"ph\":\"" : ",\n{\"ph\":\"").raw(phase).raw("\"");
  }

  void on(const track_id& track) noexcept {
    text_.raw(track.is_thread ? ",\"pid\":2,\"tid\":" : ",\"pid\":1,\"tid\":").number(track.number);
  }

  void at(std::uint64_t nanoseconds) noexcept { text_.raw(",\"ts\":").microseconds(nanoseconds); }

  void arg(std::string_view name, std::uint64_t value) noexcept {
    text_.raw(",\"").raw(name).raw("\":").number(value);
  }

  void arg(std::string_view name, std::string_view value) noexcept {
    text_.raw(",\"").raw(name).raw("\":\"").escaped(value).raw("\"");
  }

  // -- names -----------------------------------------------------------------------------------------------

  void actor(std::uint32_t number) noexcept {
    const auto& named = of_.actor(number);
    if (!named.is_known) {
      text_.raw("actor ").number(number);
      return;
    }
    text_.raw(kind_names[static_cast<std::size_t>(named.kind)]);
    text_.raw(" ").number(named.kind == actor_kind::other ? number : named.label);
    if (named.is_shared && named.kind != actor_kind::other) {
      text_.raw(" (actor ").number(number).raw(")");
    }
  }

  void track_name(const track_id& track) noexcept {
    if (track.is_thread) {
      text_.raw("thread ").number(track.number);
    } else {
      actor(track.number);
    }
  }

  void message_name(const actors::entry_head& head) noexcept {
    const auto name = actors::name_of(head.kind, head.place);
    if (name.text.empty()) {
      text_.raw("message ").number(head.place);
    } else {
      text_.raw(name.is_answer ? "answered<" : "").raw(name.text).raw(name.is_answer ? ">" : "");
    }
  }

  void work_name(std::size_t entry) noexcept {
    const auto kind = std::min<std::size_t>(of_.head(entry).place, std::size(work_names) - 1);
    text_.raw(work_names[kind]);
    if (const auto name = of_.facts(entry).name; name != 0) {
      const auto& words = of_.entry(name - 1).words;
      char characters[6 * sizeof(std::uint64_t)];
      std::memcpy(characters, &words[2], sizeof(characters));
      text_.raw(" ").escaped({characters, ::strnlen(characters, sizeof(characters))});
    }
  }

  void processes() noexcept {
    begin("M");
    text_.raw(",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"actors\"}}");
    begin("M");
    text_.raw(",\"pid\":2,\"name\":\"process_name\",\"args\":{\"name\":\"threads of the program\"}}");
  }

  // Every track that a slice or a sender is on.
  void tracks() noexcept {
    for (std::uint32_t number = 1; number <= of_.most_actors(); ++number) {
      if (of_.actor(number).is_known) {
        name_track({false, number}, static_cast<std::uint64_t>(of_.actor(number).kind));
      }
    }
    track_id last{};
    for (std::size_t which = 0; which < of_.slices(); ++which) {
      const auto track = of_.facts(of_.slice(which)).track;
      if (track.is_thread && track != last) {
        name_track(track, 0);
        last = track;
      }
    }
  }

  void name_track(const track_id& track, std::uint64_t place) noexcept {
    begin("M");
    on(track);
    text_.raw(",\"name\":\"thread_name\",\"args\":{\"name\":\"");
    track_name(track);
    text_.raw("\"}}");
    begin("M");
    on(track);
    text_.raw(",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":").number(place).raw("}}");
  }

  // -- slices ----------------------------------------------------------------------------------------------

  void slice(std::size_t entry) noexcept {
    const auto head = of_.head(entry);
    const auto& facts = of_.facts(entry);
    begin("X");
    on(facts.track);
    at(facts.start);
    text_.raw(",\"dur\":").microseconds(facts.end - facts.start);
    text_.raw(",\"cat\":\"");
    switch (head.type) {
    case entry_type::called:
      text_.raw("call\",\"name\":\"");
      text_.escaped(
          reinterpret_cast<const char*>(of_.entry(entry).words[2]));  // NOLINT(performance-no-int-to-ptr)
      break;
    case entry_type::began:
      text_.raw("work\",\"name\":\"");
      work_name(entry);
      break;
    default:
      text_.raw("message\",\"name\":\"");
      message_name(head);
      break;
    }
    text_.raw("\",\"args\":{\"id\":").number(facts.id);
    if (head.type != entry_type::handled) {
      cause_of(entry);
    }
    if (facts.is_open) {
      text_.raw(",\"open\":true");
    }
    if (head.type == entry_type::sent) {
      message_args(entry);
    } else if (head.type == entry_type::began) {
      about(entry);
    }
    text_.raw("}}");
    if (head.type == entry_type::sent || head.type == entry_type::handled) {
      counters(entry);
    }
  }

  void cause_of(std::size_t entry) noexcept {
    if (const auto cause = of_.entry(entry).words[1]; cause != 0) {
      arg("cause", cause);
    }
  }

  void message_args(std::size_t entry) noexcept {
    const auto& words = of_.entry(entry).words;
    text_.raw(",\"sent\":").microseconds(of_.nanoseconds(words[3]));
    text_.raw(",\"from\":\"");
    sender(entry);
    text_.raw("\",\"to\":\"");
    actor(actors::low_half(words[2]));
    text_.raw("\"");
    about(entry);
    const auto& figures = of_.facts(entry).figures;
    if (of_.facts(entry).is_slice && of_.head(entry).kind == actor_kind::stream) {
      arg("accepted", figures[0]);
      arg("executed", figures[1]);
    }
  }

  void sender(std::size_t entry) noexcept {
    if (const auto number = of_.head(entry).actor; number != 0) {
      actor(number);
      return;
    }
    const auto cause = of_.find(of_.entry(entry).words[1]);
    if (cause != trace_snapshot::nowhere && of_.facts(cause).is_slice) {
      track_name(of_.facts(cause).track);
    } else {
      text_.raw("the program");
    }
  }

  // The task, amount and block that an entry has.
  void about(std::size_t entry) noexcept {
    const auto& words = of_.entry(entry).words;
    const auto flags = of_.head(entry).flags;
    if (words[4] != 0) {
      arg("stream", words[4]);
    }
    if ((flags & actors::has_source) != 0) {
      text_.raw(",\"source\":").address(words[5]);
    } else if (words[5] != 0) {
      arg("task", words[5]);
    }
    if ((flags & actors::has_bytes) != 0) {
      arg("bytes", words[6]);
    }
    if ((flags & actors::has_number) != 0) {
      arg("record", words[6]);
    }
    if ((flags & actors::has_block) != 0) {
      text_.raw(",\"block\":").address(words[7]);
    }
    if ((flags & actors::is_failure) != 0) {
      text_.raw(",\"failed\":true");
    }
  }

  void counters(std::size_t entry) noexcept {
    const auto& facts = of_.facts(entry);
    if (of_.head(entry).kind != actor_kind::pool) {
      return;
    }
    begin("C");
    on(facts.track);
    at(facts.end);
    text_.raw(",\"name\":\"");
    actor(facts.track.number);
    text_.raw("\",\"args\":{\"used\":").number(facts.figures[0]);
    text_.raw(",\"reserved\":").number(facts.figures[1]).raw("}}");
  }

  // -- what is no slice ------------------------------------------------------------------------------------

  void rest(std::size_t entry) noexcept {
    const auto& facts = of_.facts(entry);
    const auto& words = of_.entry(entry).words;
    switch (of_.head(entry).type) {
    case entry_type::sent:
      ++messages_;
      if (facts.is_slice) {
        ++handled_;
        arrow(facts.id, words[1], words[3], facts.track, facts.start, "sent");
      } else {
        unhandled(entry);
      }
      break;
    case entry_type::handled:
      handled_ += facts.is_lost ? 1 : 0;
      break;
    case entry_type::answered:
      answer(entry);
      break;
    case entry_type::granted:
      granted(entry);
      break;
    default:
      break;
    }
  }

  // Only where both of its ends are on slices.
  void arrow(std::uint64_t id, std::uint64_t cause, std::uint64_t stamp, const track_id& to,
             std::uint64_t end, std::string_view name) noexcept {
    const auto from = of_.find(cause);
    if (from == trace_snapshot::nowhere || !of_.facts(from).is_slice) {
      return;
    }
    const auto& slice = of_.facts(from);
    for (const bool is_start : {true, false}) {
      begin(is_start ? "s" : "f");
      on(is_start ? slice.track : to);
      at(is_start ? std::clamp(of_.nanoseconds(stamp), slice.start, slice.end) : end);
      text_.raw(",\"cat\":\"cause\",\"name\":\"").raw(name).raw("\",\"id\":").number(id);
      text_.raw(is_start ? "}" : ",\"bp\":\"e\"}");
    }
  }

  void answer(std::size_t entry) noexcept {
    const auto& words = of_.entry(entry).words;
    const auto call = of_.find(words[2]);
    if (call == trace_snapshot::nowhere || !of_.facts(call).is_slice) {
      return;
    }
    const auto& slice = of_.facts(call);
    const auto when = std::clamp(of_.nanoseconds(words[3]), slice.start, slice.end);
    arrow(of_.facts(entry).id, words[1], words[3], slice.track, when, "answered");
    instant({slice.track}, when, "answer", "answered");
    text_.raw(",\"args\":{\"call\":").number(words[2]);
    cause_of(entry);
    text_.raw("}}");
  }

  void instant(const track_id& track, std::uint64_t when, std::string_view category,
               std::string_view name) noexcept {
    begin("i");
    on(track);
    at(when);
    text_.raw(",\"s\":\"t\",\"cat\":\"").raw(category).raw("\",\"name\":\"").raw(name).raw("\"");
  }

  void unhandled(std::size_t entry) noexcept {
    const auto& words = of_.entry(entry).words;
    begin("i");
    on({false, actors::low_half(words[2])});
    at(of_.nanoseconds(words[3]));
    text_.raw(",\"s\":\"t\",\"cat\":\"unhandled\",\"name\":\"");
    message_name(of_.head(entry));
    text_.raw("\",\"args\":{\"id\":").number(of_.facts(entry).id);
    cause_of(entry);
    message_args(entry);
    text_.raw("}}");
  }

  void granted(std::size_t entry) noexcept {
    const auto& words = of_.entry(entry).words;
    const auto head = of_.head(entry);
    const auto cause = of_.find(words[1]);
    if (cause == trace_snapshot::nowhere || !of_.facts(cause).is_slice) {
      return;
    }
    instant({false, head.actor}, of_.facts(cause).end, "grant", "granted");
    text_.raw(",\"args\":{\"id\":").number(of_.facts(entry).id);
    cause_of(entry);
    text_.raw(",\"block\":").address(words[2]);
    arg("bytes", words[7]);
    arg("how", served_names[std::min<std::size_t>(head.place, std::size(served_names) - 1)]);
    if (words[3] != 0) {
      arg("freed_by_stream", words[3]);
      arg("freed_by_task", words[4]);
    }
    if (actors::low_half(words[5]) != 0) {
      arg("event", actors::low_half(words[5]));
      arg("record", actors::high_half(words[5]));
    }
    text_.raw((words[6] & 2U) != 0 ? ",\"seen_by_host\":true" : "");
    text_.raw((words[6] & 1U) != 0 ? ",\"joined\":true" : "");
    text_.raw((words[6] & 4U) != 0 ? ",\"stitched\":true" : "");
    auto counts = words[6] >> 3U;
    for (const auto* name :
         {"not_looked_at", "not_ordered", "opportunistic_off", "event_off", "too_small", "usable"}) {
      arg(name, counts & 0x3FFU);
      counts >>= 10U;
    }
    text_.raw("}}");
  }

  void summary() noexcept {
    text_.raw("\n],\"otherData\":{\"soma_trace\":1,\"messages\":").number(messages_);
    arg("handled", handled_);
    arg("entries", of_.size());
    arg("dropped", of_.dropped());
    text_.raw("}}\n");
  }

  trace_text text_;
  const trace_snapshot& of_;
  bool is_first_ = true;
  std::uint64_t messages_ = 0;
  std::uint64_t handled_ = 0;
};

}  // namespace

int write_trace(int file, const trace_snapshot& of) noexcept { return file_writer(file, of).write(); }

}  // namespace soma::detail
