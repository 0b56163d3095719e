// What all parts of the Python module share: errors as exceptions, calls without the interpreter's lock, and
// Python's callables as tasks.
//
// The interpreter's lock (GIL). Every call into soma is made without it: the call may wait for an engine that
// runs a Python callable, and that needs the lock. So nothing of Python may be touched inside of such a call.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include "soma/soma.hpp"

namespace soma::python {

namespace py = pybind11;

/// Makes the exceptions of the module: Error with the fields code and message, and those below it.
void bind_errors(py::module_& module);

/// Raises the exception for an error. The caller has the lock.
[[noreturn]] void raise(const error& failed);

/// Calls without the lock.
template <class Function>
auto unlocked(Function function) {
  const py::gil_scoped_release released;
  return function();
}

/// Calls without the lock, and raises what went wrong.
template <class Function>
auto checked(Function function) {
  auto result = unlocked(std::move(function));
  if (!result) {
    raise(result.error());
  }
  if constexpr (!std::is_void_v<typename decltype(result)::value_type>) {
    return std::move(*result);
  }
}

/// The switches named 'none', 'event', 'opportunistic', 'internal' or 'all'; raises for another name.
reuse_switches switches_of(const char* call, const std::string& name);

/// Where the calling Python code is, for the race detector.
place python_place();

/// A Python callable as a function of the host. It may be copied, called and dropped on any thread. What the
/// callable raises becomes a C++ exception with the exception's type, text and line.
std::function<void()> as_task(py::function function, py::args arguments);

/// A part of a runtime (or the runtime) that can be closed: at once, at the end of a `with` block, or with
/// its runtime. The soma object inside is shared, so that a call on one thread survives a close on another.
template <class Object>
class part {
public:
  explicit part(Object object, const char* noun)
      : object_(std::make_shared<Object>(std::move(object))), noun_(noun) {}

  /// For a call. Raises if it was closed.
  std::shared_ptr<Object> object() const {
    if (object_ == nullptr) {
      raise({errc::invalid_handle, std::string("the ") + noun_ + " was closed"});
    }
    return object_;
  }

  [[nodiscard]] bool closed() const noexcept { return object_ == nullptr; }

  /// Gives the object up.
  void close() {
    auto last = std::exchange(object_, nullptr);
    if constexpr (requires { last->destroy(); }) {
      if (last != nullptr) {
        unlocked([&] {
          static_cast<void>(last->destroy());
          last.reset();
        });
      }
    } else {
      unlocked([&] { last.reset(); });
    }
  }

private:
  std::shared_ptr<Object> object_;
  const char* noun_;
};

/// A function for each part of a runtime that closes it, if it is still there.
class part_list {
public:
  template <class Part>
  void add(const std::shared_ptr<Part>& part) {
    closers_.push_back([known = std::weak_ptr<Part>(part)] {
      if (const auto still_there = known.lock()) {
        still_there->close();
      }
    });
  }

  /// The last one that was added first.
  void close_all() {
    auto closers = std::exchange(closers_, {});
    for (auto each = closers.rbegin(); each != closers.rend(); ++each) {
      (*each)();
    }
  }

private:
  std::vector<std::function<void()>> closers_;
};

class runtime_part;
class pool_part;

class stream_part : public part<stream> {
public:
  stream_part(stream made, std::shared_ptr<runtime_part> of)
      : part(std::move(made), "stream"), runtime(std::move(of)) {}
  std::shared_ptr<runtime_part> runtime;
};

class event_part : public part<event> {
public:
  event_part(event made, std::shared_ptr<runtime_part> of)
      : part(std::move(made), "event"), runtime(std::move(of)) {}
  std::shared_ptr<runtime_part> runtime;
};

class pool_part : public part<pool> {
public:
  pool_part(pool made, std::shared_ptr<runtime_part> of)
      : part(std::move(made), "pool"), runtime(std::move(of)) {}
  std::shared_ptr<runtime_part> runtime;
};

class fixed_size_part : public part<fixed_size_pool> {
public:
  fixed_size_part(fixed_size_pool made, std::shared_ptr<runtime_part> of)
      : part(std::move(made), "pool"), runtime(std::move(of)) {}
  std::shared_ptr<runtime_part> runtime;
};

class variable_size_part : public part<variable_size_pool> {
public:
  variable_size_part(variable_size_pool made, std::shared_ptr<runtime_part> of)
      : part(std::move(made), "pool"), runtime(std::move(of)) {}
  std::shared_ptr<runtime_part> runtime;
};

class device_part : public part<device> {
public:
  device_part(device made, std::shared_ptr<runtime_part> of)
      : part(std::move(made), "device"), runtime(std::move(of)) {}
  std::shared_ptr<runtime_part> runtime;
};

class runtime_part : public part<runtime> {
public:
  explicit runtime_part(runtime made) : part(std::move(made), "runtime") {}

  part_list parts;

  /// Waits for what is queued, then closes all that was made from it.
  void close();
};

/// A block of memory that a pool gave out. It is freed by its pool, not by its own end. Until it is freed it
/// keeps the runtime, so that arrays over it can be used also when the pool or the runtime was closed.
class block_part {
public:
  block_part(void* begin, std::size_t size, std::shared_ptr<detail::runtime_end> of)
      : address(begin), bytes(size), runtime_(std::move(of)) {}
  block_part(const block_part&) = delete;
  block_part& operator=(const block_part&) = delete;
  ~block_part() { let_go(); }

  void* address;
  std::size_t bytes;  // as asked for

  [[nodiscard]] bool freed() const noexcept { return runtime_ == nullptr; }

  /// Raises if it was freed.
  void check() const;

  /// It was freed.
  void let_go() {
    if (auto last = std::exchange(runtime_, nullptr)) {
      unlocked([&] { last.reset(); });
    }
  }

private:
  std::shared_ptr<detail::runtime_end> runtime_;
};

/// Closes all runtimes before the interpreter ends: a task must not ask for its lock later.
void close_at_exit();

void bind_streams(py::module_& module);
void bind_runtime(py::module_& module);
void bind_blocks(py::module_& module);
void bind_replay(py::module_& module);
void bind_classic_pools(py::module_& module);

}  // namespace soma::python
