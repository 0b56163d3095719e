// soma.replay: a recorded trace on a pool, as `soma replay` does it.

#include <optional>

#include "tools/python/support.hpp"
#include "tools/replay.hpp"
#include "tools/trace_reader.hpp"
#include "tools/trace_source.hpp"

namespace soma::python {

namespace {

[[noreturn]] void raise_for(const std::string& path, const tools::trace_error& failed, errc code) {
  const auto line = failed.line == 0 ? "" : ":" + std::to_string(failed.line);
  raise({code, path + line + ": " + failed.reason});
}

std::vector<tools::trace_row> rows_of(const std::string& path) {
  auto source = tools::trace_source::open(path);
  if (!source) {
    raise_for(path, {0, source.error()}, errc::file_not_readable);
  }
  auto rows = unlocked([&] { return tools::read_trace(*source); });
  if (!rows) {
    raise_for(path, rows.error(), errc::invalid_argument);
  }
  return std::move(*rows);
}

// Python's function; what it raises is raised when the replay is over.
class progress_teller {
public:
  explicit progress_teller(py::object function) : function_(std::move(function)) {}

  void operator()(std::uint64_t done, std::uint64_t all) {
    const py::gil_scoped_acquire locked;
    if (function_.is_none() || raised_) {
      return;
    }
    try {
      function_(done, all);
    } catch (py::error_already_set& raised) {
      raised_.emplace(std::move(raised));
    }
  }

  void raise_again() {
    if (raised_) {
      throw std::move(*raised_);
    }
  }

private:
  py::object function_;
  std::optional<py::error_already_set> raised_;
};

py::dict result_of(const tools::replay_result& done) {
  const auto& figures = done.statistics;
  py::dict all;
  all["operations"] = done.operations;
  all["operations_per_second"] = done.operations_per_second();
  all["streams"] = done.streams;
  all["waits"] = done.waits;
  all["synchronizes"] = done.synchronizes;
  all["reserved_high"] = figures.reserved_high;
  all["used_high"] = figures.used_high;
  all["requested_high"] = figures.requested_high;
  all["backing_requests"] = figures.backing_requests;
  all["backing_returns"] = figures.backing_returns;
  py::dict served;
  served["same_stream"] = figures.served.same_stream;
  served["event"] = figures.served.event;
  served["opportunistic"] = figures.served.opportunistic;
  served["internal"] = figures.served.internal;
  served["new_memory"] = figures.served.new_memory;
  all["served"] = served;
  return all;
}

py::dict replay(const std::string& path, std::uint64_t minimum_block, const std::string& reuse,
                std::uint64_t limit, std::uint64_t release_threshold, std::uint64_t sync_every,
                const py::object& progress) {
  const auto rows = rows_of(path);
  tools::replay_settings settings;
  settings.pool = {.limit = limit,
                   .minimum_block = minimum_block,
                   .reuse = switches_of("replay", reuse),
                   .release_threshold = release_threshold};
  settings.sync_every = sync_every;
  progress_teller tell(progress);
  const auto result = unlocked([&] { return tools::replay_trace(rows, settings, std::ref(tell)); });
  tell.raise_again();
  if (!result) {
    raise_for(path, result.error(), errc::invalid_argument);
  }
  return result_of(*result);
}

}  // namespace

void bind_replay(py::module_& module) {
  module.def("replay", &replay, py::arg("path"), py::kw_only(), py::arg("minimum_block") = 512,
             py::arg("reuse") = "event", py::arg("limit") = 0,
             py::arg("release_threshold") = tools::unlimited_bytes, py::arg("sync_every") = 0,
             py::arg("progress") = py::none(),
             "Replays a recorded trace (CSV, plain or gzip) on a pool of its own, and returns what the pool "
             "needed as a "
             "dictionary. `progress` is called now and then with the steps done and the steps in all.");
}

}  // namespace soma::python
