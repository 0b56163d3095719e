#include "tools/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <sys/stat.h>

namespace soma::tools {

namespace {

using outcome = tl::expected<void, std::string>;

outcome failure(int number) {
  return tl::unexpected("cannot be written: " + std::system_category().message(number));
}

outcome write_to(std::FILE* file, std::string_view content, bool close) {
  errno = 0;
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  int number = errno;
  // What is left in the buffer is written only now.
  const bool finished = (close ? std::fclose(file) : std::fflush(file)) == 0;
  number = written && !finished ? errno : number;
  return written && finished ? outcome() : failure(number);
}

/// True for what must not be replaced by a file: devices, pipes, links.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

outcome write_file(const std::string& path, std::string_view content) {
  if (path == "-") {
    return write_to(stdout, content, false);
  }
  const bool in_place = is_special(path);
  const std::string written_path = in_place ? path : path + ".part";
  std::FILE* const file = std::fopen(written_path.c_str(), "wbe");
  if (file == nullptr) {
    return failure(errno);
  }
  auto done = write_to(file, content, true);
  if (done && !in_place && std::rename(written_path.c_str(), path.c_str()) != 0) {
    done = failure(errno);
  }
  if (!done && !in_place) {
    static_cast<void>(std::remove(written_path.c_str()));
  }
  return done;
}

}  // namespace soma::tools
