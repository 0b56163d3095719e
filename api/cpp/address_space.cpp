#include "soma/address_space.hpp"

#include <string>
#include <utility>

#include "actors/address_space.hpp"
#include "api/cpp/ends.hpp"

namespace soma {

namespace detail {

namespace {

template <class T, class Message>
memory::result<T> ask_space(runtime_end& runtime, Message message) {
  return actors::ask<T>(runtime.caller(), runtime.address_space(), std::move(message));
}

template <class Message>
expected<void> change(const char* call, const std::shared_ptr<runtime_end>& end, Message message) {
  if (auto ok = end->may_submit(call); !ok) {
    return ok;
  }
  return translate_done(call, ask_space<messages::done>(*end, std::move(message)));
}

template <class T, class Message>
expected<T> make(const char* call, const std::shared_ptr<runtime_end>& end, Message message) {
  if (auto ok = end->may_submit(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return translate(call, ask_space<T>(*end, std::move(message)));
}

template <class T, class Message>
expected<T> read(const char* call, const std::shared_ptr<runtime_end>& end, Message message) {
  if (auto ok = end->may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return translate(call, ask_space<T>(*end, std::move(message)));
}

memory::range range_of(const void* begin, std::size_t bytes) { return {to_address(begin), bytes}; }

messages::memory_site inner(memory_site site) { return {site.host, site.device}; }
memory_site outer(messages::memory_site site) { return {site.host, site.device}; }

messages::physical_id inner(physical_handle memory) {
  return messages::physical_id{static_cast<std::uint64_t>(memory)};
}
physical_handle outer(messages::physical_id memory) { return physical_handle{memory::number(memory)}; }

expected<share_key> key_of(const char* call, const expected<memory::shared_name>& name) {
  if (!name) {
    return tl::unexpected(name.error());
  }
  const auto number = memory::to_number(*name);
  if (!number) {
    return fail(call, errc::system_failure,
                "the numbers of this process and its files are too large to be passed on");
  }
  return share_key{memory::to_text(*name), *number};
}

expected<memory::shared_name> name_of(const char* call, std::string_view key) {
  if (auto name = memory::shared_name_of(key)) {
    return *name;
  }
  return fail(call, errc::invalid_argument,
              "\"" + std::string(key) +
                  "\" is no key: pass on what the process that shares the memory was given");
}

}  // namespace

}  // namespace detail

using detail::inner;
using detail::outer;
using detail::range_of;

address_space::address_space(std::shared_ptr<detail::runtime_end> end) noexcept : end_(std::move(end)) {}

// -- addresses and physical memory --------------------------------------------------------------------------

expected<void*> address_space::reserve(std::size_t bytes, void* wanted) {
  return detail::make<memory::address>("address_space::reserve", end_,
                                       messages::reserve_addresses{bytes, detail::to_address(wanted), {}})
      .map(detail::to_pointer);
}

expected<void> address_space::release(void* begin) {
  return detail::change("address_space::release", end_,
                        messages::release_addresses{detail::to_address(begin), {}});
}

expected<physical_handle> address_space::create(const physical_properties& wanted) {
  constexpr auto call = "address_space::create";
  if (!wanted.site.host && wanted.site.device >= end_->device_count()) {
    return detail::fail(call, errc::no_such_device,
                        "device " + std::to_string(wanted.site.device) + " was asked for; there are " +
                            std::to_string(end_->device_count()) + ", counted from 0");
  }
  messages::create_physical message;
  message.wanted = {inner(wanted.site), wanted.bytes, wanted.page_bytes, wanted.attribute};
  if (!wanted.site.host) {
    message.device = end_->device(wanted.site.device).actor;
  }
  return detail::make<messages::physical_id>(call, end_, std::move(message))
      .map([](messages::physical_id made) { return outer(made); });
}

expected<void> address_space::release(physical_handle memory) {
  return detail::change("address_space::release", end_, messages::release_physical{inner(memory), {}});
}

expected<void> address_space::map(void* begin, std::size_t bytes, physical_handle memory, bool accessible) {
  return detail::change("address_space::map", end_,
                        messages::map_physical{range_of(begin, bytes), inner(memory), accessible, {}});
}

expected<void> address_space::unmap(void* begin) {
  return detail::change("address_space::unmap", end_,
                        messages::unmap_physical{detail::to_address(begin), {}});
}

expected<void> address_space::set_access(void* begin, std::size_t bytes,
                                         std::span<const site_access> changes) {
  messages::set_access message{range_of(begin, bytes), {}, {}};
  for (const auto& one : changes) {
    message.changes.push_back(
        {inner(one.site), messages::memory_access{static_cast<std::uint8_t>(one.access)}});
  }
  return detail::change("address_space::set_access", end_, std::move(message));
}

expected<memory_access> address_space::access_of(const void* inside, memory_site site) const {
  return detail::read<messages::memory_access>(
             "address_space::access_of", end_,
             messages::read_access{detail::to_address(inside), inner(site), {}})
      .map([](messages::memory_access found) { return memory_access{static_cast<std::uint8_t>(found)}; });
}

expected<physical_handle> address_space::retain(const void* inside) {
  return detail::make<messages::physical_id>("address_space::retain", end_,
                                             messages::retain_physical{detail::to_address(inside), {}})
      .map([](messages::physical_id found) { return outer(found); });
}

expected<physical_properties> address_space::properties_of(physical_handle memory) const {
  return detail::read<messages::physical_properties>("address_space::properties_of", end_,
                                                     messages::read_physical{inner(memory), {}})
      .map([](const messages::physical_properties& found) {
        return physical_properties{outer(found.site), found.bytes, found.page_bytes, found.attribute};
      });
}

// -- other processes ----------------------------------------------------------------------------------------

expected<share_key> address_space::share(physical_handle memory, bool anyone) {
  constexpr auto call = "address_space::share";
  return detail::key_of(call, detail::make<memory::shared_name>(
                                  call, end_, messages::export_physical{inner(memory), anyone, {}}));
}

// The device knows in which of its blocks the range is; what is no device's may be a mapping.
expected<share_key> address_space::share(const void* begin, std::size_t bytes, bool anyone) {
  constexpr auto call = "address_space::share";
  messages::export_range message;
  message.what = range_of(begin, bytes);
  message.anyone = anyone;
  if (auto* device = end_->owner(message.what.begin); device != nullptr) {
    auto block = actors::ask<messages::plain_block>(end_->caller(), device->actor,
                                                    messages::find_plain{message.what.begin, {}});
    if (!block) {
      return tl::unexpected(detail::translate(call, std::move(block.error())));
    }
    const auto ahead = message.what.begin - block->where.begin;
    if (bytes == 0 || bytes > block->where.bytes - ahead) {
      return detail::fail(call, errc::invalid_argument,
                          "the range of " + std::to_string(bytes) +
                              " bytes is empty or goes beyond its block, which has " +
                              std::to_string(block->where.bytes - ahead) + " bytes from there");
    }
    if (block->file < 0) {
      return detail::fail(call, errc::invalid_argument,
                          "memory of the plain pool cannot be shared; allocate more than 2 MiB at once");
    }
    message.site.device = device->index;
    message.file = block->file;
    message.offset = block->offset + ahead;
  }
  return detail::key_of(call, detail::make<memory::shared_name>(call, end_, std::move(message)));
}

expected<share_key> address_space::share(const pool& from, bool anyone) {
  constexpr auto call = "address_space::share";
  const auto& end = from.end();
  if (auto ok = detail::check(call, end); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  const auto [file, offset] = end_->backing().file_of(end->window);
  messages::export_range message;
  message.what = end->window;
  message.site.device = end->device.index;
  message.file = file;
  message.offset = offset;
  message.anyone = anyone;
  return detail::key_of(call, detail::make<memory::shared_name>(call, end_, std::move(message)));
}

namespace {

expected<void> allow_by(const char* call, const std::shared_ptr<detail::runtime_end>& end,
                        const memory::shared_name& name, std::span<const std::int32_t> processes) {
  return detail::change(call, end, messages::allow_import{name, {processes.begin(), processes.end()}, {}});
}

}  // namespace

expected<void> address_space::allow(std::string_view key, std::span<const std::int32_t> processes) {
  constexpr auto call = "address_space::allow";
  const auto name = detail::name_of(call, key);
  return name ? allow_by(call, end_, *name, processes) : tl::unexpected(name.error());
}

expected<void> address_space::allow(std::uint64_t key, std::span<const std::int32_t> processes) {
  return allow_by("address_space::allow", end_, memory::shared_name_of(key), processes);
}

namespace {

expected<physical_handle> import_by(const std::shared_ptr<detail::runtime_end>& end,
                                    const memory::shared_name& name, memory_site site) {
  return detail::make<messages::physical_id>("address_space::import_physical", end,
                                             messages::import_physical{name, inner(site), {}})
      .map([](messages::physical_id made) { return outer(made); });
}

}  // namespace

expected<physical_handle> address_space::import_physical(std::uint64_t key, memory_site site) {
  return import_by(end_, memory::shared_name_of(key), site);
}

expected<physical_handle> address_space::import_physical(std::string_view key, memory_site site) {
  const auto name = detail::name_of("address_space::import_physical", key);
  return name ? import_by(end_, *name, site) : tl::unexpected(name.error());
}

expected<void*> address_space::import_range(std::string_view key, memory_site site) {
  constexpr auto call = "address_space::import_range";
  const auto name = detail::name_of(call, key);
  if (!name) {
    return tl::unexpected(name.error());
  }
  return detail::make<memory::address>(call, end_, messages::import_range{*name, inner(site), {}})
      .map(detail::to_pointer);
}

expected<void> address_space::close(std::string_view key) {
  constexpr auto call = "address_space::close";
  const auto name = detail::name_of(call, key);
  return name ? detail::change(call, end_, messages::close_shared{*name, {}}) : tl::unexpected(name.error());
}

expected<void> address_space::close_import(void* begin) {
  return detail::change("address_space::close_import", end_,
                        messages::close_import{detail::to_address(begin), {}});
}

// -- memory of the host, and managed memory -----------------------------------------------------------------

expected<void> address_space::register_host(void* begin, std::size_t bytes, bool read_only) {
  return detail::change("address_space::register_host", end_,
                        messages::register_host{range_of(begin, bytes), read_only, {}});
}

expected<void> address_space::unregister_host(void* begin) {
  return detail::change("address_space::unregister_host", end_,
                        messages::unregister_host{detail::to_address(begin), {}});
}

expected<void*> address_space::malloc_managed(std::size_t bytes, memory_site site) {
  return detail::make<memory::address>("address_space::malloc_managed", end_,
                                       messages::allocate_managed{bytes, inner(site), {}})
      .map(detail::to_pointer);
}

expected<void> address_space::free_managed(void* begin) {
  return detail::change("address_space::free_managed", end_,
                        messages::free_managed{detail::to_address(begin), {}});
}

expected<void> address_space::hint(const void* begin, std::size_t bytes, managed_hint which, bool set,
                                   hinted_place place) {
  return detail::change("address_space::hint", end_,
                        messages::hint_managed{range_of(begin, bytes),
                                               messages::managed_hint{static_cast<std::uint8_t>(which)},
                                               set,
                                               {place.kind, place.id},
                                               {}});
}

expected<managed_hints> address_space::hints(const void* begin, std::size_t bytes) const {
  const auto place = [](const messages::hinted_place& from) { return hinted_place{from.kind, from.id}; };
  return detail::read<messages::managed_hints>("address_space::hints", end_,
                                               messages::read_hints{range_of(begin, bytes), {}})
      .map([&](const messages::managed_hints& from) {
        managed_hints found;
        found.read_mostly = from.read_mostly;
        found.preferred = from.preferred ? std::optional(place(*from.preferred)) : std::nullopt;
        found.last_prefetch = from.last_prefetch ? std::optional(place(*from.last_prefetch)) : std::nullopt;
        for (const auto& one : from.accessed_by) {
          found.accessed_by.push_back(place(one));
        }
        return found;
      });
}

// -- questions ----------------------------------------------------------------------------------------------

expected<span_info> address_space::find(const void* inside) const {
  constexpr auto call = "address_space::find";
  if (!end_->has_address_space()) {
    return detail::fail(call, errc::unknown_address, "nothing is known of this address");
  }
  return detail::read<messages::span>(call, end_, messages::find_span{detail::to_address(inside), {}})
      .map([](const messages::span& found) {
        return span_info{detail::to_pointer(found.where.begin),
                         found.where.bytes,
                         span_kind{static_cast<std::uint8_t>(found.kind)},
                         outer(found.site),
                         found.page_bytes,
                         found.read_only};
      });
}

expected<bool> address_space::empty() const {
  if (!end_->has_address_space()) {
    return true;
  }
  return detail::read<messages::span_count>("address_space::empty", end_, messages::count_spans{})
      .map([](const messages::span_count& count) { return count.live == 0; });
}

}  // namespace soma
