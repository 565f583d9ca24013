/*
 * smooth_test.c -- the smooth reliability curve: by its definition, row by row; against known
 * curves; its band, from the same draws, and if all rows are correct.
 */
#include "math/local_logistic.h"
#include "metric/resample.h"
#include "profile/kinds_test.h"

enum { ROWS = 8000 };

static double log_odds_of(double confidence) {
  return fmin(fmax(log(confidence / (1 - confidence)), -16), 16);
}

/* Makes a cell of every row. */
static void cells_of(const prediction *rows, size_t count, crd__math_trials *out) {
  double total = 0;
  for (size_t i = 0; i < count; i++) total += rows[i].weight;
  for (size_t i = 0; i < count; i++) {
    const double weight = rows[i].weight * (double)count / total;
    out[i] = (crd__math_trials){ log_odds_of(rows[i].confidence), rows[i].correct ? weight : 0,
                                 rows[i].correct ? 0 : weight, weight * weight };
  }
}

static double span_of(const prediction *rows, size_t count) {
  double total = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    total += rows[i].weight;
    squares += rows[i].weight * rows[i].weight;
  }
  return fmin(1, fmax(0.8 * pow(total * total / squares, -0.2), 30 / (double)count));
}

static double value_at(const crd_curve *curve, double x) {
  const double at = x * (double)(curve->count - 1);
  const size_t i = at + 1 < (double)curve->count ? (size_t)at : curve->count - 2;
  return curve->points[i].y + (at - (double)i) * (curve->points[i + 1].y - curve->points[i].y);
}

/* The densities of correct and of incorrect rows, each with its share of the weight. */
static double density_at(const crd_profile *p, const prediction *rows, size_t count, double x) {
  double right = 0, total = 0;
  for (size_t i = 0; i < count; i++) {
    total += rows[i].weight;
    right += rows[i].correct ? rows[i].weight : 0;
  }
  return (p->density_right.count ? right / total * value_at(&p->density_right, x) : 0) +
         (p->density_wrong.count ? (1 - right / total) * value_at(&p->density_wrong, x) : 0);
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static void the_curve_is_local_logistic(void **state) {
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    prediction rows[ROWS_MAX];
    crd__math_trials cells[ROWS_MAX];
    crd__math_local_term terms[ROWS_MAX];
    kind k;
    open_kind(ctx, n, &k);
    const size_t count = sorted_rows(&k, n, rows);
    const double low = rows[0].confidence, high = rows[count - 1].confidence;
    const crd_profile *const p =
        profile_of(ctx, k.predictions,
                   (crd_profile_options){ .size = sizeof(crd_profile_options),
                                          .parts = CRD_PROFILE_SMOOTH | CRD_PROFILE_CURVES });
    cells_of(rows, count, cells);
    assert_true(near(p->smooth_bandwidth, span_of(rows, count), 1e-12));
    assert_int_equal(p->smooth_count, low < high ? 101 : 1);
    for (size_t i = 0; i < p->smooth_count; i++) {
      const crd_smooth_point *const at = &p->smooth[i];
      const crd__math_window window =
          crd__math_window_around(cells, count, log_odds_of(at->confidence),
                                  p->smooth_bandwidth * (double)count * (1 - 1e-12), 0.25);
      const crd__math_local_fit fit = crd__math_local_logistic(cells, window, terms);
      assert_true(near(at->confidence, low + (high - low) * (double)i / 100, 1e-15));
      /* rows closer than 1/128 in log-odds are taken together, which moves windows a little */
      assert_true(near(at->accuracy, sigmoid(fit.level), 0.02));
      assert_true(at->accuracy > 0 && at->accuracy < 1);
      assert_true(
          near(at->density, density_at(p, rows, count, at->confidence), 0.03 + 0.03 * at->density));
      assert_true(isnan(at->low) && isnan(at->high));
    }
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

/* ---- Known truth. */

typedef struct {
  double confidence[ROWS];
  unsigned char correct[ROWS];
} sample;

/* Confidences of a network: log-odds spread from 0 to about 20, a quarter exactly 1. The accuracy
 * at each is sigmoid(slope * log-odds + offset); outcomes are the rounded increments of its running
 * sum, and so are not random. */
static void draw_network(double slope, double offset, sample *out) {
  double owed = 0;
  for (size_t i = 0; i < ROWS; i++) {
    const double u = ((double)i + 0.5) / ROWS;
    out->confidence[i] = u > 0.75 ? 1 : sigmoid(-3 * log(1 - u / 0.76) + 20 * u * u * u * u);
    owed += sigmoid(slope * log_odds_of(out->confidence[i]) + offset);
    out->correct[i] = owed >= 0.5;
    owed -= out->correct[i];
  }
}

static const crd_profile *smooth_of(crd_context *ctx, const sample *s, unsigned resamples) {
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(s->confidence, CRD_F64, ROWS, 1),
                                        .correct = crd_array_matrix(s->correct, CRD_U8, ROWS, 1),
                                        .input = CRD_INPUT_PAIRS };
  crd_predictions *predictions = NULL;
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  const crd_profile *const p =
      profile_of(ctx, predictions,
                 (crd_profile_options){ .size = sizeof(crd_profile_options),
                                        .parts = CRD_PROFILE_SMOOTH,
                                        .resamples = resamples });
  crd_predictions_destroy(predictions);
  return p;
}

/* Half of the rows have confidence .99 or more: the curve below must not show their accuracy. */
static void mass_at_one_stays_there(void **state) {
  static const struct {
    double slope, offset;
  } truths[] = { { 0.5, 0 }, { 0.25, -0.2 }, { 1, 0 }, { 1, -1 }, { 1.7, 0 } };
  static sample s;
  for (size_t t = 0; t < sizeof truths / sizeof *truths; t++) {
    draw_network(truths[t].slope, truths[t].offset, &s);
    const crd_profile *const p = smooth_of(*state, &s, 40);
    for (size_t i = 0; i < p->smooth_count; i++) {
      const crd_smooth_point *const at = &p->smooth[i];
      const double truth =
          sigmoid(truths[t].slope * log_odds_of(at->confidence) + truths[t].offset);
      assert_true(near(at->accuracy, truth, 0.02));
      assert_true(at->low < at->accuracy && at->accuracy < at->high);
      /* if all rows are correct, the band only excludes a low accuracy */
      assert_true(at->low < truth && truth < at->high + 1e-4);
    }
    crd_profile_destroy(p);
  }
}

/* Between two clusters of rows the curve interpolates. */
static void gaps_are_bridged(void **state) {
  static sample s;
  for (size_t i = 0; i < ROWS; i++) {
    s.confidence[i] = i % 2 ? 0.9 : 0.1;
    s.correct[i] = i % 2 ? i % 20 != 1 : i % 20 == 0; /* calibrated to the last digit */
  }
  const crd_profile *const p = smooth_of(*state, &s, 40);
  for (size_t i = 0; i < p->smooth_count; i++) {
    const crd_smooth_point *const at = &p->smooth[i];
    if (i < 20 || i > 80) assert_true(near(at->accuracy, i < 50 ? 0.1 : 0.9, 2e-3));
    if (i) assert_true(at->accuracy >= p->smooth[i - 1].accuracy - 2e-3);
    assert_true(at->low < at->accuracy && at->accuracy < at->high);
  }
  crd_profile_destroy(p);
}

/* ---- The band. */

/* All rows are correct: the bootstrap has no variance, but the band must not end at 1. With n rows,
 * all correct, the lower end is about 1 - 4/n; a window has an eighth of the rows. */
static void all_right_is_not_certain(void **state) {
  static sample s;
  for (size_t i = 0; i < ROWS; i++) {
    s.confidence[i] = 0.5 + 0.5 * (double)i / ROWS;
    s.correct[i] = 1;
  }
  const crd_profile *const p = smooth_of(*state, &s, 20);
  for (size_t i = 0; i < p->smooth_count; i++) {
    assert_true(p->smooth[i].low < 1 - 1.0 / ROWS);
    if (i >= 10 && i <= 90) assert_true(p->smooth[i].low > 1 - 200.0 / ROWS);
    assert_true(p->smooth[i].high > p->smooth[i].accuracy);
  }
  crd_profile_destroy(p);
}

/* The larger of the sandwich's and the bootstrap's variance, the latter from the frame's draws. */
static void the_band_is_of_the_same_draws(void **state) {
  enum { RESAMPLES = 16, N = 60 };
  static double confidence[N], weight[N], drawn[CRD__RESAMPLES_AT_ONCE * N];
  static unsigned char correct[N];
  crd_context *const ctx = *state;
  prediction rows[N];
  crd__math_trials cells[N];
  crd__math_local_term terms[N];
  crd_predictions *predictions = NULL;
  for (size_t i = 0; i < N; i++) {
    confidence[i] = 0.5 + 0.4 * (double)i / N;
    correct[i] = i % 3 != 0;
    weight[i] = 1;
    rows[i] = (prediction){ confidence[i], 1, correct[i] };
  }
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(confidence, CRD_F64, N, 1),
                                        .correct = crd_array_matrix(correct, CRD_U8, N, 1),
                                        .weights = crd_array_matrix(weight, CRD_F64, N, 1),
                                        .input = CRD_INPUT_PAIRS };
  assert_int_equal(crd_predictions_create(ctx, &parts, &predictions), CRD_OK);
  const crd_profile *const p =
      profile_of(ctx, predictions,
                 (crd_profile_options){ .size = sizeof(crd_profile_options),
                                        .parts = CRD_PROFILE_SMOOTH,
                                        .resamples = RESAMPLES });
  cells_of(rows, N, cells);
  for (size_t i = 0; i < p->smooth_count; i += 10) {
    const crd_smooth_point *const at = &p->smooth[i];
    const crd__math_window window = crd__math_window_around(
        cells, N, log_odds_of(at->confidence), p->smooth_bandwidth * N * (1 - 1e-12), 0.25);
    const crd__math_local_fit fit = crd__math_local_logistic(cells, window, terms);
    double variance = 0;
    for (size_t resample = 1; resample <= RESAMPLES; resample++) {
      const crd__data_rows block = { .count = N, .weight = weight };
      double successes[N], failures[N];
      crd__metric_resample_weights(0, 0, resample, &block, drawn);
      const double *const draws = drawn + (resample - 1) % CRD__RESAMPLES_AT_ONCE * N;
      for (size_t row = 0; row < N; row++) {
        successes[row] = correct[row] ? draws[row] : 0;
        failures[row] = correct[row] ? 0 : draws[row];
      }
      const double level = crd__math_local_logistic_step(
          &fit, terms, window.to - window.from, successes + window.from, failures + window.from);
      variance += (level - fit.level) * (level - fit.level) / RESAMPLES;
    }
    const double reach = 1.959963984540054 * sqrt(fmax(variance, fit.variance));
    assert_true(near(at->low, sigmoid(fit.level - reach), 1e-9));
    assert_true(near(at->high, sigmoid(fit.level + reach), 1e-9));
  }
  crd_profile_destroy(p);
  crd_predictions_destroy(predictions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_curve_is_local_logistic),
    cmocka_unit_test(mass_at_one_stays_there),
    cmocka_unit_test(gaps_are_bridged),
    cmocka_unit_test(all_right_is_not_certain),
    cmocka_unit_test(the_band_is_of_the_same_draws),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
