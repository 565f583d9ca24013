/* synthetic_line_test.c -- the samples have the distribution that the kind states. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

static crd_dataset *opened(crd_context *ctx, const char *data) {
  crd_dataset *dataset;
  if (crd_dataset_open(ctx, data, NULL, &dataset) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return dataset;
}

static float value(crd_context *ctx, const crd_dataset *dataset, size_t row) {
  float x;
  assert_int_equal(crd_dataset_read(ctx, dataset, &row, 1, &x), CRD_OK);
  return x;
}

/* P(y = 1) in each fourth of the range: 1/8, 3/8, 5/8, 7/8, within five standard errors. */
static void labels_follow_the_line(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const dataset = opened(ctx, "synthetic:line:rows=20000,seed=7#test");
  const crd_dataset_shape *const shape = crd_dataset_describe(dataset);
  double ones[4] = { 0 }, all[4] = { 0 };
  assert_int_equal(shape->rows, 20000);
  assert_int_equal(shape->type, CRD_SAMPLES_VECTORS);
  assert_int_equal(shape->classes, 2);
  for (size_t i = 0; i < shape->rows; i++) {
    const double x = (double)value(ctx, dataset, i);
    assert_true(x >= -2 && x <= 2);
    const size_t fourth = x >= 2 ? 3 : (size_t)(x + 2);
    all[fourth]++;
    ones[fourth] += (double)crd_dataset_label(dataset, i);
  }
  for (size_t k = 0; k < 4; k++) {
    const double p = (2.0 * (double)k + 1) / 8, error = sqrt(p * (1 - p) / all[k]);
    assert_true(fabs(all[k] - 5000) < 5 * sqrt(20000 * 0.25 * 0.75));
    assert_true(fabs(ones[k] / all[k] - p) < 5 * error);
  }
  crd_dataset_destroy(dataset);
}

static void splits_and_seeds_differ(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const all = opened(ctx, "synthetic:line"), *const test =
                                                              opened(ctx, "synthetic:line#test");
  crd_dataset *const two = opened(ctx, "synthetic:line#test+train");
  crd_dataset *const other = opened(ctx, "synthetic:line:seed=1#test");
  assert_int_equal(crd_dataset_describe(all)->rows, 3000);
  assert_int_equal(crd_dataset_describe(two)->rows, 2000);
  for (size_t i = 0; i < 10; i++) {
    assert_true(value(ctx, test, i) == value(ctx, all, 2000 + i));
    assert_true(value(ctx, two, i) == value(ctx, test, i));
    assert_true(value(ctx, two, 1000 + i) == value(ctx, all, i));
    assert_true(value(ctx, test, i) != value(ctx, all, i));
    assert_true(value(ctx, test, i) != value(ctx, other, i));
  }
  crd_dataset_destroy(all);
  crd_dataset_destroy(test);
  crd_dataset_destroy(two);
  crd_dataset_destroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(labels_follow_the_line),
    cmocka_unit_test(splits_and_seeds_differ),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
