// The target of libFuzzer: one input is one session of the C interface (preset fuzz).

#include <cstddef>
#include <cstdint>

#include "c_session.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const bool ready = (fuzz::set_up(), true);
  static_cast<void>(ready);
  fuzz::session({data, bytes}).run();
  return 0;
}
