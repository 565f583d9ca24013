/* rows.c -- the kernels of this build, fastest first. */
#include "math/rows.h"

#include "math/half.h"
#include "math/rows_kernels.h"

#include <math.h>
#include <stdatomic.h>

static const crd__math_row_kernels *const kernels[] = { CRD__ROW_KERNELS };
enum { KERNELS = sizeof kernels / sizeof *kernels };

const crd__math_row_kernels *crd__math_row_kernels_at(size_t i) {
  return i < KERNELS ? kernels[i] : NULL;
}

/* Querying the processor takes microseconds on a virtual machine, so the answer is cached. */
const crd__math_row_kernels *crd__math_row_kernels_best(void) {
  static atomic_size_t known; /* its index + 1 */
  size_t i = atomic_load_explicit(&known, memory_order_relaxed);
  if (i == 0) {
    while (i + 1 < KERNELS && !kernels[i]->usable()) i++;
    atomic_store_explicit(&known, ++i, memory_order_relaxed);
  }
  return kernels[i - 1];
}

double crd__math_row_score(const void *row, crd__math_row_type type, size_t k) {
  if (type == CRD__ROW_F64) {
    double value;
    memcpy(&value, (const char *)row + k * sizeof value, sizeof value);
    return value;
  }
  if (type == CRD__ROW_F32) {
    float value;
    memcpy(&value, (const char *)row + k * sizeof value, sizeof value);
    return value;
  }
  uint16_t half;
  memcpy(&half, (const char *)row + k * sizeof half, sizeof half);
  return crd__math_half_to_double(half);
}

double crd__math_row_mean_log(const void *row, crd__math_row_type type, size_t cols) {
  double sum = 0;
  for (size_t k = 0; k < cols; k++) {
    const double p = crd__math_row_score(row, type, k);
    sum += p * log(fmax(p, CRD__LEAST_PROBABILITY));
  }
  return sum;
}
