/* fuzz.h -- shared by fuzz targets. */
#ifndef CRD_TESTS_FUZZ_H
#define CRD_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* A property that must hold for every input. */
#define HOLDS(condition)                                                                           \
  do {                                                                                             \
    if (condition) break;                                                                          \
    fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                 \
    abort();                                                                                       \
  } while (0)

#endif
