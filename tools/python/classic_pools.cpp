// Pools without stream order.

#include "tools/python/support.hpp"

namespace soma::python {

namespace {

// Python has addresses as numbers.
void* pointer(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

py::dict figures(const memory_pool& pool) {
  const auto now = checked([&] { return pool.statistics(); });
  py::dict all;
  all["reserved"] = now.reserved;
  all["reserved_high"] = now.reserved_high;
  all["used"] = now.used;
  all["used_high"] = now.used_high;
  all["idle"] = now.idle;
  all["requested"] = now.requested;
  all["requested_high"] = now.requested_high;
  all["live_blocks"] = now.live_blocks;
  all["allocations"] = now.allocations;
  all["frees"] = now.frees;
  all["refusals"] = now.refusals;
  all["reused"] = now.reused;
  all["largest_free"] = now.largest_free;
  all["backing_requests"] = now.backing_requests;
  all["backing_returns"] = now.backing_returns;
  all["backing_requested_bytes"] = now.backing_requested_bytes;
  all["backing_returned_bytes"] = now.backing_returned_bytes;
  all["fragmentation"] = now.fragmentation();
  return all;
}

template <class Part>
py::class_<Part, std::shared_ptr<Part>> bind(py::module_& module, const char* name, const char* text) {
  py::class_<Part, std::shared_ptr<Part>> type(module, name, text);
  type.def(
          "allocate",
          [](const Part& of, std::size_t bytes) {
            const auto pool = of.object();
            return reinterpret_cast<std::uintptr_t>(checked([&] { return pool->allocate(bytes); }));
          },
          py::arg("bytes"), "A block of at least so many bytes, as its address.")
      .def(
          "free",
          [](const Part& of, std::uintptr_t address) {
            const auto pool = of.object();
            checked([&] { return pool->free(pointer(address)); });
          },
          py::arg("address"), "Frees a block. Raises for a second free and for what is no block.")
      .def(
          "owns", [](const Part& of, std::uintptr_t address) { return of.object()->owns(pointer(address)); },
          py::arg("address"), "Whether the address is in the pool's memory.")
      .def(
          "statistics", [](const Part& of) { return figures(*of.object()); },
          "A moment's figures, as a dictionary.")
      .def_property_readonly(
          "base", [](const Part& of) { return reinterpret_cast<std::uintptr_t>(of.object()->base()); })
      .def_property_readonly("bytes", [](const Part& of) { return of.object()->bytes(); })
      .def_property_readonly("closed", [](const Part& of) { return of.closed(); })
      .def(
          "close", [](Part& of) { of.close(); }, "Gives the pool and its memory up.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](Part& of, const py::args& /*why*/) { of.close(); });
  return type;
}

}  // namespace

void bind_classic_pools(py::module_& module) {
  bind<fixed_size_part>(module, "FixedSizePool", "Blocks of one size. Made by Device.fixed_size_pool.")
      .def_property_readonly("block_bytes",
                             [](const fixed_size_part& of) { return of.object()->block_bytes(); })
      .def_property_readonly("block_count",
                             [](const fixed_size_part& of) { return of.object()->block_count(); });
  bind<variable_size_part>(module, "VariableSizePool",
                           "Blocks of any size: best fit, split, merged when freed. Made by "
                           "Device.variable_size_pool.");
}

}  // namespace soma::python
