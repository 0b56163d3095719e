// What one gets by writing a pool as an actor in the way of CAF's manual: the allocator of the baseline in an
// actor, each malloc and each free a request that the caller waits for.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace soma::bench {

class caf_subject {
public:
  static constexpr std::string_view name = "caf";
  static constexpr std::size_t burst = 200;

  class seat {
  public:
    explicit seat(caf_subject& of);
    ~seat();
    seat(seat&&) noexcept;
    seat& operator=(seat&&) = delete;
    seat(const seat&) = delete;
    seat& operator=(const seat&) = delete;

    void* allocate(std::size_t bytes);
    void deallocate(void* block, std::size_t bytes);

  private:
    struct client;
    std::unique_ptr<client> client_;
  };

  caf_subject();
  ~caf_subject();
  caf_subject(const caf_subject&) = delete;
  caf_subject& operator=(const caf_subject&) = delete;

  seat take_seat() { return seat(*this); }

private:
  struct server;
  std::unique_ptr<server> server_;
};

}  // namespace soma::bench
