#include "api/acl/memory_support.hpp"

#include <limits>
#include <string>

#include "api/acl/current.hpp"
#include "api/acl/process.hpp"
#include "api/acl/short_kernels.hpp"

namespace soma::acl {
namespace {

constexpr std::size_t large_page_bytes = std::size_t{2} << 20;
constexpr std::size_t giant_page_bytes = std::size_t{1} << 30;
constexpr std::size_t pad = 32;

/// Frees on whichever device knows the address. Nothing can be known before there is a runtime.
void free_on_any_device(const char* argument, void* address, const char* origin,
                        soma::expected<void> (soma::device::*release)(void*, const soma::place&),
                        const soma::place& at) {
  if (const auto on = existing_machine(); on != nullptr) {
    for (soma::device& device : on->devices) {
      const soma::expected<void> freed = (device.*release)(address, at);
      if (freed)
        return;
      if (freed.error().code != errc::unknown_address)
        refuse(freed.error(), {});
      if (on->runtime.locate(address) == memory_location::unknown)
        break;  // no device knows it
    }
  }
  refuse(ACL_ERROR_RT_PARAM_INVALID,
         std::string(argument) + " " + to_text(address) + " is not the start of live memory from " + origin +
             ": it was freed before, points into a block, or was never given out");
}

[[noreturn]] void refuse_size(std::size_t size) {
  refuse(ACL_ERROR_INVALID_PARAM,
         "size is " + std::to_string(size) + " bytes, which cannot be rounded up: pass a smaller size");
}

/// In multiples of 32, and with the pad where there is one.
std::size_t rounded(std::size_t size, bool with_pad) {
  const std::size_t added = with_pad ? pad : 0;
  if (size > std::numeric_limits<std::size_t>::max() - (added + pad - 1))
    refuse_size(size);
  return (size + added + pad - 1) / pad * pad;
}

/// The kind of pages that a policy asks for; flags that only say more about the memory are left out.
int pages_of(int policy) {
  constexpr int no_effect =
      ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH | ACL_MEM_ACCESS_USER_SPACE_READONLY;
  return policy & ~no_effect;
}

struct page_choice {
  std::size_t bytes;
  bool may_be_smaller;  // if such pages cannot be had
};

page_choice choose_pages(int pages, std::size_t size) {
  switch (pages) {
  case ACL_MEM_MALLOC_HUGE_FIRST:
  case ACL_MEM_MALLOC_HUGE_FIRST_P2P:
    return size > (std::size_t{1} << 20) ? page_choice{large_page_bytes, true}
                                         : page_choice{page_bytes, false};
  case ACL_MEM_MALLOC_HUGE_ONLY:
  case ACL_MEM_MALLOC_HUGE_ONLY_P2P:
    return {large_page_bytes, false};
  case ACL_MEM_MALLOC_NORMAL_ONLY:
  case ACL_MEM_MALLOC_NORMAL_ONLY_P2P:
    return {page_bytes, false};
  case ACL_MEM_MALLOC_HUGE1G_ONLY:
  case ACL_MEM_MALLOC_HUGE1G_ONLY_P2P:
    return {giant_page_bytes, false};
  default:  // no policy
    return size >= large_page_bytes ? page_choice{large_page_bytes, true} : page_choice{page_bytes, false};
  }
}

bool is_giant(int pages) {
  return pages == ACL_MEM_MALLOC_HUGE1G_ONLY || pages == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
}

bool is_known_to_cached(int pages) {
  return pages == ACL_MEM_MALLOC_HUGE_FIRST || pages == ACL_MEM_MALLOC_HUGE_ONLY ||
         pages == ACL_MEM_MALLOC_NORMAL_ONLY || pages == ACL_MEM_MALLOC_HUGE1G_ONLY;
}

/// The kind that the addresses tell.
int kind_of(bool to_device, bool from_device) {
  if (from_device)
    return to_device ? ACL_MEMCPY_DEVICE_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST;
  return to_device ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_HOST_TO_HOST;
}

}  // namespace

void require_bytes(std::uint64_t bytes, const char* argument) {
  if (bytes == 0)
    refuse(ACL_ERROR_INVALID_PARAM, std::string(argument) + " is 0: pass a number of bytes above 0");
}

soma::memory_location locate(const void* address) {
  const auto on = existing_machine();
  return on != nullptr ? on->runtime.locate(address) : memory_location::unknown;
}

void tell_host_access(std::initializer_list<soma::access> accesses, const soma::place& at) {
  let_short_kernel_end();
  if (const auto on = existing_machine(); on != nullptr && on->runtime.checked()) [[unlikely]]
    value_of(on->runtime.host_access({accesses.begin(), accesses.size()}, at));
}

// Managed memory is the host's as well as the device's, so any side may be said of it.
void check_direction(int kind, soma::memory_location to, soma::memory_location from) {
  const int wanted = kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE ? int{ACL_MEMCPY_HOST_TO_DEVICE} : kind;
  const int actual = kind_of(is_on_device(to), is_on_device(from));
  bool fits = wanted == ACL_MEMCPY_DEFAULT || wanted == actual;
  for (const bool to_host : {false, true}) {
    for (const bool from_host : {false, true}) {
      if ((to_host && to != memory_location::managed) || (from_host && from != memory_location::managed))
        continue;
      fits = fits || wanted == kind_of(is_on_device(to) && !to_host, is_on_device(from) && !from_host);
    }
  }
  if (!fits)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "kind is " + std::to_string(kind) +
                                           ", but the addresses are those of a copy of kind " +
                                           std::to_string(actual) + ": pass that kind or ACL_MEMCPY_DEFAULT");
  if (actual == ACL_MEMCPY_HOST_TO_HOST)
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "streams do not copy from host to host: use memcpy or aclrtMemcpy after a synchronise");
}

void* malloc_plain(const char* function, const soma::place& at, std::size_t size, int policy, rounding how) {
  require_bytes(size);
  int pages = pages_of(policy);
  if (how == rounding::cached && !is_known_to_cached(pages))
    pages = -1;
  const std::size_t bytes = rounded(size, how != rounding::exact && !is_giant(pages));
  const auto choice = choose_pages(pages, bytes);
  if (bytes > std::numeric_limits<std::size_t>::max() - (choice.bytes - 1))
    refuse_size(size);
  const auto where = soma::place::of_c_call(function, at.code(), size);
  soma::malloc_options options;
  options.page_bytes = choice.bytes;
  options.read_only = (policy & ACL_MEM_ACCESS_USER_SPACE_READONLY) != 0;
  const auto context = current_context();
  auto block = context->device().malloc(bytes, options, where);
  if (!block && block.error().code == errc::out_of_memory && choice.may_be_smaller) {
    options.page_bytes = page_bytes;
    block = context->device().malloc(bytes, options, where);
  }
  return value_of(std::move(block), {{soma::errc::invalid_argument, ACL_ERROR_INVALID_PARAM}},
                  [&] { return "size is " + std::to_string(size); });
}

void free_plain(const char* argument, void* address, const soma::place& at) {
  if (locate(address) == memory_location::managed) {
    value_of(existing_machine()->runtime.addresses().free_managed(address), {},
             [&] { return std::string(argument) + " " + to_text(address); });
    return;
  }
  free_on_any_device(argument, address, "aclrtMalloc or a memory pool", &soma::device::free, at);
}

void free_host_memory(const char* argument, void* address, const soma::place& at) {
  free_on_any_device(argument, address, "aclrtMallocHost", &soma::device::free_host, at);
  count_host_blocks(-1);
}

soma::memory_site site_argument(const char* argument, const aclrtMemLocation& location, aclError bad_type) {
  const int type = number_of(location.type);
  if (type == ACL_MEM_LOCATION_TYPE_HOST || type == ACL_MEM_LOCATION_TYPE_HOST_NUMA)
    return {true, 0};
  if (type != ACL_MEM_LOCATION_TYPE_DEVICE)
    refuse(bad_type, std::string(argument) + ".type is " + std::to_string(type) +
                         ": it must be HOST (0), DEVICE (1) or HOST_NUMA (4)");
  return {false, device_argument((std::string(argument) + ".id").c_str(), location.id)};
}

}  // namespace soma::acl
