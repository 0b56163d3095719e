// What the system says about this process's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace soma::bench {

/// The bytes of this process's own memory that are in pages now (RssAnon), after the C library has given back
/// what it can. Memory of pools is not among them: it is a file's. 0 if the system does not tell.
[[nodiscard]] std::uint64_t private_bytes();

/// How many mappings the process has.
[[nodiscard]] std::size_t mapping_count();

/// How many the system allows; 0 if it does not tell.
[[nodiscard]] std::size_t mapping_limit();

}  // namespace soma::bench
