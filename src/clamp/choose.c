/*
 * choose.c -- the weight of the penalty by two-fold cross-validation.
 *
 * Delta has as many numbers as an input, often more than there are rows: a small weight overfits
 * (a CIFAR-10 ResNet-56 with 2000 rows: negative log-likelihood 0.230 on test images with lambda
 * 0.1, 0.197 with 1 and with temperature scaling). From the largest weight to the smallest, each
 * fit starts at the one before. Folds keep groups whole, and the standard error is clustered by
 * them (units.h).
 */
#include "clamp/choose.h"
#include "base/memory.h"
#include "clamp/temperature.h"
#include "clamp/units.h"

#include <math.h>
#include <string.h>

static const double lambdas[CRD__CLAMP_CANDIDATES] = { (double)INFINITY, 100, 10, 1, 0.1 };

/* A relative gain below this is rounding, whatever its standard error. */
static const double least_gain = 1e-5;

/* One half to fit, and the other to evaluate. */
typedef struct {
  crd_dataset *parts[CRD__CLAMP_FOLDS];
  crd__clamp_pass fit, test;
  crd__clamp_point point;
  double *nll[CRD__CLAMP_CANDIDATES]; /* of each row of `test` */
  int64_t *unit_of, units;            /* which of these rows vary together */
  double *excess, *weight;            /* sums of each unit */
} fold;

/* Sums over the rows of all folds. */
typedef struct {
  double nll;
  crd__clamp_spread excess;
} sums;

uint64_t crd__clamp_choose_rows(const crd_dataset *data) {
  const uint64_t fits = 1 + (CRD__CLAMP_CANDIDATES - 1) * CRD__CLAMP_FOLD_PASSES;
  return crd_dataset_describe(data)->rows * (fits + CRD__CLAMP_CANDIDATES);
}

static crd_status begin(crd_context *ctx, const crd__clamp_contest *c, const crd_dataset *data,
                        size_t index, fold *f) {
  for (size_t i = 0; i < CRD__CLAMP_FOLDS; i++)
    CRD_TRY(crd_dataset_part(ctx, data, 100.0 * (double)i / CRD__CLAMP_FOLDS,
                             100.0 * (double)(i + 1) / CRD__CLAMP_FOLDS, CRD_SPLIT_STRATIFIED,
                             ctx->seed, &f->parts[i]));
  CRD_TRY(crd__clamp_pass_make(ctx, &c->chain, f->parts[index], c->loss, &f->fit));
  CRD_TRY(crd__clamp_pass_make(ctx, &c->chain, f->parts[1 - index], c->loss, &f->test));
  f->fit.low = f->test.low = c->low;
  f->fit.high = f->test.high = c->high;
  f->fit.meter = f->test.meter = c->meter;
  for (size_t k = 0; k < CRD__CLAMP_CANDIDATES; k++)
    CRD_TRY(crd__new(ctx, f->test.rows, sizeof(double), "losses", &f->nll[k]));
  CRD_TRY(crd__new(ctx, f->test.rows, sizeof *f->unit_of, "groups", &f->unit_of));
  CRD_TRY(crd__new(ctx, f->test.rows, sizeof(double), "groups", &f->excess));
  CRD_TRY(crd__new(ctx, f->test.rows, sizeof(double), "groups", &f->weight));
  CRD_TRY(crd__clamp_units(ctx, f->parts[1 - index], 0, f->unit_of, &f->units));
  f->point.temperature = 1;
  return crd__new(ctx, f->fit.count, sizeof(double), "a perturbation", &f->point.delta);
}

static void end(const crd_allocator *alloc, fold *f) {
  crd__clamp_pass_clear(alloc, &f->fit);
  crd__clamp_pass_clear(alloc, &f->test);
  for (size_t i = 0; i < CRD__CLAMP_FOLDS; i++) crd_dataset_destroy(f->parts[i]);
  for (size_t k = 0; k < CRD__CLAMP_CANDIDATES; k++) crd__free(alloc, f->nll[k]);
  crd__free(alloc, f->point.delta);
  crd__free(alloc, f->unit_of);
  crd__free(alloc, f->excess);
  crd__free(alloc, f->weight);
}

static crd_status try_all(crd_context *ctx, const crd__clamp_contest *c, fold *f) {
  for (size_t k = 0; k < CRD__CLAMP_CANDIDATES; k++) {
    crd__clamp_goal goal = c->goal;
    goal.weight = isinf(lambdas[k]) ? lambdas[k] : lambdas[k] * c->initial_loss; /* it may be 0 */
    goal.passes = isinf(lambdas[k]) ? 1 : CRD__CLAMP_FOLD_PASSES;
    CRD_TRY(crd__clamp_solve(ctx, &f->fit, &goal, &f->point));
    if (f->point.interrupted) return crd__fail(ctx, CRD_EINTERRUPTED, "interrupted");
    CRD_TRY(crd__clamp_pass_run(ctx, &f->test, f->point.delta, 1, NULL, NULL));
    crd__clamp_row_nll(&f->test, f->point.temperature, f->nll[k]);
  }
  return CRD_OK;
}

/* Folds keep groups whole, so that each unit is in one of them. */
static void add(const fold *f, sums *out) {
  for (size_t k = 0; k < CRD__CLAMP_CANDIDATES; k++) {
    memset(f->excess, 0, f->test.rows * sizeof *f->excess);
    memset(f->weight, 0, f->test.rows * sizeof *f->weight);
    for (size_t i = 0; i < f->test.rows; i++) {
      const double weight = f->test.weights ? f->test.weights[i] : 1;
      out[k].nll += weight * f->nll[k][i];
      f->excess[f->unit_of[i]] += weight * (f->nll[k][i] - f->nll[0][i]);
      f->weight[f->unit_of[i]] += weight;
    }
    for (int64_t u = 0; u < f->units; u++)
      crd__clamp_spread_add(&out[k].excess, f->excess[u], f->weight[u]);
  }
}

static void judge(const sums *all, crd_clamp_candidate *candidates, double *lambda) {
  size_t best = 0;
  for (size_t k = 0; k < CRD__CLAMP_CANDIDATES; k++) {
    candidates[k] = (crd_clamp_candidate){ .lambda = lambdas[k],
                                           .nll = all[k].nll / all[k].excess.weight,
                                           .excess = crd__clamp_spread_mean(&all[k].excess),
                                           .error = crd__clamp_spread_error(&all[k].excess) };
    if (candidates[k].nll < candidates[best].nll) best = k;
  }
  const double gain = -candidates[best].excess;
  const bool helps = gain > candidates[best].error && gain > least_gain * candidates[best].nll;
  *lambda = helps ? lambdas[best] : (double)INFINITY;
}

crd_status crd__clamp_choose(crd_context *ctx, const crd__clamp_contest *contest,
                             const crd_dataset *data, crd_clamp_candidate *candidates,
                             double *lambda) {
  sums all[CRD__CLAMP_CANDIDATES] = { 0 };
  for (size_t index = 0; index < CRD__CLAMP_FOLDS; index++) {
    fold f = { 0 };
    crd_status status = begin(ctx, contest, data, index, &f);
    if (status == CRD_OK) status = try_all(ctx, contest, &f);
    if (status == CRD_OK) add(&f, all);
    end(&ctx->alloc, &f);
    CRD_TRY(status);
  }
  judge(all, candidates, lambda);
  return CRD_OK;
}
