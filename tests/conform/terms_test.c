/* terms_test.c -- terms of decompositions add up to the decomposed metric, to the last digits. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TERMS_MAX = 5 };

typedef struct {
  const char *whole;
  double slack; /* relative to the sum of the terms' magnitudes, or to 1 */
  struct {
    const char *name;
    int sign;
  } terms[TERMS_MAX];
} decomposition;

static const decomposition decompositions[] = {
  { "brier-top1",
    1e-15,
    { { "brier-reliability", 1 },
      { "brier-resolution", -1 },
      { "brier-uncertainty", 1 },
      { "brier-within-variance", 1 },
      { "brier-within-covariance", -1 } } },
  { "nll-top1",
    1e-14,
    { { "nll-reliability", 1 },
      { "nll-resolution", -1 },
      { "nll-uncertainty", 1 },
      { "nll-within", 1 } } },
};
enum { DECOMPOSITIONS = sizeof decompositions / sizeof *decompositions };

static const crd_result *evaluate(crd_context *ctx, const crd_predictions *p,
                                  const decomposition *d, unsigned bins) {
  char names[200];
  const crd_result *result = NULL;
  snprintf(names, sizeof names, "%s", d->whole);
  for (size_t i = 0; i < TERMS_MAX && d->terms[i].name; i++) {
    strncat(names, ",", sizeof names - strlen(names) - 1);
    strncat(names, d->terms[i].name, sizeof names - strlen(names) - 1);
  }
  if (crd_evaluate(ctx, p,
                   &(crd_evaluate_options){
                       .size = sizeof(crd_evaluate_options), .metrics = names, .bins = bins },
                   &result) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  return result;
}

/* `plain`: data for which no term is 0. */
static void check_sum(crd_context *ctx, const crd_predictions *p, unsigned bins,
                      const decomposition *d, bool plain) {
  const crd_result *const result = evaluate(ctx, p, d, bins);
  double sum = 0, size = 0;
  for (size_t i = 0; i < TERMS_MAX && d->terms[i].name; i++) {
    const double value = value_of(result, d->terms[i].name);
    if (plain && bins > 1 && value == 0) fail_msg("%s is 0, %u bins", d->terms[i].name, bins);
    sum += d->terms[i].sign * value;
    size += fabs(value);
  }
  const double whole = value_of(result, d->whole);
  if (!(fabs(sum - whole) <= d->slack * fmax(1, size)))
    fail_msg("%s, %u bins: %.17g is not %.17g", d->whole, bins, sum, whole);
  crd_result_destroy(result);
}

static void check_all(crd_context *ctx, crd_predictions *p, bool plain) {
  static const unsigned bins[] = { 1, 4, 15, 1000 };
  for (size_t b = 0; b < sizeof bins / sizeof *bins; b++)
    for (size_t d = 0; d < DECOMPOSITIONS; d++)
      check_sum(ctx, p, bins[b], &decompositions[d], plain);
  crd_predictions_destroy(p);
}

static void terms_add_up(void **state) {
  crd_context *const ctx = *state;
  static const size_t distinct[] = { 0, 60 };
  for (size_t i = 0; i < 4; i++) {
    test_data data = make_data((test_recipe){ .rows = 400 + i,
                                              .classes = 4,
                                              .seed = 70 + i,
                                              .spread = 2,
                                              .accuracy = 0.7,
                                              .distinct = distinct[i % 2],
                                              .weighted = i > 1 });
    check_all(ctx, data_predictions(ctx, &data, 0, data.rows), true);
    free_data(&data);
  }
}

static void terms_add_up_on_real_predictions(void **state) {
  crd_context *const ctx = *state;
  crd_predictions *p = NULL;
  assert_int_equal(
      crd_predictions_open(ctx, CREDENCE_SOURCE "/examples/wideresnet-16-4-cifar-10.npz", NULL, &p),
      CRD_OK);
  check_all(ctx, p, true);
}

/* Confidences of 0 and 1, some incorrect, some alone in their bin, some equal to others in it. */
static void terms_add_up_at_the_ends(void **state) {
  static const double confidence[] = { 0, 0, 0, 1, 1, 1, 0.5, 0x1p-60, 1 - 0x1p-53, 0.5, 0.999, 1 };
  enum { ROWS = sizeof confidence / sizeof *confidence };
  crd_context *const ctx = *state;
  for (unsigned pattern = 0; pattern < 1u << ROWS; pattern += 37) {
    unsigned char correct[ROWS];
    crd_predictions *p = NULL;
    for (size_t i = 0; i < ROWS; i++) correct[i] = pattern >> i & 1;
    const crd_predictions_parts parts = { .size = sizeof parts,
                                          .scores = crd_array_matrix(confidence, CRD_F64, ROWS, 1),
                                          .correct = crd_array_matrix(correct, CRD_U8, ROWS, 1),
                                          .input = CRD_INPUT_PAIRS };
    assert_int_equal(crd_predictions_create(ctx, &parts, &p), CRD_OK);
    check_all(ctx, p, false);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(terms_add_up),
    cmocka_unit_test(terms_add_up_on_real_predictions),
    cmocka_unit_test(terms_add_up_at_the_ends),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
