#include "tools/trace_source.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

namespace soma::tools {

namespace {

constexpr unsigned buffer_bytes = 256 * 1024;

std::string system_reason(int number) { return std::system_category().message(number); }

}  // namespace

void trace_source::closer::operator()(gzFile_s* file) const noexcept {
  // What closing could report was reported by the read that met the end.
  static_cast<void>(gzclose(file));
}

tl::expected<trace_source, std::string> trace_source::open(const std::string& path) {
  const int descriptor =
      path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return tl::unexpected("cannot be opened: " + system_reason(errno));
  }
  handle file(gzdopen(descriptor, "rb"));
  if (!file) {
    ::close(descriptor);
    return tl::unexpected(std::string("cannot be read: out of memory"));
  }
  gzbuffer(file.get(), buffer_bytes);
  return trace_source(std::move(file));
}

tl::expected<std::size_t, std::string> trace_source::read(char* buffer, std::size_t capacity) {
  const auto wanted = static_cast<unsigned>(std::min<std::size_t>(capacity, buffer_bytes));
  errno = 0;
  const int count = gzread(file_.get(), buffer, wanted);
  if (count > 0) {
    return static_cast<std::size_t>(count);
  }
  const int system_error = errno;
  // Compressed data that was cut off ends like a file that is complete; only the status tells.
  int status = Z_OK;
  const char* const reason = gzerror(file_.get(), &status);
  switch (status) {
  case Z_OK:
  case Z_STREAM_END:
    return std::size_t{0};
  case Z_ERRNO:
    return tl::unexpected("cannot be read: " + system_reason(system_error));
  case Z_BUF_ERROR:
    return tl::unexpected(std::string("bad gzip data: it ends too early"));
  default:
    return tl::unexpected(std::string("bad gzip data: ") + reason);
  }
}

}  // namespace soma::tools
