/* part_test.c -- splits: shares of classes, whole groups, ranges that meet, nothing else matters.
 */
#include "base/random.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 1000, CLASSES = 4, GROUPS = 130 };

typedef struct {
  float inputs[ROWS];
  int64_t labels[ROWS], groups[ROWS];
} samples;

/* Classes of very different sizes: 1 row in 100, 1 in 10, ... */
static int64_t label_of(size_t row) {
  return row % 100 == 0 ? 3 : row % 10 == 1 ? 2 : row % 3 == 0;
}

static crd_dataset *made(crd_context *ctx, samples *s, size_t rows, bool grouped) {
  crd_dataset *dataset;
  for (size_t i = 0; i < rows; i++) {
    s->inputs[i] = (float)i;
    s->labels[i] = label_of(i);
    s->groups[i] = (int64_t)(crd__random_bits(1, 2, i) % GROUPS * 7);
  }
  crd_dataset_arrays arrays = { .size = sizeof arrays,
                                .inputs = crd_array_matrix(s->inputs, CRD_F32, rows, 1),
                                .labels = crd_array_matrix(s->labels, CRD_I64, rows, 1) };
  if (grouped) arrays.groups = crd_array_matrix(s->groups, CRD_I64, rows, 1);
  if (crd_dataset_create(ctx, &arrays, &dataset) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return dataset;
}

static crd_dataset *part(crd_context *ctx, const crd_dataset *dataset, double from, double to,
                         crd_split_order order, uint64_t seed) {
  crd_dataset *out;
  if (crd_dataset_part(ctx, dataset, from, to, order, seed, &out) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return out;
}

static size_t rows_of(const crd_dataset *dataset) { return crd_dataset_describe(dataset)->rows; }

/* Ranges that meet: every sample is in one of them, and rows keep their order. */
static void ranges_cover_everything(void **state) {
  static const double bounds[] = { 0, 3.7, 10, 33.333333333333336, 50, 90, 95.05, 100 };
  static samples s;
  for (int grouped = 0; grouped < 2; grouped++)
    for (crd_split_order order = CRD_SPLIT_STRATIFIED; order <= CRD_SPLIT_RANDOM; order++) {
      crd_dataset *const all = made(*state, &s, ROWS, grouped);
      unsigned seen[ROWS] = { 0 };
      for (size_t i = 0; i + 1 < sizeof bounds / sizeof *bounds; i++) {
        crd_dataset *const one = part(*state, all, bounds[i], bounds[i + 1], order, 5);
        for (size_t row = 0; row < rows_of(one); row++) {
          seen[crd_dataset_index(one, row)]++;
          if (row) assert_true(crd_dataset_index(one, row) > crd_dataset_index(one, row - 1));
        }
        if (!grouped) /* sizes are exact, but for rounding */
          assert_true(fabs((double)rows_of(one) - (bounds[i + 1] - bounds[i]) * ROWS / 100) <= 1);
        crd_dataset_destroy(one);
      }
      for (size_t i = 0; i < ROWS; i++) assert_int_equal(seen[i], 1);
      crd_dataset_destroy(all);
    }
}

/* Each class has its share of every range, but for rounding. */
static void classes_keep_their_shares(void **state) {
  static samples s;
  crd_dataset *const all = made(*state, &s, ROWS, false);
  double total[CLASSES] = { 0 };
  for (size_t i = 0; i < ROWS; i++) total[label_of(i)]++;
  for (uint64_t seed = 0; seed < 20; seed++)
    for (int from = 0; from < 100; from += 10) {
      crd_dataset *const one = part(*state, all, from, from + 10, CRD_SPLIT_STRATIFIED, seed);
      double count[CLASSES] = { 0 };
      for (size_t row = 0; row < rows_of(one); row++) count[crd_dataset_label(one, row)]++;
      for (size_t k = 0; k < CLASSES; k++) assert_true(fabs(count[k] - total[k] / 10) <= 2);
      crd_dataset_destroy(one);
    }
  crd_dataset_destroy(all);
}

/* A class of one sample is in every tenth about equally often. */
static void small_classes_are_not_preferred(void **state) {
  static samples s;
  crd_dataset *const all = made(*state, &s, 100, false); /* class 3: row 0 */
  double found = 0;
  for (uint64_t seed = 0; seed < 1000; seed++) {
    crd_dataset *const one = part(*state, all, 50, 60, CRD_SPLIT_STRATIFIED, seed);
    found += crd_dataset_index(one, 0) == 0;
    crd_dataset_destroy(one);
  }
  crd_dataset_destroy(all);
  assert_true(fabs(found - 100) < 5 * sqrt(1000 * 0.1 * 0.9));
}

static void groups_stay_whole(void **state) {
  static samples s;
  crd_dataset *const all = made(*state, &s, ROWS, true);
  for (crd_split_order order = CRD_SPLIT_STRATIFIED; order <= CRD_SPLIT_RANDOM; order++) {
    int side[GROUPS * 7] = { 0 };
    for (int k = 0; k < 4; k++) {
      crd_dataset *const one = part(*state, all, 25 * k, 25 * k + 25, order, 11);
      assert_in_range(rows_of(one), 230, 270);
      for (size_t row = 0; row < rows_of(one); row++) {
        int *const at = &side[s.groups[crd_dataset_index(one, row)]];
        if (*at && *at != k + 1) fail_msg("a group is in parts %d and %d", *at, k + 1);
        *at = k + 1;
      }
      crd_dataset_destroy(one);
    }
  }
  crd_dataset_destroy(all);
}

/* Classes keep their shares of samples where their groups have other sizes: a class of groups of
 * twenty, one of groups of two. */
static void grouped_classes_keep_their_shares(void **state) {
  crd_context *const ctx = *state;
  static samples s;
  for (size_t i = 0; i < ROWS; i++) {
    s.labels[i] = i >= ROWS / 2;
    s.groups[i] = (int64_t)(i < ROWS / 2 ? i / 20 : i / 2);
  }
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(s.inputs, CRD_F32, ROWS, 1),
                                      .labels = crd_array_matrix(s.labels, CRD_I64, ROWS, 1),
                                      .groups = crd_array_matrix(s.groups, CRD_I64, ROWS, 1) };
  crd_dataset *all;
  assert_int_equal(crd_dataset_create(ctx, &arrays, &all), CRD_OK);
  for (int from = 0; from < 100; from += 25) {
    crd_dataset *const one = part(ctx, all, from, from + 25, CRD_SPLIT_STRATIFIED, 2);
    size_t count[2] = { 0 };
    for (size_t row = 0; row < rows_of(one); row++) count[crd_dataset_label(one, row)]++;
    for (size_t k = 0; k < 2; k++) assert_in_range(count[k], 100, 150);
    crd_dataset_destroy(one);
  }
  crd_dataset_destroy(all);
}

/* The order of rows does not matter, nor the presence of others in the store; the seed does. */
static void only_samples_and_seed_matter(void **state) {
  crd_context *const ctx = *state;
  static samples s;
  static size_t reversed[ROWS];
  for (int grouped = 0; grouped < 2; grouped++) {
    crd_dataset *const all = made(ctx, &s, ROWS, grouped);
    crd_dataset *turned;
    for (size_t i = 0; i < ROWS; i++) reversed[i] = ROWS - 1 - i;
    assert_int_equal(crd_dataset_take(ctx, all, reversed, ROWS, &turned), CRD_OK);
    crd_dataset *const a = part(ctx, all, 20, 40, CRD_SPLIT_STRATIFIED, 3);
    crd_dataset *const b = part(ctx, turned, 20, 40, CRD_SPLIT_STRATIFIED, 3);
    crd_dataset *const c = part(ctx, all, 20, 40, CRD_SPLIT_STRATIFIED, 4);
    size_t equal = 0;
    assert_int_equal(rows_of(a), rows_of(b));
    for (size_t i = 0; i < rows_of(a); i++)
      assert_int_equal(crd_dataset_index(a, i), crd_dataset_index(b, rows_of(a) - 1 - i));
    for (size_t i = 0, j = 0; i < rows_of(a) && j < rows_of(c);) {
      const size_t x = crd_dataset_index(a, i), y = crd_dataset_index(c, j);
      equal += x == y;
      i += x <= y;
      j += y <= x;
    }
    assert_in_range(equal, 5, rows_of(a) / 2);
    crd_dataset_destroy(a);
    crd_dataset_destroy(b);
    crd_dataset_destroy(c);
    crd_dataset_destroy(turned);
    crd_dataset_destroy(all);
  }
}

static void empty_parts_are_refused(void **state) {
  crd_context *const ctx = *state;
  static samples s;
  static const double bad[][2] = {
    { -1, 5 }, { 5, 5 }, { 6, 5 }, { 0, 101 }, { NAN, 5 }, { 0, NAN }
  };
  crd_dataset *const all = made(ctx, &s, 10, false), *out;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(crd_dataset_part(ctx, all, bad[i][0], bad[i][1], CRD_SPLIT_RANDOM, 0, &out),
                     CRD_EUSAGE);
  assert_int_equal(crd_dataset_part(ctx, all, 0, 1, CRD_SPLIT_RANDOM, 0, &out), CRD_EINPUT);
  assert_null(out);
  crd_dataset_destroy(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranges_cover_everything),
    cmocka_unit_test(classes_keep_their_shares),
    cmocka_unit_test(small_classes_are_not_preferred),
    cmocka_unit_test(groups_stay_whole),
    cmocka_unit_test(grouped_classes_keep_their_shares),
    cmocka_unit_test(only_samples_and_seed_matter),
    cmocka_unit_test(empty_parts_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
