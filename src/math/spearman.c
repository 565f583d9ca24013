/*
 * spearman.c -- Spearman's rank correlation: Pearson's correlation of the ranks, where tied values
 * have the mean of their ranks,
 *
 *   rho = sum (r_i - m)(s_i - m) / sqrt(sum (r_i - m)^2 sum (s_i - m)^2),  m = (n + 1) / 2.
 *
 * The short form 1 - 6 sum d^2 / (n (n^2 - 1)) holds without ties only. Centred ranks are multiples
 * of 1/2, so that the sums are exact up to some hundred thousand pairs.
 *
 * Spearman: The proof and measurement of association between two things (1904).
 */
#include "math/spearman.h"
#include "base/memory.h"
#include "math/sort.h"

#include <math.h>

enum { WORDS = 2 };

/* Returns bits that sort like the values, also negative ones. */
static uint64_t key_of(double value) {
  static const uint64_t sign = UINT64_C(1) << 63;
  const uint64_t bits = crd__math_sort_key(value);
  return bits & sign ? ~bits : bits | sign;
}

/* Sets ranks[i] to the rank of values[i] minus the mean of all ranks; `records` is a scratch buffer
 * of 2 x count words. */
static void rank(const double *values, size_t count, uint64_t *records, double *ranks) {
  const double mean = ((double)count - 1) / 2;
  for (size_t i = 0; i < count; i++) {
    records[WORDS * i] = key_of(values[i]);
    records[WORDS * i + 1] = i;
  }
  crd__math_sort_records(records, count, WORDS);
  for (size_t from = 0, to; from < count; from = to) {
    for (to = from + 1; to < count && records[WORDS * to] == records[WORDS * from];) to++;
    for (size_t i = from; i < to; i++)
      ranks[records[WORDS * i + 1]] = ((double)from + (double)to - 1) / 2 - mean;
  }
}

static double correlate(const double *r, const double *s, size_t count) {
  double both = 0, first = 0, second = 0;
  for (size_t i = 0; i < count; i++) {
    both += r[i] * s[i];
    first += r[i] * r[i];
    second += s[i] * s[i];
  }
  return first > 0 && second > 0 ? both / sqrt(first * second) : (double)NAN;
}

crd_status crd__math_spearman(crd_context *ctx, const double *x, const double *y, size_t count,
                              double *out) {
  uint64_t *records = NULL;
  double *ranks = NULL;
  *out = (double)NAN;
  crd_status status = crd__new(ctx, count, WORDS * sizeof *records, "ranks", &records);
  if (status == CRD_OK) status = crd__new(ctx, count, 2 * sizeof *ranks, "ranks", &ranks);
  if (status == CRD_OK) {
    rank(x, count, records, ranks);
    rank(y, count, records, ranks + count);
    *out = correlate(ranks, ranks + count, count);
  }
  crd__free(&ctx->alloc, records);
  crd__free(&ctx->alloc, ranks);
  return status;
}
