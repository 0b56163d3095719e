// Taking the metrics of a runtime.

#include "soma/metrics.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include "api/cpp/ends.hpp"
#include "api/cpp/metrics_file.hpp"

namespace soma {

namespace detail {

namespace {

using labels = std::vector<std::pair<std::string, std::string>>;

// In the order of the list: values of one name follow each other although they are taken pool by pool.
class metrics_list {
public:
  void add(const char* name, const char* help, bool is_counter, labels with, std::uint64_t value) {
    auto& family = families_[name];
    if (family.empty()) {
      order_.emplace_back(name);
    }
    family.push_back({name, help, is_counter, std::move(with), value});
  }

  metrics take() {
    metrics taken;
    for (const auto& name : order_) {
      auto& family = families_[name];
      taken.all.insert(taken.all.end(), family.begin(), family.end());
    }
    return taken;
  }

private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<metric>> families_;
};

void add_device(metrics_list& list, std::uint32_t index, const messages::device_figures& now) {
  const labels of{{"device", std::to_string(index)}};
  list.add("soma_device_memory_bytes", "The device's memory.", false, of, now.total);
  list.add("soma_device_free_bytes", "What is left of the device's memory.", false, of, now.free);
  list.add("soma_device_streams", "Streams, the default stream included.", false, of, now.streams);
  list.add("soma_device_pools", "Pools that still hold memory or are in use.", false, of, now.pools.size());
  list.add("soma_device_engines", "Threads that run tasks.", false, of, now.engines);
  list.add("soma_device_idle_engines", "Threads that wait for tasks.", false, of, now.idle_engines);
  list.add("soma_device_waiting_runs", "Runs of tasks that wait for a thread.", false, of, now.waiting_runs);
  list.add("soma_device_waiting_requests",
           "Requests for memory that are being served or wait for their turn.", false, of,
           now.waiting_requests);
}

void add_reuse(metrics_list& list, const labels& of, const char* kind, bool is_on) {
  auto with = of;
  with.emplace_back("kind", kind);
  list.add("soma_pool_reuse_enabled", "Whether this kind of reuse is switched on.", false, std::move(with),
           is_on ? 1 : 0);
}

void add_pool(metrics_list& list, const known_figures& of) {
  const labels with{{"device", std::to_string(of.device)}, {"pool", std::to_string(memory::number(of.id))}};
  const auto& heap = of.figures.heap;
  const auto gauge = [&](const char* name, const char* help, std::uint64_t value) {
    list.add(name, help, false, with, value);
  };
  const auto counter = [&](const char* name, const char* help, std::uint64_t value) {
    list.add(name, help, true, with, value);
  };
  gauge("soma_pool_alive", "1, or 0 for a pool that was destroyed.", of.is_destroyed ? 0 : 1);
  gauge("soma_pool_limit_bytes", "The most that the pool may reserve.", heap.limit);
  gauge("soma_pool_reserved_bytes", "What the pool holds of the device's memory.", heap.reserved);
  gauge("soma_pool_reserved_high_bytes", "High mark of what the pool held.", heap.reserved_high);
  gauge("soma_pool_used_bytes", "Live blocks, rounded up to the minimum block.", heap.used);
  gauge("soma_pool_used_high_bytes", "High mark of live blocks, rounded up.", heap.used_high);
  gauge("soma_pool_idle_bytes", "Reserved and in no live block.", heap.reserved - heap.used);
  gauge("soma_pool_requested_bytes", "Live blocks, as asked for.", heap.requested);
  gauge("soma_pool_requested_high_bytes", "High mark of live blocks, as asked for.", heap.requested_high);
  gauge("soma_pool_live_blocks", "Live blocks.", heap.live_blocks);
  gauge("soma_pool_release_threshold_bytes", "Idle memory above this is given back at a synchronize.",
        of.figures.release_threshold);
  add_reuse(list, with, "event", of.figures.reuse.event);
  add_reuse(list, with, "opportunistic", of.figures.reuse.opportunistic);
  add_reuse(list, with, "internal", of.figures.reuse.internal);
  constexpr const char* kinds[memory::served_kinds] = {"same_stream", "event", "opportunistic", "internal",
                                                       "new_memory"};
  for (std::size_t kind = 0; kind < memory::served_kinds; ++kind) {
    auto served = with;
    served.emplace_back("served", kinds[kind]);
    list.add("soma_pool_allocations_total", "Allocations, by how they were served.", true, std::move(served),
             heap.served_counts[kind]);
  }
  counter("soma_pool_backing_requests_total", "How often memory was taken from the system.",
          heap.backing_requests);
  counter("soma_pool_backing_returns_total", "How often memory was given back to the system.",
          heap.backing_returns);
  counter("soma_pool_backing_requested_bytes_total", "Memory taken from the system.",
          heap.backing_requested_bytes);
  counter("soma_pool_backing_returned_bytes_total", "Memory given back to the system.",
          heap.backing_returned_bytes);
}

expected<metrics> take_metrics(std::string_view call, runtime_end& runtime) {
  metrics_list list;
  std::vector<known_figures> pools;
  for (std::uint32_t index = 0; index < runtime.device_count(); ++index) {
    auto now = actors::ask<messages::device_figures>(runtime.caller(), runtime.device(index).actor,
                                                     messages::read_device{});
    if (!now) {
      return tl::unexpected(translate(call, std::move(now.error())));
    }
    add_device(list, index, *now);
    for (const auto& [id, pool] : now->pools) {
      // One that ends at this moment has no figures any more.
      if (auto figures =
              actors::ask<messages::pool_figures>(runtime.caller(), pool, messages::read_figures{})) {
        pools.push_back({index, id, false, std::move(*figures)});
      }
    }
  }
  for (auto& gone : runtime.kept_metrics().destroyed_pools()) {
    // It may still hold memory, and be listed.
    std::erase_if(pools, [&](const known_figures& one) { return one.id == gone.id; });
    pools.push_back(std::move(gone));
  }
  for (const auto& pool : pools) {
    add_pool(list, pool);
  }
  const auto trace = trace::get_status();
  list.add("soma_trace_on", "Whether a message trace is being taken.", false, {}, trace.on ? 1 : 0);
  list.add("soma_trace_entries", "Entries of the message trace.", false, {}, trace.entries);
  list.add("soma_trace_dropped_entries_total", "Entries of the message trace that had no room.", true, {},
           trace.dropped);
  return list.take();
}

void add_reports(metrics& to, const std::vector<check_report>& reports) {
  std::map<std::string_view, std::uint64_t> kinds;
  for (const auto& report : reports) {
    ++kinds[to_string(report.kind)];
  }
  for (const auto& [kind, count] : kinds) {
    to.all.push_back({"soma_check_reports_total",
                      "What the race detector has found, each once for its places.",
                      true,
                      {{"kind", std::string(kind)}},
                      count});
  }
}

}  // namespace

// -- the file -----------------------------------------------------------------------------------------------

metrics_keeper::metrics_keeper() {
  const char* text = std::getenv("SOMA_METRICS");
  file_ = text == nullptr ? "" : text;
  if (const auto at = file_.find("%p"); at != std::string::npos) {
    file_.replace(at, 2, std::to_string(::getpid()));
  }
}

void metrics_keeper::keep(known_figures last) {
  const std::lock_guard guard(lock_);
  destroyed_.push_back(std::move(last));
}

std::vector<known_figures> metrics_keeper::destroyed_pools() const {
  const std::lock_guard guard(lock_);
  return destroyed_;
}

void write_metrics_file(runtime_end& of) noexcept {
  const auto& path = of.kept_metrics().file();
  if (path.empty()) {
    return;
  }
  try {
    const auto taken = take_metrics("SOMA_METRICS", of);
    if (!taken) {
      std::fprintf(stderr, "soma metrics: %s\n", taken.error().message.c_str());
      return;
    }
    const auto text = path.ends_with(".json") ? taken->to_json() : taken->to_prometheus();
    auto* file = std::fopen(path.c_str(), "we");
    const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if ((file != nullptr && std::fclose(file) != 0) || !written) {
      std::fprintf(
          stderr,
          "soma metrics: the environment variable SOMA_METRICS names %s, which cannot be written (%s); "
          "name a file in a folder that exists and can be written to\n",
          path.c_str(), std::generic_category().message(errno).c_str());
    }
  } catch (const std::bad_alloc&) {
    std::fputs("soma metrics: there is no memory for them\n", stderr);
  }
}

}  // namespace detail

expected<soma::metrics> runtime::metrics() const {
  constexpr auto call = "runtime::metrics";
  const actors::tracing::calling traced(call);
  if (end_ == nullptr) {
    return detail::fail(call, errc::invalid_handle, "the runtime object was moved from");
  }
  if (auto ok = end_->may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto taken = detail::take_metrics(call, *end_);
  if (taken && checked() && !on_engine()) {
    if (const auto reports = check_reports()) {
      detail::add_reports(*taken, *reports);
    }
  }
  return taken;
}

}  // namespace soma
