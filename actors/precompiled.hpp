// CAF's headers take seconds to parse; this is what the build parses once.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "actors/shell.hpp"
#include "messages/all.hpp"
