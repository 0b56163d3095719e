#include "soma/trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "actors/trace_store.hpp"
#include "actors/tracing.hpp"
#include "api/cpp/trace_at_end.hpp"
#include "api/cpp/trace_file.hpp"
#include "api/cpp/translate.hpp"

namespace soma {

namespace detail {

int write_trace_to(const char* path) noexcept {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    return errno;
  }
  const trace_snapshot now(actors::tracing::latest_session());
  const int error = now.is_there() ? write_trace(file, now) : ENOMEM;
  return ::close(file) != 0 && error == 0 ? errno : error;
}

}  // namespace detail

namespace trace {

expected<void> start(const options& how) {
  constexpr auto call = "trace::start";
  switch (actors::tracing::start(how.memory)) {
  case actors::tracing::start_result::started:
    return {};
  case actors::tracing::start_result::already_on:
    return detail::fail(call, errc::not_permitted, "a trace is being taken already; stop it first");
  case actors::tracing::start_result::wire_is_taken:
    return detail::fail(call, errc::not_permitted, "an explorer or a test watches the messages already");
  case actors::tracing::start_result::no_memory:
    break;
  }
  return detail::fail(call, errc::out_of_memory,
                      "the system has no " + std::to_string(how.memory) + " bytes of memory for a trace");
}

void stop() noexcept { actors::tracing::stop(); }

status get_status() noexcept {
  status now{actors::tracing::is_on(), 0, 0};
  const auto session = actors::tracing::latest_session();
  if (session.store == nullptr) {
    return now;
  }
  for (std::size_t at = 0; at < session.store->size(); ++at) {
    const auto& chunk = session.store->chunk(at);
    if (chunk.session.load(std::memory_order_acquire) == session.session) {
      now.entries += chunk.count.load(std::memory_order_acquire);
    }
  }
  now.dropped = session.store->dropped();
  return now;
}

expected<void> write(const std::string& path) {
  constexpr auto call = "trace::write";
  if (actors::tracing::latest_session().store == nullptr) {
    return detail::fail(call, errc::not_permitted, "no trace was started that could be written");
  }
  const int error = detail::write_trace_to(path.c_str());
  if (error == ENOMEM) {
    return detail::fail(call, errc::out_of_memory, "there is not enough memory to put the trace together");
  }
  if (error != 0) {
    return detail::fail(call, errc::file_not_readable,
                        path + " cannot be written: " + std::generic_category().message(error));
  }
  return {};
}

}  // namespace trace
}  // namespace soma
