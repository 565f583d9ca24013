/*
 * suspect.c -- marks a fitted temperature outside [0.05, 20] as suspicious, since those of
 * classifiers are usually between 0.3 and 5. The certificate's note names the likely reason.
 */
#include "base/memory.h"
#include "base/number.h"
#include "calibrator/calibrator.h"

#include <math.h>
#include <stdio.h>

static const double least = 0.05, most = 20;
static const double errors = 4; /* standard errors by which accuracy must exceed the baseline */

typedef struct {
  double low, high;      /* range of all scores */
  double percent_error;  /* largest difference of a row's sum from 100 */
  double accuracy, base; /* base: frequency of the most frequent label */
  double rows;
} evidence;

static crd_status look(crd_context *ctx, const crd__calibrator_fit_data *data, evidence *out) {
  size_t *labelled, hits = 0, common = 0;
  CRD_TRY(crd__new(ctx, data->classes, sizeof *labelled, "labels", &labelled));
  *out = (evidence){ .low = INFINITY, .high = -INFINITY, .rows = (double)data->rows };
  for (size_t i = 0; i < data->rows; i++) {
    double sum = 0, largest = -INFINITY;
    size_t top = 0;
    for (size_t k = 0; k < data->classes; k++) {
      const double z = crd__math_row_score(data->stored, data->type, i * data->classes + k);
      if (z > largest) top = k;
      largest = fmax(largest, z);
      out->low = fmin(out->low, z);
      sum += z;
    }
    out->high = fmax(out->high, largest);
    out->percent_error = fmax(out->percent_error, fabs(sum - 100));
    hits += top == data->labels[i];
    if (++labelled[data->labels[i]] > common) common = labelled[data->labels[i]];
  }
  crd__free(&ctx->alloc, labelled);
  out->accuracy = (double)hits / out->rows;
  out->base = (double)common / out->rows;
  return CRD_OK;
}

/* Returns the most likely of the usual reasons, by the data. */
static const char *reason(const crd_calibrator *c, const crd__data_clipping *met,
                          const evidence *e) {
  const bool logits = c->input == CRD_INPUT_LOGITS;
  const double error = sqrt(e->base * (1 - e->base) / e->rows);
  if (logits && e->low >= 0 && e->percent_error <= 1)
    return "rows sum to 100, so these are percentages, read as logits: divide them by 100";
  if (logits && e->low >= 0 && e->high <= 1)
    return "all scores lie in [0, 1]: are they probabilities, read as logits?";
  if (c->classes && e->accuracy <= e->base + errors * error && e->base < 1)
    return "accuracy is no better than always predicting the most frequent class: do labels and "
           "scores belong to the same rows and use the same class order?";
  if (crd__calibrator_floor_is_needed(met))
    return "probabilities of exactly 0 have lost their digits by rounding: store logits";
  if (e->accuracy == 1) return "every row is correct: too few rows, or rows of the training set?";
  return "are the scores logits or probabilities of this model, on their own scale?";
}

crd_status crd__calibrator_certificate_suspect(crd_context *ctx, crd_calibrator *c,
                                               const crd__calibrator_fit_data *data,
                                               const crd__data_clipping *met) {
  crd_certificate *const certificate = &c->fit.certificate;
  const crd_learnt *const learnt = crd__calibrator_learnt_find(&c->fit.learnt, "temperature");
  const double temperature = learnt ? learnt->values[0] : 1;
  char text[sizeof c->fit.text], number[CRD__NUMBER_SIZE];
  evidence e;
  /* Without an objective the temperature was given, not fitted. */
  if (isnan(certificate->objective) || (temperature >= least && temperature <= most)) return CRD_OK;
  CRD_TRY(look(ctx, data, &e));
  const bool more = certificate->note && *certificate->note;
  snprintf(text, sizeof text, "%s%stemperature %s is suspicious, expected is 0.05 to 20 (%s)",
           more ? certificate->note : "", more ? "; " : "",
           crd__number_brief(number, temperature, 4), reason(c, met, &e));
  snprintf(c->fit.text, sizeof c->fit.text, "%s", text);
  certificate->note = c->fit.text;
  certificate->suspicious = 1;
  return CRD_OK;
}
