#include "tools/stress_command.hpp"

#include <cstdio>
#include <memory>
#include <random>
#include <string>

#include "tools/byte_size.hpp"
#include "tools/option_readers.hpp"
#include "tools/progress_line.hpp"
#include "tools/stress.hpp"
#include "tools/stress_report.hpp"

namespace soma::tools {

namespace {

constexpr const char* description =
    "Lets several threads allocate, free and order at random, and checks every block.";

constexpr const char* footer =
    R"(BYTES are a whole number, or one with K, M, G or T (powers of 1024). A SHARE is from 0 to 1.

What is checked. Every block is filled with a stamp of its own by a task on its stream and checked
by a task ahead of its free, on the stream that frees it; blocks up to 64K as a whole, larger ones
in sixteen pieces of 4K: the first, the last, and fourteen between. A block is freed on another
stream only behind an event that stands for its last use, and one thread hands blocks to another.
The threads share all streams and pools, and end and replace them while the others use them.
Wrong calls (blocks freed twice or by an address inside of them, calls for what was destroyed,
calls from tasks, impossible values, other devices) must return the documented error; kernels that
fail must be told by a synchronize. In the end all is freed: used must be 0, no memory of the device
taken, and every task that was submitted must have run.

A run is replayable as far as threads allow: the seed fixes what each thread decides in each of its
operations, not how the threads' calls mix.

Exit status: 0 all was right, 1 something was wrong or nothing was completed for 30 seconds, 2 wrong
usage.)";

struct stress_arguments {
  stress_settings settings;
  std::string sizes;
  std::string reuse = "all";
  double seconds = 0;
  std::uint64_t seed = 0;
};

template <class Read>
CLI::Validator validator(Read read, const char* name) {
  return {read, "", name};
}

CLI::Validator sizes_check() {
  return validator(
      [](const std::string& text) {
        const auto sizes = stress_sizes::parse(text);
        return sizes ? std::string() : sizes.error();
      },
      "sizes");
}

CLI::Validator share_check() { return CLI::Range(0.0, 1.0).description(""); }

CLI::Validator count_check(std::uint32_t highest) { return CLI::Range(1U, highest).description(""); }

bool print_out(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

int run_command(const stress_settings& settings) {
  progress_line progress("soma: stress");
  const auto result =
      run_stress(settings, [&progress](std::uint64_t done, std::uint64_t all) { progress.show(done, all); });
  const bool printed = print_out(print_stress(settings, result));
  for (const auto& finding : result.findings) {
    std::fprintf(stderr, "soma: stress: %s\n", finding.c_str());
  }
  if (!printed) {
    std::fputs("soma: standard output cannot be written to\n", stderr);
  }
  return result.findings.empty() && printed ? exit_done : exit_failed;
}

void add_counts(CLI::App& stress, stress_arguments& arguments) {
  stress_settings& settings = arguments.settings;
  const auto add_count = [&stress](const char* name, std::uint32_t& value, std::uint32_t highest,
                                   const char* help) {
    stress.add_option(name, value, help)->check(count_check(highest))->type_name("N")->capture_default_str();
  };
  add_count("--threads", settings.threads, 256, "Host threads, 1 to 256");
  add_count("--streams", settings.streams, 4096, "Streams at any time, 1 to 4096; one of eight is blocking");
  add_count("--pools", settings.pools, 64, "Pools at any time, 1 to 64");
  stress
      .add_option("--seconds", arguments.seconds,
                  "How long it runs, by default 10 if --operations is not given")
      ->check(CLI::Range(0.1, 1e6).description(""))
      ->type_name("S");
  stress
      .add_option("--operations", settings.operations, "How many operations it runs, of all threads together")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40).description(""))
      ->type_name("N");
  stress
      .add_option("--seed", arguments.seed, "Fixes each thread's decisions; by default another one each time")
      ->type_name("N");
  const auto add_share = [&stress](const char* name, double& value, const char* help) {
    stress.add_option(name, value, help)->check(share_check())->type_name("SHARE")->capture_default_str();
  };
  add_share("--cross-stream-frees", settings.cross_stream_frees,
            "Blocks that are freed on another stream than their own");
  add_share("--faults", settings.faults, "Operations that are wrong or fail on purpose");
}

void add_sizes(CLI::App& stress, stress_arguments& arguments) {
  stress_settings& settings = arguments.settings;
  const auto add_size = [&stress](const char* name, std::uint64_t& value, const char* help) {
    return stress.add_option(name, value, help)->transform(byte_size_reader())->type_name("BYTES");
  };
  stress.add_option("--sizes", arguments.sizes, "Of blocks: a range MIN..MAX, or a list BYTES,BYTES,...")
      ->check(sizes_check())
      ->type_name("SIZES")
      ->default_str(settings.sizes.text());
  add_size("--minimum-block", settings.pool.minimum_block,
           "Blocks are multiples of this: a power of two from 512 to 2M")
      ->check(block_size_check())
      ->default_str("512");
  add_size("--device-memory", settings.device_memory, "The device's memory")->default_str("1G");
  add_size("--limit", settings.pool.limit, "The most each pool may reserve, by default the device's memory");
  add_size("--threshold", settings.pool.release_threshold,
           "At each synchronize, idle memory above this is given back")
      ->default_str("16M");
  stress
      .add_option("--reuse", arguments.reuse,
                  "Which freed blocks other streams than the freeing one may get:\n"
                  "none, event, opportunistic, internal or all")
      ->check(reuse_check())
      ->type_name("KIND")
      ->capture_default_str();
}

/// What the options leave to be worked out. Throws what CLI11 reports as wrong usage.
stress_settings settings_of(const stress_arguments& arguments, bool has_seed) {
  stress_settings settings = arguments.settings;
  if (!arguments.sizes.empty()) {
    settings.sizes = *stress_sizes::parse(arguments.sizes);
  }
  settings.pool.reuse = switches_of(arguments.reuse);
  settings.seed = has_seed ? arguments.seed : std::random_device()();
  const double default_seconds = settings.operations == 0 ? 10 : 0;
  settings.time = std::chrono::duration<double>(arguments.seconds > 0 ? arguments.seconds : default_seconds);
  if (settings.pool.limit > settings.device_memory) {
    throw CLI::ValidationError("--limit", "a pool's limit of " + print_byte_size(settings.pool.limit) +
                                              " is above the device's memory of " +
                                              print_byte_size(settings.device_memory));
  }
  if (settings.sizes.largest() > settings.device_memory) {
    throw CLI::ValidationError("--sizes", "a block of " + print_byte_size(settings.sizes.largest()) +
                                              " does not fit into the device's memory of " +
                                              print_byte_size(settings.device_memory));
  }
  return settings;
}

}  // namespace

void add_stress_command(CLI::App& program, command& chosen) {
  CLI::App* const stress = program.add_subcommand("stress", description);
  const auto arguments = std::make_shared<stress_arguments>();
  add_counts(*stress, *arguments);
  add_sizes(*stress, *arguments);
  stress->footer(footer);
  stress->callback([arguments, stress, &chosen] {
    const auto settings = settings_of(*arguments, stress->get_option("--seed")->count() > 0);
    chosen = [settings] { return run_command(settings); };
  });
}

}  // namespace soma::tools
