# Platforms on which results would be wrong are refused: files are mapped and read in place as 64-bit little-endian
# numbers, and sums need exact doubles. src/base/context.c asserts the same of the compiler.
#   cmake -D CMAKE_SIZEOF_VOID_P=4 -D CMAKE_C_BYTE_ORDER=LITTLE_ENDIAN -P cmake/platform.cmake
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  math(EXPR bits "8 * ${CMAKE_SIZEOF_VOID_P}")
  message(FATAL_ERROR "Credence needs a 64-bit processor, found ${bits} bits. An exported calibrator runs on any: "
                      "'credence export' on another machine writes it as C, with --float for small processors")
endif()
if(CMAKE_C_BYTE_ORDER STREQUAL BIG_ENDIAN)
  message(FATAL_ERROR "Credence needs a little-endian processor, found a big-endian one. An exported calibrator runs "
                      "on any: 'credence export' on another machine writes it as C")
endif()
