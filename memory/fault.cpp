#include "memory/fault.hpp"

#include <utility>

namespace soma::memory {

tl::unexpected<fault> failed(fault_code code, std::string text) {
  return tl::unexpected<fault>(fault{code, std::move(text)});
}

}  // namespace soma::memory
