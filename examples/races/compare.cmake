# Runs PROGRAM and looks for what it writes to standard error in the documents, as it is but for numbers in
# hexadecimal, which the documents show as 0x...; a repaired program and the document must agree on "0 reports".

execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE report
                TIMEOUT 100)
if(NOT code STREQUAL "0")
  message(FATAL_ERROR "${NAME} ended with ${code}:\n${output}${report}")
endif()
string(REGEX REPLACE "0x[0-9a-f]+" "0x..." report "${report}")

set(documents "${DOCUMENTS}")
if(DEFINED ENV{SOMA_EXAMPLE_README})
  list(APPEND documents "$ENV{SOMA_EXAMPLE_README}")
endif()
foreach(document IN LISTS documents)
  file(READ "${document}" text)
  string(FIND "${text}" "```\n${report}```\n" found)
  if(report STREQUAL "" OR found EQUAL -1)
    message(FATAL_ERROR "${document} does not show what ${NAME} writes:\n${report}")
  endif()
endforeach()
