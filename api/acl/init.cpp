// Start and end of the library: a count of users, and the configuration file of the first of them.

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/environment.hpp"
#include "api/acl/error_texts.hpp"
#include "api/acl/json.hpp"
#include "api/acl/process.hpp"
#include "api/acl/start_callbacks.hpp"
#include "api/cpp/trace_at_end.hpp"

namespace soma::acl {
namespace {

struct users {
  std::mutex lock;
  std::uint64_t count = 0;
  /// The configuration of the process's first start; later ones must have the same.
  std::optional<std::string> first_config;
};

users& all_users() {
  static auto& only = *new users;
  return only;
}

struct configuration {
  std::optional<std::uint32_t> default_device;
  bool shared_texts = false;
};

std::string read_file(const char* path) {
  struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  const std::unique_ptr<std::FILE, closer> file(std::fopen(path, "rbe"));
  std::string text;
  char part[4096];
  while (file != nullptr && std::feof(file.get()) == 0 && std::ferror(file.get()) == 0)
    text.append(part, std::fread(part, 1, sizeof part, file.get()));
  if (file == nullptr || std::ferror(file.get()) != 0)
    refuse(ACL_ERROR_INVALID_FILE, std::string("configPath is \"") + path + "\", which cannot be read (" +
                                       std::generic_category().message(errno) +
                                       "): pass the path of a JSON file, or NULL");
  return text;
}

[[noreturn]] void refuse_config(const char* key, const std::string& value, const std::string& rule) {
  refuse(ACL_ERROR_INVALID_PARAM,
         std::string("the configuration's ") + key + " is " + value + ": it must be " + rule);
}

std::uint32_t default_device_of(const json_value& value) {
  const std::uint32_t count = device_count();
  std::uint32_t device = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [rest, error] = std::from_chars(value.text.data(), end, device);
  if (error != std::errc() || rest != end || device >= count)
    refuse_config("defaultDevice.default_device", '"' + value.text + '"',
                  "the number of a device, from 0 to " + std::to_string(count - 1));
  return device;
}

configuration read_configuration(const std::string& text) {
  configuration result;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    return result;
  const auto parsed = parse_json(text);
  if (!parsed)
    refuse(ACL_ERROR_PARSE_FILE, "the configuration file is not JSON: " + parsed.error());
  if (parsed->kind != json_kind::object)
    refuse(ACL_ERROR_PARSE_FILE, "the configuration file is no JSON object: it must start with {");
  if (const json_value* const group = parsed->find("defaultDevice"); group != nullptr)
    if (const json_value* const device = group->find("default_device"); device != nullptr)
      result.default_device = default_device_of(*device);
  if (const json_value* const mode = parsed->find("err_msg_mode"); mode != nullptr) {
    if (mode->text != "0" && mode->text != "1")
      refuse_config("err_msg_mode", '"' + mode->text + '"',
                    R"("0" (each thread has its own error texts) or "1" (the process has one list))");
    result.shared_texts = mode->text == "1";
  }
  return result;
}

void start(users& all, const char* config_path) {
  std::string text = config_path != nullptr ? read_file(config_path) : std::string();
  const configuration wanted = read_configuration(text);
  if (all.first_config && *all.first_config != text)
    refuse(ACL_ERROR_INVALID_PARAM,
           "the configuration differs from the one that this process was first started "
           "with: start it again with the same content");
  read_environment();  // a bad value is better told now than by some later call
  read_short_kernel_limit();
  all.first_config = std::move(text);
  all.count = 1;
  set_default_device(wanted.default_device);
  share_texts(wanted.shared_texts);
}

/// Takes users off, all or one, and gives how many are left.
std::uint64_t drop_users(bool every) {
  users& all = all_users();
  const std::lock_guard guard{all.lock};
  if (all.count == 0)
    refuse(ACL_ERROR_REPEAT_FINALIZE, "the library has not been started, or was finalized as often as it was "
                                      "started: call aclInit first");
  all.count = every ? 0 : all.count - 1;
  if (all.count == 0) {
    set_default_device(std::nullopt);
    share_texts(false);
  }
  return all.count;
}

}  // namespace

bool runs_with(std::string& configuration) {
  users& all = all_users();
  const std::lock_guard guard{all.lock};
  if (all.count == 0)
    return false;
  configuration = all.first_config.value_or("");
  return true;
}

}  // namespace soma::acl

using namespace soma::acl;

aclError aclInit(const char* configPath) {
  return call("aclInit", [&] {
    users& all = all_users();
    std::string configuration;
    {
      const std::lock_guard guard{all.lock};
      if (all.count != 0) {
        ++all.count;
        refuse(ACL_ERROR_REPEAT_INITIALIZE, "the library runs already and now has " +
                                                std::to_string(all.count) +
                                                " users; the configuration file was not read; go on");
      }
      start(all, configPath);
      configuration = all.first_config.value_or("");
    }
    try {
      tell_start(configuration);
    } catch (const refusal&) {
      drop_users(true);
      throw;
    }
  });
}

aclError aclFinalize() {
  const aclError result = host_call("aclFinalize", [] {
    drop_users(true);
    end_machine_if_unused();
    tell_end();
  });
  soma::detail::write_environment_trace();
  return result;
}

aclError aclFinalizeReference(uint64_t* refCount) {
  const aclError result = host_call("aclFinalizeReference", [&] {
    const std::uint64_t left = drop_users(false);
    if (refCount != nullptr)
      *refCount = left;
    if (left == 0) {
      end_machine_if_unused();
      tell_end();
    }
  });
  soma::detail::write_environment_trace();
  return result;
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  return call("aclrtGetVersion", [&] {
    require_not_null(majorVersion, "majorVersion");
    require_not_null(minorVersion, "minorVersion");
    require_not_null(patchVersion, "patchVersion");
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
  });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return call("aclrtGetRunMode", [&] {
    require_not_null(runMode, "runMode");
    *runMode = ACL_HOST;
  });
}
