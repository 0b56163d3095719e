// Settings of a replay as they are written on the command line to compare them:
// "min-block=512,reuse=event+internal".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "tools/replay.hpp"

namespace soma::tools {

struct replay_variant {
  std::string name;  ///< as it was written
  replay_settings settings;
};

/// Changes a copy of `base` as the text says: min-block, limit and threshold with a size, sync-every with a
/// number, held with yes or no, reuse with none, all, or event, opportunistic and internal joined by +. The
/// error says what is wrong and what is right.
[[nodiscard]] tl::expected<replay_variant, std::string> parse_variant(std::string_view text,
                                                                      const replay_settings& base);

/// What is compared if nothing is named: the base, other blocks, other switches, and no idle memory kept.
[[nodiscard]] std::vector<replay_variant> usual_variants(const replay_settings& base);

}  // namespace soma::tools
