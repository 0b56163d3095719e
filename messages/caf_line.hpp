// Which line of CAF the headers are of: SOMA_CAF_LEGACY is 1 for 0.17, 0 for 1.1.
#pragma once

#include <caf/config.hpp>

#if CAF_VERSION >= 1700 && CAF_VERSION < 1800
#define SOMA_CAF_LEGACY 1
#elif CAF_VERSION >= 10100 && CAF_VERSION < 10200
#define SOMA_CAF_LEGACY 0
#else
#error "soma is built with CAF 0.17 or 1.1; messages/caf.hpp is where another line would be added"
#endif
