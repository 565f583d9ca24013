/*
 * solve.c -- L-BFGS on delta, with the exact temperature after every pass.
 *
 * With T(delta) the best temperature of the logits at delta, which takes no further pass, the
 * function that is minimised is F(delta) = L(delta, T(delta)); its gradient is the partial one of L
 * with respect to delta at T(delta) (envelope theorem). A pass must know its temperature before its
 * logits, so gradients are taken at the temperature of the point before. Values are exact, and
 * decide in the line search; where a step fails, the gradient is computed again at the exact
 * temperature, and if that was not the cause, the history of steps is forgotten.
 */
#include "clamp/solve.h"
#include "base/memory.h"
#include "clamp/temperature.h"
#include "math/lbfgs.h"

#include <math.h>
#include <string.h>

/* Armijo's condition; the relative decrease below which a step brings nothing, predicted or found;
 * the relative change of T that makes a gradient stale, and the one that may make it misleading. */
static const double armijo = 1e-4, enough = 1e-6, moved = 1e-9, far_moved = 1e-2;
/* Trials of one line search; steps in a row that bring nothing. Networks with ReLUs and max-pools
 * have kinks everywhere, at which a gradient never vanishes. */
enum { TRIALS = 8, IDLE_STEPS = 3 };
/* Root mean square of the first step: inputs are normalised, or in [0, 1]. */
static const double first_step = 0.02;

/* ---- The penalty. */

static double norm_of(const double *x, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

double crd__clamp_penalty(const crd__clamp_goal *goal, const double *delta, size_t count) {
  const double norm = norm_of(delta, count);
  if (norm == 0) return 0;
  return goal->weight * (goal->norm ? norm : norm * norm);
}

void crd__clamp_penalty_gradient(const crd__clamp_goal *goal, const double *delta, size_t count,
                                 double *gradient) {
  const double norm = norm_of(delta, count);
  if (norm == 0) return; /* of |delta| at 0, of all slopes between -1 and 1, 0 */
  const double factor = goal->norm ? goal->weight / norm : 2 * goal->weight;
  for (size_t i = 0; i < count; i++) gradient[i] += factor * delta[i];
}

/* ---- One evaluation. */

typedef struct {
  crd__clamp_pass *pass;
  const crd__clamp_goal *goal;
  crd__clamp_point *at;
  crd__math_lbfgs lbfgs;
  double *gradient, *direction, *trial, *trial_gradient;
  double used; /* the temperature at which the gradient was taken */
  unsigned left, idle;
} solver;

typedef struct {
  double temperature, loss, objective;
} outcome;

/* Runs all rows at delta; sets the gradient at `temperature`, and the values at the best one. */
static crd_status evaluate(crd_context *ctx, solver *s, const double *delta, double temperature,
                           double *gradient, outcome *out) {
  const size_t count = s->pass->count;
  s->left--;
  CRD_TRY(crd__clamp_pass_run(ctx, s->pass, delta, temperature, NULL, gradient));
  crd__clamp_penalty_gradient(s->goal, delta, count, gradient);
  CRD_TRY(crd__clamp_temperature(ctx, s->pass, s->goal->gamma, &out->temperature));
  CRD_TRY(crd__clamp_loss(ctx, s->pass, out->temperature, &out->loss));
  out->objective = out->loss + crd__clamp_penalty(s->goal, delta, count);
  return CRD_OK;
}

static void keep(solver *s, const outcome *found, double used) {
  s->at->temperature = found->temperature;
  s->at->loss = found->loss;
  s->at->objective = found->objective;
  s->at->gradient_norm = norm_of(s->gradient, s->pass->count);
  s->used = used;
}

static crd_status renew_gradient(crd_context *ctx, solver *s) {
  const double used = s->at->temperature;
  outcome found;
  CRD_TRY(evaluate(ctx, s, s->at->delta, used, s->gradient, &found));
  keep(s, &found, used);
  return CRD_OK;
}

/* ---- One step. */

/* Sets the direction, and returns its slope; 0: there is none. */
static double aim(solver *s) {
  const size_t count = s->pass->count;
  double scale = s->goal->norm ? 1 : 1 / (2 * s->goal->weight), slope = 0;
  if (!(s->at->gradient_norm > 0)) return 0;
  if (!s->lbfgs.count) {
    const double longest = first_step * sqrt((double)count) / s->at->gradient_norm;
    if (!(scale < longest)) scale = longest;
  }
  crd__math_lbfgs_direction(&s->lbfgs, s->gradient, scale, s->direction);
  for (size_t i = 0; i < count; i++) slope += s->gradient[i] * s->direction[i];
  return slope;
}

static void accept(solver *s, const outcome *found) {
  const size_t count = s->pass->count;
  const double gained = s->at->objective - found->objective;
  const double used = s->at->temperature; /* the trial's gradient was taken there */
  for (size_t i = 0; i < count; i++) {
    s->direction[i] = s->trial[i] - s->at->delta[i];
    s->gradient[i] = s->trial_gradient[i] - s->gradient[i];
  }
  crd__math_lbfgs_add(&s->lbfgs, s->direction, s->gradient);
  memcpy(s->at->delta, s->trial, count * sizeof *s->trial);
  memcpy(s->gradient, s->trial_gradient, count * sizeof *s->gradient);
  keep(s, found, used);
  s->idle = gained > enough * found->objective ? 0 : s->idle + 1;
  s->at->converged = s->idle == IDLE_STEPS;
}

/* Shortens the step until the objective decreases enough, at most `trials` times. *done: it did. */
static crd_status search(crd_context *ctx, solver *s, double slope, unsigned trials, bool *done) {
  const double before = s->at->objective;
  double length = 1;
  *done = false;
  for (unsigned t = 0; t < trials && s->left; t++) {
    outcome found;
    for (size_t i = 0; i < s->pass->count; i++)
      s->trial[i] = s->at->delta[i] + length * s->direction[i];
    const crd_status status =
        evaluate(ctx, s, s->trial, s->at->temperature, s->trial_gradient, &found);
    if (status == CRD_ENUMERIC) { /* so far away that the network overflows */
      length /= 10;
      continue;
    }
    CRD_TRY(status);
    *done = found.objective <= before + armijo * length * slope;
    if (*done) {
      accept(s, &found);
      return CRD_OK;
    }
    const double bend = found.objective - before - length * slope; /* of the parabola */
    const double best = bend > 0 ? -slope * length * length / (2 * bend) : length / 2;
    length = fmin(fmax(best, length / 10), length / 2);
  }
  return CRD_OK;
}

static crd_status descend(crd_context *ctx, solver *s) {
  while (s->left && !s->at->converged) {
    bool done = false;
    const double slope = aim(s);
    const double drift = fabs(s->at->temperature - s->used) / s->used;
    const bool stale = drift > moved, misleading = drift > far_moved;
    const bool small = -slope <= enough / 10 * s->at->objective;
    if (!small) CRD_TRY(search(ctx, s, slope, misleading ? 1 : TRIALS, &done));
    if (done || !s->left) continue;
    /* What is left to gain may be below the tolerance, or rounding. */
    s->at->converged = !stale && (small || !s->lbfgs.count);
    if (!misleading) crd__math_lbfgs_forget(&s->lbfgs);
    if (stale) CRD_TRY(renew_gradient(ctx, s));
  }
  return CRD_OK;
}

/* ---- All of it. */

static crd_status begin(crd_context *ctx, solver *s) {
  const size_t count = s->pass->count;
  CRD_TRY(crd__math_lbfgs_make(ctx, count, &s->lbfgs));
  CRD_TRY(crd__new(ctx, count, sizeof(double), "gradients", &s->gradient));
  CRD_TRY(crd__new(ctx, count, sizeof(double), "gradients", &s->direction));
  CRD_TRY(crd__new(ctx, count, sizeof(double), "gradients", &s->trial));
  CRD_TRY(crd__new(ctx, count, sizeof(double), "gradients", &s->trial_gradient));
  return renew_gradient(ctx, s);
}

crd_status crd__clamp_solve(crd_context *ctx, crd__clamp_pass *pass, const crd__clamp_goal *goal,
                            crd__clamp_point *point) {
  solver s = { .pass = pass, .goal = goal, .at = point, .left = goal->passes };
  point->converged = point->interrupted = false;
  crd_status status = begin(ctx, &s);
  if (status == CRD_OK) {
    status = isinf(goal->weight) ? CRD_OK : descend(ctx, &s);
    point->interrupted = status == CRD_EINTERRUPTED;
    if (point->interrupted) status = CRD_OK;
  }
  crd__math_lbfgs_clear(&ctx->alloc, &s.lbfgs);
  crd__free(&ctx->alloc, s.gradient);
  crd__free(&ctx->alloc, s.direction);
  crd__free(&ctx->alloc, s.trial);
  crd__free(&ctx->alloc, s.trial_gradient);
  return status;
}
