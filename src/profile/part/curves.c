/*
 * curves.c -- curves over the ranking by confidence; a run of equal confidences is one step.
 *
 *   roc:            linear within a run; its area is auroc
 *   precision_...:  constant within a step of recall, then a jump; its area is aupr-success or
 *                   aupr-error
 *   risk_coverage:  within a run, the expected value over all its orders, as aurc averages it
 *   ..._best:       (x - a) / x above the accuracy a, 0 below
 *
 * A curve with more than POINTS points is thinned (thin.h), with the smallest of the tolerances
 * 2^-12, 2^-11 ... that leaves at most POINTS.
 */
#include "base/memory.h"
#include "metric/precision.h"
#include "metric/risk.h"
#include "profile/part.h"
#include "profile/thin.h"

enum { POINTS = 200 };

/* The state of tracing a curve. */
typedef struct {
  const crd__metric_ranking *ranking;
  double right, wrong; /* weights */
  double level;        /* recall so far */
  crd__profile_thinning thin;
} tracing;

static void trace_roc(tracing *t) {
  double right = 0, wrong = 0;
  crd__profile_thin_add(&t->thin, 0, 0);
  for (crd__metric_ties run = crd__metric_ties_highest(t->ranking); run.count;
       run = crd__metric_ties_next(t->ranking, run)) {
    right += run.right;
    wrong += run.wrong;
    crd__profile_thin_add(&t->thin, wrong / t->wrong, right / t->right);
  }
}

static void step_precision(void *arg, double step, double recall, double precision) {
  tracing *const t = arg;
  (void)step;
  crd__profile_thin_add(&t->thin, t->level, precision);
  crd__profile_thin_add(&t->thin, recall, precision);
  t->level = recall;
}

/* Ends at the point where all rows are taken. */
static void trace_precision(tracing *t, bool correct) {
  const double all = correct ? t->right : t->wrong;
  t->level = 0;
  crd__metric_precision_walk(t->ranking, correct, all, step_precision, t);
  crd__profile_thin_add(&t->thin, 1, all / (t->right + t->wrong));
}

static void trace_precision_right(tracing *t) { trace_precision(t, true); }
static void trace_precision_wrong(tracing *t) { trace_precision(t, false); }

static void step_risk(void *arg, double step, double covered, double risk) {
  tracing *const t = arg;
  (void)step;
  if (t->thin.added == 0) crd__profile_thin_add(&t->thin, 0, risk);
  crd__profile_thin_add(&t->thin, covered / (t->right + t->wrong), risk);
}

static void trace_risk(tracing *t) { crd__metric_risk_walk(t->ranking, step_risk, t); }

static void trace_best_risk(tracing *t) {
  const double accuracy = t->right / (t->right + t->wrong);
  crd__profile_thin_add(&t->thin, 0, accuracy > 0 ? 0 : 1);
  for (unsigned i = 0; i < POINTS; i++) {
    const double x = accuracy + (1 - accuracy) * i / (POINTS - 1);
    crd__profile_thin_add(&t->thin, x, x > 0 ? (x - accuracy) / x : 1);
  }
}

static crd_status draw(crd_context *ctx, const crd__metric_ranking *ranking,
                       void (*trace)(tracing *t), crd_profile *out, crd_curve *curve) {
  const crd__metric_ties all = crd__metric_ties_total(ranking);
  tracing t = { .ranking = ranking, .right = all.right, .wrong = all.wrong };
  crd_point points[POINTS], *kept;
  double tolerance = 0;
  for (;; tolerance = tolerance > 0 ? 2 * tolerance : 0x1p-12) {
    t.thin = (crd__profile_thinning){ .tolerance = tolerance, .kept = points, .capacity = POINTS };
    trace(&t);
    if (crd__profile_thin_end(&t.thin)) break;
  }
  CRD_TRY(crd__arena_add(ctx, out, t.thin.count, sizeof *kept, "a profile", &kept));
  for (size_t i = 0; i < t.thin.count; i++) kept[i] = points[i];
  *curve = (crd_curve){ .count = t.thin.count, .points = kept };
  return CRD_OK;
}

static crd_status curves_fill(crd_context *ctx, const crd__profile_source *source,
                              crd_profile *out) {
  const crd__metric_ranking *const ranking = source->evidence->rankings;
  const crd__metric_ties all = crd__metric_ties_total(ranking);
  const struct {
    void (*trace)(tracing *t);
    bool right, wrong; /* whether it needs correct, incorrect rows */
    crd_curve *curve;
  } curves[] = {
    { trace_roc, true, true, &out->roc },
    { trace_precision_right, true, false, &out->precision_right },
    { trace_precision_wrong, false, true, &out->precision_wrong },
    { trace_risk, false, false, &out->risk_coverage },
    { trace_best_risk, false, false, &out->risk_coverage_best },
  };
  for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
    if ((all.right > 0 || !curves[i].right) && (all.wrong > 0 || !curves[i].wrong))
      CRD_TRY(draw(ctx, ranking, curves[i].trace, out, curves[i].curve));
  return CRD_OK;
}

const crd__profile_part crd__profile_part_curves = {
  .part = CRD_PROFILE_CURVES, .ranked = true, .ordinal = true, .fill = curves_fill
};
