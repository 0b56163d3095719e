# Debian packages by CPack (cpack --preset release, or tools/package): libsoma0.1 with the shared library, libsoma-dev to
# build programs with, soma with the program, and python3-soma with the Python package, if it is built.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME soma)
set(CPACK_PACKAGE_VENDOR soma)
set(CPACK_PACKAGE_CONTACT "the authors of soma <soma@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development program)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(runtime_package "libsoma${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME "${runtime_package}")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "Stream-ordered memory pools with simulated devices (shared library)\nPrograms written for CANN's ACL runtime, and C++ programs, run on this library without the hardware.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_BINARY_DIR}/triggers")
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/triggers" "activate-noawait ldconfig\n")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsoma-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${runtime_package} (= ${PROJECT_VERSION}), libexpected-dev, libcaf-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Stream-ordered memory pools with simulated devices (development files)\nHeaders, the static library, and packages for CMake and pkg-config.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME soma)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "Stream-ordered memory pools with simulated devices (program)\nReplays recorded allocations on memory pools, explores the orders of actors and threads, and tests under stress.")

if(TARGET soma_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-soma)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11), python3 (<< 3.12), python3-numpy")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "Stream-ordered memory pools with simulated devices (Python)\nThe Python package soma: streams, events, pools, and numpy arrays over their blocks.")
endif()

include(CPack)
