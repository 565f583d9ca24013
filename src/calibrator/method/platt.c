/*
 * platt.c -- Platt scaling: q = sigmoid(a s + b), s the log-odds of the event.
 *
 * Fitted by likelihood with Platt's smoothed targets t+ = (n+ + 1)/(n+ + 2), t- = 1/(n- + 2), which
 * keep a and b finite even if the event is separable. targets=plain uses 0 and 1. An event that
 * never or always happened has no finite optimum: all rows get its smoothed frequency.
 *
 * Platt: Probabilistic outputs for support vector machines (1999).
 */
#include "calibrator/method/platt.h"
#include "base/memory.h"
#include "calibrator/logistic.h"
#include "math/logspace.h"

#include <math.h>

enum { SCOPE, TARGETS };
enum { SMOOTHED, PLAIN };
static const crd_setting_info settings[] = {
  [SCOPE] = CRD__SCOPE("one-vs-rest"),
  [TARGETS] = { .name = "targets",
                .help = "Platt's smoothed targets, or plain 0 and 1",
                .standard = "smoothed",
                .words = "smoothed plain" },
};

/* The targets of events that happened and that did not; share: NaN unless only one kind occurs. */
typedef struct {
  double yes, no, share;
} aims;

static aims set_goals(const crd__calibrator_event_data *data, bool plain) {
  double yes = 0, no = 0;
  for (size_t i = 0; i < data->rows; i++) *(data->happened[i] ? &yes : &no) += data->weights[i];
  return (aims){ .yes = plain ? 1 : (yes + 1) / (yes + 2),
                 .no = plain ? 0 : 1 / (no + 2),
                 .share = yes > 0 && no > 0 ? (double)NAN : (yes + 1) / (yes + no + 2) };
}

static crd_status solve(crd_context *ctx, const crd__calibrator_event_data *data, const aims *goals,
                        crd_certificate *certificate, double *theta) {
  double *x = NULL, *targets = NULL;
  crd_status status = crd__new(ctx, 2 * data->rows, sizeof *x, "a fit", &x);
  if (status == CRD_OK) status = crd__new(ctx, data->rows, sizeof *targets, "a fit", &targets);
  for (size_t i = 0; status == CRD_OK && i < data->rows; i++) {
    x[2 * i] = data->log_odds[i];
    x[2 * i + 1] = 1;
    targets[i] = data->happened[i] ? goals->yes : goals->no;
  }
  const crd__calibrator_logistic problem = {
    .rows = data->rows, .features = 2, .x = x, .targets = targets, .weights = data->weights
  };
  if (status == CRD_OK) status = crd__calibrator_logistic_fit(ctx, &problem, theta, certificate);
  crd__free(&ctx->alloc, x);
  crd__free(&ctx->alloc, targets);
  return status;
}

crd_status crd__calibrator_platt_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                     bool plain, double line[2], crd_certificate *certificate) {
  const aims goals = set_goals(data, plain);
  line[0] = line[1] = 0; /* where every row has curvature; far out Newton's method would fail */
  if (isnan(goals.share)) return solve(ctx, data, &goals, certificate, line);
  line[0] = 0;
  line[1] = log(goals.share / (1 - goals.share));
  certificate->converged = certificate->separable = 1;
  certificate->objective = certificate->gradient_norm = (double)NAN; /* nothing was minimised */
  certificate->note = "an event never or always occurred: all rows get its smoothed frequency";
  return CRD_OK;
}

static crd_status platt_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                            crd__calibrator_fitted *out) {
  double theta[2];
  CRD_TRY(crd__calibrator_platt_fit(ctx, data, data->settings[TARGETS] == PLAIN, theta,
                                    &out->certificate));
  CRD_TRY(crd__calibrator_learn(ctx, &out->learnt, "slope", &theta[0], 1));
  return crd__calibrator_learn(ctx, &out->learnt, "intercept", &theta[1], 1);
}

static void platt_apply(const crd__calibrator_model *model, size_t part, size_t rows,
                        const double *log_odds, const double *probability, double *out) {
  const double a = *crd__calibrator_recall(model->learnt, "slope", part, NULL);
  const double b = *crd__calibrator_recall(model->learnt, "intercept", part, NULL);
  (void)probability;
  for (size_t i = 0; i < rows; i++) out[i] = crd__math_sigmoid(a * log_odds[i] + b);
}

static crd_status platt_describe(crd_context *ctx, const crd__calibrator_model *model, size_t part,
                                 crd__calibrator_map *out) {
  const double line[] = { *crd__calibrator_recall(model->learnt, "slope", part, NULL),
                          *crd__calibrator_recall(model->learnt, "intercept", part, NULL) };
  return crd__calibrator_map_add(ctx, out, CRD__LOGISTIC, line, 2, NULL, 0);
}

static const crd__calibrator_learns learns[] = { { .name = "slope", .parts = CRD__EACH_EVENT },
                                                 { .name = "intercept", .parts = CRD__EACH_EVENT },
                                                 { .name = NULL } };
static const crd__calibrator_event_method event = { .fit = platt_fit,
                                                    .apply = platt_apply,
                                                    .describe = platt_describe };

const crd__calibrator_method crd__calibrator_method_platt = {
  .info = { .name = "platt",
            .summary = "Platt scaling: logistic regression on the log-odds",
            .meaning = "Corrects over- and underconfidence by a slope and an intercept, for each "
                       "class or for the predicted one. With one-vs-rest, predictions may change.",
            .reference = "Platt 1999, Probabilistic outputs for support vector machines",
            .standard = SIZE_MAX,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .learns = learns,
  .event = &event,
};
