/* local_logistic_test.c -- windows by counting, fits by their score equations, one Newton step. */
#include "math/local_logistic.h"

#include "support.h"

#include <math.h>

enum { CELLS = 40 };

/* Unevenly spaced x; outcomes follow sigmoid(1.3 x - 0.4) plus a small oscillation. */
static void make_cells(crd__math_trials *cells) {
  for (size_t i = 0; i < CELLS; i++) {
    const double x = -3 + 0.15 * (double)i + 0.05 * sin(7.0 * (double)i);
    const double p = 1 / (1 + exp(0.4 - 1.3 * x)), mass = 1 + (double)(i % 4);
    const double share = fmin(fmax(p + 0.1 * cos(3.0 * (double)i), 0), 1);
    cells[i] = (crd__math_trials){ x, mass * share, mass * (1 - share), mass * mass / 2 };
  }
}

static double mass_within(const crd__math_trials *cells, double t, double radius) {
  double mass = 0;
  for (size_t i = 0; i < CELLS; i++)
    if (fabs(cells[i].x - t) <= radius) mass += cells[i].successes + cells[i].failures;
  return mass;
}

static void windows_hold_their_mass(void **state) {
  crd__math_trials cells[CELLS];
  (void)state;
  make_cells(cells);
  const double total = mass_within(cells, 0, 100);
  for (int i = 0; i < 22; i++)
    for (int k = 0; k < 6; k++) {
      const double t = -4 + 0.37 * i, share = 0.05 + 0.25 * k;
      const crd__math_window w = crd__math_window_around(cells, CELLS, t, share * total, 0.25);
      const double nearest = w.radius / 1.25;
      assert_true(w.middle == t && w.radius >= 0.25);
      if (w.radius > 0.25) { /* the smallest radius that holds the mass, or all of it */
        assert_true(mass_within(cells, t, nearest * (1 + 1e-12)) >= fmin(share, 1) * total - 1e-9);
        assert_true(mass_within(cells, t, nearest * (1 - 1e-12)) < share * total);
      } else assert_true(mass_within(cells, t, 0.2 * (1 + 1e-12)) >= share * total);
      for (size_t c = 0; c < CELLS; c++)
        assert_int_equal(c >= w.from && c < w.to, fabs(cells[c].x - t) < w.radius);
    }
}

/* Derivatives of the penalised log-likelihood, written out. */
static void scores_at(const crd__math_trials *cells, double t, double radius, double level,
                      double slope, double out[2]) {
  double mass = 0, moment = 0;
  out[0] = out[1] = 0;
  for (size_t i = 0; i < CELLS; i++) {
    const double u = (cells[i].x - t) / radius;
    if (fabs(u) >= 1) continue;
    const double kernel = pow(1 - pow(fabs(u), 3), 3), p = 1 / (1 + exp(-level - slope * u));
    const double score = kernel * (cells[i].successes * (1 - p) - cells[i].failures * p);
    out[0] += score;
    out[1] += score * u;
    mass += kernel * (cells[i].successes + cells[i].failures);
    moment += kernel * (cells[i].successes + cells[i].failures) * u;
  }
  const double centre = mass > 0 ? moment / mass : 0;
  const double prior = 0.5 - 1 / (1 + exp(-level - slope * centre));
  out[0] += prior;
  out[1] += prior * centre - 0.01 * slope;
}

/* Variance of the level from the influence of every cell, by differences of the score. */
static double variance_at(const crd__math_trials *cells, double t, double radius,
                          const crd__math_local_fit *fit) {
  const double h = 1e-5;
  double a[2], b[2], c[2], d[2], variance = 0;
  scores_at(cells, t, radius, fit->level - h, fit->slope, a);
  scores_at(cells, t, radius, fit->level + h, fit->slope, b);
  scores_at(cells, t, radius, fit->level, fit->slope - h, c);
  scores_at(cells, t, radius, fit->level, fit->slope + h, d);
  const double i00 = (a[0] - b[0]) / (2 * h), i01 = (a[1] - b[1]) / (2 * h);
  const double i11 = (c[1] - d[1]) / (2 * h), determinant = i00 * i11 - i01 * i01;
  for (size_t i = 0; i < CELLS; i++) {
    const double u = (cells[i].x - t) / radius;
    if (fabs(u) >= 1) continue;
    const double kernel = pow(1 - pow(fabs(u), 3), 3);
    const double p = 1 / (1 + exp(-fit->level - fit->slope * u));
    const double influence = kernel * (i11 - i01 * u) / determinant;
    variance += influence * influence * p * (1 - p) * cells[i].squares;
  }
  return variance;
}

static void fits_solve_their_equations(void **state) {
  crd__math_trials cells[CELLS];
  crd__math_local_term terms[CELLS];
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    make_cells(cells);
    for (size_t i = 0; kind && i < CELLS; i++) { /* all correct, or all incorrect */
      const double mass = cells[i].successes + cells[i].failures;
      cells[i].successes = kind == 1 ? mass : 0;
      cells[i].failures = kind == 1 ? 0 : mass;
    }
    for (int i = 0; i <= 16; i++)
      for (int k = 0; k < 7; k++) {
        const double t = -4 + 0.5 * i, radius = ldexp(0.3, k);
        const crd__math_window near = crd__math_window_around(cells, CELLS, t, 0, radius);
        const crd__math_local_fit fit = crd__math_local_logistic(cells, near, terms);
        double scores[2];
        scores_at(cells, t, near.radius, fit.level, fit.slope, scores);
        assert_true(fabs(scores[0]) < 1e-10 && fabs(scores[1]) < 1e-10);
        const double variance = variance_at(cells, t, near.radius, &fit);
        assert_true(fabs(fit.variance - variance) <= 1e-5 * variance + 1e-12);
        if (kind && near.to > near.from) assert_true(kind == 1 ? fit.level > 0 : fit.level < 0);
      }
  }
}

/* A line in x is recovered for any window: there is no smoothing bias. */
static void lines_are_exact(void **state) {
  crd__math_trials cells[CELLS];
  crd__math_local_term terms[CELLS];
  (void)state;
  for (size_t i = 0; i < CELLS; i++) {
    const double x = -3 + 0.15 * (double)i, p = 1 / (1 + exp(0.4 - 0.5 * x));
    cells[i] = (crd__math_trials){ x, 1e6 * p, 1e6 * (1 - p), 1e6 }; /* the prior hardly counts */
  }
  for (int i = 0; i <= 20; i++) {
    const double t = -3 + 0.3 * i;
    const crd__math_window window = crd__math_window_around(cells, CELLS, t, 1.5e7, 0.25);
    const crd__math_local_fit fit = crd__math_local_logistic(cells, window, terms);
    assert_true(fabs(fit.level - (0.5 * t - 0.4)) < 1e-5);
  }
}

/* With the same weights a step is 0; with others it equals a new fit, to first order. */
static void a_step_follows_the_weights(void **state) {
  crd__math_trials cells[CELLS], changed[CELLS];
  crd__math_local_term terms[CELLS], scratch[CELLS];
  double successes[CELLS], failures[CELLS];
  (void)state;
  make_cells(cells);
  const crd__math_window window = crd__math_window_around(cells, CELLS, 0.2, 40, 0.25);
  const crd__math_local_fit fit = crd__math_local_logistic(cells, window, terms);
  for (int step = 0; step < 3; step++) {
    const double change = 0.009 * step;
    for (size_t i = 0; i < CELLS; i++) {
      changed[i] = cells[i];
      successes[i] = changed[i].successes *= 1 + change * (double)(i % 5);
      failures[i] = changed[i].failures *= 1 + change * (double)(i % 3);
    }
    const double level = crd__math_local_logistic_step(
        &fit, terms, window.to - window.from, successes + window.from, failures + window.from);
    const crd__math_local_fit again = crd__math_local_logistic(changed, window, scratch);
    assert_true(fabs(level - again.level) <= 1e-10 + change * change);
    if (change > 0) assert_true(fabs(level - fit.level) > 10 * fabs(level - again.level));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(windows_hold_their_mass),
    cmocka_unit_test(fits_solve_their_equations),
    cmocka_unit_test(lines_are_exact),
    cmocka_unit_test(a_step_follows_the_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
