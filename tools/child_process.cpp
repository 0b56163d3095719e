#include "tools/child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace soma::tools {

namespace {

/// Ignores a signal here while the child has its usual meaning of it.
class ignored_signal {
public:
  explicit ignored_signal(int number) noexcept : number_(number) {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;  // NOLINT(performance-no-int-to-ptr): as the system defines it
    ::sigaction(number_, &ignore, &before_);
  }
  ignored_signal(const ignored_signal&) = delete;
  ignored_signal& operator=(const ignored_signal&) = delete;
  ~ignored_signal() { ::sigaction(number_, &before_, nullptr); }

private:
  int number_;
  struct sigaction before_ {};
};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string_view name = std::string_view(text).substr(0, text.find('='));
    const bool replaced = std::any_of(variables.begin(), variables.end(),
                                      [name](const auto& each) { return each.first == name; });
    if (!replaced) {
      entries.push_back(text);
    }
  }
  for (const auto& [name, value] : variables) {
    std::string entry = name;
    entries.push_back(entry.append("=").append(value));
  }
  return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

int wait_for(::pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

tl::expected<int, std::string> run_child(const std::vector<std::string>& words,
                                         const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> arguments = words;
  std::vector<std::string> environment = environment_with(variables);
  ::posix_spawnattr_t attributes{};
  ::sigset_t restored{};
  ::sigemptyset(&restored);
  ::sigaddset(&restored, SIGINT);
  ::sigaddset(&restored, SIGQUIT);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigdefault(&attributes, &restored);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const ignored_signal interrupt(SIGINT);
  const ignored_signal quit(SIGQUIT);
  ::pid_t child = 0;
  const int refused = ::posix_spawnp(&child, arguments.front().c_str(), nullptr, &attributes,
                                     pointers_to(arguments).data(), pointers_to(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  if (refused != 0) {
    return tl::unexpected("cannot be run: " + std::system_category().message(refused));
  }
  return wait_for(child);
}

}  // namespace soma::tools
