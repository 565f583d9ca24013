/*
 * select.c -- gamma by the expected calibration error, for clamping and temperature scaling alike.
 *
 * The paper (section 4.1) takes the gamma whose fit has the lowest ECE on the calibration rows
 * themselves. ECE of a fit's own rows rewards overfitting, and the lowest of 21 noisy numbers is
 * lower than each of them deserves: the rule `held-out` therefore takes ECE (15 bins) of the rows
 * that were left out, pooled over two folds, which are those of lambda's cross-validation; and
 * temperature scaling has the same choice, from the same gammas on the same rows, so that both
 * lowest values are lowered by the choice alike. Their difference has the percentile interval of a
 * paired bootstrap over the rows, or groups, with both gammas fixed.
 *
 * From gamma to gamma each fit starts at the one before, so that few passes are needed. Gamma is
 * the outer loop, so that after an interrupt all gammas so far can be compared.
 */
#include "clamp/select.h"
#include "base/memory.h"
#include "clamp/paired.h"
#include "clamp/temperature.h"

#include <math.h>
#include <string.h>

/* Rows of a fit, which the other part is evaluated on; for the rule `in-sample` all of them. */
typedef struct {
  crd_dataset *data; /* owned; NULL: the caller's */
  crd__clamp_pass pass;
  float *plain; /* logits without perturbation */
  size_t first; /* its first row among those of all parts */
  crd__clamp_point point;
  double *best; /* delta of the best gamma */
  double scaling, scaling_loss;
} part;

typedef struct {
  const crd__clamp_search *search;
  crd__clamp_selected *out;
  size_t count; /* of parts */
  part parts[CRD__CLAMP_FOLDS];
  crd__clamp_rows rows; /* of all parts */
  crd__clamp_tops now, best, scaled_now, scaled_best;
} work;

double crd__clamp_gamma(size_t index) { return (double)index / (CRD__CLAMP_GAMMAS - 1); }

uint64_t crd__clamp_select_rows(const crd__clamp_settings *settings, crd__clamp_rule rule,
                                size_t rows) {
  const double passes = rule == CRD__CLAMP_HELD_OUT ? CRD__CLAMP_FOLD_PASSES : settings->passes;
  const uint64_t each = isinf(settings->lambda) ? 0 : (uint64_t)passes;
  return rule == CRD__CLAMP_GIVEN ? 0 : rows * (1 + CRD__CLAMP_GAMMAS * (each + 1));
}

unsigned crd__clamp_select_fits(const crd__clamp_settings *settings, crd__clamp_rule rule) {
  if (isinf(settings->lambda) || rule == CRD__CLAMP_GIVEN) return 0;
  return CRD__CLAMP_GAMMAS * (rule == CRD__CLAMP_HELD_OUT ? CRD__CLAMP_FOLDS : 1);
}

/* ---- Parts. */

static crd_status open_part(crd_context *ctx, work *w, const crd_dataset *data, size_t index) {
  const crd__clamp_contest *const c = w->search->contest;
  part *const p = &w->parts[index];
  if (w->count > 1)
    CRD_TRY(crd_dataset_part(ctx, data, 100.0 * (double)index / (double)w->count,
                             100.0 * (double)(index + 1) / (double)w->count, CRD_SPLIT_STRATIFIED,
                             ctx->seed, &p->data));
  CRD_TRY(crd__clamp_pass_make(ctx, &c->chain, p->data ? p->data : data, c->loss, &p->pass));
  p->pass.low = c->low;
  p->pass.high = c->high;
  p->pass.meter = c->meter;
  const size_t count = p->pass.count, scores = p->pass.classes * sizeof(float);
  CRD_TRY(crd__new(ctx, count, sizeof(double), "a perturbation", &p->point.delta));
  CRD_TRY(crd__new(ctx, count, sizeof(double), "a perturbation", &p->best));
  CRD_TRY(crd__new(ctx, p->pass.rows, scores, "logits", &p->plain));
  memcpy(p->point.delta, w->search->start, count * sizeof *p->point.delta);
  CRD_TRY(crd__clamp_pass_run(ctx, &p->pass, NULL, 1, NULL, NULL));
  memcpy(p->plain, p->pass.logits, p->pass.rows * scores);
  return CRD_OK;
}

static crd_status begin(crd_context *ctx, work *w, const crd_dataset *data) {
  const size_t rows = crd_dataset_describe(data)->rows;
  int64_t units = 0;
  size_t first = 0;
  CRD_TRY(crd__clamp_rows_make(ctx, rows, data, &w->rows));
  CRD_TRY(crd__clamp_tops_make(ctx, rows, &w->now));
  CRD_TRY(crd__clamp_tops_make(ctx, rows, &w->best));
  CRD_TRY(crd__clamp_tops_make(ctx, rows, &w->scaled_now));
  CRD_TRY(crd__clamp_tops_make(ctx, rows, &w->scaled_best));
  for (size_t i = 0; i < w->count; i++) {
    part *const p = &w->parts[i];
    CRD_TRY(open_part(ctx, w, data, i));
    CRD_TRY(crd__clamp_rows_fill(ctx, p->pass.data, first, &units, &w->rows));
    p->first = first;
    first += p->pass.rows;
  }
  return CRD_OK;
}

static void end(const crd_allocator *alloc, work *w) {
  for (size_t i = 0; i < w->count; i++) {
    part *const p = &w->parts[i];
    crd__clamp_pass_clear(alloc, &p->pass);
    crd_dataset_destroy(p->data);
    crd__free(alloc, p->point.delta);
    crd__free(alloc, p->best);
    crd__free(alloc, p->plain);
  }
  crd__clamp_rows_clear(alloc, &w->rows);
  crd__clamp_tops_clear(alloc, &w->now);
  crd__clamp_tops_clear(alloc, &w->best);
  crd__clamp_tops_clear(alloc, &w->scaled_now);
  crd__clamp_tops_clear(alloc, &w->scaled_best);
}

/* ---- One gamma. */

/* Temperature scaling, which runs no network. */
static crd_status scale(crd_context *ctx, part *p, double gamma) {
  crd__clamp_pass plain = p->pass;
  plain.logits = p->plain;
  CRD_TRY(crd__clamp_temperature(ctx, &plain, gamma, &p->scaling));
  return crd__clamp_loss(ctx, &plain, p->scaling, &p->scaling_loss);
}

/* A start that was good for another gamma may end above temperature scaling. */
static crd_status fit(crd_context *ctx, const work *w, part *p, const crd__clamp_goal *goal) {
  CRD_TRY(scale(ctx, p, goal->gamma));
  if (w->out->count == 0) p->point.temperature = p->scaling;
  if (isfinite(goal->weight)) CRD_TRY(crd__clamp_solve(ctx, &p->pass, goal, &p->point));
  if (w->count > 1 && p->point.interrupted) return crd__fail(ctx, CRD_EINTERRUPTED, "interrupted");
  if (isfinite(goal->weight) && p->point.objective <= p->scaling_loss) return CRD_OK;
  memset(p->point.delta, 0, p->pass.count * sizeof *p->point.delta);
  p->point.temperature = p->scaling;
  p->point.gradient_norm = (double)NAN;
  p->point.converged = true;
  return CRD_OK;
}

/* Evaluates a fit on the other part, or on its own rows if there is only one. */
static crd_status test(crd_context *ctx, work *w, size_t fitted) {
  const part *const from = &w->parts[fitted];
  part *const to = &w->parts[w->count - 1 - fitted];
  CRD_TRY(crd__clamp_pass_run(ctx, &to->pass, from->point.delta, 1, NULL, NULL));
  crd__clamp_tops_fill(&to->pass, to->pass.logits, from->point.temperature, to->first, &w->now);
  crd__clamp_tops_fill(&to->pass, to->plain, from->scaling, to->first, &w->scaled_now);
  return CRD_OK;
}

static void swap(crd__clamp_tops *a, crd__clamp_tops *b) {
  const crd__clamp_tops other = *a;
  *a = *b;
  *b = other;
}

static void keep(work *w, const crd_clamp_selection *found) {
  crd__clamp_selected *const out = w->out;
  const size_t index = out->count++;
  out->items[index] = *found;
  if (index == 0 || found->temperature_ece < out->items[out->scaling_best].temperature_ece) {
    out->scaling_best = index;
    swap(&w->scaled_now, &w->scaled_best);
  }
  if (index > 0 && !(found->ece < out->items[out->best].ece)) return;
  out->best = index;
  swap(&w->now, &w->best);
  double *const delta = out->point.delta;
  out->point = w->parts[0].point;
  out->point.delta = delta;
  for (size_t i = 0; i < w->count; i++)
    memcpy(w->parts[i].best, w->parts[i].point.delta, w->parts[i].pass.count * sizeof(double));
}

static crd_status evaluate(crd_context *ctx, work *w, size_t index, crd_loss *loss) {
  const crd__clamp_search *const s = w->search;
  crd_clamp_selection found = { .gamma = crd__clamp_gamma(index), .lambda = s->lambda };
  crd__clamp_goal goal = s->contest->goal;
  goal.gamma = found.gamma;
  goal.weight = s->weights[index];
  for (size_t i = 0; i < w->count; i++) {
    w->parts[i].pass.loss = loss;
    CRD_TRY(fit(ctx, w, &w->parts[i], &goal));
    w->out->interrupted |= w->parts[i].point.interrupted;
  }
  for (size_t i = 0; i < w->count; i++) CRD_TRY(test(ctx, w, i));
  CRD_TRY(crd__clamp_ece(ctx, &w->rows, &w->now, &found.ece));
  CRD_TRY(crd__clamp_ece(ctx, &w->rows, &w->scaled_now, &found.temperature_ece));
  keep(w, &found);
  return CRD_OK;
}

/* ---- All of them. */

static crd_status try_all(crd_context *ctx, work *w) {
  for (size_t k = 0; k < CRD__CLAMP_GAMMAS && !w->out->interrupted; k++) {
    crd_loss *loss;
    CRD_TRY(crd__clamp_make_loss(ctx, crd__clamp_gamma(k), &loss));
    const crd_status status = evaluate(ctx, w, k, loss);
    crd_loss_destroy(loss);
    if (status == CRD_EINTERRUPTED && w->out->count > 0) w->out->interrupted = true;
    else CRD_TRY(status);
  }
  return CRD_OK;
}

static crd_status finish(crd_context *ctx, work *w) {
  crd__clamp_selected *const out = w->out;
  const size_t count = w->parts[0].pass.count;
  for (size_t k = 0; k < count; k++) {
    out->point.delta[k] = 0;
    for (size_t i = 0; i < w->count; i++)
      out->point.delta[k] += w->parts[i].best[k] / (double)w->count;
  }
  return crd__clamp_difference(ctx, "ece", &w->rows, &w->scaled_best, &w->best, &out->ece_change);
}

crd_status crd__clamp_select(crd_context *ctx, const crd__clamp_search *search,
                             const crd_dataset *data, crd__clamp_selected *out) {
  work w = { .search = search,
             .out = out,
             .count = search->rule == CRD__CLAMP_HELD_OUT ? CRD__CLAMP_FOLDS : 1 };
  crd_status status = begin(ctx, &w, data);
  if (status == CRD_OK) status = try_all(ctx, &w);
  if (status == CRD_OK) status = finish(ctx, &w);
  if (status == CRD_EINTERRUPTED && out->count > 0) { /* once more: what was found is not lost */
    out->interrupted = true;
    status = finish(ctx, &w);
  }
  end(&ctx->alloc, &w);
  return status;
}
