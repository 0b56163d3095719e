# A folder in the shape of a CANN toolkit's, so that programs build and run with the command lines that they have for
# CANN: include/, lib64/ with the library under the names that they link, and share/info/ with versions. It has
# links, and the scripts that programs' own build files ask for: bin/setenv.bash, set_env.sh, and ascendc.cmake, which
# takes kernels for the host. There is one in the build tree (build/<preset>/ascend) and one that is installed
# (<libdir>/soma/ascend). tools/soma-env prints the variables for it.

set(drop_in_names libascendcl.so libacl_rt.so libruntime.so)
set(drop_in_parts runtime driver compiler)

# soma_drop_in(<folder> <headers> <library folder>) makes such a folder; the last two are what its links name.
function(soma_drop_in folder headers libraries)
  file(REMOVE_RECURSE "${folder}")
  file(MAKE_DIRECTORY "${folder}/include" "${folder}/lib64")
  file(CREATE_LINK "${headers}/acl" "${folder}/include/acl" SYMBOLIC)
  foreach(name IN LISTS drop_in_names)
    file(CREATE_LINK "${libraries}/libsoma.so" "${folder}/lib64/${name}" SYMBOLIC)
  endforeach()
  # What a program that was linked with one of them asks for when it starts.
  set(runtime_name "libsoma.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
  file(CREATE_LINK "${libraries}/${runtime_name}" "${folder}/lib64/${runtime_name}" SYMBOLIC)
  file(COPY "${PROJECT_SOURCE_DIR}/cmake/setenv.bash" DESTINATION "${folder}/bin")
  file(WRITE "${folder}/set_env.sh" "source \"$(dirname -- \"\${BASH_SOURCE[0]}\")/bin/setenv.bash\"\n")
  file(COPY "${PROJECT_SOURCE_DIR}/cmake/ascendc.cmake" DESTINATION "${folder}/tikcpp/ascendc_kernel_cmake")
  foreach(part IN LISTS drop_in_parts)
    file(WRITE "${folder}/share/info/${part}/version.info" "Version=1.17.0\n")
  endforeach()
endfunction()

soma_drop_in("${PROJECT_BINARY_DIR}/ascend" "${PROJECT_SOURCE_DIR}/api/include" "${PROJECT_BINARY_DIR}/api")

# In the installed tree the links are relative, so that it can be moved.
set(to_install "${PROJECT_BINARY_DIR}/ascend_to_install")
set(home "${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/soma/ascend")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${home}/include" OUTPUT_VARIABLE to_headers)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${home}/lib64" OUTPUT_VARIABLE to_libraries)
cmake_path(NORMAL_PATH to_headers)
cmake_path(NORMAL_PATH to_libraries)
string(REGEX REPLACE "/$" "" to_headers "${to_headers}")
string(REGEX REPLACE "/$" "" to_libraries "${to_libraries}")
soma_drop_in("${to_install}" "${to_headers}" "${to_libraries}")
install(DIRECTORY "${to_install}/" DESTINATION "${CMAKE_INSTALL_LIBDIR}/soma/ascend" COMPONENT development)
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/soma-env" DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT development)
