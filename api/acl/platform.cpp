// What the software can do, and its versions.

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/chip.hpp"
#include "api/acl/process.hpp"

namespace soma::acl {
namespace {

constexpr std::array all_attributes{ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};

std::string own_version() {
  return std::to_string(ACL_MAJOR_VERSION) + '.' + std::to_string(ACL_MINOR_VERSION) + '.' +
         std::to_string(ACL_PATCH_VERSION);
}

/// The value of the line "Version=" of a file; nothing if there is no such file or line.
std::optional<std::string> version_in(const std::string& path) {
  struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  constexpr std::string_view key = "Version=";
  const std::unique_ptr<std::FILE, closer> file(std::fopen(path.c_str(), "rbe"));
  std::array<char, 512> line{};
  while (file != nullptr && std::fgets(line.data(), line.size(), file.get()) != nullptr) {
    std::string text(line.data());
    if (text.rfind(key, 0) == 0) {
      text.erase(0, key.size());
      text.erase(text.find_last_not_of(" \t\r\n") + 1);
      return text;
    }
  }
  return std::nullopt;
}

std::string version_of(const std::string& part) {
  const bool good_name = !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char one) {
    return std::isalnum(one) != 0 || one == '_' || one == '-';
  });
  if (!good_name)
    refuse(ACL_ERROR_INVALID_PARAM,
           "pkgName is \"" + part + "\": it must be the name of a part, such as \"runtime\"");
  const char* const home = std::getenv("ASCEND_HOME_PATH");
  if (home == nullptr && (part == "runtime" || part == "driver"))
    return own_version();
  if (home != nullptr)
    if (auto found = version_in(std::string(home) + "/share/info/" + part + "/version.info"))
      return *std::move(found);
  refuse(ACL_ERROR_INVALID_FILE,
         "pkgName is \"" + part + "\": " +
             (home == nullptr
                  ? "only \"runtime\" and \"driver\" have a version while ASCEND_HOME_PATH is not set"
                  : std::string(home) + "/share/info/" + part + "/version.info has no line Version="));
}

void copy_text(char* to, std::size_t room, const std::string& text) {
  const auto bytes = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), bytes);
  to[bytes] = '\0';
}

/// A version in its parts: whole numbers, and what comes before a release.
struct version_parts {
  std::vector<std::int32_t> numbers;
  std::int32_t before_release = 0;
};

std::optional<std::int32_t> number_in(std::string_view text) {
  std::int32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end && number >= 0 ? std::optional(number) : std::nullopt;
}

/// 1 + what is deducted, or nothing if the word says nothing of the kind. The word may end with its number.
std::optional<std::int32_t> before_release(std::string_view word, std::string_view next) {
  constexpr std::array<std::pair<std::string_view, std::int32_t>, 3> stages{
      {{"alpha", -300}, {"beta", -200}, {"rc", -100}}};
  for (const auto& [name, offset] : stages) {
    if (word.substr(0, name.size()) == name) {
      const auto rest = word.substr(name.size());
      return offset + number_in(rest.empty() ? next : rest).value_or(0);
    }
  }
  return std::nullopt;
}

std::vector<std::string> words_of(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char one) { return std::tolower(one); });
  std::vector<std::string> words(1);
  for (const char one : text) {
    if (one == '.' || one == '-')
      words.emplace_back();
    else
      words.back() += one;
  }
  return words;
}

std::int32_t version_number(const std::string& text) {
  const auto words = words_of(text);
  version_parts parts;
  for (std::size_t at = 0; at != words.size(); ++at) {
    if (const auto offset = before_release(words[at], at + 1 < words.size() ? words[at + 1] : "")) {
      parts.before_release = *offset;
      break;
    }
    const auto number = number_in(words[at]);
    if (!number)
      break;
    parts.numbers.push_back(*number);
  }
  if (parts.numbers.empty())
    refuse(ACL_ERROR_INVALID_PARAM, "the version \"" + text + "\" does not begin with a number");
  parts.numbers.resize(3);
  return parts.numbers[0] * 10000000 + parts.numbers[1] * 100000 + parts.numbers[2] * 1000 +
         parts.before_release;
}

std::string part_name(int package) {
  constexpr std::array names{"toolkit", "runtime", "compiler",   "hccl",
                             "toolkit", "opp",     "opp_kernel", "driver"};
  if (package < 0 || package >= static_cast<int>(names.size()))
    refuse(ACL_ERROR_INVALID_PARAM,
           "name is " + std::to_string(package) + ": it must be one of aclCANNPackageName");
  return names.at(static_cast<std::size_t>(package));
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

const char* aclrtGetSocName() { return chip::name; }

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  return call("aclGetCannAttributeList", [&] {
    require_not_null(cannAttrList, "cannAttrList");
    require_not_null(num, "num");
    *cannAttrList = all_attributes.data();
    *num = all_attributes.size();
  });
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return call("aclGetCannAttribute", [&] {
    require_not_null(value, "value");
    switch (number_of(cannAttr)) {
    case ACL_CANN_ATTR_INF_NAN:
    case ACL_CANN_ATTR_BF16:
      *value = 1;
      return;
    case ACL_CANN_ATTR_JIT_COMPILE:
      *value = 0;
      return;
    default:
      refuse(ACL_ERROR_INVALID_PARAM, "cannAttr is " + std::to_string(number_of(cannAttr)) +
                                          ": pass one from aclGetCannAttributeList");
    }
  });
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return call("aclGetDeviceCapability", [&] {
    require_not_null(value, "value");
    device_argument("deviceId", deviceId);
    switch (number_of(deviceInfo)) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
      *value = chip::cube_cores;
      return;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      *value = chip::vector_cores;
      return;
    case ACL_DEVICE_INFO_L2_SIZE:
      *value = chip::l2_bytes;
      return;
    default:
      refuse(ACL_ERROR_INVALID_PARAM,
             "deviceInfo is " + std::to_string(number_of(deviceInfo)) + ": it must be from 0 to 2");
    }
  });
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  return call("aclsysGetVersionStr", [&] {
    require_not_null(pkgName, "pkgName");
    require_not_null(versionStr, "versionStr");
    copy_text(versionStr, ACL_PKG_VERSION_MAX_SIZE, version_of(pkgName));
  });
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  return call("aclsysGetVersionNum", [&] {
    require_not_null(pkgName, "pkgName");
    require_not_null(versionNum, "versionNum");
    *versionNum = version_number(version_of(pkgName));
  });
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  return call("aclsysGetCANNVersion", [&] {
    require_not_null(version, "version");
    const std::string text = version_of(part_name(number_of(name)));
    auto words = words_of(text);
    words.resize(4);
    *version = {};
    copy_text(version->version, sizeof version->version, text);
    copy_text(version->majorVersion, sizeof version->majorVersion, words[0]);
    copy_text(version->minorVersion, sizeof version->minorVersion, words[1]);
    copy_text(version->releaseVersion, sizeof version->releaseVersion, words[2]);
    copy_text(version->patchVersion, sizeof version->patchVersion, words[3]);
  });
}

aclError aclrtCheckArchCompatibility(const char* socVersion, int32_t* canCompatible) {
  return call("aclrtCheckArchCompatibility", [&] {
    require_not_null(socVersion, "socVersion");
    require_not_null(canCompatible, "canCompatible");
    *canCompatible =
        std::string_view(socVersion).substr(0, std::strlen(chip::family)) == chip::family ? 1 : 0;
  });
}
