// The style sheet of the report.
#pragma once

#include <string_view>

namespace soma::tools {

/// Light and dark as the reader's system has it, light on paper, and one column down to 360 pixels.
[[nodiscard]] std::string_view report_style() noexcept;

}  // namespace soma::tools
