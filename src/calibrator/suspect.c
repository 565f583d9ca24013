/*
 * suspect.c -- a fitted temperature outside [0.05, 20] is suspicious: those of classifiers lie
 * between 0.3 and 5 as a rule. The certificate says so, with what the data show of the usual
 * reasons.
 */
#include "base/memory.h"
#include "base/number.h"
#include "calibrator/calibrator.h"

#include <math.h>
#include <stdio.h>

static const double least = 0.05, most = 20;
static const double errors = 4; /* standard errors by which accuracy must exceed chance */

typedef struct {
  double low, high;      /* of all scores */
  double percent_error;  /* the largest difference of a row's sum from 100 */
  double accuracy, base; /* base: the share of the most frequent label */
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

/* What the usual reasons would look like; "" where none shows. */
static const char *reason(const crd_calibrator *c, const crd__data_clipping *met,
                          const evidence *e) {
  const bool logits = c->input == CRD_INPUT_LOGITS;
  const double error = sqrt(e->base * (1 - e->base) / e->rows);
  if (logits && e->low >= 0 && e->percent_error <= 1)
    return "rows sum to 100, so these are percentages, read as logits: divide them by 100";
  if (logits && e->low >= 0 && e->high <= 1)
    return "all scores lie in [0, 1]: probabilities that are read as logits?";
  if (c->classes && e->accuracy <= e->base + errors * error && e->base < 1)
    return "accuracy is no better than naming the most frequent class every time: do labels and "
           "scores belong to the same rows, and number the classes alike?";
  if (crd__calibrator_floor_is_needed(met))
    return "values that are exactly 0 were rounded, and what they were is lost: store logits";
  if (e->accuracy == 1) return "every row is right: too few rows, or rows of the training set?";
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
  /* Where there is no objective the temperature was given, not fitted. */
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
