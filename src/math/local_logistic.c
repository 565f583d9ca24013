/* local_logistic.c -- Newton's method on two parameters, with step halving. */
#include "math/local_logistic.h"
#include "math/logspace.h"

#include <math.h>

enum { STEPS_MAX = 60, HALVINGS_MAX = 30 };

/* Weight of the pseudo-observation, and a ridge that determines the slope if all x agree. */
static const double prior_weight = 1, ridge = 0.01;
static const double reach = 1.25; /* rows at the edge of the nearest ones still have weight */

/* ---- The window. */

/* Returns the distance of the nearest cell outside left .. right, on either side. */
static double next_distance(const crd__math_trials *cells, size_t count, double t, size_t left,
                            size_t right) {
  const double below = left > 0 ? t - cells[left - 1].x : INFINITY;
  const double above = right < count ? cells[right].x - t : INFINITY;
  return fmin(below, above);
}

crd__math_window crd__math_window_around(const crd__math_trials *cells, size_t count, double t,
                                         double mass, double least) {
  crd__math_window w = { .middle = t };
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (cells[middle].x < t) low = middle + 1;
    else high = middle;
  }
  w.from = w.to = low;
  double held = 0, distance = 0;
  while (held < mass && w.to - w.from < count) {
    distance = next_distance(cells, count, t, w.from, w.to);
    const size_t next = w.from > 0 && t - cells[w.from - 1].x == distance ? --w.from : w.to++;
    held += cells[next].successes + cells[next].failures;
  }
  w.radius = fmax(reach * distance, least);
  while (next_distance(cells, count, t, w.from, count) < w.radius) w.from--;
  while (next_distance(cells, count, t, 0, w.to) < w.radius) w.to++;
  return w;
}

/* ---- The fit. */

/* Gradient and negative Hessian of the penalised log-likelihood. */
typedef struct {
  double gradient[2], information[3]; /* [0,0] [0,1] [1,1] */
} moments;

static void add_moments(moments *m, double u, double score, double information) {
  m->gradient[0] += score;
  m->gradient[1] += score * u;
  m->information[0] += information;
  m->information[1] += information * u;
  m->information[2] += information * u * u;
}

static moments prior_at(double centre, double level, double slope) {
  const double p = crd__math_sigmoid(level + slope * centre);
  moments m = { .gradient = { 0, -ridge * slope }, .information = { 0, 0, ridge } };
  add_moments(&m, centre, prior_weight * (0.5 - p), prior_weight * p * (1 - p));
  return m;
}

/* Solves information * out = right. */
static void solve(const moments *m, const double right[2], double out[2]) {
  const double a = m->information[0], b = m->information[1], c = m->information[2];
  const double determinant = a * c - b * b;
  out[0] = (c * right[0] - b * right[1]) / determinant;
  out[1] = (a * right[1] - b * right[0]) / determinant;
}

static double objective(const crd__math_trials *cells, const crd__math_local_term *terms,
                        size_t count, const crd__math_local_fit *at) {
  const double level = at->level, slope = at->slope, prior = level + slope * at->centre;
  double sum = prior_weight * (0.5 * prior - crd__math_softplus(prior)) - ridge * slope * slope / 2;
  for (size_t i = 0; i < count; i++) {
    const double eta = level + slope * terms[i].u;
    sum -= terms[i].kernel * (cells[i].successes * crd__math_softplus(-eta) +
                              cells[i].failures * crd__math_softplus(eta));
  }
  return sum;
}

static moments moments_at(const crd__math_trials *cells, crd__math_local_term *terms, size_t count,
                          const crd__math_local_fit *at) {
  moments m = prior_at(at->centre, at->level, at->slope);
  for (size_t i = 0; i < count; i++) {
    crd__math_local_term *const t = &terms[i];
    const double p = crd__math_sigmoid(at->level + at->slope * t->u),
                 mass = cells[i].successes + cells[i].failures;
    t->fitted = t->kernel * p;
    t->information = t->fitted * (1 - p);
    add_moments(&m, t->u, t->kernel * cells[i].successes - t->fitted * mass, t->information * mass);
  }
  return m;
}

/* Sandwich: inverse information, times the variance of the score, times inverse information. */
static double level_variance(const moments *m, const crd__math_trials *cells,
                             const crd__math_local_term *terms, size_t count) {
  static const double unit[2] = { 1, 0 };
  double row[2], variance = 0;
  solve(m, unit, row);
  for (size_t i = 0; i < count; i++) {
    const double influence = row[0] + row[1] * terms[i].u;
    variance += influence * influence * terms[i].kernel * terms[i].information * cells[i].squares;
  }
  return variance;
}

/* Sets the kernel weights; returns the kernel-weighted mean of u. */
static double set_terms(const crd__math_trials *cells, crd__math_window window,
                        crd__math_local_term *terms) {
  double mass = 0, moment = 0;
  for (size_t i = 0; i < window.to - window.from; i++) {
    const double u = (cells[i].x - window.middle) / window.radius, cube = fabs(u * u * u);
    terms[i] = (crd__math_local_term){ .u = u, .kernel = (1 - cube) * (1 - cube) * (1 - cube) };
    mass += terms[i].kernel * (cells[i].successes + cells[i].failures);
    moment += terms[i].kernel * (cells[i].successes + cells[i].failures) * u;
  }
  return mass > 0 ? moment / mass : 0;
}

crd__math_local_fit crd__math_local_logistic(const crd__math_trials *cells, crd__math_window window,
                                             crd__math_local_term *terms) {
  const size_t count = window.to - window.from;
  cells += window.from;
  crd__math_local_fit fit = { .centre = set_terms(cells, window, terms) };
  double best = objective(cells, terms, count, &fit), moved = INFINITY;
  moments m = moments_at(cells, terms, count, &fit);
  for (int step = 0; step < STEPS_MAX && moved > 1e-12; step++) {
    double move[2], value = best;
    crd__math_local_fit next = fit;
    solve(&m, m.gradient, move);
    for (int halvings = 0; halvings < HALVINGS_MAX; halvings++, move[0] /= 2, move[1] /= 2) {
      next.level = fit.level + move[0];
      next.slope = fit.slope + move[1];
      value = objective(cells, terms, count, &next);
      if (value >= best - 1e-14 * fabs(best)) break; /* not worse, up to rounding */
    }
    moved = fabs(move[0]) + fabs(move[1]);
    best = value;
    fit = next;
    m = moments_at(cells, terms, count, &fit);
  }
  fit.variance = level_variance(&m, cells, terms, count);
  return fit;
}

double crd__math_local_logistic_step(const crd__math_local_fit *fit,
                                     const crd__math_local_term *terms, size_t count,
                                     const double *successes, const double *failures) {
  moments m = prior_at(fit->centre, fit->level, fit->slope);
  double move[2];
  for (size_t i = 0; i < count; i++) {
    const double mass = successes[i] + failures[i];
    add_moments(&m, terms[i].u, terms[i].kernel * successes[i] - terms[i].fitted * mass,
                terms[i].information * mass);
  }
  solve(&m, m.gradient, move);
  return fit->level + move[0];
}
