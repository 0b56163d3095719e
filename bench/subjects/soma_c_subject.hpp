// A pool of soma as a subject, through the C interface. Its blocks are whole granules. One at a time: it
// starts and ends the library.
#pragma once

#include <cstddef>
#include <string_view>

#include "acl/acl.h"

namespace soma::bench {

class soma_c_subject {
public:
  static constexpr std::string_view name = "soma_c";
  static constexpr std::size_t burst = 50'000;

  class seat {
  public:
    explicit seat(void* pool);
    ~seat();
    seat(const seat&) = delete;
    seat& operator=(const seat&) = delete;

    void* allocate(std::size_t bytes);
    void deallocate(void* block, std::size_t bytes);

  private:
    void* pool_;
    aclrtStream stream_ = nullptr;
  };

  soma_c_subject();
  ~soma_c_subject();
  soma_c_subject(const soma_c_subject&) = delete;
  soma_c_subject& operator=(const soma_c_subject&) = delete;

  seat take_seat() const { return seat(pool_); }

private:
  void* pool_ = nullptr;  // an aclrtMemPool
};

}  // namespace soma::bench
