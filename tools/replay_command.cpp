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
#include "tools/progress_line.hpp"
#include "tools/replay.hpp"
#include "tools/replay_report.hpp"
#include "tools/trace_source.hpp"

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

A file that fails is reported on standard error as `soma: FILE:LINE: reason`; the others are
replayed all the same. Exit status: 0 all replayed, 1 something failed, 2 wrong usage.)";

struct replay_arguments {
  std::vector<std::string> files;
  std::string reuse = "event";
  replay_settings settings;
  bool json = false;
  std::string trace;
};

tl::expected<replay_result, trace_error> replay_file(const std::string& file,
                                                     const replay_settings& settings) {
  auto source = trace_source::open(file);
  if (!source) {
    return tl::unexpected(trace_error{.line = 0, .reason = source.error()});
  }
  const auto rows = read_trace(*source);
  if (!rows) {
    return tl::unexpected(rows.error());
  }
  progress_line progress("soma: " + file);
  return replay_trace(*rows, settings,
                      [&progress](std::uint64_t done, std::uint64_t all) { progress.show(done, all); });
}

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

int run_replay(const replay_arguments& arguments) {
  replay_tracing tracing(arguments.trace);
  bool failed = false;
  bool printed = true;
  bool any_table = false;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& file : arguments.files) {
    const file_outcome outcome{.file = file, .result = replay_file(file, arguments.settings)};
    if (!outcome.result) {
      failed = true;
      std::fprintf(stderr, "%s\n", print_error(file, outcome.result.error()).c_str());
    }
    if (arguments.json) {
      all.push_back(to_json(outcome, arguments.settings));
    } else if (outcome.result) {
      const std::string table = print_table(file, *outcome.result, arguments.settings);
      printed = print_out((any_table ? "\n" : "") + table) && printed;
      any_table = true;
    }
  }
  if (arguments.json) {
    // Names of files need not be UTF-8, which JSON must be.
    printed = print_out(all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
  if (!printed) {
    std::fputs("soma: standard output cannot be written to\n", stderr);
  }
  const bool traced = tracing.finish();
  return failed || !printed || !traced ? exit_failed : exit_done;
}

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
  replay
      .add_option("--trace", arguments.trace, "Writes a trace of all messages, for soma trace and Perfetto")
      ->type_name("FILE");
  replay.add_flag("--json", arguments.json,
                  "Print a JSON array with an object for each file, sizes in bytes");
}

}  // namespace

void add_replay_command(CLI::App& program, command& chosen) {
  CLI::App* const replay = program.add_subcommand("replay", description);
  const auto arguments = std::make_shared<replay_arguments>();
  add_options(*replay, *arguments);
  replay->footer(footer);
  replay->callback([arguments, &chosen] {
    arguments->settings.pool.reuse = switches_of(arguments->reuse);
    chosen = [arguments] { return run_replay(*arguments); };
  });
}

}  // namespace soma::tools
