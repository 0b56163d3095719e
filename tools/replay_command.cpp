#include "tools/replay_command.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "soma/trace.hpp"
#include "tools/byte_size.hpp"
#include "tools/option_readers.hpp"
#include "tools/output_file.hpp"
#include "tools/progress_line.hpp"
#include "tools/replay.hpp"
#include "tools/replay_compare.hpp"
#include "tools/replay_history.hpp"
#include "tools/replay_report.hpp"
#include "tools/report_page.hpp"
#include "tools/trace_file.hpp"

namespace soma::tools {

namespace {

constexpr const char* description =
    "Replays recorded allocation traces on a pool and prints what the pool needed for them.";

constexpr const char* footer =
    R"(BYTES are a whole number, or one with K, M, G or T (powers of 1024).

A trace is CSV with the header op,id,bytes,stream,time_us, plain or compressed with gzip.

How operations are ordered. A trace names no waits between streams; the replay does this:
  R1  A malloc allocates on its row's stream and a free frees on its row's stream, which is the
      stream that allocated the block unless the trace says otherwise.
  R2  A sync row with id 0 is a device synchronise by the host. --sync-every adds more of them.
  R3  A sync row with a block's id says that another stream still used the block when it was freed.
      The free is held back and submitted at the sync row; until then the block counts as used and
      is not given to anybody.
  R4  With --reuse event or all, streams are ordered by an event where the trace shows that the
      program must have had one, and nowhere else: a stream that frees a block of another stream
      waits, ahead of the free, for what the allocating stream was given up to the free row; and the
      stream of a free that was held back waits, ahead of the free, for what the other stream was
      given up to the free row, if the trace has exactly two streams (with more it does not tell
      which stream used the block, and none is waited for).
segment_malloc and segment_free rows are skipped.

What is checked. No two live blocks overlap, and the pool's counters equal the replay's own sums,
every 1024 steps, at each device synchronise and at the end. The clock stands still meanwhile:
operations per second counts mallocs, frees and device synchronises over the time that submitting
the steps took, without reading the file and without the checks.

--html writes a page with pictures: memory over time, the pool's addresses, reuse, sizes, idle memory,
and what was live when the most was. It needs nothing but a browser. For it every step is timed and
checked by itself, so that operations per second are fewer.

--compare replays each trace under several settings: those given, and with 512-byte blocks, 2 MiB
blocks, no reuse between streams, all of it, and no idle memory kept. Each --with adds one of your
own instead, as changes to those given: --with min-block=512,reuse=event+internal
--with threshold=64M,limit=2G. Settings are min-block, reuse, threshold, limit, sync-every and
held (yes or no).

A file that fails is reported on standard error as `soma: FILE:LINE: reason`; the others are
replayed all the same. Exit status: 0 all replayed, 1 something failed, 2 wrong usage.)";

struct replay_arguments {
  std::vector<std::string> files;
  std::string reuse = "event";
  replay_settings settings;
  std::vector<std::string> variants;
  std::string html;
  bool compare = false;
  bool json = false;
  std::string trace;
};

/// Prints at once, so that a long row of files shows each result as it comes.
bool print_out(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

/// Takes a message trace while it exists, if a file is named for it.
class replay_tracing {
public:
  explicit replay_tracing(std::string path) : path_(std::move(path)) {
    if (!path_.empty()) {
      tell(soma::trace::start());
    }
  }

  /// Writes it. Returns whether all went well.
  bool finish() {
    if (!path_.empty() && good_) {
      soma::trace::stop();
      tell(soma::trace::write(path_));
    }
    return good_;
  }

private:
  void tell(const expected<void>& result) {
    if (!result) {
      good_ = false;
      std::fprintf(stderr, "soma: %s\n", result.error().message.c_str());
    }
  }

  std::string path_;
  bool good_ = true;
};

/// Goes through the files, and gathers what is to be written at the end.
class replay_run {
public:
  explicit replay_run(const replay_arguments& arguments) : arguments_(arguments) {
    // nop
  }

  int run() {
    const auto variants = read_variants();
    if (!variants) {
      std::fprintf(stderr, "soma: --with: %s\n", variants.error().c_str());
      return exit_usage;
    }
    replay_tracing tracing(arguments_.trace);
    for (const std::string& file : arguments_.files) {
      if (variants->empty()) {
        replay(file);
      } else {
        compare(file, *variants);
      }
    }
    if (arguments_.json && arguments_.html != "-") {
      // Names of files need not be UTF-8, which JSON must be.
      print(all_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    }
    write_page();
    failed_ = !tracing.finish() || failed_;
    if (!printed_) {
      std::fputs("soma: standard output cannot be written to\n", stderr);
    }
    return failed_ || !printed_ ? exit_failed : exit_done;
  }

private:
  /// None unless settings are to be compared.
  [[nodiscard]] tl::expected<std::vector<replay_variant>, std::string> read_variants() const {
    std::vector<replay_variant> variants;
    for (const std::string& text : arguments_.variants) {
      auto variant = parse_variant(text, arguments_.settings);
      if (!variant) {
        return tl::unexpected(variant.error());
      }
      if (variants.empty()) {
        variants.push_back({.name = "as given", .settings = arguments_.settings});
      }
      variants.push_back(std::move(*variant));
    }
    if (variants.empty() && arguments_.compare) {
      return usual_variants(arguments_.settings);
    }
    return variants;
  }

  void replay(const std::string& file) {
    replay_history history;
    const file_outcome outcome{.file = file, .result = replay_file(file, history)};
    auto json = to_json(outcome, arguments_.settings);
    if (!outcome.result) {
      report(file, outcome.result.error());
    } else if (!arguments_.json && arguments_.html != "-") {
      print_table_text(print_table(file, *outcome.result, arguments_.settings));
    }
    if (!arguments_.html.empty()) {
      page_.add(outcome, arguments_.settings, history);
    }
    all_.push_back(std::move(json));
  }

  tl::expected<replay_result, trace_error> replay_file(const std::string& file, replay_history& history) {
    const auto rows = read_trace_file(file);
    if (!rows) {
      return tl::unexpected(rows.error());
    }
    progress_line progress("soma: " + file);
    return replay_trace(
        *rows, arguments_.settings,
        [&progress](std::uint64_t done, std::uint64_t all) { progress.show(done, all); },
        arguments_.html.empty() ? nullptr : &history);
  }

  void compare(const std::string& file, const std::vector<replay_variant>& variants) {
    const auto rows = read_trace_file(file);
    if (!rows) {
      report(file, rows.error());
      all_.push_back(to_json({.file = file, .result = tl::unexpected(rows.error())}, arguments_.settings));
      return;
    }
    const auto compared = compare_replays(*rows, variants);
    for (const compared_replay& each : compared) {
      // A limit that is too small is a result; anything else that fails is a failure.
      if (!each.result && !each.result.error().refused) {
        report(file, each.result.error());
      }
    }
    if (!arguments_.json) {
      print_table_text(print_comparison(file, compared));
    }
    all_.push_back(comparison_json(file, compared));
  }

  void report(const std::string& file, const trace_error& error) {
    failed_ = true;
    std::fprintf(stderr, "%s\n", print_error(file, error).c_str());
  }

  void print_table_text(const std::string& table) {
    print((any_table_ ? "\n" : "") + table);
    any_table_ = true;
  }

  void print(const std::string& text) { printed_ = print_out(text) && printed_; }

  void write_page() {
    if (arguments_.html.empty()) {
      return;
    }
    if (const auto written = write_file(arguments_.html, page_.print(all_)); !written) {
      failed_ = true;
      std::fprintf(stderr, "soma: %s: %s\n", arguments_.html.c_str(), written.error().c_str());
    }
  }

  const replay_arguments& arguments_;
  nlohmann::ordered_json all_ = nlohmann::ordered_json::array();
  report_page page_;
  bool failed_ = false;
  bool printed_ = true;
  bool any_table_ = false;
};

void add_options(CLI::App& replay, replay_arguments& arguments) {
  replay_settings& settings = arguments.settings;
  const auto add_size = [&replay](const char* name, std::uint64_t& value, const char* help) {
    return replay.add_option(name, value, help)->transform(byte_size_reader())->type_name("BYTES");
  };
  replay.add_option("FILE", arguments.files, "Traces, replayed one after the other; - is standard input")
      ->required()
      ->type_name("");
  add_size("--min-block", settings.pool.minimum_block,
           "Blocks are multiples of this: a power of two from 512 to 2M,\nthe library's default")
      ->check(block_size_check())
      ->default_str("2M");
  add_size("--device-memory", settings.device_memory,
           "The device's memory, by default as much as the trace needs;\nonly a budget: no page of this "
           "machine is touched");
  add_size("--pool-limit", settings.pool.limit,
           "The most the pool may reserve, by default the device's memory");
  replay
      .add_option("--reuse", arguments.reuse,
                  "Which freed blocks other streams than the freeing one may get:\n"
                  "none, event, opportunistic, internal or all")
      ->check(reuse_check())
      ->type_name("KIND")
      ->capture_default_str();
  add_size("--threshold", settings.pool.release_threshold,
           "At each device synchronise, idle memory above this is given\nback; unlimited is 2^64 - 1")
      ->default_str("unlimited");
  replay
      .add_option("--sync-every", settings.sync_every,
                  "A device synchronise after every N events;\n0: only where the trace has one")
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""))
      ->type_name("N")
      ->capture_default_str();
  replay.add_flag(
      "--held", settings.held,
      "Streams execute nothing before a device synchronise, as if\nthe host ran far ahead of the device");
  replay
      .add_option("--trace", arguments.trace, "Writes a trace of all messages, for soma trace and Perfetto")
      ->type_name("FILE");
  replay.add_flag("--json", arguments.json,
                  "Print a JSON array with an object for each file, sizes in bytes");
  auto* const html = replay
                         .add_option("--html", arguments.html,
                                     "Write a report as one page of HTML, with pictures, to this file;\n- "
                                     "writes nothing else to standard output")
                         ->type_name("FILE");
  auto* const compare = replay.add_flag("--compare", arguments.compare,
                                        "Replay under several settings and print them side by side");
  auto* const with =
      replay
          .add_option("--with", arguments.variants,
                      "Compare with these settings, for example\nmin-block=512,reuse=all; can be "
                      "given several times")
          ->type_name("SETTINGS")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  html->excludes(compare)->excludes(with);
}

}  // namespace

void add_replay_command(CLI::App& program, command& chosen) {
  CLI::App* const replay = program.add_subcommand("replay", description);
  const auto arguments = std::make_shared<replay_arguments>();
  add_options(*replay, *arguments);
  replay->footer(footer);
  replay->callback([arguments, &chosen] {
    arguments->settings.pool.reuse = switches_of(arguments->reuse);
    chosen = [arguments] { return replay_run(*arguments).run(); };
  });
}

}  // namespace soma::tools
