# What CMake files of programs for CANN include to compile kernels (ASCENDC_CMAKE_DIR). Kernels are functions of the host
# here, so a file of kernels is replaced by one of the same name that the porter has written: in the folder that
# SOMA_HOST_KERNELS names (a variable of CMake or of the environment), or beside it with `.host` before the last dot.
# docs/porting.md has an example.

get_filename_component(soma_drop_in_home "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

# Sets `result` to the files for the host that stand in for files of kernels.
function(soma_host_kernels result)
  set(folder "${SOMA_HOST_KERNELS}")
  if(NOT folder)
    set(folder "$ENV{SOMA_HOST_KERNELS}")
  endif()
  set(found "")
  foreach(source IN LISTS ARGN)
    get_filename_component(source "${source}" ABSOLUTE)
    get_filename_component(name "${source}" NAME)
    string(REGEX REPLACE "(\\.[^.]*)$" ".host\\1" beside "${source}")
    if(folder AND EXISTS "${folder}/${name}")
      list(APPEND found "${folder}/${name}")
    elseif(EXISTS "${beside}")
      list(APPEND found "${beside}")
    else()
      message(FATAL_ERROR "soma compiles no kernels: write the functions of ${source} for the host, as its page about "
                          "programs for CANN shows, into ${beside}, or into a file ${name} of a folder that "
                          "SOMA_HOST_KERNELS names")
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# What all of them need: the program's own headers, and soma's.
function(soma_kernel_target name)
  target_include_directories(${name} PUBLIC "${soma_drop_in_home}/include")
  foreach(source IN LISTS ARGN)
    get_filename_component(folder "${source}" ABSOLUTE)
    get_filename_component(folder "${folder}" DIRECTORY)
    target_include_directories(${name} PRIVATE "${folder}")
  endforeach()
  target_compile_features(${name} PRIVATE cxx_std_17)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC "${soma_drop_in_home}/lib64/libascendcl.so")
endfunction()

# ascendc_library(<name> [STATIC|SHARED] <file>...): kernels that are linked with the program.
function(ascendc_library name)
  set(kind STATIC)
  set(sources "${ARGN}")
  list(GET sources 0 first)
  if(first MATCHES "^(STATIC|SHARED)$")
    set(kind "${first}")
    list(REMOVE_AT sources 0)
  endif()
  soma_host_kernels(files ${sources})
  add_library(${name} ${kind} ${files})
  soma_kernel_target(${name} ${sources})
endfunction()

# ascendc_fatbin_library(<name> <file>...): kernels in a file that the program loads, fatbin/<name>/<name>.o where it
# is installed.
function(ascendc_fatbin_library name)
  soma_host_kernels(files ${ARGN})
  add_library(${name} MODULE ${files})
  soma_kernel_target(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX .o)
  install(TARGETS ${name} LIBRARY DESTINATION "fatbin/${name}")
endfunction()

function(ascendc_include_directories name)
  list(FILTER ARGN EXCLUDE REGEX "^(PRIVATE|PUBLIC|INTERFACE)$")
  target_include_directories(${name} PRIVATE ${ARGN})
endfunction()

function(ascendc_compile_definitions name)
  list(FILTER ARGN EXCLUDE REGEX "^(PRIVATE|PUBLIC|INTERFACE)$")
  target_compile_definitions(${name} PRIVATE ${ARGN})
endfunction()

# Options for the compiler of kernels mean nothing to that of the host.
function(ascendc_compile_options)
endfunction()
