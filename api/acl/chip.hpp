// The chip that is simulated.
#pragma once

#include <cstdint>

namespace soma::acl::chip {

inline constexpr const char* name = "Ascend910B1";
inline constexpr const char* family = "Ascend910B";

inline constexpr std::uint32_t cube_cores = 24;
inline constexpr std::uint32_t vector_cores = 48;
inline constexpr std::uint32_t host_like_cores = 6;
inline constexpr std::int64_t l2_bytes = std::int64_t{192} << 20;
inline constexpr std::int64_t buffer_bytes_per_vector_core = std::int64_t{192} << 10;
inline constexpr std::int64_t architecture = 2201;

inline constexpr std::uint32_t streams = 1984;
inline constexpr std::uint32_t events = 65536;
inline constexpr std::uint32_t notifies = 8192;
inline constexpr std::uint32_t labels = 65535;

}  // namespace soma::acl::chip
