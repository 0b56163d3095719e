// Advice as text for people, as JSON for programs, and as code to paste.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tools/advise.hpp"

namespace soma::tools {

[[nodiscard]] std::string print_advice(const std::string& file, const advice& given);

[[nodiscard]] nlohmann::ordered_json advice_json(const std::string& file, const advice& given);

/// A function that makes such a pool: in C, or in C++ where blocks are smaller than a granule, which the C
/// interface does not offer. Whatever the file is called, it stays in its comment.
[[nodiscard]] std::string advised_code(const std::string& file, const advice& given);

}  // namespace soma::tools
