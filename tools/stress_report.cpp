#include "tools/stress_report.hpp"

#include "tools/byte_size.hpp"
#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

std::string print_settings(const stress_settings& settings) {
  return "stress: " + print_count(settings.threads) + " threads, " + print_count(settings.streams) +
         " streams, " + print_count(settings.pools) + " pools, sizes " + settings.sizes.text() +
         "\n  blocks of " + print_byte_size(settings.pool.minimum_block) + ", reuse " +
         print_reuse(settings.pool.reuse) + ", threshold " + print_limit(settings.pool.release_threshold) +
         ", device memory " + print_byte_size(settings.device_memory) + "\n";
}

std::string percent_of(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return print_fixed(share, 1) + " % of their " + print_byte_size(whole);
}

}  // namespace

std::string print_stress(const stress_settings& settings, const stress_result& result) {
  const stress_counts& counts = result.counts;
  std::string table = print_settings(settings);
  table += print_line("operations", print_count(counts.operations),
                      "in " + print_fixed(result.duration.count(), 1) + " s");
  table += print_line("operations per second",
                      print_count(static_cast<std::uint64_t>(result.operations_per_second())));
  table += print_line("allocations", print_count(counts.allocations),
                      print_count(counts.plain_allocations) + " without a pool");
  table += print_line("refused", print_count(counts.refused), "for lack of memory");
  table += print_line("checks of blocks", print_count(result.blocks_checked),
                      print_count(counts.rechecks) + " ahead of others");
  table += print_line("bytes verified", print_byte_size(result.bytes_verified),
                      percent_of(result.bytes_verified, result.bytes_checked));
  table += print_line("freed across streams", print_count(counts.cross_stream_frees));
  table += print_line("freed at once", print_count(counts.immediate_frees));
  table += print_line("handed to threads", print_count(counts.handed_over));
  table += print_served(counts.served);
  table += print_line("wrong calls", print_count(counts.wrong_calls), "answered as documented");
  table += print_line("kernels that failed", print_count(counts.failing_kernels));
  table += print_line("tasks", print_count(result.tasks));
  table += print_line("synchronizes", print_count(counts.synchronizes));
  table += print_line("created on the way", print_count(counts.streams + counts.events + counts.pools),
                      print_count(counts.streams) + " streams, " + print_count(counts.events) + " events, " +
                          print_count(counts.pools) + " pools");
  table += print_line("seed", std::to_string(settings.seed));
  return table;
}

}  // namespace soma::tools
