/* split_test.c -- stratified folds, folds of whole groups, invalid splits. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 1000, CLASSES = 4 };

typedef struct {
  test_data data;
  int64_t groups[ROWS];
  crd_context *ctx;
  crd_predictions *predictions;
} fixture;

static void split(fixture *f, crd_split kind, unsigned folds, uint64_t seed, unsigned *fold) {
  crd_context_set_seed(f->ctx, seed);
  if (crd_predictions_split(f->ctx, f->predictions, kind, folds, fold) != CRD_OK)
    fail_msg("%s", crd_context_message(f->ctx));
}

static void sizes_are_near_equal(void **state) {
  fixture *const f = *state;
  static const crd_split kinds[] = { CRD_SPLIT_ROWS, CRD_SPLIT_CLASSES };
  for (size_t k = 0; k < 2; k++) {
    unsigned fold[ROWS], size[7] = { 0 };
    split(f, kinds[k], 7, 1, fold);
    for (size_t i = 0; i < ROWS; i++) size[fold[i]]++;
    for (size_t i = 0; i < 7; i++) assert_true(size[i] == ROWS / 7 || size[i] == ROWS / 7 + 1);
  }
}

static void classes_are_shared_out(void **state) {
  fixture *const f = *state;
  unsigned fold[ROWS], count[CLASSES][5] = { { 0 } };
  split(f, CRD_SPLIT_CLASSES, 5, 1, fold);
  for (size_t i = 0; i < ROWS; i++) count[f->data.labels[i]][fold[i]]++;
  for (size_t k = 0; k < CLASSES; k++)
    for (size_t i = 1; i < 5; i++) assert_true(abs((int)count[k][i] - (int)count[k][0]) <= 1);
}

static void groups_stay_together(void **state) {
  fixture *const f = *state;
  unsigned fold[ROWS], size[3] = { 0 };
  split(f, CRD_SPLIT_GROUPS, 3, 1, fold);
  for (size_t i = 0; i < ROWS; i++) {
    size[fold[i]]++;
    for (size_t j = 0; j < i; j++)
      if (f->groups[i] == f->groups[j]) assert_int_equal(fold[i], fold[j]);
  }
  for (size_t i = 0; i < 3; i++) assert_true(size[i] > ROWS / 3 - 30 && size[i] < ROWS / 3 + 30);
}

static int descending(const void *a, const void *b) {
  return *(const unsigned *)a < *(const unsigned *)b ? 1 : -1;
}

/* Returns the sorted sizes of the folds if groups are assigned largest first, each to the smallest
 * fold. */
static void deal(unsigned *sizes, size_t groups, unsigned *filled, size_t folds) {
  qsort(sizes, groups, sizeof *sizes, descending);
  memset(filled, 0, folds * sizeof *filled);
  for (size_t g = 0; g < groups; g++) {
    size_t least = 0;
    for (size_t i = 1; i < folds; i++)
      if (filled[i] < filled[least]) least = i;
    filled[least] += sizes[g];
  }
  qsort(filled, folds, sizeof *filled, descending);
}

/* One group has a third of the rows, most have a few: folds stay as equal as possible. */
static void large_groups_are_dealt_first(void **state) {
  fixture *const f = *state;
  static const unsigned shares[][5] = {
    { 300, 7, 7, 7, 7 }, { 200, 150, 1, 1, 30 }, { 1, 2, 4, 8, 250 }, { 100, 90, 80, 3, 2 }
  };
  for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
    static int64_t groups[ROWS];
    unsigned sizes[ROWS] = { 0 }, fold[ROWS], found[4] = { 0 }, expected[4];
    size_t count = 0;
    /* The first sizes once, then the last one repeatedly. */
    for (size_t i = 0; i < ROWS; count++)
      for (unsigned k = 0; k < shares[s][count < 5 ? count : 4 - count % 3] && i < ROWS; k++) {
        groups[i++] = (int64_t)((count * 7919 + 13) % 1009);
        sizes[count]++;
      }
    const crd_predictions_parts parts = {
      .size = sizeof parts,
      .scores = crd_array_matrix(f->data.scores, CRD_F64, ROWS, CLASSES),
      .labels = crd_array_matrix(f->data.labels, CRD_I64, ROWS, 1),
      .groups = crd_array_matrix(groups, CRD_I64, ROWS, 1),
    };
    crd_predictions *p = NULL;
    assert_int_equal(crd_predictions_create(f->ctx, &parts, &p), CRD_OK);
    assert_int_equal(crd_predictions_split(f->ctx, p, CRD_SPLIT_GROUPS, 4, fold), CRD_OK);
    for (size_t i = 0; i < ROWS; i++) found[fold[i]]++;
    qsort(found, 4, sizeof *found, descending);
    deal(sizes, count, expected, 4);
    assert_memory_equal(found, expected, sizeof found);
    crd_predictions_destroy(p);
  }
}

static void the_seed_decides(void **state) {
  fixture *const f = *state;
  static const crd_split kinds[] = { CRD_SPLIT_ROWS, CRD_SPLIT_CLASSES, CRD_SPLIT_GROUPS };
  for (size_t k = 0; k < 3; k++) {
    unsigned a[ROWS], b[ROWS], c[ROWS];
    split(f, kinds[k], 3, 5, a);
    split(f, kinds[k], 3, 5, b);
    split(f, kinds[k], 3, 6, c);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
  }
}

static void refuses_what_cannot_be(void **state) {
  fixture *const f = *state;
  unsigned fold[ROWS];
  assert_int_equal(crd_predictions_split(f->ctx, f->predictions, CRD_SPLIT_ROWS, 1, fold),
                   CRD_EUSAGE);
  assert_int_equal(crd_predictions_split(f->ctx, f->predictions, CRD_SPLIT_ROWS, ROWS + 1, fold),
                   CRD_EUSAGE);
  assert_int_equal(crd_predictions_split(f->ctx, f->predictions, CRD_SPLIT_GROUPS, 500, fold),
                   CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(f->ctx), "100 groups cannot fill 500 folds"));
}

static int set_up(void **state) {
  static fixture f;
  f.ctx = test_context();
  f.data = make_data(
      (test_recipe){ .rows = ROWS, .classes = CLASSES, .seed = 3, .spread = 1, .accuracy = .5 });
  for (size_t i = 0; i < ROWS; i++)
    f.groups[i] = (int64_t)(i * 7919 % 100) * INT64_C(10000000000000003);
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(f.data.scores, CRD_F64, ROWS, CLASSES),
    .labels = crd_array_matrix(f.data.labels, CRD_I64, ROWS, 1),
    .groups = crd_array_matrix(f.groups, CRD_I64, ROWS, 1),
  };
  *state = &f;
  return (int)crd_predictions_create(f.ctx, &parts, &f.predictions);
}
static int tear_down(void **state) {
  fixture *const f = *state;
  crd_predictions_destroy(f->predictions);
  crd_context_destroy(f->ctx);
  free_data(&f->data);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sizes_are_near_equal), cmocka_unit_test(classes_are_shared_out),
    cmocka_unit_test(groups_stay_together), cmocka_unit_test(large_groups_are_dealt_first),
    cmocka_unit_test(the_seed_decides),     cmocka_unit_test(refuses_what_cannot_be),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
