/* synthetic_mixture_test.c -- the samples have the distribution that the kind states. */
#include "dataset/kind/testing.h"

#include <math.h>

static void the_defaults_are_as_stated(void **state) {
  crd_context *const ctx = *state;
  const size_t rows[] = { 3000, 5000, 10000 };
  static const char *const names[] = { "#train", "#val", "#test" };
  crd_dataset *const all = opened(ctx, "synthetic:mixture");
  check_shape(all, 18000, 1, (const int64_t[]){ 20 }, 10);
  for (size_t s = 0, first = 0; s < 3; first += rows[s++]) {
    char data[64];
    float expected[20];
    snprintf(data, sizeof data, "synthetic:mixture%s", names[s]);
    crd_dataset *const split = opened(ctx, data);
    check_shape(split, rows[s], 1, (const int64_t[]){ 20 }, 10);
    for (size_t i = 0; i < 50; i++) {
      const size_t row = first + i;
      WORKS(ctx, crd_dataset_read(ctx, all, &row, 1, expected));
      check_row(ctx, split, i, expected, 20);
      assert_int_equal(crd_dataset_label(split, i), crd_dataset_label(all, row));
    }
    crd_dataset_destroy(split);
  }
  crd_dataset_destroy(all);
}

/* Without noise the samples are the centres: as many distinct ones as clusters, of the stated
 * standard deviation. With noise, the variance is the sum. */
static void variances_are_as_stated(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const centres =
      opened(ctx, "synthetic:mixture:noise=0,columns=500,clusters=2,classes=3#train");
  crd_dataset *const samples = opened(ctx, "synthetic:mixture:classes=100,clusters=100#test");
  float found[500], seen[8];
  size_t distinct = 0;
  double square = 0;
  for (size_t i = 0; i < 3000; i++) {
    size_t k = 0;
    WORKS(ctx, crd_dataset_read(ctx, centres, &i, 1, found));
    while (k < distinct && seen[k] != found[0]) k++;
    if (k < distinct) continue;
    assert_true(distinct < 6);
    seen[distinct++] = found[0];
    for (size_t j = 0; j < 500; j++) square += (double)found[j] * (double)found[j];
  }
  assert_int_equal(distinct, 6);
  assert_true(fabs(sqrt(square / 3000) / 1.55 - 1) < 0.06); /* 1 / sqrt(2 * 3000) is 0.013 */
  square = 0;
  for (size_t i = 0; i < 10000; i++) {
    WORKS(ctx, crd_dataset_read(ctx, samples, &i, 1, found));
    for (size_t j = 0; j < 20; j++) square += (double)found[j] * (double)found[j];
  }
  assert_true(fabs(square / 200000 / (1.55 * 1.55 + 1.6 * 1.6) - 1) < 0.03);
  crd_dataset_destroy(centres);
  crd_dataset_destroy(samples);
}

/* Sizes of splits do not change the samples of others; seeds do. Classes are about equally many. */
static void samples_depend_on_seed_split_and_index(void **state) {
  crd_context *const ctx = *state;
  crd_dataset *const standard = opened(ctx, "synthetic:mixture#test");
  crd_dataset *const fewer = opened(ctx, "synthetic:mixture:train=10,test=100#test");
  crd_dataset *const other = opened(ctx, "synthetic:mixture:seed=1#test");
  crd_dataset *const train = opened(ctx, "synthetic:mixture#train");
  size_t counts[10] = { 0 };
  for (size_t i = 0; i < 100; i++) {
    float a[20], b[20], c[20];
    WORKS(ctx, crd_dataset_read(ctx, standard, &i, 1, a));
    WORKS(ctx, crd_dataset_read(ctx, other, &i, 1, b));
    WORKS(ctx, crd_dataset_read(ctx, train, &i, 1, c));
    check_row(ctx, fewer, i, a, 20);
    assert_true(a[0] != b[0] && a[0] != c[0]);
  }
  for (size_t i = 0; i < 10000; i++) counts[crd_dataset_label(standard, i)]++;
  for (size_t k = 0; k < 10; k++) assert_true(counts[k] > 850 && counts[k] < 1150);
  crd_dataset_destroy(standard);
  crd_dataset_destroy(fewer);
  crd_dataset_destroy(other);
  crd_dataset_destroy(train);
}

static void settings_are_checked(void **state) {
  crd_context *const ctx = *state;
  REFUSED(ctx, CRD_EUSAGE, "synthetic:mixture:sead=1", "sead");
  REFUSED(ctx, CRD_EUSAGE, "synthetic:mixture:train=0", "train");
  REFUSED(ctx, CRD_EUSAGE, "synthetic:mixture#dev", "allowed are train val test");
  fail_each_allocation(open_and_read, "synthetic:mixture:train=5#train");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(the_defaults_are_as_stated),
    TEST(variances_are_as_stated),
    TEST(samples_depend_on_seed_split_and_index),
    TEST(settings_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
