// The ADDRESS SPACE: what addresses mean that no heap has given out. A runtime has one, made when it is
// first needed.
//
// Owns: reserved addresses, physical memory and what of it is mapped where and for whom; managed memory;
// which memory of the program is registered; the names under which memory is shared with other processes, and
// what was imported from them. Never does: wait. Memory of a device counts for that device's budget, which it
// asks for; while the answer is on its way, other messages are taken.
//
// A1  Spans of one layer do not overlap: mappings, imports and managed memory are one layer, reserved
// addresses
//     another, registered memory a third. Each mapping lies in reserved addresses.
// A2  Physical memory lives while it has a reference or a mapping; its budget is given back when it goes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "actors/shell.hpp"
#include "memory/memory_file.hpp"
#include "memory/shared_record.hpp"
#include "messages/all.hpp"

namespace soma::actors {

class address_space_state {
public:
  using handle_type = messages::address_space_actor;
  static constexpr auto name = "address space";

  explicit address_space_state(self<handle_type> own) : own_(own) {}
  ~address_space_state();
  address_space_state(const address_space_state&) = delete;
  address_space_state& operator=(const address_space_state&) = delete;

  // Addresses (address_space.cpp).
  void handle(messages::reserve_addresses& message);
  void handle(messages::release_addresses& message);
  void handle(messages::map_physical& message);
  void handle(messages::unmap_physical& message);
  void handle(messages::set_access& message);
  void handle(messages::read_access& message);
  void handle(messages::find_span& message);
  void handle(messages::count_spans& message);
  void handle(messages::stop_address_space& message);

  // Physical memory (address_space_physical.cpp).
  void handle(messages::create_physical& message);
  void handle(messages::answered<messages::budget_taken>& message);
  void handle(messages::release_physical& message);
  void handle(messages::retain_physical& message);
  void handle(messages::read_physical& message);

  // Other processes (address_space_sharing.cpp).
  void handle(messages::export_physical& message);
  void handle(messages::import_physical& message);
  void handle(messages::export_range& message);
  void handle(messages::import_range& message);
  void handle(messages::allow_import& message);
  void handle(messages::close_shared& message);
  void handle(messages::close_import& message);

  // Memory of the host (address_space_host.cpp).
  void handle(messages::register_host& message);
  void handle(messages::unregister_host& message);
  void handle(messages::allocate_managed& message);
  void handle(messages::free_managed& message);
  void handle(messages::hint_managed& message);
  void handle(messages::read_hints& message);

private:
  struct physical {
    messages::physical_properties what;
    std::shared_ptr<memory::memory_file> file;
    messages::device_actor device;  // whose budget it counts for; null if for none
    std::uint64_t references = 1;
    std::uint64_t mappings = 0;
    std::optional<memory::shared_name> exported = std::nullopt;
  };

  // What lies at a range of addresses.
  struct placed {
    messages::span what;
    messages::physical_id physical = messages::physical_id::none;  // of a mapping
    std::vector<messages::site_access> access;                     // of a mapping
    std::optional<memory::shared_name> name;                       // of an import
    std::uint64_t imports = 1;                                     // by that name, of which each is closed
    messages::managed_hints hints;
  };

  using layer = std::map<memory::address, placed>;

  // A name under which memory is shared. The same range again has the same name, closed as often.
  struct exported {
    std::unique_ptr<memory::shared_record> record;
    memory::range what;  // empty for physical memory
    bool anyone = false;
    std::uint64_t exports = 1;
  };

  // Waits for the device's answer.
  struct wanted_physical {
    messages::create_physical request;
    std::shared_ptr<memory::memory_file> file;
  };

  [[nodiscard]] static placed* find(layer& in, memory::address inside);
  [[nodiscard]] static bool is_free(layer& in, memory::range where);
  [[nodiscard]] static memory::protection protection_of(const placed& mapping);
  messages::result<void> check_mapping(const messages::map_physical& wanted);
  messages::physical_id add(physical made);
  void drop_if_unused(messages::physical_id id);
  messages::result<std::unique_ptr<memory::shared_record>> open_allowed(const memory::shared_name& key) const;
  void drop(const placed& gone);
  bool close_imports(const memory::shared_name& key);
  messages::result<std::vector<placed*>> managed_in(memory::range where);

  self<handle_type> own_;
  layer reserved_;
  layer used_;  // mapped, imported, managed
  layer registered_;
  std::map<messages::physical_id, physical> physicals_;
  std::map<std::uint64_t, wanted_physical> wanted_;
  std::map<memory::shared_name, exported> exports_;
  std::uint64_t last_number_ = 0;
};

}  // namespace soma::actors
