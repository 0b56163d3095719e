# Finds the core library of the C++ Actor Framework and defines the target CAF::core.
#
# CAF 1.x brings a CMake package of its own; it is used if CAF_ROOT or CMAKE_PREFIX_PATH leads to it.
# The libcaf-dev package of Debian 12 (CAF 0.17.6) brings none: then the header caf/config.hpp and the
# library caf_core are looked for. Variables: CAF_FOUND, CAF_VERSION, CAF_INCLUDE_DIR, CAF_CORE_LIBRARY.

include(FindPackageHandleStandardArgs)

# The version is said, since what the caller wants at least is forwarded otherwise, and 1.x is not 0.17.
find_package(CAF 1 QUIET CONFIG)
mark_as_advanced(CAF_DIR)
if(CAF_FOUND AND TARGET CAF::core)
  find_package_handle_standard_args(CAF CONFIG_MODE)
  return()
endif()

find_path(CAF_INCLUDE_DIR caf/config.hpp)
find_library(CAF_CORE_LIBRARY caf_core)
mark_as_advanced(CAF_INCLUDE_DIR CAF_CORE_LIBRARY)

# CAF_VERSION is one number, two decimal digits for each part: 1706 is 0.17.6.
unset(CAF_VERSION)
if(CAF_INCLUDE_DIR)
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" caf_version_line REGEX "^#define CAF_VERSION [0-9]+")
  if(caf_version_line MATCHES "CAF_VERSION ([0-9]+)")
    math(EXPR caf_major "${CMAKE_MATCH_1} / 10000")
    math(EXPR caf_minor "${CMAKE_MATCH_1} / 100 % 100")
    math(EXPR caf_patch "${CMAKE_MATCH_1} % 100")
    set(CAF_VERSION "${caf_major}.${caf_minor}.${caf_patch}")
  endif()
endif()

find_package_handle_standard_args(CAF
  REQUIRED_VARS CAF_CORE_LIBRARY CAF_INCLUDE_DIR CAF_VERSION
  VERSION_VAR CAF_VERSION)

if(CAF_FOUND AND NOT TARGET CAF::core)
  find_package(Threads REQUIRED)
  add_library(CAF::core UNKNOWN IMPORTED)
  set_target_properties(CAF::core PROPERTIES
    IMPORTED_LOCATION "${CAF_CORE_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
