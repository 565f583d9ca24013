/*
 * beta.c -- beta calibration: logit q = a log p - b log(1 - p) + c, a and b not below 0.
 *
 * A logistic regression on log p and -log(1 - p), both computed from the log-odds s without
 * rounding p: log p = -softplus(-s), -log(1 - p) = softplus(s). It is convex, and the bounds hold
 * exactly: the unconstrained optimum of each face of the feasible set (a = 0, b = 0, both) is
 * found, and the best feasible one is the solution, since the optimum lies in the interior of one
 * of the faces.
 *
 * variant=am ties a to b, variant=ab omits c. An event that never or always happened has no finite
 * optimum: all rows get its frequency, smoothed like Platt's targets.
 *
 * Kull, Silva Filho, Flach: Beta calibration (2017).
 */
#include "base/memory.h"
#include "calibrator/logistic.h"
#include "calibrator/map.h"
#include "calibrator/method.h"
#include "math/logspace.h"

#include <math.h>

enum { SCOPE, VARIANT };
static const crd_setting_info settings[] = {
  [SCOPE] = CRD__SCOPE("one-vs-rest"),
  [VARIANT] = { .name = "variant",
                .help = "free parameters: a, b and c (abm), a = b (am), or c = 0 (ab)",
                .standard = "abm",
                .words = "abm am ab" },
};

/* The features. */
typedef enum { LOG_P, LOG_REST, LOG_ODDS, ONE, COLUMNS } column;

/* A face of the feasible set: the free columns; the other coefficients are 0. */
typedef struct {
  size_t count;
  column columns[CRD__FEATURES_MAX];
} face;

/* Faces by variant, the full problem first. */
enum { FACES_MAX = 4 };
static const face faces[][FACES_MAX] = {
  { { 3, { LOG_P, LOG_REST, ONE } },
    { 2, { LOG_P, ONE } },
    { 2, { LOG_REST, ONE } },
    { 1, { ONE } } },
  { { 2, { LOG_ODDS, ONE } }, { 1, { ONE } } },
  { { 2, { LOG_P, LOG_REST } }, { 1, { LOG_P } }, { 1, { LOG_REST } } },
};

/* logit q = a log p - b log(1 - p) + c, and the certificate of its fit. */
typedef struct {
  double a, b, c;
  crd_certificate certificate;
} answer;

/* The event's features and targets. */
typedef struct {
  const crd__calibrator_event_data *data;
  double *x, *targets;
} work;

static double feature(column which, double log_odds) {
  switch (which) {
  case LOG_P:
    return -crd__math_softplus(-log_odds);
  case LOG_REST:
    return crd__math_softplus(log_odds);
  case LOG_ODDS:
    return log_odds;
  default:
    return 1;
  }
}

static crd_status solve_face(crd_context *ctx, const work *w, const face *f, answer *out) {
  double theta[CRD__FEATURES_MAX] = { 0 }, all[COLUMNS] = { 0 };
  for (size_t i = 0; i < w->data->rows; i++)
    for (size_t j = 0; j < f->count; j++)
      w->x[i * f->count + j] = feature(f->columns[j], w->data->log_odds[i]);
  const crd__calibrator_logistic problem = { .rows = w->data->rows,
                                             .features = f->count,
                                             .x = w->x,
                                             .targets = w->targets,
                                             .weights = w->data->weights };
  *out = (answer){ 0 };
  CRD_TRY(crd__calibrator_logistic_fit(ctx, &problem, theta, &out->certificate));
  for (size_t j = 0; j < f->count; j++) all[f->columns[j]] = theta[j];
  out->a = all[LOG_P] + all[LOG_ODDS];
  out->b = all[LOG_REST] + all[LOG_ODDS];
  out->c = all[ONE];
  return CRD_OK;
}

/* The solution a = b = c = 0: q = 1/2. */
static answer nothing(void) {
  return (answer){ .certificate = { .converged = 1, .objective = log(2) } };
}

static crd_status solve(crd_context *ctx, const work *w, answer *best) {
  const size_t variant = (size_t)w->data->settings[VARIANT];
  unsigned steps = 0;
  *best = nothing();
  for (size_t f = 0; f < FACES_MAX && faces[variant][f].count; f++) {
    answer here;
    CRD_TRY(solve_face(ctx, w, &faces[variant][f], &here));
    steps += here.certificate.iterations;
    if (here.a < 0 || here.b < 0) continue;
    if (here.certificate.objective < best->certificate.objective) *best = here;
    if (f == 0) break;
  }
  best->certificate.iterations = steps;
  if (best->a == 0 || best->b == 0) {
    best->certificate.bounds = best->b > 0 ? "a" : best->a > 0 ? "b" : "a,b";
  }
  return CRD_OK;
}

/* Returns the smoothed frequency of an event that never or always happened; NaN for others. */
static double lone_share(const crd__calibrator_event_data *data) {
  double yes = 0, no = 0;
  for (size_t i = 0; i < data->rows; i++) *(data->happened[i] ? &yes : &no) += data->weights[i];
  return yes > 0 && no > 0 ? (double)NAN : (yes + 1) / (yes + no + 2);
}

/* Returns whether the log-odds separate the rows whose event happened from the others; a finite
 * optimum needs an overlap. */
static bool is_separable(const crd__calibrator_event_data *data) {
  double yes = INFINITY, no = -INFINITY;
  for (size_t i = 0; i < data->rows; i++) {
    if (!(data->weights[i] > 0)) continue;
    if (data->happened[i]) yes = fmin(yes, data->log_odds[i]);
    else no = fmax(no, data->log_odds[i]);
  }
  return yes >= no;
}

static crd_status fit_both(crd_context *ctx, const crd__calibrator_event_data *data, answer *out) {
  work w = { .data = data };
  crd_status status = crd__new(ctx, data->rows, CRD__FEATURES_MAX * sizeof *w.x, "a fit", &w.x);
  if (status == CRD_OK) status = crd__new(ctx, data->rows, sizeof *w.targets, "a fit", &w.targets);
  for (size_t i = 0; status == CRD_OK && i < data->rows; i++) w.targets[i] = data->happened[i];
  if (status == CRD_OK) status = solve(ctx, &w, out);
  crd__free(&ctx->alloc, w.x);
  crd__free(&ctx->alloc, w.targets);
  if (is_separable(data)) {
    out->certificate.separable = 1;
    out->certificate.note =
        "separable: the log-odds predict an event without errors, and the curve "
        "is as steep as the solver made it before the likelihood stopped "
        "growing";
  }
  return status;
}

static crd_status beta_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                           crd__calibrator_fitted *out) {
  const double share = lone_share(data);
  answer found = { .c = log(share / (1 - share)) };
  if (isnan(share)) CRD_TRY(fit_both(ctx, data, &found));
  else {
    found.certificate.converged = found.certificate.separable = 1;
    found.certificate.objective = found.certificate.gradient_norm = (double)NAN;
    found.certificate.note =
        "an event never or always occurred: all rows get its smoothed frequency";
  }
  out->certificate = found.certificate;
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "a", &found.a, 1));
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "b", &found.b, 1));
  return crd__calibrator_learn(ctx, &out->learnt, "c", &found.c, 1);
}

static void beta_apply(const crd__calibrator_model *model, size_t part, size_t rows,
                       const double *log_odds, const double *probability, double *out) {
  const double a = *crd__calibrator_recall(model->learnt, "a", part, NULL);
  const double b = *crd__calibrator_recall(model->learnt, "b", part, NULL);
  const double c = *crd__calibrator_recall(model->learnt, "c", part, NULL);
  (void)probability;
  for (size_t i = 0; i < rows; i++)
    out[i] =
        crd__math_sigmoid(a * feature(LOG_P, log_odds[i]) + b * feature(LOG_REST, log_odds[i]) + c);
}

static crd_status beta_describe(crd_context *ctx, const crd__calibrator_model *model, size_t part,
                                crd__calibrator_map *out) {
  const double abc[] = { *crd__calibrator_recall(model->learnt, "a", part, NULL),
                         *crd__calibrator_recall(model->learnt, "b", part, NULL),
                         *crd__calibrator_recall(model->learnt, "c", part, NULL) };
  return crd__calibrator_map_add(ctx, out, CRD__BETA, abc, 3, NULL, 0);
}

static const crd__calibrator_learns learns[] = { { .name = "a", .parts = CRD__EACH_EVENT },
                                                 { .name = "b", .parts = CRD__EACH_EVENT },
                                                 { .name = "c", .parts = CRD__EACH_EVENT },
                                                 { .name = NULL } };
static const crd__calibrator_event_method event = { .fit = beta_fit,
                                                    .apply = beta_apply,
                                                    .describe = beta_describe };

const crd__calibrator_method crd__calibrator_method_beta = {
  .info = { .name = "beta",
            .summary = "beta calibration: logistic regression on log p and log(1 - p)",
            .meaning = "Corrects confidences that are miscalibrated differently near 0 and near 1, "
                       "where Platt scaling has a single slope; unlike it, it contains the "
                       "identity. With one-vs-rest, predictions may change.",
            .reference = "Kull, Silva Filho, Flach 2017, Beta calibration",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .learns = learns,
  .event = &event,
};
