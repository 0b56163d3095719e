// Pools and blocks, and numpy arrays over blocks.

#include <optional>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "tools/python/support.hpp"

namespace soma::python {

void block_part::check() const {
  if (freed()) {
    raise({errc::unknown_address, "the block was freed"});
  }
}

namespace {

constexpr pool_attribute writable[] = {pool_attribute::reuse_event, pool_attribute::reuse_opportunistic,
                                       pool_attribute::reuse_internal, pool_attribute::release_threshold};

std::shared_ptr<block_part> malloc(const std::shared_ptr<pool_part>& from, std::size_t bytes,
                                   const stream_part& on) {
  const auto pool = from->object();
  const auto stream = on.object();
  const auto where = python_place();
  auto* const begin = checked([&] { return pool->malloc_async(bytes, *stream, where); });
  return std::make_shared<block_part>(begin, bytes, from->runtime->object()->end());
}

void free(const pool_part& of, block_part& block, const stream_part& on) {
  const auto pool = of.object();
  const auto stream = on.object();
  const auto where = python_place();
  checked([&] { return pool->free_async(block.address, *stream, where); });
  block.let_go();
}

// An array that keeps the block object, and through it the runtime, but not the memory from being freed.
py::array array_over(const std::shared_ptr<block_part>& block, const py::object& type,
                     const std::optional<std::vector<py::ssize_t>>& shape, std::size_t offset) {
  block->check();
  const auto of = py::dtype::from_args(type);
  const auto item = static_cast<std::size_t>(of.itemsize());
  if (offset > block->bytes || item == 0) {
    raise({errc::invalid_argument, "Block.array: the offset " + std::to_string(offset) +
                                       " is behind the end of the " + std::to_string(block->bytes) +
                                       " bytes"});
  }
  const auto left = (block->bytes - offset) / item;
  const auto extents = shape ? *shape : std::vector<py::ssize_t>{static_cast<py::ssize_t>(left)};
  std::size_t items = 1;
  for (const auto extent : extents) {
    if (extent < 0 || (extent > 0 && items > left / static_cast<std::size_t>(extent))) {
      raise({errc::invalid_argument, "Block.array: the shape needs more than the " +
                                         std::to_string(block->bytes - offset) + " bytes that there are"});
    }
    items *= static_cast<std::size_t>(extent);
  }
  return py::array(of, extents, static_cast<std::byte*>(block->address) + offset, py::cast(block));
}

py::dict figures(const pool_part& of) {
  const auto pool = of.object();
  const auto now = checked([&] { return pool->statistics(); });
  py::dict served;
  served["same_stream"] = now.served.same_stream;
  served["event"] = now.served.event;
  served["opportunistic"] = now.served.opportunistic;
  served["internal"] = now.served.internal;
  served["new_memory"] = now.served.new_memory;
  py::dict all;
  all["limit"] = now.limit;
  all["reserved"] = now.reserved;
  all["reserved_high"] = now.reserved_high;
  all["used"] = now.used;
  all["used_high"] = now.used_high;
  all["idle"] = now.idle;
  all["requested"] = now.requested;
  all["requested_high"] = now.requested_high;
  all["live_blocks"] = now.live_blocks;
  all["served"] = served;
  all["backing_requests"] = now.backing_requests;
  all["backing_returns"] = now.backing_returns;
  all["backing_requested_bytes"] = now.backing_requested_bytes;
  all["backing_returned_bytes"] = now.backing_returned_bytes;
  return all;
}

py::dict kind(const pool_part& of) {
  const auto pool = of.object();
  const auto now = checked([&] { return pool->kind(); });
  py::dict all;
  all["huge_pages"] = now.huge_pages;
  all["numa_node"] = now.numa_node;
  all["refused"] = now.refused;
  all["resident"] = now.resident;
  all["huge"] = now.huge;
  all["on_node"] = now.on_node;
  return all;
}

template <pool_attribute Attribute>
std::uint64_t read(const pool_part& of) {
  const auto pool = of.object();
  return checked([&] { return pool->get(Attribute); });
}

template <pool_attribute Attribute>
void write(const pool_part& of, std::uint64_t value) {
  const auto pool = of.object();
  checked([&] { return pool->set(Attribute, value); });
}

template <pool_attribute Attribute>
void bind_attribute(py::class_<pool_part, std::shared_ptr<pool_part>>& type, const char* name,
                    const char* text) {
  if constexpr (std::find(std::begin(writable), std::end(writable), Attribute) != std::end(writable)) {
    type.def_property(name, &read<Attribute>, &write<Attribute>, text);
  } else {
    type.def_property_readonly(name, &read<Attribute>, text);
  }
}

}  // namespace

void bind_blocks(py::module_& module) {
  py::class_<block_part, std::shared_ptr<block_part>>(
      module, "Block",
      "Memory that a pool gave out. Tasks behind the malloc may use it, up to the free; arrays over it are "
      "of no use "
      "after the free, like pointers in C.")
      .def("array", &array_over, py::arg("dtype") = "uint8", py::arg("shape") = py::none(),
           py::arg("offset") = 0, "A numpy array over the block's memory, without a copy.")
      .def_property_readonly(
          "address", [](const block_part& block) { return reinterpret_cast<std::uintptr_t>(block.address); })
      .def_readonly("bytes", &block_part::bytes, "The size asked for.")
      .def_property_readonly("freed", [](const block_part& block) { return block.freed(); })
      .def("__len__", [](const block_part& block) { return block.bytes; });

  py::class_<pool_part, std::shared_ptr<pool_part>> pool(
      module, "Pool", "A stream-ordered memory pool. Made by Device.pool. All sizes are bytes.");
  pool.def("malloc", &malloc, py::arg("bytes"), py::arg("stream"),
           "Allocates as a task of the stream. Raises OutOfMemoryError with the whole picture if it cannot "
           "be served.")
      .def("free", &free, py::arg("block"), py::arg("stream"),
           "Frees a block as a task of the stream, not necessarily the one it was allocated on.")
      .def(
          "trim",
          [](const pool_part& of, std::uint64_t keep) {
            const auto object = of.object();
            checked([&] { return object->trim_to(keep); });
          },
          py::arg("keep") = 0,
          "Gives idle memory back until no more than `keep` bytes are reserved, or used.")
      .def("statistics", &figures, "A moment's figures, as a dictionary.")
      .def(
          "kind", &kind,
          "Whether the system grants the wishes for huge pages and a NUMA node, what it has refused and why, "
          "and how many bytes have pages now, huge ones, and on the node, as a dictionary.")
      .def_property_readonly("closed", [](const pool_part& of) { return of.closed(); })
      .def("close", &pool_part::close,
           "Gives the pool up. Its memory goes back when the last block is freed.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](pool_part& of, const py::args& /*why*/) { of.close(); });
  bind_attribute<pool_attribute::reuse_event>(pool, "reuse_event",
                                              "1 if streams ordered by events may reuse.");
  bind_attribute<pool_attribute::reuse_opportunistic>(pool, "reuse_opportunistic",
                                                      "1 if any stream may reuse what has been executed.");
  bind_attribute<pool_attribute::reuse_internal>(pool, "reuse_internal",
                                                 "1 if a stream may be made to wait.");
  bind_attribute<pool_attribute::release_threshold>(
      pool, "release_threshold", "Idle bytes above this are given back at each synchronize.");
  bind_attribute<pool_attribute::reserved>(pool, "reserved", "Used and idle bytes.");
  bind_attribute<pool_attribute::reserved_high>(pool, "reserved_high", "The most that was reserved.");
  bind_attribute<pool_attribute::used>(pool, "used",
                                       "Bytes of live blocks, rounded up to the minimum block.");
  bind_attribute<pool_attribute::used_high>(pool, "used_high", "The most that was used.");
}

}  // namespace soma::python
