/* zero_test.c -- maps that give probabilities of exactly 0, and maps that do not. */
#include "calibrator/zero.h"
#include "support.h"

#include <math.h>

/* A map of one table, or of log-odds and one table. */
static bool gives(crd_context *ctx, crd__calibrator_map map, bool odds, const double *a,
                  size_t a_count, const double *b, size_t b_count) {
  map.alloc = ctx->alloc;
  if (odds)
    assert_int_equal(crd__calibrator_map_add(ctx, &map, CRD__ODDS, NULL, 0, NULL, 0), CRD_OK);
  const crd__calibrator_op op = a_count == b_count ? CRD__LINES : CRD__STEPS;
  assert_int_equal(crd__calibrator_map_add(ctx, &map, op, a, a_count, b, b_count), CRD_OK);
  const bool zero = crd__calibrator_map_can_give_zero(&map);
  crd__calibrator_map_clear(&map);
  return zero;
}

static const crd__calibrator_map every = { .classes = 3, .reach = CRD__ALL_EVENTS };
static const crd__calibrator_map second = { .classes = 2, .reach = CRD__ALL_EVENTS };
static const crd__calibrator_map top = { .classes = 3, .reach = CRD__TOP_EVENT };
static const crd__calibrator_map shared = { .classes = 3, .reach = CRD__SHARED_EVENT };

static void steps(void **state) {
  static const double at[] = { .25, .5 }, inside[] = { .1, .5, .9 }, low[] = { 0, .5, .9 },
                      high[] = { .1, .5, 1 };
  const crd__calibrator_map *const maps[] = { &every, &second, &top, &shared };
  for (size_t m = 0; m < 4; m++) {
    assert_false(gives(*state, *maps[m], false, at, 2, inside, 3));
    assert_true(gives(*state, *maps[m], false, at, 2, low, 3));
    assert_true(gives(*state, *maps[m], true, at, 2, low, 3));
  }
  /* With a single event, a probability of 1 leaves 0 to the others. */
  assert_true(gives(*state, second, false, at, 2, high, 3));
  assert_true(gives(*state, top, false, at, 2, high, 3));
  assert_false(gives(*state, every, false, at, 2, high, 3));
  assert_false(gives(*state, shared, false, at, 2, high, 3));
}

/* A step of 0 that ends at x = 0 contains no probability; over log-odds it does. */
static void steps_out_of_reach(void **state) {
  static const double at[] = { 0, .5 }, value[] = { 0, .5, .9 };
  assert_false(gives(*state, every, false, at, 2, value, 3));
  assert_true(gives(*state, every, true, at, 2, value, 3));
}

static void lines(void **state) {
  static const double at[] = { 0, .5, 1 };
  static const double rising[] = { 0, .5, .9 };  /* 0 only at x = 0, which no softmax gives */
  static const double level[] = { 0, 0, .9 };    /* 0 up to .5 */
  static const double falling[] = { .5, .2, 0 }; /* 0 at x = 1, to which many probabilities round */
  static const double below[] = { -.1, .5,
                                  .9 }; /* negative values are clipped, as those of a spline */
  static const double above[] = { .1, .5, 1.25 }; /* the same at the other end */
  assert_false(gives(*state, every, false, at, 3, rising, 3));
  assert_true(gives(*state, every, false, at, 3, level, 3));
  assert_true(gives(*state, every, false, at, 3, falling, 3));
  assert_true(gives(*state, every, false, at, 3, below, 3));
  assert_false(gives(*state, every, false, at, 3, above, 3));
  assert_true(gives(*state, top, false, at, 3, above, 3));
}

/* Every event has its own table. */
static void the_last_event_counts(void **state) {
  static const double at[] = { .5 }, fine[] = { .1, .9 }, zero[] = { 0, .9 };
  crd_context *const ctx = *state;
  crd__calibrator_map map = every;
  map.alloc = ctx->alloc;
  for (size_t k = 0; k < 3; k++) {
    assert_int_equal(crd__calibrator_map_add(ctx, &map, CRD__STEPS, at, 1, k == 2 ? zero : fine, 2),
                     CRD_OK);
    crd__calibrator_map_next(&map);
  }
  assert_true(crd__calibrator_map_can_give_zero(&map));
  crd__calibrator_map_clear(&map);
}

/* ---- Fitted calibrators; one row underflows, with logits 800 apart. */

enum { ROWS = 60, CLASSES = 3 };

static bool fitted_gives_zero(crd_context *ctx, const char *method, const char *settings) {
  double scores[ROWS * CLASSES], out[ROWS * CLASSES];
  int64_t labels[ROWS];
  crd_predictions *predictions = NULL;
  crd_calibrator *calibrator = NULL;
  bool zero = false;
  for (size_t i = 0; i < ROWS; i++) {
    labels[i] = i % 7 == 0 ? 1 : (int64_t)(i % CLASSES);
    for (size_t k = 0; k < CLASSES; k++)
      scores[i * CLASSES + k] = (k == i % CLASSES ? 1 + (double)(i % 5) : 0) + .01 * (double)i;
  }
  scores[0] = 800;
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(scores, CRD_F64, ROWS, CLASSES),
                                        .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                        .input = CRD_INPUT_LOGITS };
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  if (crd_calibrator_fit(ctx, method, settings, predictions, &calibrator) != CRD_OK)
    fail_msg("%s: %s", method, crd_context_message(ctx));
  assert_int_equal(crd_calibrator_apply(ctx, calibrator, predictions, 0, ROWS, out, NULL, NULL),
                   CRD_OK);
  assert_int_equal(crd__calibrator_can_give_zero(ctx, calibrator, out, ROWS * CLASSES, &zero),
                   CRD_OK);
  crd_calibrator_destroy(calibrator);
  crd_predictions_destroy(predictions);
  return zero;
}

static void underflow_is_no_zero(void **state) {
  assert_false(fitted_gives_zero(*state, "identity", NULL));
  assert_false(fitted_gives_zero(*state, "temperature", NULL));
  assert_false(fitted_gives_zero(*state, "vector", NULL));
  assert_false(fitted_gives_zero(*state, "platt", NULL));
  assert_false(fitted_gives_zero(*state, "beta", NULL));
  assert_false(fitted_gives_zero(*state, "isotonic-joint", NULL));
  assert_false(fitted_gives_zero(*state, "venn-abers", NULL));
}

static void tables_have_zeros(void **state) {
  assert_true(fitted_gives_zero(*state, "isotonic", NULL));
  assert_true(fitted_gives_zero(*state, "histogram", "scope=one-vs-rest"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(steps),
    cmocka_unit_test(steps_out_of_reach),
    cmocka_unit_test(lines),
    cmocka_unit_test(the_last_event_counts),
    cmocka_unit_test(underflow_is_no_zero),
    cmocka_unit_test(tables_have_zeros),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
