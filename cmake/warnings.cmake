# The target soma_warnings: the warnings that all code of the project is compiled with (g++ 12, clang 14).

add_library(soma_warnings INTERFACE)

target_compile_options(soma_warnings INTERFACE
  -Wall
  -Wextra
  -Wpedantic
  -Wshadow
  -Wconversion
  -Wsign-conversion
  -Wdouble-promotion
  -Wformat=2
  -Wimplicit-fallthrough
  -Wundef
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>
  $<$<COMPILE_LANGUAGE:CXX>:-Wextra-semi>
  # g++ 12 takes "text" + std::string for overlapping copies (its bug 105329, mended in 13).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>,$<COMPILE_LANGUAGE:CXX>>:-Wno-restrict>
  # It also takes what an optional or expected held before a move for uninitialised (clang checks this too, rightly).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<BOOL:${SOMA_WARNINGS_AS_ERRORS}>:-Werror>)
