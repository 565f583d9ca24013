/* bins.c -- equal-mass bins. */
#include "math/bins.h"

size_t crd__math_rank_bin(double position, size_t count, size_t bins) {
  if (count == 0 || bins == 0) return 0;
  if (bins > count) bins = count;
  size_t rank = count - 1; /* for positions at the end and, by rounding, beyond */
  if (!(position >= 0)) rank = 0;
  else if (position + 1e-9 < (double)count) rank = (size_t)(position + 1e-9);
  const size_t size = count / bins, longer = count % bins, split = longer * (size + 1);
  return rank < split ? rank / (size + 1) : longer + (rank - split) / size;
}
