#include "tools/python/support.hpp"

#include <set>
#include <stdexcept>

namespace soma::python {

namespace {

// Kept for as long as the process: modules are not unloaded.
PyObject* error_type = nullptr;
PyObject* out_of_memory_type = nullptr;
PyObject* timed_out_type = nullptr;

PyObject* new_type(py::module_& module, const char* name, const char* text, const py::tuple& bases) {
  const auto full_name = std::string("soma.") + name;
  auto* made = PyErr_NewExceptionWithDoc(full_name.c_str(), text, bases.ptr(), nullptr);
  if (made == nullptr) {
    throw py::error_already_set();
  }
  module.add_object(name, py::reinterpret_borrow<py::object>(made));
  return made;
}

PyObject* type_of(errc code) noexcept {
  switch (code) {
  case errc::out_of_memory:
    return out_of_memory_type;
  case errc::timed_out:
    return timed_out_type;
  default:
    return error_type;
  }
}

// What is dropped by an engine or by a call needs the lock for that. After the interpreter has ended there is
// nothing to be dropped any more.
struct held_callable {
  py::object function;
  py::object arguments;

  held_callable(py::object called, py::object with)
      : function(std::move(called)), arguments(std::move(with)) {}
  held_callable(const held_callable&) = delete;
  held_callable& operator=(const held_callable&) = delete;
  ~held_callable() {
    if (Py_IsInitialized() == 0) {
      function.release();
      arguments.release();
      return;
    }
    const py::gil_scoped_acquire locked;
    function = {};
    arguments = {};
  }
};

// The exception in one line: its type, its text, and where it was raised.
std::string described(py::error_already_set& raised) {
  auto text = py::cast<std::string>(raised.type().attr("__name__")) + ": " +
              py::cast<std::string>(py::str(raised.value()));
  auto trace = py::reinterpret_borrow<py::object>(raised.trace());
  if (trace && !trace.is_none()) {
    while (!trace.attr("tb_next").is_none()) {
      trace = trace.attr("tb_next");
    }
    const auto code = trace.attr("tb_frame").attr("f_code");
    text += " (" + py::cast<std::string>(code.attr("co_filename")) + ":" +
            py::cast<std::string>(py::str(trace.attr("tb_lineno"))) + ", in " +
            py::cast<std::string>(code.attr("co_name")) + ")";
  }
  return text;
}

}  // namespace

void bind_errors(py::module_& module) {
  const auto builtin = [](PyObject* type) { return py::reinterpret_borrow<py::object>(type); };
  error_type =
      new_type(module, "Error",
               "A call of soma that has failed. `code` is the kind of the failure as a word, for example "
               "'invalid_argument'; `message` names the call, the value, the rule that was broken, and what "
               "to do.",
               py::make_tuple(builtin(PyExc_RuntimeError)));
  out_of_memory_type = new_type(module, "OutOfMemoryError",
                                "A pool or device cannot serve a request; the message has the whole picture.",
                                py::make_tuple(builtin(error_type), builtin(PyExc_MemoryError)));
  timed_out_type = new_type(module, "TimedOutError", "The time given for waiting is over; the work goes on.",
                            py::make_tuple(builtin(error_type), builtin(PyExc_TimeoutError)));
}

void raise(const error& failed) {
  const auto type = py::reinterpret_borrow<py::object>(type_of(failed.code));
  auto made = type(failed.message);
  made.attr("code") = std::string(to_string(failed.code));
  made.attr("message") = failed.message;
  PyErr_SetObject(type.ptr(), made.ptr());
  throw py::error_already_set();
}

reuse_switches switches_of(const char* call, const std::string& name) {
  if (name == "none") {
    return {};
  }
  if (name == "all") {
    return {true, true, true};
  }
  if (name == "event" || name == "opportunistic" || name == "internal") {
    return {name == "event", name == "opportunistic", name == "internal"};
  }
  raise({errc::invalid_argument,
         std::string(call) + ": reuse is 'none', 'event', 'opportunistic', 'internal' or 'all', and not '" +
             name + "'"});
}

place python_place() {
  static auto& files = *new std::set<std::string>;  // names that places point to, for ever
  auto* frame = PyEval_GetFrame();
  if (frame == nullptr) {
    return place();
  }
  const auto code = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const auto name = py::cast<std::string>(code.attr("co_filename"));
  return place::here(files.insert(name).first->c_str(),
                     static_cast<std::uint32_t>(PyFrame_GetLineNumber(frame)));
}

std::function<void()> as_task(py::function function, py::args arguments) {
  const auto held = std::make_shared<held_callable>(std::move(function), std::move(arguments));
  return [held] {
    const py::gil_scoped_acquire locked;
    try {
      held->function(*py::reinterpret_borrow<py::args>(held->arguments));
    } catch (py::error_already_set& raised) {
      throw std::runtime_error(described(raised));
    }
  };
}

}  // namespace soma::python
