// The target of libFuzzer: one input is one session of the C interface (preset fuzz).

#include <cstddef>
#include <cstdint>

#include "c_session.hpp"
#include "leaks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const std::size_t threads_before = (fuzz::set_up(), fuzz::threads());
  if (fuzz::session({data, bytes}).run()) {
    fuzz::look_for_leaks(threads_before);
  }
  return 0;
}
