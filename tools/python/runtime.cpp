// Runtimes and devices.

#include <pybind11/stl.h>

#include "tools/python/support.hpp"

namespace soma::python {

namespace {

// Of the process; touched with the interpreter's lock only.
auto& runtimes = *new std::vector<std::weak_ptr<runtime_part>>;

std::shared_ptr<runtime_part> create(std::uint32_t devices, std::uint64_t device_memory,
                                     std::uint32_t engine_limit, const py::object& check) {
  runtime_options options{.devices = devices, .device_memory = device_memory, .engine_limit = engine_limit};
  if (!check.is_none() && check.cast<bool>()) {
    options.check = check_options{};
  }
  auto made = std::make_shared<runtime_part>(checked([&] { return runtime::create(options); }));
  std::erase_if(runtimes, [](const auto& known) { return known.expired(); });
  runtimes.push_back(made);
  return made;
}

memory_kind memory_of(bool host) { return {host ? pool_memory::host : pool_memory::device}; }

// A part of the runtime, which closes it.
template <class Part, class Object>
std::shared_ptr<Part> added(Object made, const std::shared_ptr<runtime_part>& of) {
  auto part = std::make_shared<Part>(std::move(made), of);
  of->parts.add(part);
  return part;
}

std::shared_ptr<stream_part> make_stream(const device_part& on, bool blocking, bool stop_on_failure) {
  const auto device = on.object();
  const stream_options options{.blocking = blocking,
                               .on_failure = stop_on_failure ? failure_mode::stop : failure_mode::proceed};
  return added<stream_part>(checked([&] { return device->create_stream(options); }), on.runtime);
}

std::shared_ptr<event_part> make_event(const device_part& on) {
  const auto device = on.object();
  return added<event_part>(checked([&] { return device->create_event(); }), on.runtime);
}

std::shared_ptr<pool_part> make_pool(const device_part& on, std::uint64_t limit, std::uint64_t minimum_block,
                                     const std::string& reuse, std::uint64_t release_threshold,
                                     bool huge_pages, std::optional<std::uint32_t> numa_node) {
  const auto device = on.object();
  const pool_options options{.limit = limit,
                             .minimum_block = minimum_block,
                             .reuse = switches_of("Device.pool", reuse),
                             .release_threshold = release_threshold,
                             .kind = {.huge_pages = huge_pages, .numa_node = numa_node}};
  return added<pool_part>(checked([&] { return device->create_pool(options); }), on.runtime);
}

void synchronize(const device_part& waited_for) {
  const auto device = waited_for.object();
  checked([&] { return device->synchronize(); });
}

py::dict memory(const device_part& of) {
  const auto device = of.object();
  const auto info = checked([&] { return device->memory(); });
  py::dict all;
  all["free"] = info.free;
  all["total"] = info.total;
  return all;
}

std::vector<std::string> reports(const runtime_part& of) {
  const auto runtime = of.object();
  const auto found = checked([&] { return runtime->check_reports(); });
  std::vector<std::string> texts;
  for (const auto& report : found) {
    texts.push_back(check::to_text(report));
  }
  return texts;
}

void close_all_runtimes() {
  for (const auto& known : std::exchange(runtimes, {})) {
    if (const auto still_there = known.lock()) {
      still_there->close();
    }
  }
}

void bind_device(py::module_& module) {
  py::class_<device_part, std::shared_ptr<device_part>>(module, "Device",
                                                        "A simulated device. Had from Runtime.device.")
      .def("stream", &make_stream, py::kw_only(), py::arg("blocking") = false,
           py::arg("stop_on_failure") = false,
           "Makes a stream. A blocking one and the device's default stream wait for each other; one that "
           "stops on "
           "failure takes no work after a task has failed.")
      .def("event", &make_event, "Makes an event.")
      .def(
          "pool", &make_pool, py::kw_only(), py::arg("limit") = 0, py::arg("minimum_block") = granule_bytes,
          py::arg("reuse") = "none", py::arg("release_threshold") = 0, py::arg("huge_pages") = false,
          py::arg("numa_node") = py::none(),
          "Makes a pool. `limit`: the most bytes it may reserve, 0 for the device's memory; "
          "`minimum_block`: a power "
          "of two from 512 bytes to 2 MiB; `reuse`: which freed blocks other streams may get (none, event, "
          "opportunistic, internal or all); `release_threshold`: idle bytes above it are given back at a "
          "synchronize; `huge_pages`, `numa_node`: what its memory is to be made of, which is no more than a "
          "wish (Pool.kind).")
      .def(
          "fixed_size_pool",
          [](const device_part& on, std::size_t bytes, std::size_t block_bytes, bool host) {
            const auto device = on.object();
            return added<fixed_size_part>(checked([&] {
                                            return fixed_size_pool::create(*device, bytes, block_bytes,
                                                                           memory_of(host));
                                          }),
                                          on.runtime);
          },
          py::arg("bytes"), py::arg("block_bytes"), py::kw_only(), py::arg("host") = false,
          "Makes a pool of blocks of one size, without stream order, of device or host memory.")
      .def(
          "variable_size_pool",
          [](const device_part& on, std::size_t bytes, bool host) {
            const auto device = on.object();
            return added<variable_size_part>(
                checked([&] { return variable_size_pool::create(*device, bytes, memory_of(host)); }),
                on.runtime);
          },
          py::arg("bytes"), py::kw_only(), py::arg("host") = false,
          "Makes a pool of blocks of any size, without stream order, of device or host memory.")
      .def("synchronize", &synchronize, "Waits for everything submitted to all streams of the device.")
      .def("memory", &memory, "Free and total bytes of the device's budget, as a dictionary.")
      .def_property_readonly("index", [](const device_part& of) { return of.object()->index(); });
}

}  // namespace

// Failures of tasks were for a synchronize of the program's own.
void runtime_part::close() {
  if (closed()) {
    return;
  }
  const auto ending = object();
  unlocked([&] {
    for (std::uint32_t index = 0; index < ending->device_count(); ++index) {
      if (auto device = ending->get_device(index)) {
        static_cast<void>(device->synchronize());
      }
    }
  });
  parts.close_all();
  part::close();
}

void close_at_exit() {
  py::module_::import("atexit").attr("register")(py::cpp_function(&close_all_runtimes));
}

void bind_runtime(py::module_& module) {
  py::class_<runtime_part, std::shared_ptr<runtime_part>>(
      module, "Runtime",
      "Simulated devices and the actors behind them. `device_memory`: bytes of each device, a budget; "
      "`engine_limit`: "
      "the most threads for each device, 0 for no limit; `check`: the race detector, by default as "
      "SOMA_CHECK says.")
      .def(py::init(&create), py::kw_only(), py::arg("devices") = 1,
           py::arg("device_memory") = std::uint64_t{64} << 30, py::arg("engine_limit") = 0,
           py::arg("check") = py::none())
      .def(
          "device",
          [](const std::shared_ptr<runtime_part>& of, std::uint32_t index) {
            const auto object = of->object();
            return added<device_part>(checked([&] { return object->get_device(index); }), of);
          },
          py::arg("index") = 0, "A device by its index.")
      .def_property_readonly("device_count",
                             [](const runtime_part& of) { return of.object()->device_count(); })
      .def("check_reports", &reports, "What the race detector has found so far, as texts.")
      .def_property_readonly("closed", [](const runtime_part& of) { return of.closed(); })
      .def("close", &runtime_part::close, "Closes all that was made from it, and waits for what is queued.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](runtime_part& of, const py::args& /*why*/) { of.close(); });
  bind_device(module);
}

}  // namespace soma::python
