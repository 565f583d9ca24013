/*
 * loss_properties_test.c -- what papers prove about losses, over many rows and settings; and limits
 * of their formulas: probabilities of 1, no incorrect rows, zero.
 */
#include "support.h"

#include "base/random.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10, TRIALS = 400 };

/* One row, with a label or with class shares. */
typedef struct {
  size_t classes;
  double z[MOST];
  int64_t label;
  const double *shares; /* NULL: the label */
} row;

/* The mean over `rows` rows of the same number of classes. */
static double batch_loss(crd_context *ctx, const char *expression, const row *rows, size_t count,
                         double *gradient) {
  double z[8 * MOST], shares[8 * MOST];
  int64_t labels[8];
  const size_t classes = rows->classes;
  assert_true(count <= 8);
  for (size_t i = 0; i < count; i++) {
    memcpy(z + i * classes, rows[i].z, classes * sizeof *z);
    if (rows->shares) memcpy(shares + i * classes, rows[i].shares, classes * sizeof *z);
    labels[i] = rows[i].label;
  }
  const crd_array logits = crd_array_matrix(z, CRD_F64, count, classes);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = rows->shares
                                              ? crd_array_matrix(shares, CRD_F64, count, classes)
                                              : crd_array_matrix(labels, CRD_I64, count, 1) };
  crd_loss *loss = NULL;
  crd_loss_value value;
  if (crd_loss_create(ctx, expression, NULL, &loss) != CRD_OK ||
      crd_loss_evaluate(ctx, loss, &logits, &targets, &value, gradient) != CRD_OK)
    fail_msg("%s: %s", expression, crd_context_message(ctx));
  crd_loss_destroy(loss);
  return value.value;
}

static double loss_of(crd_context *ctx, const char *expression, const row *r, double *gradient) {
  return batch_loss(ctx, expression, r, 1, gradient);
}

/* From nearly uniform to saturated. */
static row draw_row(size_t trial) {
  row r = { .classes = 2 + trial % (MOST - 1) };
  const double spread = exp(8 * crd__random_uniform(11, 0, trial) - 3);
  for (size_t k = 0; k < r.classes; k++)
    r.z[k] = spread * (2 * crd__random_uniform(11, 1, trial * MOST + k) - 1);
  r.label = (int64_t)(crd__random_uniform(11, 2, trial) * (double)r.classes);
  return r;
}

/* Two classes, with the given log-odds of the label. */
static row odds_row(double odds) { return (row){ .classes = 2, .z = { odds, 0 } }; }

/* The factor A of a gradient A (p - e_y), where q = 1 - p_y > 0. */
static double factor_of(crd_context *ctx, const char *expression, const row *r) {
  double ce[MOST], gradient[MOST];
  (void)loss_of(ctx, "ce", r, ce);
  (void)loss_of(ctx, expression, r, gradient);
  return gradient[r->label] / ce[r->label];
}

static const double uniform[MOST] = { .1, .1, .1, .1, .1, .1, .1, .1, .1, .1 };

/* ---- Theorems of papers. */

/* Wang et al., eq. 1: label smoothing is cross-entropy mixed with cross-entropy to a uniform
 * target. */
static void smoothing_mixes_a_uniform_target(void **state) {
  for (size_t i = 0; i < TRIALS; i++) {
    row r = draw_row(MOST - 2 + (MOST - 1) * i); /* ten classes */
    char smoothing[64];
    double mixed[MOST], label[MOST], even[MOST];
    const int percent = 1 + (int)(i % 25);
    const double epsilon = percent / 100.0;
    snprintf(smoothing, sizeof smoothing, "label-smoothing(epsilon=0.%02d)", percent);
    assert_int_equal(r.classes, MOST);
    const double found = loss_of(*state, smoothing, &r, mixed);
    const double of_label = loss_of(*state, "ce", &r, label);
    r.shares = uniform;
    const double of_even = loss_of(*state, "ce", &r, even);
    assert_true(near(found, (1 - epsilon) * of_label + epsilon * of_even, 1e-13));
    for (size_t k = 0; k < MOST; k++)
      assert_true(near(mixed[k], (1 - epsilon) * label[k] + epsilon * even[k], 1e-14));
  }
}

/* Eq. 2: for gamma >= 1 the focal loss is an upper bound of cross-entropy minus gamma times the
 * entropy; smaller gammas violate it, which shows that the trials reach the bound. */
static void focal_bounds_regularised_entropy(void **state) {
  static const char *const gammas[] = { "1", "1.5", "2", "3", "5", "7", "9" };
  size_t below = 0;
  for (size_t i = 0; i < TRIALS; i++) {
    const row r = draw_row(i);
    const double ce = loss_of(*state, "ce", &r, NULL), h = -loss_of(*state, "entropy", &r, NULL);
    for (size_t g = 0; g < sizeof gammas / sizeof *gammas; g++) {
      char focal[32];
      snprintf(focal, sizeof focal, "focal(gamma=%s)", gammas[g]);
      const double bound = ce - atof(gammas[g]) * h, found = loss_of(*state, focal, &r, NULL);
      if (!(found >= bound - 1e-14 * (1 + ce)))
        fail_msg("trial %zu, %s: %g is below %g", i, focal, found, bound);
    }
    below += loss_of(*state, "focal(gamma=3)", &r, NULL) < ce - 0.5 * h;
  }
  assert_true(below > 0);
}

/* Singh et al., eq. 12 and 16: regularisers towards the uniform distribution have gradient 0 there.
 */
static void regularisers_rest_at_the_uniform(void **state) {
  for (size_t classes = 2; classes <= MOST; classes++) {
    row r = { .classes = classes, .label = 1 };
    double gradient[MOST], ce[MOST];
    for (size_t k = 0; k < classes; k++) r.z[k] = 0.7;
    assert_true(near(loss_of(*state, "entropy", &r, gradient), -log((double)classes), 1e-14));
    for (size_t k = 0; k < classes; k++) assert_true(fabs(gradient[k]) <= 2 * DBL_EPSILON);
    /* Label smoothing is a share of cross-entropy plus a regulariser whose gradient is 0 there. */
    (void)loss_of(*state, "ce", &r, ce);
    (void)loss_of(*state, "label-smoothing(epsilon=0.25)", &r, gradient);
    for (size_t k = 0; k < classes; k++)
      assert_true(fabs(gradient[k] - 0.75 * ce[k]) <= 2 * DBL_EPSILON);
  }
}

/* ---- Factors of p - e_y: where they are not negative, a loss decreases with the probability of
 * the label. */

static void focal_falls_with_probability(void **state) {
  for (int quarters = -80; quarters <= 120; quarters++)
    for (int gamma = 0; gamma <= 60; gamma += 4) {
      const double odds = quarters / 4.0;
      const row r = odds_row(odds);
      char focal[32], detached[48];
      snprintf(focal, sizeof focal, "focal(gamma=%d.%d)", gamma / 10, gamma % 10);
      snprintf(detached, sizeof detached, "focal(gamma=%d.%d,detach=yes)", gamma / 10, gamma % 10);
      const long double e = expl(-(long double)odds), q = e / (1 + e), g = gamma / 10.0L;
      const long double power = powl(q, g);
      const double wanted = (double)(power * (1 - g * (1 - q) * log1pl(-q) / q));
      const double found = factor_of(*state, focal, &r);
      if (!(found >= 0 && fabs(found - wanted) <= 1e-12 * wanted))
        fail_msg("%s at %g: %.17g, expected %.17g", focal, odds, found, wanted);
      const double constant = factor_of(*state, detached, &r);
      if (!(fabs(constant - (double)power) <= 1e-12 * (double)power))
        fail_msg("%s at %g: %.17g, expected %.17g", detached, odds, constant, (double)power);
    }
}

static double inverse_factor(double gamma, double p) {
  return pow(1 + p, gamma) + gamma * pow(1 + p, gamma - 1) * p * log(p);
}

/* 1 / W(1/e) = 3.5911 is the largest gamma for which the factor is nowhere negative. */
static void inverse_focal_falls_with_probability(void **state) {
  static const char *const gammas[] = { "0", "0.5", "1", "2", "3", "3.59" };
  double least = 1;
  for (int i = 1; i < 2000; i++) {
    const double p = i / 2000.0;
    const row r = odds_row(log(p / (1 - p)));
    for (size_t g = 0; g < sizeof gammas / sizeof *gammas; g++) {
      char inverse[32];
      snprintf(inverse, sizeof inverse, "inverse-focal(gamma=%s)", gammas[g]);
      const double found = factor_of(*state, inverse, &r);
      const double wanted = inverse_factor(atof(gammas[g]), p);
      if (!(found >= 0 && near(found, wanted, 1e-11)))
        fail_msg("%s at %g: %.17g, expected %.17g", inverse, p, found, wanted);
    }
    least = fmin(least, inverse_factor(3.7, p));
    assert_true(
        near(factor_of(*state, "inverse-focal(gamma=3.7,detach=yes)", &r), pow(1 + p, 3.7), 1e-11));
  }
  assert_true(least < 0); /* so 3.7 is invalid, unless the weight is detached */
  crd_loss *loss = NULL;
  assert_int_equal(crd_loss_create(*state, "inverse-focal(gamma=3.7)", NULL, &loss), CRD_EUSAGE);
  assert_int_equal(crd_loss_create(*state, "inverse-focal(gamma=3.5912)", NULL, &loss), CRD_EUSAGE);
}

/* ---- Settings that reduce a loss to cross-entropy. */

static void nothing_is_left_of_settings(void **state) {
  static const char *const same[] = {
    "focal(gamma=0)",      "focal(gamma=0,detach=yes)",  "inverse-focal(gamma=0)",
    "dual-focal(gamma=0)", "label-smoothing(epsilon=0)",
  };
  for (size_t i = 0; i < TRIALS; i++) {
    const row r = draw_row(i);
    double ce[MOST], gradient[MOST];
    const double wanted = loss_of(*state, "ce", &r, ce);
    for (size_t s = 0; s < sizeof same / sizeof *same; s++) {
      if (!near(loss_of(*state, same[s], &r, gradient), wanted, 1e-14))
        fail_msg("%s: trial %zu", same[s], i);
      for (size_t k = 0; k < r.classes; k++)
        if (!near(gradient[k], ce[k], 1e-15)) fail_msg("%s: trial %zu", same[s], i);
    }
    const double less = loss_of(*state, "ce + 0.1*entropy", &r, NULL);
    assert_true(less <= wanted); /* the term `entropy` is -H */
  }
}

/* ---- Limits of formulas. */

static void expect_rest(crd_context *ctx, const char *expression, const row *rows, size_t count,
                        double wanted) {
  double gradient[8 * MOST];
  const double found = batch_loss(ctx, expression, rows, count, gradient);
  if (!near(found, wanted, 1e-12)) fail_msg("%s is %g, expected %g", expression, found, wanted);
  for (size_t i = 0; i < count * rows->classes; i++)
    if (gradient[i] != 0) fail_msg("%s has the gradient %g", expression, gradient[i]);
}

/* q = 0: no inf * 0, for any gamma. */
static void focal_at_probability_one(void **state) {
  const row r = odds_row(1e4);
  static const char *const losses[] = {
    "focal(gamma=0.1)", "focal(gamma=0.5)", "focal(gamma=1)", "focal-sd",
    "dual-focal",       "inverse-focal",    "brier"
  };
  for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
    expect_rest(*state, losses[i], &r, 1, 0);
}

static void mmce_without_wrong_or_right_rows(void **state) {
  const row right[] = { { .classes = 3, .z = { 2, 0, 1 } },
                        { .classes = 3, .z = { 0, 3, 1 }, .label = 1 } };
  const row wrong[] = { { .classes = 3, .z = { 2, 0, 1 }, .label = 1 },
                        { .classes = 3, .z = { 0, 3, 1 }, .label = 2 } };
  const row certain[] = { { .classes = 3, .z = { 1e4, 0, 1 } },
                          { .classes = 3, .z = { 0, 1e4, 1 }, .label = 1 } };
  expect_rest(*state, "mmce-weighted", right, 2, 0);
  expect_rest(*state, "mmce-weighted", wrong, 2, 0);
  expect_rest(*state, "mmce", certain, 2, 1e-6); /* sqrt(0 + 1e-12) */
  assert_true(isfinite(batch_loss(*state, "mmce", right, 2, NULL)));
}

/* No row is correct and certain or incorrect and uncertain: a large value, a gradient of 0. */
static void avuc_without_good_rows(void **state) {
  const row wrong[] = { { .classes = 3, .z = { 5, 0, 1 }, .label = 1 },
                        { .classes = 3, .z = { 0, 6, 1 }, .label = 2 } };
  const row saturated[] = { { .classes = 3, .z = { 1e4, 0, 1 }, .label = 1 } };
  double gradient[8 * MOST];
  const double value = batch_loss(*state, "avuc", wrong, 2, gradient);
  expect_rest(*state, "avuc", wrong, 2, value);
  assert_true(value > 10 && isfinite(value));
  expect_rest(*state, "avuc", saturated, 1, 0); /* counts for neither side: 1 - c is 0 */
}

static void dca_without_difference(void **state) {
  const row rows[] = { { .classes = 2, .label = 0 }, { .classes = 2, .label = 1 } };
  expect_rest(*state, "dca", rows, 2, 0); /* c = 1/2 of both, one is correct */
  expect_rest(*state, "mdca", rows, 2, 0);
}

static void lp_norm_of_nothing(void **state) {
  const row r = { .classes = 4 };
  static const char *const losses[] = { "lp-norm", "lp-norm(p=1.5)", "lp-norm(p=2)" };
  for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
    expect_rest(*state, losses[i], &r, 1, 0);
}

/* One row has no neighbour: value and gradient are 0. */
static void crl_of_one_row(void **state) {
  crd_context *const ctx = *state;
  const double z[] = { 1, 2 }, history = 1;
  const int64_t label = 0;
  double gradient[2];
  crd_loss *loss = NULL;
  crd_loss_value value;
  const crd_array logits = crd_array_matrix(z, CRD_F64, 1, 2);
  const crd_targets targets = { .size = sizeof targets,
                                .labels = crd_array_matrix(&label, CRD_I64, 1, 1),
                                .history = crd_array_matrix(&history, CRD_F64, 1, 1),
                                .epochs = 3 };
  assert_int_equal(crd_loss_create(ctx, "crl", NULL, &loss), CRD_OK);
  assert_int_equal(crd_loss_evaluate(ctx, loss, &logits, &targets, &value, gradient), CRD_OK);
  assert_true(value.value == 0 && gradient[0] == 0 && gradient[1] == 0);
  crd_loss_destroy(loss);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(smoothing_mixes_a_uniform_target),
    cmocka_unit_test(focal_bounds_regularised_entropy),
    cmocka_unit_test(regularisers_rest_at_the_uniform),
    cmocka_unit_test(focal_falls_with_probability),
    cmocka_unit_test(inverse_focal_falls_with_probability),
    cmocka_unit_test(nothing_is_left_of_settings),
    cmocka_unit_test(focal_at_probability_one),
    cmocka_unit_test(mmce_without_wrong_or_right_rows),
    cmocka_unit_test(avuc_without_good_rows),
    cmocka_unit_test(dca_without_difference),
    cmocka_unit_test(lp_norm_of_nothing),
    cmocka_unit_test(crl_of_one_row),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
