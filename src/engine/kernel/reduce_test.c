/* reduce_test.c -- every set of dimensions against plain loops; types; large means. */
#include "engine/kernel/reduce.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/element.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 1 << 16 };

static double x[MOST], right[MOST];

/* Elements are positive, so that L1 is the sum. */
static double combine(crd__kernel_reduce_id id, double a, double b) {
  if (id == CRD__L2 || id == CRD__SUM_SQUARE) return a + b * b;
  if (id == CRD__LOG_SUM_EXP) return a + exp(b);
  return id == CRD__PROD  ? a * b
         : id == CRD__MAX ? fmax(a, b)
         : id == CRD__MIN ? fmin(a, b)
                          : a + b;
}

/* Compute by plain loops; returns the number of elements of the result. */
static size_t plain(crd__kernel_reduce_id id, size_t rank, const int64_t *dims,
                    const bool *reduced) {
  const double starts[CRD__REDUCTIONS] = { 0, 0, 1, -INFINITY, INFINITY };
  size_t total = 1, results = 1;
  for (size_t d = 0; d < rank; d++) {
    total *= (size_t)dims[d];
    results *= reduced[d] ? 1 : (size_t)dims[d];
  }
  for (size_t i = 0; i < results; i++) right[i] = starts[id];
  for (size_t i = 0; i < total; i++) {
    size_t rest = i, at = 0, step = 1;
    for (size_t d = rank; d-- > 0; rest /= (size_t)dims[d])
      if (!reduced[d]) {
        at += rest % (size_t)dims[d] * step;
        step *= (size_t)dims[d];
      }
    right[at] = combine(id, right[at], x[i]);
  }
  for (size_t i = 0; i < results && id == CRD__MEAN; i++)
    right[i] = right[i] / ((double)total / (double)results);
  for (size_t i = 0; i < results; i++) {
    if (id == CRD__L2) right[i] = sqrt(right[i]);
    if (id == CRD__LOG_SUM || id == CRD__LOG_SUM_EXP) right[i] = log(right[i]);
  }
  return results;
}

static const struct {
  size_t rank;
  int64_t dims[5];
} shapes[] = {
  { 0, { 0 } },         { 1, { 1000 } },         { 2, { 7, 300 } },
  { 3, { 5, 6, 7 } },   { 4, { 3, 5, 20, 31 } }, { 5, { 2, 3, 1, 2, 300 } },
  { 3, { 2, 700, 1 } },
};

static void check_shape(crd__kernel_reduce_id id, size_t s, unsigned mask, crd_dtype dtype) {
  static double in[MOST], out[MOST], again[MOST];
  bool reduced[5];
  size_t total = 1;
  for (size_t d = 0; d < 5; d++) reduced[d] = mask >> d & 1;
  for (size_t d = 0; d < shapes[s].rank; d++) total *= (size_t)shapes[s].dims[d];
  const size_t results = plain(id, shapes[s].rank, shapes[s].dims, reduced);
  crd__kernel_cast(1, CRD_F64, dtype, total, x, in);
  crd__kernel_reduce_axes(1, id, dtype, shapes[s].rank, shapes[s].dims, reduced, in, out);
  crd__kernel_reduce_axes(2, id, dtype, shapes[s].rank, shapes[s].dims, reduced, in, again);
  assert_memory_equal(out, again, results * crd_dtype_size(dtype));
  crd__kernel_cast(1, dtype, CRD_F64, results, out, again);
  for (size_t i = 0; i < results; i++)
    assert_true(fabs(again[i] - right[i]) <= 2e-7 * (fabs(right[i]) + (id >= CRD__LOG_SUM)));
}

/* Integers 1 and 2: sums are exact in every type, products have to be short. */
static void every_set_of_dimensions(void **state) {
  (void)state;
  const crd_dtype dtypes[] = { CRD_F32, CRD_F64, CRD_I32, CRD_U64 };
  for (size_t i = 0; i < MOST; i++) x[i] = 1 + (double)(crd__random_bits(1, 0, i) % 2);
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (unsigned mask = 0; mask < 1U << shapes[s].rank; mask++)
      for (int id = CRD__SUM; id < CRD__REDUCTIONS; id++)
        for (size_t t = 0; t < 4; t++) {
          const bool whole = dtypes[t] != CRD_F32 && dtypes[t] != CRD_F64;
          const bool real = id == CRD__MEAN || id == CRD__L2 || id >= CRD__LOG_SUM;
          if (id != CRD__PROD && !(whole && real))
            check_shape((crd__kernel_reduce_id)id, s, mask, dtypes[t]);
        }
}

/* Signs, infinities and numbers whose exponentials overflow. */
static void functions_of_sums(void **state) {
  (void)state;
  const float a[] = { -3, 4, 0, 5000, 4999, -INFINITY, -INFINITY, -INFINITY, -INFINITY };
  const float nearly = 5000 + logf(1 + expf(-1));
  const int64_t dims[] = { 3, 3 }, one = 3;
  const int32_t whole[] = { -3, 4, -5 };
  const bool last[] = { false, true }, all[] = { true };
  float found[3];
  int32_t sum;
  bool any;
  crd__kernel_reduce_axes(1, CRD__LOG_SUM_EXP, CRD_F32, 2, dims, last, a, found);
  assert_true(fabsf(found[1] - nearly) < 1e-3F && found[2] == -INFINITY);
  crd__kernel_reduce_axes(1, CRD__L2, CRD_F32, 2, dims, last, a, found);
  assert_true(found[0] == 5 && found[2] == INFINITY);
  crd__kernel_reduce_axes(1, CRD__L1, CRD_F32, 2, dims, last, a, found);
  assert_true(found[0] == 7);
  crd__kernel_reduce_axes(1, CRD__L1, CRD_I32, 1, &one, all, whole, &sum);
  assert_int_equal(sum, 12);
  crd__kernel_reduce_axes(1, CRD__SUM_SQUARE, CRD_I32, 1, &one, all, whole, &sum);
  assert_int_equal(sum, 50);
  crd__kernel_reduce_axes(1, CRD__MAX, CRD_BOOL, 1, &one, all, (const bool[]){ 0, 0, 0 }, &any);
  assert_false(any);
  crd__kernel_reduce_axes(1, CRD__MIN, CRD_BOOL, 1, &one, all, (const bool[]){ 1, 1, 1 }, &any);
  assert_true(any);
}

static void products(void **state) {
  (void)state;
  const float a[] = { 1, 2, 3, 4, 5, 6 };
  const int64_t dims[] = { 2, 3 };
  float rows[2], columns[3];
  crd__kernel_reduce_axes(1, CRD__PROD, CRD_F32, 2, dims, (const bool[]){ 0, 1 }, a, rows);
  crd__kernel_reduce_axes(1, CRD__PROD, CRD_F32, 2, dims, (const bool[]){ 1, 0 }, a, columns);
  assert_true(rows[0] == 6 && rows[1] == 120);
  assert_true(columns[0] == 4 && columns[1] == 10 && columns[2] == 18);
}

static void the_edges_are_defined(void **state) {
  (void)state;
  const int64_t dims[] = { 2, 0 };
  const bool last[] = { false, true };
  float y[2];
  int32_t z[2];
  crd__kernel_reduce_axes(1, CRD__SUM, CRD_F32, 2, dims, last, NULL, y);
  assert_true(y[0] == 0 && y[1] == 0);
  crd__kernel_reduce_axes(1, CRD__MEAN, CRD_F32, 2, dims, last, NULL, y);
  assert_true(isnan(y[0]));
  crd__kernel_reduce_axes(1, CRD__MAX, CRD_F32, 2, dims, last, NULL, y);
  assert_true(y[1] == -INFINITY);
  crd__kernel_reduce_axes(1, CRD__MAX, CRD_I32, 2, dims, last, NULL, z);
  assert_true(z[1] == INT32_MIN);
  const int32_t whole[] = { -3, -4, 5, 6 };
  const int64_t square[] = { 2, 2 };
  crd__kernel_reduce_axes(1, CRD__MEAN, CRD_I32, 2, square, last, whole, z);
  assert_true(z[0] == -3 && z[1] == 5);
  const float with_nan[] = { 1, NAN, 3, 4 };
  crd__kernel_reduce_axes(1, CRD__MAX, CRD_F32, 2, square, last, with_nan, y);
  assert_true(isnan(y[0]) && y[1] == 4);
}

/* The mean of a thousand by a thousand values far from 0, along rows and along columns. */
static void large_means_are_exact_enough(void **state) {
  (void)state;
  enum { SIDE = 1024 };
  float *const map = malloc(sizeof *map * SIDE * SIDE * 2);
  const int64_t dims[] = { SIDE * SIDE, 2 }, turned[] = { 2, SIDE * SIDE };
  float y[2];
  assert_non_null(map);
  for (size_t i = 0; i < SIDE * SIDE * 2; i++) map[i] = 1000.1F;
  crd__kernel_reduce_axes(2, CRD__MEAN, CRD_F32, 2, dims, (const bool[]){ 1, 0 }, map, y);
  assert_true(fabsf(y[0] - 1000.1F) <= 1e-4F);
  crd__kernel_reduce_axes(2, CRD__MEAN, CRD_F32, 2, turned, (const bool[]){ 0, 1 }, map, y);
  assert_true(fabsf(y[1] - 1000.1F) <= 3e-4F);
  free(map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_set_of_dimensions),
    cmocka_unit_test(products),
    cmocka_unit_test(functions_of_sums),
    cmocka_unit_test(the_edges_are_defined),
    cmocka_unit_test(large_means_are_exact_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
