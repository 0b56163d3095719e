// The extension module soma._soma; tools/python/soma/__init__.py is what programs import.

#include "tools/python/support.hpp"

#ifndef SOMA_VERSION
#define SOMA_VERSION "of unknown version"
#endif

PYBIND11_MODULE(_soma, module) {  // NOLINT
  module.doc() = "soma's runtime for Python; import soma.";
  module.attr("__version__") = SOMA_VERSION;
  module.attr("GRANULE_BYTES") = soma::granule_bytes;
  soma::python::bind_errors(module);
  soma::python::bind_streams(module);
  soma::python::bind_blocks(module);
  soma::python::bind_runtime(module);
  soma::python::bind_classic_pools(module);
  soma::python::bind_replay(module);
  soma::python::close_at_exit();
}
