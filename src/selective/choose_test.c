/* choose_test.c -- thresholds against plain loops, and how often the promised risk is exceeded. */
#include "selective/choose.h"
#include "selective/testing.h"

/* ---- Plain loops. */

static double at_most(size_t errors, size_t rows, double risk) {
  double sum = 0;
  for (size_t k = 0; k <= errors; k++)
    sum += exp(lgamma((double)rows + 1) - lgamma((double)k + 1) - lgamma((double)(rows - k) + 1) +
               (double)k * log(risk) + (double)(rows - k) * log1p(-risk));
  return sum;
}

static void count_above(const test_rows *t, double threshold, size_t *rows, size_t *errors) {
  *rows = *errors = 0;
  for (size_t i = 0; i < t->rows; i++) {
    if (t->confidence[i] < threshold) continue;
    ++*rows;
    *errors += !t->correct[i];
  }
}

/* The largest confidence below this one; -1: none. */
static double next_below(const test_rows *t, double threshold) {
  double next = -1;
  for (size_t i = 0; i < t->rows; i++)
    if (t->confidence[i] < threshold) next = fmax(next, t->confidence[i]);
  return next;
}

/* The fallback procedure as its definition has it: levels are passed on, or lost. */
static double threshold_tested(const test_rows *t, double risk) {
  static const double begins[] = { 1.0 / 32, 1.0 / 8, 0.25, 0.5, 0.75, 1 };
  double level = 0, chosen = NAN;
  size_t before = 0;
  for (double at = next_below(t, 2); at >= 0; at = next_below(t, at)) {
    size_t rows, errors;
    count_above(t, at, &rows, &errors);
    for (size_t b = 0; b < 6; b++)
      if ((double)rows >= begins[b] * (double)t->rows &&
          (double)before < begins[b] * (double)t->rows)
        level += 0.05 / 6;
    if (at_most(errors, rows, risk) <= level) chosen = at;
    else level = 0;
    before = rows;
  }
  return chosen;
}

static double threshold_observed(const test_rows *t, const crd_target *target) {
  double chosen = NAN;
  for (double at = next_below(t, 2); at >= 0; at = next_below(t, at)) {
    size_t rows, errors;
    count_above(t, at, &rows, &errors);
    if (target->kind == CRD_TARGET_RISK) {
      if ((double)errors / (double)rows <= target->value) chosen = at;
    } else if ((double)rows / (double)t->rows >= target->value - 1e-12) return at;
  }
  return chosen;
}

static double threshold_of(const crd__selective_sample *s, size_t steps) {
  return steps ? s->steps[steps - 1].threshold : (double)NAN;
}

static void thresholds_agree_with_loops(void **state) {
  static test_rows t;
  static const double grains[] = { 0, 0.05, 0.5, 1 };
  for (size_t g = 0; g < 4; g++)
    for (uint64_t seed = 0; seed < 12; seed++) {
      crd__selective_sample s;
      draw_rows(&t, 40 + 60 * seed, 0.1 + 0.05 * (double)seed, grains[g], seed);
      crd_predictions *const p = open_rows(*state, &t);
      assert_int_equal(crd__selective_sample_make(*state, p, &s), CRD_OK);
      for (double value = 0.02; value < 0.5; value += 0.07) {
        const crd_target risk = { CRD_TARGET_RISK, value },
                         coverage = { CRD_TARGET_COVERAGE, value };
        assert_true(same_bits(threshold_of(&s, crd__selective_choose_tested(&s, value)),
                              threshold_tested(&t, value)));
        assert_true(
            same_bits(threshold_of(&s, crd__selective_choose_observed(s.counts, s.count, &risk)),
                      threshold_observed(&t, &risk)));
        assert_true(same_bits(
            threshold_of(&s, crd__selective_choose_observed(s.counts, s.count, &coverage)),
            threshold_observed(&t, &coverage)));
      }
      crd__selective_sample_clear(&((crd_context *)*state)->alloc, &s);
      crd_predictions_destroy(p);
    }
}

static void needed_rows_are_exact(void **state) {
  (void)state;
  for (double risk = 0.01; risk < 1; risk += 0.01) {
    const double rows = crd__selective_rows_needed(risk);
    assert_true(pow(1 - risk, rows) <= 0.05);
    assert_true(pow(1 - risk, rows - 1) > 0.05);
  }
  assert_true(isinf(crd__selective_rows_needed(0)));
}

/* ---- The promise. */

typedef struct {
  size_t runs, found, exceeded, missed; /* missed: the interval does not contain the true risk */
  double coverage;
} outcome;

static outcome simulate(crd_context *ctx, size_t rows, double a, double target) {
  enum { RUNS = 300 };
  static test_rows t;
  const crd_target goal = { CRD_TARGET_RISK, target };
  outcome o = { .runs = RUNS };
  for (uint64_t run = 0; run < RUNS; run++) {
    draw_rows(&t, rows, a, 0, 1000 + run);
    const crd_operating_table *const found = find_points(ctx, &t, &goal, 1, CRD_GUARANTEE_HELD_OUT);
    const crd_operating_point *const p = found->items;
    const double risk = a * (1 - p->threshold) / 2;
    o.found += isnan(p->threshold) ? 0 : 1;
    o.exceeded += risk > target;
    o.missed += p->accepted > 0 && !(p->risk.low <= risk && risk <= p->risk.high);
    o.coverage += p->coverage.value / RUNS;
    crd_operating_destroy(found);
  }
  return o;
}

/* 5 % of the runs, with three standard errors. Observed risks as thresholds would exceed the target
 * in half of the runs. */
static void promised_risk_holds(void **state) {
  static const struct {
    size_t rows;
    double a, target, coverage;
  } cases[] = { { 4000, 0.8, 0.2, 0.4 }, { 4000, 0.4, 0.05, 0.03 }, { 2000, 0.7, 0.3, 0.6 } };
  for (size_t i = 0; i < 3; i++) {
    const outcome o = simulate(*state, cases[i].rows, cases[i].a, cases[i].target);
    const double limit = 0.05 + 3 * sqrt(0.05 * 0.95 / (double)o.runs);
    if (!((double)o.exceeded <= limit * (double)o.runs) ||
        !((double)o.missed <= limit * (double)o.runs) || !(o.coverage >= cases[i].coverage))
      fail_msg("case %zu: %zu of %zu exceed, %zu intervals miss, coverage %g", i, o.exceeded,
               o.runs, o.missed, o.coverage);
  }
}

/* Rows of a patient that agree count as few: each patient's are all right or all wrong. */
static void promised_risk_holds_for_clusters(void **state) {
  enum { RUNS = 200, PATIENTS = 400, EACH = 10 };
  static test_rows t;
  const crd_target goal = { CRD_TARGET_RISK, 0.2 };
  size_t exceeded = 0, found = 0;
  t.clustered = true;
  for (uint64_t run = 0; run < RUNS; run++) {
    t.rows = (size_t)PATIENTS * EACH;
    for (size_t i = 0; i < t.rows; i++) {
      const uint64_t patient = i / EACH;
      const double c = crd__random_uniform(run, 5, patient);
      t.confidence[i] = c + 1e-6 * (double)(i % EACH);
      t.correct[i] = crd__random_uniform(run, 6, patient) >= 0.6 * (1 - c);
      t.patient[i] = (int64_t)patient;
    }
    const crd_operating_table *const o = find_points(*state, &t, &goal, 1, CRD_GUARANTEE_HELD_OUT);
    assert_string_equal(o->interval, "cluster-bootstrap");
    exceeded += 0.3 * (1 - o->items->threshold) > 0.2;
    found += isnan(o->items->threshold) ? 0 : 1;
    crd_operating_destroy(o);
  }
  t.clustered = false;
  assert_true((double)exceeded <= 0.08 * RUNS);
  assert_true(found >= RUNS / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(thresholds_agree_with_loops),
    cmocka_unit_test(needed_rows_are_exact),
    cmocka_unit_test(promised_risk_holds),
    cmocka_unit_test(promised_risk_holds_for_clusters),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
