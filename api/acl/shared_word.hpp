// Words in memory that other processes of this machine can see: what is behind notifies and shared events.
//
// A process has one file in memory with a slot for each; another process finds it by the key's numbers: the
// process, its file and the slot. The file goes with the last process that has it open.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace soma::acl {

class shared_word {
public:
  /// A slot of this process, with all words 0. Refuses with 507899 if the system has no memory for it.
  static std::shared_ptr<shared_word> make();

  /// The slot that another process, or this one, has exported by this key. Refuses with 107000 if there is
  /// none, and with 207006 if this process may not have it.
  static std::shared_ptr<shared_word> open(const std::string& key);

  virtual ~shared_word() = default;
  shared_word(const shared_word&) = delete;
  shared_word& operator=(const shared_word&) = delete;

  /// The word that streams write and wait for.
  [[nodiscard]] virtual std::uint64_t* word() noexcept = 0;

  /// A second one, which counts; all processes see the same.
  [[nodiscard]] virtual std::uint64_t next_number() noexcept = 0;
  [[nodiscard]] virtual std::uint64_t latest_number() const noexcept = 0;

  /// Lets all processes open it, or only those that are allowed. Gives the key.
  virtual std::string export_key(bool to_all) = 0;

  /// Adds a process that may open it. False if there are too many.
  virtual bool allow(std::int32_t process) = 0;

protected:
  shared_word() = default;
};

}  // namespace soma::acl
