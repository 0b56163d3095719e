// Streams, events and kernels.

#include <chrono>
#include <optional>

#include <pybind11/stl.h>

#include "tools/python/support.hpp"

namespace soma::python {

namespace {

std::chrono::milliseconds in_milliseconds(double seconds) {
  if (!(seconds >= 0)) {
    raise({errc::invalid_argument, "a time limit is a number of seconds from 0 on"});
  }
  constexpr double most = 1e9;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(seconds, most) * 1000));
}

template <class Part>
void synchronize(const Part& waited_for, std::optional<double> timeout) {
  const auto object = waited_for.object();
  if (timeout) {
    const auto limit = in_milliseconds(*timeout);
    checked([&] { return object->synchronize_for(limit); });
  } else {
    checked([&] { return object->synchronize(); });
  }
}

// A buffer of Python's that stays as it is until a task has used it.
struct held_buffer {
  explicit held_buffer(const py::buffer& of, bool writes) {
    if (PyObject_GetBuffer(of.ptr(), &view, writes ? PyBUF_CONTIG : PyBUF_CONTIG_RO) != 0) {
      throw py::error_already_set();
    }
  }
  held_buffer(const held_buffer&) = delete;
  held_buffer& operator=(const held_buffer&) = delete;
  ~held_buffer() {
    if (Py_IsInitialized() != 0) {
      const py::gil_scoped_acquire locked;
      PyBuffer_Release(&view);
    }
  }
  Py_buffer view{};
};

// One end of a copy: a block, an address, or anything with a buffer (a numpy array, a bytearray).
struct copy_end {
  void* address = nullptr;
  std::optional<std::size_t> bytes;
  std::shared_ptr<held_buffer> buffer;
};

copy_end end_of_copy(const py::object& given, bool writes) {
  if (py::isinstance<block_part>(given)) {
    const auto& block = given.cast<const block_part&>();
    block.check();
    return {block.address, block.bytes, nullptr};
  }
  if (py::isinstance<py::int_>(given)) {
    return {reinterpret_cast<void*>(given.cast<std::uintptr_t>()), std::nullopt, nullptr};  // NOLINT
  }
  auto buffer = std::make_shared<held_buffer>(given.cast<py::buffer>(), writes);
  return {buffer->view.buf, static_cast<std::size_t>(buffer->view.len), buffer};
}

std::size_t bytes_to_copy(const copy_end& to, const copy_end& from, std::optional<std::size_t> asked) {
  if (!asked && !to.bytes && !from.bytes) {
    raise({errc::invalid_argument, "Stream.copy: give the bytes to copy from one address to another"});
  }
  const auto bytes = asked ? *asked : std::min(to.bytes.value_or(SIZE_MAX), from.bytes.value_or(SIZE_MAX));
  for (const auto& end : {to, from}) {
    if (end.bytes && bytes > *end.bytes) {
      raise({errc::invalid_argument, "Stream.copy: " + std::to_string(bytes) + " bytes are more than the " +
                                         std::to_string(*end.bytes) + " of one end"});
    }
  }
  return bytes;
}

// Behind the copy a task lets go of Python's buffers.
void copy(const stream_part& on, const py::object& destination, const py::object& source,
          std::optional<std::size_t> asked) {
  const auto stream = on.object();
  const auto to = end_of_copy(destination, true);
  const auto from = end_of_copy(source, false);
  const auto bytes = bytes_to_copy(to, from, asked);
  const auto where = python_place();
  checked([&] { return stream->copy(to.address, from.address, bytes, where); });
  if (to.buffer != nullptr || from.buffer != nullptr) {
    checked([&] { return stream->call([kept = std::pair(to.buffer, from.buffer)] {}, where); });
  }
}

void fill(const stream_part& on, const py::object& destination, int value, std::optional<std::size_t> asked) {
  const auto stream = on.object();
  if (value < 0 || value > 255) {
    raise({errc::invalid_argument,
           "Stream.fill: the value " + std::to_string(value) + " is no byte (0 to 255)"});
  }
  const auto to = end_of_copy(destination, true);
  const auto bytes = bytes_to_copy(to, to, asked);
  const auto where = python_place();
  checked([&] { return stream->fill(to.address, static_cast<std::uint8_t>(value), bytes, where); });
  if (to.buffer != nullptr) {
    checked([&] { return stream->call([kept = to.buffer] {}, where); });
  }
}

void launch(const stream_part& on, const kernel& function, const py::bytes& arguments, std::uint32_t blocks) {
  const auto stream = on.object();
  const std::string copied = arguments;
  const auto where = python_place();
  checked([&] {
    return stream->launch(function, launch_arguments::copied(copied.data(), copied.size()), blocks, where);
  });
}

void call(const stream_part& on, const py::function& function, const py::args& arguments) {
  const auto stream = on.object();
  auto task = as_task(function, arguments);
  const auto where = python_place();
  checked([&] { return stream->call(std::move(task), where); });
}

void bind_stream(py::module_& module) {
  py::class_<stream_part, std::shared_ptr<stream_part>>(
      module, "Stream",
      "Tasks that are executed in the order in which they were submitted. Made by Device.stream.")
      .def("call", &call, py::arg("function"),
           "Queues a Python callable; the further arguments are passed to it. It runs on a thread of the "
           "device. What "
           "it raises becomes the stream's error, which the next synchronize raises.")
      .def("launch", &launch, py::arg("kernel"), py::arg("arguments") = py::bytes(), py::arg("blocks") = 1,
           "Queues a kernel of a shared library, to be run for each block index below `blocks`. The bytes of "
           "the "
           "arguments are copied at the call.")
      .def("copy", &copy, py::arg("destination"), py::arg("source"), py::arg("bytes") = py::none(),
           "Queues a copy between blocks, addresses and objects with a buffer (numpy arrays, bytearrays). "
           "Without "
           "`bytes`, as much as the shorter end has.")
      .def("fill", &fill, py::arg("destination"), py::arg("value"), py::arg("bytes") = py::none(),
           "Queues setting bytes to a value from 0 to 255.")
      .def(
          "record",
          [](const stream_part& on, const event_part& recorded) {
            const auto stream = on.object();
            const auto event = recorded.object();
            checked([&] { return stream->record(*event); });
          },
          py::arg("event"), "Queues a record: the event then stands for everything submitted here so far.")
      .def(
          "wait",
          [](const stream_part& on, const event_part& awaited) {
            const auto stream = on.object();
            const auto event = awaited.object();
            checked([&] { return stream->wait(*event); });
          },
          py::arg("event"), "Makes what is submitted from now on wait for the event's latest record.")
      .def("synchronize", &synchronize<stream_part>, py::arg("timeout") = py::none(),
           "Waits until everything submitted so far has run, or for so many seconds (TimedOutError). Raises "
           "the first "
           "failure of a task since the last synchronize.")
      .def(
          "query",
          [](const stream_part& on) {
            const auto stream = on.object();
            return checked([&] { return stream->query(); });
          },
          "True if everything submitted so far has run.")
      .def_property_readonly("id", [](const stream_part& on) { return on.object()->id(); })
      .def_property_readonly("closed", [](const stream_part& of) { return of.closed(); })
      .def("close", &stream_part::close, "Gives the stream up. Work that is queued completes.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](stream_part& on, const py::args& /*why*/) { on.close(); });
}

void bind_event(py::module_& module) {
  py::class_<event_part, std::shared_ptr<event_part>>(
      module, "Event",
      "A mark in a stream that other streams and the host can wait for. Made by Device.event.")
      .def("synchronize", &synchronize<event_part>, py::arg("timeout") = py::none(),
           "Waits for the latest record, or for so many seconds (TimedOutError).")
      .def(
          "query",
          [](const event_part& of) {
            const auto event = of.object();
            return checked([&] { return event->query(); });
          },
          "True if the latest record has been executed, or there is none.")
      .def_property_readonly("id", [](const event_part& of) { return of.object()->id(); })
      .def_property_readonly("recorded", [](const event_part& of) { return of.object()->recorded(); })
      .def_property_readonly("closed", [](const event_part& of) { return of.closed(); })
      .def("close", &event_part::close, "Gives the event up. Waits that are queued keep their record.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](event_part& of, const py::args& /*why*/) { of.close(); });
}

}  // namespace

void bind_streams(py::module_& module) {
  py::class_<kernel>(module, "Kernel", "A function of a shared library that runs on the device's threads.")
      .def_property_readonly("name", &kernel::name);
  py::class_<kernel_library>(module, "KernelLibrary",
                             "A shared library with kernels: extern \"C\" functions\n"
                             "int (const void* arguments, size_t bytes, uint32_t block, uint32_t blocks).")
      .def(py::init(
               [](const std::string& path) { return checked([&] { return kernel_library::load(path); }); }),
           py::arg("path"))
      .def(
          "kernel",
          [](const kernel_library& library, const std::string& name) {
            return checked([&] { return library.find(name); });
          },
          py::arg("name"), "The kernel of this name.");
  bind_stream(module);
  bind_event(module);
}

}  // namespace soma::python
