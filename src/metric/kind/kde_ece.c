/*
 * kde_ece.c -- calibration error from kernel density estimates:
 *   integral |x - pi f1(x) / f(x)| f(x) dx / integral f(x) dx over [0, 1], trapezoids of 1/4096,
 * f and f1 the densities of confidences of all and of correct rows, pi the accuracy. The kernel is
 * (1 - u^2)^3 with a radius of 3 h, reflected at 0 and 1; h is the standard deviation of the
 * confidences of correct rows times (2 N)^(-1/5), N counting rows of positive weight.
 *
 * pi f1 / f is the share of correct mass under the kernel, so no normalisation is needed. If the
 * kernel is narrower than a step of the integral (all correct rows equally confident, or no row
 * correct), the density cannot be resolved, and the value is that of ece.
 */
#include "math/smooth.h"
#include "metric/top_bins.h"

#include <math.h>

enum { STEPS = 4096 };

/* Rows and their mirror images as one ascending sequence: -c, c, 2 - c. */
typedef struct {
  double at, weight;
  bool correct;
} point;

static point point_at(const crd__metric_ranking *r, size_t index) {
  const size_t n = r->count;
  const bool before = index < n, behind = index >= 2 * n;
  const size_t row = before ? n - 1 - index : behind ? 3 * n - 1 - index : index - n;
  const double c = crd__metric_ranking_confidence(r, row);
  return (point){ .at = before   ? -c
                        : behind ? 2 - c
                                 : c,
                  .weight = crd__metric_ranking_weight(r, row),
                  .correct = crd__metric_ranking_correct(r, row) };
}

/* Returns the standard deviation of the confidences of correct rows; 0 if there are none. */
static double spread(const crd__metric_ranking *r) {
  double weight = 0, sum = 0, squares = 0;
  for (crd__metric_ties t = crd__metric_ties_lowest(r); t.count; t = crd__metric_ties_next(r, t)) {
    weight += t.right;
    sum += t.right * t.confidence;
  }
  if (!(weight > 0)) return 0;
  for (crd__metric_ties t = crd__metric_ties_lowest(r); t.count; t = crd__metric_ties_next(r, t)) {
    const double distance = t.confidence - sum / weight;
    squares += t.right * (distance * distance);
  }
  return sqrt(squares / weight);
}

/* The points under the kernel: from .. to - 1 of the sequence. */
typedef struct {
  const crd__metric_ranking *ranking;
  double radius, fresh; /* fresh: where the moments were last recomputed */
  size_t from, to;
  crd__math_triweight right, wrong;
} window;

static void add_point(window *w, point p, double x, double sign) {
  crd__math_triweight_add(p.correct ? &w->right : &w->wrong, (p.at - x) / w->radius,
                          sign * p.weight);
}

/* Recomputes the moments. The rounding errors left behind by removed points move away from the
 * centre with them, and their sixth power would grow without limit. */
static void renew(window *w, double x) {
  w->right = w->wrong = (crd__math_triweight){ { 0 } };
  w->fresh = x;
  for (size_t i = w->from; i < w->to; i++) add_point(w, point_at(w->ranking, i), x, 1);
}

/* Moves the centre to x, one step further (or the first). */
static void move_window(window *w, double x) {
  const size_t count = 3 * w->ranking->count;
  crd__math_triweight_move(&w->right, 1 / (STEPS * w->radius));
  crd__math_triweight_move(&w->wrong, 1 / (STEPS * w->radius));
  for (; w->from < w->to; w->from++) {
    const point p = point_at(w->ranking, w->from);
    if (p.at > x - w->radius) break;
    add_point(w, p, x, -1);
  }
  if (x - w->fresh > w->radius) renew(w, x);
  for (; w->to < count; w->to++) {
    const point p = point_at(w->ranking, w->to);
    if (p.at >= x + w->radius) break;
    if (p.at > x - w->radius) add_point(w, p, x, 1);
    else w->from = w->to + 1;
  }
}

static crd__metric_answer kde_ece_finish(const crd__metric_facts *facts) {
  const crd__metric_ranking *const r = facts->ranking;
  const double rows = (double)crd__metric_ranking_count_positive(r);
  window w = { .ranking = r, .radius = 3 * spread(r) * pow(2 * rows, -0.2) };
  if (w.radius * STEPS < 1) return crd__metric_answer_value(crd__metric_top_gaps(facts));
  double error = 0, mass = 0;
  for (size_t step = 0; step <= STEPS; step++) {
    const double x = (double)step / STEPS, share = step % STEPS ? 1 : 0.5;
    move_window(&w, x);
    const double right = crd__math_triweight_value(&w.right),
                 wrong = crd__math_triweight_value(&w.wrong);
    error += share * fabs(x * wrong - (1 - x) * right);
    mass += share * (right + wrong);
  }
  return crd__metric_answer_value(error / mass);
}

const crd__metric crd__metric_kde_ece = {
  .info = { .name = "kde-ece",
            .title = "KDE-ECE",
            .summary = "calibration error from kernel density estimates, without bins",
            .meaning = "The distance between confidence and accuracy, both estimated with kernel "
                       "densities. Smoothing biases it where confidences crowd near 1.",
            .reference = "Zhang, Kailkhura, Han 2020, Mix-n-Match: ensemble and compositional "
                         "methods for uncertainty calibration",
            .low = 0,
            .high = 1,
            .direction = CRD_LOWER_IS_BETTER },
  .tally = &crd__metric_top_bins,
  .ranked = true,
  .finish = kde_ece_finish,
};
