#include "api/acl/shared_word.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <map>
#include <mutex>
#include <system_error>
#include <vector>

#include "api/acl/call.hpp"

namespace soma::acl {
namespace {

constexpr std::size_t process_limit = 16;

// As all processes see it. A slot is in use while its generation is odd.
struct slot {
  std::atomic<std::uint64_t> generation;
  std::uint64_t word;
  std::atomic<std::uint64_t> numbers;
  std::atomic<std::uint32_t> open_to_all;
  std::atomic<std::uint32_t> processes;
  std::array<std::atomic<std::int32_t>, process_limit> allowed;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

constexpr std::size_t slot_limit = std::size_t{1} << 17;  // all notifies and events that can exist
constexpr std::size_t file_bytes = slot_limit * sizeof(slot);

[[noreturn]] void refuse_system(const char* what) {
  refuse(ACL_ERROR_RT_DRV_INTERNAL_ERROR, std::string("the system gives no memory to share (") + what + ": " +
                                              std::generic_category().message(errno) + ")");
}

slot* map_file(int file) {
  void* const at = ::mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : static_cast<slot*>(at);
}

/// The file of this process. It is never closed, for calls that come late.
class own_file {
public:
  own_file() : file_(::memfd_create("soma", MFD_CLOEXEC)) {
    if (file_ < 0)
      refuse_system("memfd_create");
    if (::ftruncate(file_, file_bytes) != 0 || (slots_ = map_file(file_)) == nullptr)
      refuse_system("mmap");
  }

  std::size_t take() {
    const std::lock_guard guard{lock_};
    if (free_.empty() && used_ == slot_limit)
      refuse(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
             "there are too many notifies and shared events: destroy some first");
    std::size_t index = used_;
    if (free_.empty()) {
      ++used_;
    } else {
      index = free_.back();
      free_.pop_back();
    }
    slot& taken = slots_[index];
    taken.word = 0;
    taken.numbers = 0;
    taken.open_to_all = 0;
    taken.processes = 0;
    ++taken.generation;
    return index;
  }

  void give_back(std::size_t index) noexcept {
    ++slots_[index].generation;
    const std::lock_guard guard{lock_};
    free_.push_back(index);
  }

  [[nodiscard]] slot& at(std::size_t index) noexcept { return slots_[index]; }

  [[nodiscard]] int number() const noexcept { return file_; }

private:
  int file_;
  slot* slots_ = nullptr;
  std::mutex lock_;  // guards what follows
  std::size_t used_ = 0;
  std::vector<std::size_t> free_;
};

own_file& own() {
  static auto& only = *new own_file;
  return only;
}

class slot_word : public shared_word {
public:
  explicit slot_word(slot& at) noexcept : at_(at) {}

  [[nodiscard]] std::uint64_t* word() noexcept override { return &at_.word; }
  [[nodiscard]] std::uint64_t next_number() noexcept override { return at_.numbers.fetch_add(1) + 1; }
  [[nodiscard]] std::uint64_t latest_number() const noexcept override { return at_.numbers.load(); }

  bool allow(std::int32_t process) override {
    const auto index = at_.processes.load();
    if (index == process_limit)
      return false;
    at_.allowed.at(index) = process;
    at_.processes = index + 1;
    return true;
  }

protected:
  slot& at_;
};

/// A slot that this process made. The last user gives it back.
class own_word final : public slot_word {
public:
  explicit own_word(std::size_t index) : slot_word(own().at(index)), index_(index) {}
  ~own_word() override { own().give_back(index_); }
  own_word(const own_word&) = delete;
  own_word& operator=(const own_word&) = delete;

  std::string export_key(bool to_all) override {
    at_.open_to_all = to_all ? 1 : 0;
    return "soma-" + std::to_string(::getpid()) + '-' + std::to_string(own().number()) + '-' +
           std::to_string(index_) + '-' + std::to_string(at_.generation.load());
  }

private:
  std::size_t index_;
};

/// A slot of another process.
class foreign_word final : public slot_word {
public:
  foreign_word(slot& at, std::string key) : slot_word(at), key_(std::move(key)) {}
  std::string export_key(bool /*to_all*/) override { return key_; }

private:
  std::string key_;
};

struct key_parts {
  int process = 0;
  int file = 0;
  std::size_t index = 0;
  std::uint64_t generation = 0;
};

[[noreturn]] void refuse_key(const std::string& key) {
  refuse(ACL_ERROR_RT_PARAM_INVALID,
         "nothing is shared by the key \"" + key +
             "\": the process that exported it has ended or destroyed it, or it is no key");
}

key_parts parts_of(const std::string& key) {
  key_parts parts;
  char rest = '\0';
  const int found = std::sscanf(key.c_str(), "soma-%d-%d-%zu-%lu%c", &parts.process, &parts.file,
                                &parts.index, &parts.generation, &rest);
  if (found != 4 || parts.index >= slot_limit)
    refuse_key(key);
  return parts;
}

/// The files of other processes that this one has mapped; they stay so.
slot* foreign_file(const key_parts& parts) {
  static std::mutex lock;
  static auto& known = *new std::map<std::pair<int, int>, slot*>;
  const std::lock_guard guard{lock};
  auto& there = known[{parts.process, parts.file}];
  if (there == nullptr) {
    const auto path = "/proc/" + std::to_string(parts.process) + "/fd/" + std::to_string(parts.file);
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file >= 0) {
      there = ::lseek(file, 0, SEEK_END) == static_cast<off_t>(file_bytes) ? map_file(file) : nullptr;
      ::close(file);
    }
  }
  return there;
}

bool may_open(const slot& at) {
  const auto count = at.processes.load();
  for (std::uint32_t index = 0; index != count && index != process_limit; ++index)
    if (at.allowed.at(index) == ::getpid())
      return true;
  return at.open_to_all.load() != 0;
}

}  // namespace

std::shared_ptr<shared_word> shared_word::make() { return std::make_shared<own_word>(own().take()); }

std::shared_ptr<shared_word> shared_word::open(const std::string& key) {
  const auto parts = parts_of(key);
  slot* const file = parts.process == ::getpid() ? &own().at(0) : foreign_file(parts);
  if (file == nullptr || file[parts.index].generation.load() != parts.generation)
    refuse_key(key);
  slot& at = file[parts.index];
  if (!may_open(at))
    refuse(
        ACL_ERROR_RT_NO_PERMISSION,
        "process " + std::to_string(::getpid()) +
            " may not use what is behind this key: the process that exported it has to name this one, or to "
            "export it without validation");
  return std::make_shared<foreign_word>(at, key);
}

}  // namespace soma::acl
