# Holds the C functions that the headers declare against those that the library exports: each must be in both.
#
#   cmake -DHEADERS=<folder of acl/> -DLIBRARY=<libsoma.so> -DNM=<nm> -P acl_symbols.cmake

cmake_minimum_required(VERSION 3.25)

set(declared "")
file(GLOB_RECURSE headers "${HEADERS}/acl/*.h")
foreach(header IN LISTS headers)
  file(READ "${header}" content)
  string(REGEX REPLACE "//[^\n]*" "" content "${content}")
  string(REPLACE ";" "|" content "${content}")
  string(REGEX MATCHALL "ACL_FUNC_VISIBILITY[^|(]*[ *\n]((acl|soma)[A-Za-z0-9]*)\\(" functions "${content}")
  foreach(function IN LISTS functions)
    string(REGEX MATCH "((acl|soma)[A-Za-z0-9]*)\\($" name "${function}")
    list(APPEND declared "${CMAKE_MATCH_1}")
  endforeach()
endforeach()

execute_process(COMMAND "${NM}" -D --defined-only "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T (acl|soma)[A-Za-z0-9]*" symbols "${symbols}")
list(TRANSFORM symbols REPLACE " T " "" OUTPUT_VARIABLE exported)

list(LENGTH declared count)
set(missing ${declared})
set(undeclared ${exported})
list(REMOVE_ITEM missing ${exported})
list(REMOVE_ITEM undeclared ${declared})
if(NOT declared OR missing OR undeclared)
  message(FATAL_ERROR "The headers and the library do not agree.\n  declared, not exported: ${missing}\n"
                      "  exported, not declared: ${undeclared}")
endif()
message(STATUS "${count} functions, each declared and exported")
