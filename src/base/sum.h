/*
 * sum.h -- exact sums, independent of the order of their terms.
 *
 * A term is rounded once, to a multiple of 2^-64, and then added in 128-bit fixed point (two 64-bit
 * words): addition of integers is associative, so any partition over threads, files or machines,
 * merged in any order, gives the same bits. Terms are in [0, 2^40]; 2^23 of the largest fit.
 */
#ifndef CRD_BASE_SUM_H
#define CRD_BASE_SUM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t whole, fraction;
} crd__sum;

#define CRD__TERM_MAX 1099511627776.0 /* 2^40 */

/* Returns whether a term can be added; false for NaN. */
static inline bool crd__term_fits(double term) { return term >= 0 && term <= CRD__TERM_MAX; }

static inline void crd__sum_merge(crd__sum *sum, crd__sum other) {
  sum->fraction += other.fraction;
  sum->whole += other.whole + (sum->fraction < other.fraction);
}

/* Adds a term that fits. The fraction is split into two halves of 32 bits: each step is exact, and
 * signed conversions are single instructions. */
static inline void crd__sum_add(crd__sum *sum, double term) {
  const int64_t whole = (int64_t)term;
  const double upper = (term - (double)whole) * 0x1p32;
  const int64_t high = (int64_t)upper, low = (int64_t)((upper - (double)high) * 0x1p32);
  crd__sum_merge(sum, (crd__sum){ (uint64_t)whole, (uint64_t)high << 32 | (uint64_t)low });
}

/* Adds a term, faster if nearly all terms are below 1/2: these need only one conversion. */
static inline void crd__sum_add_small(crd__sum *sum, double term) {
  if (term < 0.5) crd__sum_merge(sum, (crd__sum){ 0, (uint64_t)(int64_t)(term * 0x1p64) });
  else crd__sum_add(sum, term);
}

static inline double crd__sum_value(crd__sum sum) {
  return (double)sum.whole + (double)sum.fraction * 0x1p-64;
}

/* Returns |a - b|, rounded only once. */
static inline double crd__sum_distance(crd__sum a, crd__sum b) {
  const bool less = a.whole < b.whole || (a.whole == b.whole && a.fraction < b.fraction);
  const crd__sum high = less ? b : a, low = less ? a : b;
  const uint64_t borrow = high.fraction < low.fraction;
  return crd__sum_value(
      (crd__sum){ high.whole - low.whole - borrow, high.fraction - low.fraction });
}

#endif
