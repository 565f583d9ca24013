/*
 * learned_test.c -- learned epochs: correlation, moments, thirds and histograms of hand-made runs,
 * and their files.
 */
#include "io/testing.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two seeds of "ce": the rows learned first have the largest logits; one row is never learned. */
static const uint32_t first[] = { 1, 1, 2, 3, 5, 0 }, second[] = { 1, 2, 2, 4 };
static const float high[] = { 9, 8, 7, 4, 3, 1 }, low[] = { 10, 6, 5, 2 };
/* "ls" has equal logits, which cannot be correlated. */
static const uint32_t third[] = { 1, 2, 3 };
static const float equal[] = { 2, 2, 2 };
static const crd_learned_run runs[] = { { "ce", 6, first, high },
                                        { "ls", 3, third, equal },
                                        { "ce", 4, second, low } };

static const crd_learned *measure(crd_context *ctx, size_t count, unsigned bins) {
  const crd_learned *l = NULL;
  if (crd_learned_measure(ctx, runs, count, bins, &l) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return l;
}

/* scipy.stats.spearmanr of SciPy 1.16, with 6 for the row that is never learned. */
static void values_are_known(void **state) {
  const crd_learned *const l = measure(*state, 3, 9);
  const crd_learned_training *const ce = &l->items[0], *const ls = &l->items[1];
  assert_int_equal(l->count, 2);
  assert_string_equal(ce->name, "ce");
  assert_int_equal(ce->runs, 2);
  assert_true(near(ce->rho.values[0], -0.9856107606091624, 1e-14));
  assert_true(near(ce->rho.values[1], -0.9486832980505139, 1e-14));
  assert_true(near(ce->mean.values[0], 32.0 / 6, 1e-14) && near(ce->mean.values[1], 5.75, 1e-14));
  assert_true(near(ce->std.values[1], sqrt(32.75 / 3), 1e-14));
  assert_true(near(ce->never.mean, 1.0 / 12, 1e-15));
  assert_true(isnan(ls->rho.mean) && ls->rho.runs == 0 && ls->std.values[0] == 0);
  crd_learned_destroy(l);
}

/* Ten rows, 1 1 1 2 2 2 3 4 5 never: the fourth and the seventh end the first two thirds. */
static void thirds_end_at_epochs(void **state) {
  const crd_learned *const l = measure(*state, 3, 9);
  const crd_learned_third *const t = l->items[0].thirds;
  assert_int_equal(t[0].rows, 6);
  assert_true(t[0].from == 1 && t[0].to == 2 && t[0].never == 0);
  assert_true(near(t[0].mean, 45.0 / 6, 1e-14) && near(t[0].std, sqrt(17.5 / 5), 1e-14));
  assert_int_equal(t[1].rows, 1);
  assert_true(t[1].from == 3 && t[1].to == 3 && t[1].mean == 4 && isnan(t[1].std));
  assert_int_equal(t[2].rows, 3);
  assert_true(t[2].from == 4 && t[2].to == 5 && t[2].never == 1 && near(t[2].mean, 2, 1e-15));
  /* Bins of width 1 from 1 to 10; the largest logit is in the last. */
  assert_true(l->low == 1 && l->high == 10);
  static const size_t counts[3][9] = { { 0, 0, 0, 0, 1, 1, 1, 1, 2 },
                                       { 0, 0, 0, 1, 0, 0, 0, 0, 0 },
                                       { 1, 1, 1, 0, 0, 0, 0, 0, 0 } };
  for (size_t k = 0; k < 3; k++)
    for (size_t b = 0; b < 9; b++) {
      const crd_learned_bin *const bin = &t[k].bins[b];
      assert_int_equal(bin->rows, counts[k][b]);
      assert_true(near(bin->low, 1 + (double)b, 1e-14) && near(bin->high, 2 + (double)b, 1e-14));
      assert_true(near(bin->share, (double)bin->rows / 10, 1e-15));
    }
  assert_string_equal(l->name, "ce, ls");
  assert_int_equal(l->items[1].thirds[0].bins[1].rows, 1); /* of all equal logits */
  crd_learned_destroy(l);
}

static void thirds_may_be_empty(void **state) {
  static const uint32_t once[] = { 1, 1, 1 }, never[] = { 0 };
  static const float logits[] = { 3, 3, 3 };
  const crd_learned_run same[] = { { "a", 3, once, logits }, { "b", 1, never, logits } };
  const crd_learned *l = NULL;
  assert_int_equal(crd_learned_measure(*state, same, 2, 0, &l), CRD_OK);
  assert_int_equal(l->bins, 30);
  assert_true(l->low == 2.5 && l->high == 3.5);
  assert_int_equal(l->items[0].thirds[0].rows, 3);
  assert_int_equal(l->items[0].thirds[2].rows, 0);
  assert_true(isnan(l->items[0].thirds[2].mean) && l->items[0].thirds[2].from == 0);
  assert_true(l->items[1].never.mean == 1 && l->items[1].thirds[0].never == 1);
  crd_learned_destroy(l);
}

static void invalid_runs_fail(void **state) {
  static const float bad[] = { 1, (float)NAN, 2 };
  const crd_learned_run invalid[] = { { "ce", 3, third, bad }, { "none", 0, third, bad } };
  const crd_learned *l;
  assert_int_equal(crd_learned_measure(*state, runs, 0, 0, &l), CRD_EUSAGE);
  assert_int_equal(crd_learned_measure(*state, runs, 1, 10001, &l), CRD_EUSAGE);
  assert_int_equal(crd_learned_measure(*state, invalid, 1, 0, &l), CRD_EINPUT);
  assert_string_equal(crd_context_message(*state), "ce: max_logit row 1 is not a finite number");
  assert_int_equal(crd_learned_measure(*state, invalid + 1, 1, 0, &l), CRD_EINPUT);
  assert_null(l);
}

static void memory_may_fail(void **state) {
  (void)state;
  bool done = false;
  for (long n = 0; !done; n++) {
    test_allocator counts = { .fail_at = -1 };
    const crd_allocator alloc = failing_allocator(&counts);
    crd_context *ctx = NULL;
    const crd_learned *l = NULL;
    assert_int_equal(crd_context_create(&alloc, &ctx), CRD_OK);
    counts.fail_at = counts.calls + n;
    const crd_status status = crd_learned_measure(ctx, runs, 3, 0, &l);
    assert_true(status == CRD_OK || (status == CRD_ENOMEM && !l));
    done = status == CRD_OK;
    crd_learned_destroy(l);
    crd_context_destroy(ctx);
    assert_int_equal(counts.live, 0);
  }
}

/* ---- Files. */

static const char *written(const char *name, const char *content) {
  const char *const path = scratch_path(name);
  FILE *const file = fopen(path, "w");
  assert_non_null(file);
  fputs(content, file);
  fclose(file);
  return path;
}

static void tables_are_read(void **state) {
  const crd_learned_file *f = NULL;
  const char *const path =
      written("learned.csv", "index,label,learned,max_logit\n7,0,1,2.5\n3,1,0,-1.25\n5,0,12,4\n");
  if (crd_learned_file_open(*state, path, &f) != CRD_OK)
    fail_msg("%s", crd_context_message(*state));
  static const uint32_t learned[] = { 1, 0, 12 };
  static const float logits[] = { 2.5F, -1.25F, 4 };
  assert_int_equal(f->rows, 3);
  assert_memory_equal(f->learned, learned, sizeof learned);
  assert_memory_equal(f->max_logit, logits, sizeof logits);
  crd_learned_file_destroy(f);
}

static void expect(crd_context *ctx, const char *content, const char *words) {
  const crd_learned_file *f;
  assert_int_equal(crd_learned_file_open(ctx, written("bad.csv", content), &f), CRD_EINPUT);
  assert_null(f);
  if (!strstr(crd_context_message(ctx), words)) fail_msg("%s", crd_context_message(ctx));
}

static void invalid_files_fail(void **state) {
  const crd_learned_file *f;
  expect(*state, "index,label,learned\n0,0,1\n", "max_logit");
  expect(*state, "learned,max_logit\n1,2\n1.5,2\n", "learned row 1 is not an epoch");
  expect(*state, "learned,max_logit\n1,2\n-1,2\n", "learned row 1 is not an epoch");
  expect(*state, "learned,max_logit\n1,1e39\n", "max_logit row 0 is not a finite number");
  assert_int_equal(crd_learned_file_open(*state, "missing.npz", &f), CRD_EINPUT);
  static const float values[] = { 1, 2 };
  const crd_array array = { .data = values, .dtype = CRD_F32, .rank = 1, .dims = { 2 } };
  const char *const path = scratch_path("other.npz");
  assert_int_equal(crd_array_save(*state, &array, "learned", path), CRD_OK);
  assert_int_equal(crd_learned_file_open(*state, path, &f), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "no array 'max_logit': found learned"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(values_are_known),    cmocka_unit_test(thirds_end_at_epochs),
    cmocka_unit_test(thirds_may_be_empty), cmocka_unit_test(invalid_runs_fail),
    cmocka_unit_test(memory_may_fail),     cmocka_unit_test(tables_are_read),
    cmocka_unit_test(invalid_files_fail),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
