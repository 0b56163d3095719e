#include "tools/import_command.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include "tools/import_build.hpp"
#include "tools/import_formats.hpp"
#include "tools/output_file.hpp"
#include "tools/trace_source.hpp"

namespace soma::tools {

namespace {

constexpr const char* description = "Makes a trace for soma replay of what another program has recorded.";

constexpr const char* footer =
    R"(Recordings, plain or compressed with gzip; the kind is told by the content, or by --from:
  pytorch-snapshot  the pickle of torch.cuda.memory._dump_snapshot, or torch_npu's. Only lists, dicts,
                    texts and numbers are read from it; nothing in it is ever run.
  pytorch-trace     a Chrome trace of torch.profiler with profile_memory=True: its [memory] events
  ascend-operators  operator_memory.csv of the Ascend profiler
  ascend-records    memory_record.csv of the Ascend profiler: only totals, from which blocks are guessed
  rmm               the log of RMM's logging_resource_adaptor

The trace goes to standard output or to the file of -o. What was read, dropped and assumed is said on
standard error. A free whose malloc was before the recording makes a block that is live from the
start, as do blocks that a snapshot shows to be live without a malloc.

Exit status: 0 done, 1 the file cannot be read or is broken, 2 wrong usage.)";

constexpr std::size_t bytes_max = std::size_t{4} << 30;

struct import_arguments {
  std::string file;
  std::string from;
  std::string output = "-";
  import_options options;
  bool quiet = false;
};

tl::expected<std::string, std::string> read_all(const std::string& path) {
  auto source = trace_source::open(path);
  if (!source) {
    return tl::unexpected(source.error());
  }
  std::string bytes;
  constexpr std::size_t part = 256 * 1024;
  while (true) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + part);
    const auto count = source->read(bytes.data() + begin, part);
    if (!count) {
      return tl::unexpected(count.error());
    }
    bytes.resize(begin + *count);
    if (*count == 0) {
      break;
    }
    if (bytes.size() > bytes_max) {
      return tl::unexpected(std::string("has more than 4 GiB: record less"));
    }
  }
  // Some programs write a mark in front of UTF-8.
  if (bytes.compare(0, 3, "\xEF\xBB\xBF") == 0) {
    bytes.erase(0, 3);
  }
  return bytes;
}

tl::expected<built_trace, import_error> import_file(const import_arguments& arguments) {
  const auto bytes = read_all(arguments.file);
  if (!bytes) {
    return tl::unexpected(import_error{.line = 0, .reason = bytes.error()});
  }
  const import_format* format = find_format(arguments.from);
  if (format == nullptr) {
    const auto recognised = recognise_format(*bytes);
    if (!recognised) {
      return tl::unexpected(import_error{.line = 0, .reason = recognised.error()});
    }
    format = *recognised;
  }
  const auto found = format->read(*bytes, arguments.options);
  if (!found) {
    return tl::unexpected(import_error{.line = found.error().line,
                                       .reason = found.error().reason + " (read as " + format->name + ")"});
  }
  return build_trace(*found);
}

int run_import(const import_arguments& arguments) {
  const auto built = import_file(arguments);
  if (!built) {
    const std::string line = built.error().line == 0 ? "" : ":" + std::to_string(built.error().line);
    std::fprintf(stderr, "soma: %s%s: %s\n", arguments.file.c_str(), line.c_str(),
                 built.error().reason.c_str());
    return exit_failed;
  }
  if (const auto written = write_file(arguments.output, print_trace(built->rows)); !written) {
    std::fprintf(stderr, "soma: %s: %s\n", arguments.output.c_str(), written.error().c_str());
    return exit_failed;
  }
  for (const std::string& note : built->notes) {
    if (!arguments.quiet) {
      std::fprintf(stderr, "soma: %s: %s\n", arguments.file.c_str(), note.c_str());
    }
  }
  return exit_done;
}

}  // namespace

void add_import_command(CLI::App& program, command& chosen) {
  CLI::App* const import = program.add_subcommand("import", description);
  const auto arguments = std::make_shared<import_arguments>();
  import->add_option("FILE", arguments->file, "The recording; - is standard input")
      ->required()
      ->type_name("");
  std::vector<std::string> names;
  for (const import_format& each : import_formats()) {
    names.emplace_back(each.name);
  }
  import->add_option("--from", arguments->from, "What the recording is, instead of telling by its content")
      ->check(CLI::IsMember(names).description(""))
      ->type_name("KIND");
  import->add_option("-o,--output", arguments->output, "Where the trace goes; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  import
      ->add_option("--device", arguments->options.device,
                   "Which device's memory, by number; by default the\none with the most events")
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""))
      ->type_name("N");
  import->add_flag("--quiet", arguments->quiet, "Say nothing but errors");
  import->footer(footer);
  import->callback([arguments, &chosen] { chosen = [arguments] { return run_import(*arguments);
};
}  // namespace soma::tools
);
}

}  // namespace soma::tools
