// The calls that tell what went wrong. Each thread keeps the texts of its failures; a configuration can make
// all threads share one list. The newest are kept, so a program that never asks does not grow.
//
// Programs may call functions of this library from destructors that run at the end of a thread or of the
// process, when the thread's list is gone already. So the list is reached by a plain pointer, which then is
// null, and the list of all threads serves instead.

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/error_texts.hpp"

namespace soma::acl {
namespace {

constexpr std::size_t text_limit = 32;

struct text_list {
  std::deque<std::string> newest_first;
  std::string given_out;  // what aclGetRecentErrMsg returned last
};

constinit thread_local aclError last_error = ACL_SUCCESS;
constinit thread_local text_list* thread_texts = nullptr;
constinit thread_local bool thread_texts_gone = false;

struct thread_texts_owner {
  thread_texts_owner() : texts(new text_list) { thread_texts = texts; }

  thread_texts_owner(const thread_texts_owner&) = delete;
  thread_texts_owner& operator=(const thread_texts_owner&) = delete;

  ~thread_texts_owner() {
    thread_texts = nullptr;
    thread_texts_gone = true;
    delete texts;
  }

  text_list* texts;
};

/// The calling thread's list; null once the thread is ending.
text_list* own_texts() {
  if (thread_texts == nullptr && !thread_texts_gone)
    thread_local const thread_texts_owner owner;
  return thread_texts;
}

/// The list of all threads; never destroyed, for calls that come late.
struct shared_list {
  std::atomic<bool> in_use = false;
  std::mutex lock;
  text_list texts;
};

shared_list& all_texts() {
  static auto& list = *new shared_list;
  return list;
}

void add(std::deque<std::string>& list, std::string text) {
  list.push_front(std::move(text));
  if (list.size() > text_limit)
    list.pop_back();
}

std::string join(const std::deque<std::string>& list) {
  std::string all;
  for (const std::string& text : list) {
    if (!all.empty())
      all += '\n';
    all += text;
  }
  return all;
}

/// 1xxxxx below 107000 are the checks of the outermost layer; they do not count as the last error.
constexpr bool counts_as_last_error(aclError code) noexcept { return code >= ACL_ERROR_RT_PARAM_INVALID; }

void keep_text(std::string text) {
  shared_list& all = all_texts();
  text_list* const own = all.in_use.load(std::memory_order_relaxed) ? nullptr : own_texts();
  if (own != nullptr) {
    add(own->newest_first, std::move(text));
  } else {
    const std::lock_guard guard{all.lock};
    add(all.texts.newest_first, std::move(text));
  }
}

const char* take_texts() {
  shared_list& all = all_texts();
  text_list* const own = own_texts();
  std::deque<std::string> taken;
  if (own == nullptr || all.in_use.load(std::memory_order_relaxed)) {
    const std::lock_guard guard{all.lock};
    taken.swap(all.texts.newest_first);
  } else {
    taken.swap(own->newest_first);
  }
  if (taken.empty())
    return nullptr;
  std::string& given_out = own != nullptr ? own->given_out : all.texts.given_out;
  given_out = join(taken);
  return given_out.c_str();
}

aclError bad_level(const char* function) noexcept {
  return call(function, [] {
    refuse(ACL_ERROR_INVALID_PARAM, "level is not ACL_RT_THREAD_LEVEL (0): there is no other level");
  });
}

}  // namespace

aclError report(const char* function, aclError code, std::string_view text) noexcept {
  if (counts_as_last_error(code))
    last_error = code;
  try {
    keep_text(std::string(function) + ": " + std::string(text) + " [" + std::to_string(code) + "]");
  } catch (...) {
    // No memory for the text: the code alone has to do.
  }
  return code;
}

void share_texts(bool shared) noexcept { all_texts().in_use.store(shared, std::memory_order_relaxed); }

}  // namespace soma::acl

using namespace soma::acl;

const char* aclGetRecentErrMsg() {
  try {
    return take_texts();
  } catch (...) {
    return nullptr;
  }
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  return number_of(level) == ACL_RT_THREAD_LEVEL ? last_error : bad_level("aclrtPeekAtLastError");
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  return number_of(level) == ACL_RT_THREAD_LEVEL ? std::exchange(last_error, ACL_SUCCESS)
                                                 : bad_level("aclrtGetLastError");
}
