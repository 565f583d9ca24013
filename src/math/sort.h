/*
 * sort.h -- in-place sort of records of 64-bit words by their first two.
 */
#ifndef CRD_MATH_SORT_H
#define CRD_MATH_SORT_H

#include "base/context.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sorts ascending by word 0, then word 1, unsigned; a record is 2 to 4 words, moved together.
 * Allocates nothing; the time is linear in `count` for any input: ties, sorted, reversed. */
void crd__math_sort_records(uint64_t *records, size_t count, size_t words);
/* The same for millions of records, which take a second: fails with CRD_EINTERRUPTED after
 * crd_context_interrupt. */
crd_status crd__math_sort_many(crd_context *ctx, uint64_t *records, size_t count, size_t words);

/* Returns bits that sort like the values: doubles >= 0 (-0 becomes 0, infinity is allowed). */
static inline uint64_t crd__math_sort_key(double nonnegative) {
  const double value = nonnegative + 0.0;
  uint64_t key;
  memcpy(&key, &value, sizeof key);
  return key;
}

static inline double crd__math_sort_value(uint64_t key) {
  double value;
  memcpy(&value, &key, sizeof value);
  return value;
}

/* The same for doubles of either sign, which have other keys. */
static inline uint64_t crd__math_sort_signed_key(double value) {
  const uint64_t sign = UINT64_C(1) << 63;
  return value < 0 ? ~(crd__math_sort_key(-value) | sign) : crd__math_sort_key(value) | sign;
}

static inline double crd__math_sort_signed_value(uint64_t key) {
  const uint64_t sign = UINT64_C(1) << 63;
  return key & sign ? crd__math_sort_value(key & ~sign) : -crd__math_sort_value(~key & ~sign);
}

#endif
