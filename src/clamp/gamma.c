/*
 * gamma.c -- gamma by a rule, as a step of a fit (select.h does the search).
 *
 * Lambda is that of gamma = 0, since a search of both would take five times as long: the one that
 * is given; or the best finite one of cross-validation; or, for the rule `in-sample`, the paper's.
 */
#include "base/memory.h"
#include "clamp/fit.h"
#include "clamp/temperature.h"

#include <math.h>

crd__clamp_contest crd__clamp_contest_of(crd__clamp_fit *f) {
  return (crd__clamp_contest){ .chain = f->chain,
                               .loss = f->loss,
                               .low = f->pass.low,
                               .high = f->pass.high,
                               .goal = f->goal,
                               .initial_loss = f->initial_loss,
                               .meter = &f->meter };
}

double crd__clamp_weight(const crd__clamp_fit *f, double lambda, double initial_loss) {
  const crd__clamp_settings *const s = &f->settings;
  const double weight = lambda * (s->unit > 0 || isinf(lambda) ? 1 : initial_loss);
  return s->sum > 0 ? weight / f->pass.total : weight;
}

/* The initial loss with another gamma: the logits are still those of the start. */
static crd_status initial_loss_of(crd_context *ctx, const crd__clamp_fit *f, double gamma,
                                  double *out) {
  crd__clamp_pass start = f->pass;
  CRD_TRY(crd__clamp_make_loss(ctx, gamma, &start.loss));
  const crd_status status = crd__clamp_loss(ctx, &start, 1, out);
  crd_loss_destroy(start.loss);
  return status;
}

static crd_status set_gamma(crd_context *ctx, crd__clamp_fit *f, double gamma) {
  crd_loss *loss;
  CRD_TRY(initial_loss_of(ctx, f, gamma, &f->initial_loss));
  CRD_TRY(crd__clamp_make_loss(ctx, gamma, &loss));
  crd_loss_destroy(f->loss);
  f->loss = f->pass.loss = loss;
  f->settings.gamma = f->goal.gamma = f->out->summary.gamma = gamma;
  return crd__clamp_measure_scaling(ctx, f, gamma);
}

/* Of cross-validation's lambdas, the best that leaves a perturbation: whether it helps is decided
 * by the expected calibration error. */
static double finite_lambda(const crd__clamp_fit *f) {
  const crd_clamp_candidate *const all = f->out->candidates;
  size_t best = 1; /* the first is infinite */
  for (size_t k = 2; k < f->out->summary.candidate_count; k++)
    if (all[k].nll < all[best].nll) best = k;
  return f->out->summary.candidate_count ? all[best].lambda : f->settings.lambda;
}

/* Takes the best gamma; for the rule `held-out` with a lambda that is not given, that of
 * temperature scaling unless clamping has a lower error beyond noise. */
static crd_status adopt(crd_context *ctx, crd__clamp_fit *f, const crd__clamp_selected *found,
                        double lambda) {
  crd_clamp_summary *const s = &f->out->summary;
  const bool held_out = f->rule == CRD__CLAMP_HELD_OUT;
  const bool helps = found->ece_change.high < 0 || !held_out || !f->automatic;
  s->select = crd__clamp_rule_name(f->rule);
  s->selection = f->out->selection;
  s->selection_count = found->count;
  s->selected = found->best;
  s->scaling_selected = found->scaling_best;
  s->ece_change = found->ece_change;
  s->interrupted |= found->interrupted;
  f->settings.lambda = helps ? lambda : (double)INFINITY;
  f->settled = !held_out || found->interrupted;
  return set_gamma(ctx, f, found->items[helps ? found->best : found->scaling_best].gamma);
}

crd_status crd__clamp_select_gamma(crd_context *ctx, crd__clamp_fit *f) {
  crd__clamp_contest contest = crd__clamp_contest_of(f);
  crd__clamp_search search = { .contest = &contest, .rule = f->rule };
  crd__clamp_selected found = { .items = f->out->selection };
  if (f->rule == CRD__CLAMP_GIVEN) return CRD_OK;
  if (f->rule == CRD__CLAMP_HELD_OUT) contest.goal.passes = CRD__CLAMP_FOLD_PASSES;
  search.lambda = finite_lambda(f);
  search.start = f->point.delta;
  for (size_t k = 0; k < CRD__CLAMP_GAMMAS; k++) {
    double initial;
    CRD_TRY(initial_loss_of(ctx, f, crd__clamp_gamma(k), &initial));
    search.weights[k] = crd__clamp_weight(f, search.lambda, initial);
  }
  CRD_TRY(crd__new(ctx, f->pass.count, sizeof(double), "a perturbation", &found.point.delta));
  crd_status status = crd__clamp_select(ctx, &search, f->data, &found);
  if (status == CRD_OK) status = adopt(ctx, f, &found, search.lambda);
  if (status == CRD_OK && f->settled) { /* the start is needed no longer */
    crd__free(&ctx->alloc, f->point.delta);
    f->point = found.point;
  } else crd__free(&ctx->alloc, found.point.delta);
  return status;
}
