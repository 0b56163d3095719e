// Which line of CAF the headers are of: SOMA_CAF_LEGACY is 1 for 0.17, 0 for 1.0 and 1.1. By the parts of the
// version: the whole of it, CAF_VERSION, is not right in every build of 1.1.
#pragma once

#include <caf/config.hpp>

#if CAF_MAJOR_VERSION == 0 && CAF_MINOR_VERSION == 17
#define SOMA_CAF_LEGACY 1
#elif CAF_MAJOR_VERSION == 1 && CAF_MINOR_VERSION <= 1
#define SOMA_CAF_LEGACY 0
#else
#error "soma is built with CAF 0.17, 1.0 or 1.1; messages/caf.hpp is where another line would be added"
#endif
