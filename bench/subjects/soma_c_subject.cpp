#include "bench/subjects/soma_c_subject.hpp"

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "acl/acl_rt_memory_soma.h"

namespace soma::bench {

namespace {

void must(aclError code) {
  if (code != ACL_SUCCESS) {
    const char* const text = aclGetRecentErrMsg();
    std::cerr << code << ": " << (text != nullptr ? text : "no message") << '\n';
    std::abort();
  }
}

}  // namespace

soma_c_subject::seat::seat(void* pool) : pool_(pool) {
  must(aclrtSetDevice(0));
  must(aclrtCreateStream(&stream_));
}

soma_c_subject::seat::~seat() {
  must(aclrtDestroyStream(stream_));
  must(aclrtResetDevice(0));
}

void* soma_c_subject::seat::allocate(std::size_t bytes) {
  void* block = nullptr;
  must(aclrtMemPoolMallocAsync(&block, bytes, pool_, stream_));
  return block;
}

void soma_c_subject::seat::deallocate(void* block, std::size_t /*bytes*/) {
  must(aclrtMemPoolFreeAsync(block, stream_));
}

soma_c_subject::soma_c_subject() {
  must(aclInit(nullptr));
  must(aclrtSetDevice(0));
  aclrtMemPoolProps options{};
  options.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  options.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  must(aclrtMemPoolCreate(&pool_, &options));
  std::uint32_t on = 1;
  must(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, &on));
  std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
  must(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &threshold));
}

soma_c_subject::~soma_c_subject() {
  must(aclrtMemPoolDestroy(pool_));
  must(aclrtResetDevice(0));
  must(aclFinalize());
}

}  // namespace soma::bench
