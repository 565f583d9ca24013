/*
 * columns.c -- the quantities of a run: metrics before calibration, ECE after each post-hoc method,
 * and at the best temperature.
 *
 *   optimal ECE = min over T in {0.01, 0.02, ..., 10} of ECE(softmax(z / T)) on the test rows
 *   headroom    = ECE before calibration - optimal ECE
 *
 * The optimal ECE is the lower bound of what temperature scaling can reach on these rows: T is
 * chosen on the rows that it is judged on, so it is an oracle and no result of calibration.
 *
 * Wang, Feng, Zhang: Rethinking calibration of deep neural networks: do not be afraid of
 * overconfidence (2021), section 5.1.
 */
#include "base/memory.h"
#include "calibratability/calibratability.h"
#include "credence/calibrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Names. */

static size_t base_length(const char *method) { return strcspn(method, "("); }

/* Returns whether the name without settings stands for one method of the contest only. */
static bool is_alone(const crd__calibratability *c, const char *method) {
  const size_t length = base_length(method);
  size_t same = 0;
  for (size_t m = 0; m < c->results.method_count; m++)
    same += base_length(c->methods[m]) == length && strncmp(c->methods[m], method, length) == 0;
  return same == 1;
}

static crd_status add(crd_context *ctx, crd__calibratability *c, crd_calibratability_column column,
                      const char *before) {
  char name[256];
  const char *const method = column.method;
  const size_t length = method ? is_alone(c, method) ? base_length(method) : strlen(method) : 0;
  snprintf(name, sizeof name, "%s%.*s", before, (int)(length < 200 ? length : 200),
           method ? method : "");
  CRD_TRY(crd__arena_text(ctx, c, name, &column.name));
  c->columns[c->results.column_count++] = column;
  return CRD_OK;
}

static crd_status add_metric(crd_context *ctx, crd__calibratability *c, const char *metric) {
  return add(ctx, c,
             (crd_calibratability_column){ .kind = CRD_CALIBRATABILITY_METRIC,
                                           .direction = crd_metric_find(metric)->direction },
             metric);
}

/* Returns what a candidate has learnt as `temperature`; NaN: nothing. */
static double temperature_of(const crd_candidate *candidate) {
  for (size_t i = 0; i < candidate->learnt_count; i++) {
    const crd_learnt *const l = &candidate->learnt[i];
    if (strcmp(l->name, "temperature") == 0 && l->start[l->parts] == 1) return l->values[0];
  }
  return (double)NAN;
}

static crd_status add_methods(crd_context *ctx, crd__calibratability *c, const crd_contest *contest,
                              crd_calibratability_column column, const char *before) {
  for (size_t m = 0; m < c->results.method_count; m++) {
    column.method = c->methods[m];
    if (column.kind == CRD_CALIBRATABILITY_TEMPERATURE &&
        isnan(temperature_of(&contest->candidates[m + 1])))
      continue;
    CRD_TRY(add(ctx, c, column, before));
  }
  return CRD_OK;
}

crd_status crd__calibratability_columns_make(crd_context *ctx, crd__calibratability *c,
                                             const crd_contest *contest) {
  const bool pairs = c->results.classes == 0;
  const size_t most = 7 + 2 * c->results.method_count;
  CRD_TRY(crd__arena_add(ctx, c, most, sizeof *c->columns, "columns", &c->columns));
  c->results.columns = c->columns;
  CRD_TRY(add_metric(ctx, c, "accuracy"));
  CRD_TRY(add_metric(ctx, c, "ece"));
  const crd_calibratability_column after = { .kind = CRD_CALIBRATABILITY_AFTER,
                                             .direction = CRD_LOWER_IS_BETTER };
  CRD_TRY(add_methods(ctx, c, contest, after, "after "));
  const crd_calibratability_column oracle = { .kind = CRD_CALIBRATABILITY_ORACLE,
                                              .direction = CRD_LOWER_IS_BETTER };
  CRD_TRY(add(ctx, c, oracle, "oracle ece"));
  const crd_calibratability_column headroom = { .kind = CRD_CALIBRATABILITY_HEADROOM,
                                                .direction = CRD_NEITHER_IS_BETTER };
  CRD_TRY(add(ctx, c, headroom, "headroom"));
  const crd_calibratability_column learnt = { .kind = CRD_CALIBRATABILITY_TEMPERATURE,
                                              .direction = CRD_NEITHER_IS_BETTER };
  CRD_TRY(add_methods(ctx, c, contest, learnt, "T of "));
  const crd_calibratability_column best = { .kind = CRD_CALIBRATABILITY_ORACLE_TEMPERATURE,
                                            .direction = CRD_NEITHER_IS_BETTER };
  CRD_TRY(add(ctx, c, best, "oracle T"));
  CRD_TRY(add_metric(ctx, c, pairs ? "brier-top1" : "nll"));
  return add_metric(ctx, c, "auroc");
}

/* ---- Values. */

typedef struct {
  double ece, temperature;
} oracle;

/* Finds the temperature with the lowest ECE of these rows; NaN where the scores have none. */
static crd_status find_oracle(crd_context *ctx, const crd_predictions *test, unsigned bins,
                              oracle *out) {
  char settings[32];
  crd_calibrator *calibrator;
  *out = (oracle){ (double)NAN, (double)NAN };
  snprintf(settings, sizeof settings, "grid=coarse,bins=%u", bins);
  CRD_TRY(crd_calibrator_fit(ctx, "temperature-ece", settings, test, &calibrator));
  out->ece = crd_calibrator_certificate(calibrator)->objective;
  out->temperature = crd_calibrator_learnt(calibrator, 0)->values[0];
  crd_calibrator_destroy(calibrator);
  return CRD_OK;
}

static double metric_of(const crd_candidate *candidate, const char *metric) {
  const crd_metric_value *const v = crd_result_value(candidate->result, metric);
  return v ? v->value : (double)NAN;
}

static const crd_candidate *candidate_of(const crd__calibratability *c, const crd_contest *contest,
                                         const char *method) {
  for (size_t m = 0; method && m < c->results.method_count; m++)
    if (c->methods[m] == method) return &contest->candidates[m + 1];
  return &contest->candidates[0];
}

/* What the value of a column is computed from. */
typedef struct {
  const crd_calibratability_column *column;
  const crd_candidate *candidate; /* of its post-hoc method, else identity */
  double before;                  /* ECE of identity */
  oracle best;
} facts;

static double metric_value(const facts *f) { return metric_of(f->candidate, f->column->name); }
static double after_value(const facts *f) { return metric_of(f->candidate, "ece"); }
static double oracle_value(const facts *f) { return f->best.ece; }
static double headroom_value(const facts *f) { return f->before - f->best.ece; }
static double temperature_value(const facts *f) { return temperature_of(f->candidate); }
static double oracle_temperature_value(const facts *f) { return f->best.temperature; }

static double (*const values[CRD_CALIBRATABILITY_KINDS])(const facts *f) = {
  [CRD_CALIBRATABILITY_METRIC] = metric_value,
  [CRD_CALIBRATABILITY_AFTER] = after_value,
  [CRD_CALIBRATABILITY_ORACLE] = oracle_value,
  [CRD_CALIBRATABILITY_HEADROOM] = headroom_value,
  [CRD_CALIBRATABILITY_TEMPERATURE] = temperature_value,
  [CRD_CALIBRATABILITY_ORACLE_TEMPERATURE] = oracle_temperature_value,
};

crd_status crd__calibratability_columns_fill(crd_context *ctx, crd__calibratability *c, size_t run,
                                             const crd_contest *contest,
                                             const crd_predictions *test) {
  facts f = { .before = metric_of(&contest->candidates[0], "ece") };
  CRD_TRY(find_oracle(ctx, test, c->results.bins, &f.best));
  for (size_t k = 0; k < c->results.column_count; k++) {
    f.column = &c->columns[k];
    f.candidate = candidate_of(c, contest, f.column->method);
    crd__calibratability_column(c, k)[run] = values[f.column->kind](&f);
  }
  return CRD_OK;
}
