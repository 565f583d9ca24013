/*
 * bins.h -- the bin of a value: equal-width and equal-mass bins.
 */
#ifndef CRD_MATH_BINS_H
#define CRD_MATH_BINS_H

#include <stddef.h>

/*
 * Returns the equal-width bin (a, b] of [0, 1], with the edges (double)m / bins: the smallest m
 * with value <= (m + 1) / bins. Values up to 0 are in the first bin, values beyond 1 in the last.
 * The product value * bins rounds across edges ((7.0 / 50) * 50 > 7), so it is only a guess, and
 * the edges decide. It is never too low: a double above a rounded edge is not below the true one.
 */
static inline size_t crd__math_bin_index(double value, size_t bins) {
  const double count = (double)bins;
  if (!(value > 0)) return 0;
  if (value >= 1) return bins - 1;
  size_t bin = (size_t)(value * count);
  if (bin >= bins) bin = bins - 1;
  while (bin > 0 && value <= (double)bin / count) bin--;
  return bin;
}

/*
 * Returns the equal-mass bin of one of `count` sorted items, split as numpy.array_split does: the
 * first count % bins bins hold one item more; more bins than items become one bin per item.
 * The position is the weight before the item in units of the mean weight, in [0, count): with
 * equal weights it is the item's rank up to rounding, which the 1e-9 added before the floor
 * absorbs, so that equal weights and no weights give the same bins.
 */
size_t crd__math_rank_bin(double position, size_t count, size_t bins);

#endif
