// Functions of the program that are registered under names, to be called at certain moments.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "api/acl/call.hpp"

namespace soma::acl {

/// Registered once for the process, and never destroyed. Functions are called in the order of their names,
/// with no lock held, so that they may register and unregister.
template <class Function>
class named_callbacks {
public:
  struct entry {
    Function function;
    void* argument;
  };

  /// Registers a function, or takes the name's function away (null). Refuses a name that is taken.
  void change(const char* name, Function function, void* argument) {
    require_not_null(name, "regName");
    const std::lock_guard guard{lock_};
    if (function == nullptr)
      entries_.erase(name);
    else if (!entries_.try_emplace(name, entry{function, argument}).second)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             std::string("regName is \"") + name +
                 "\", which is taken: use another name, or take its function away with a callback of NULL");
  }

  [[nodiscard]] std::vector<entry> all() {
    const std::lock_guard guard{lock_};
    std::vector<entry> found;
    for (const auto& [name, one] : entries_)
      found.push_back(one);
    return found;
  }

private:
  std::mutex lock_;
  std::map<std::string, entry> entries_;
};

}  // namespace soma::acl
