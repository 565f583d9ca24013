/*
 * floor.c -- fits the floor of probabilities by likelihood.
 *
 * With r the resolution of the file (its smallest positive value), the candidates are
 *
 *   f = r 10^(-e),   e = 0, 1/2, ..., 6
 *
 * and the one whose temperature scaling, softmax(b log max(p, f)), reaches the smallest negative
 * log-likelihood on the calibration rows is chosen; of equally good floors, the largest. Rows whose
 * true class was rounded to 0 keep f from becoming too small; the zeros of all other rows keep it
 * from becoming too large. Other methods use the same floor: with a single temperature it cannot
 * overfit.
 *
 * r is the smallest value in the data rather than that of a type or format: decimals, float16 and
 * frequencies k/n all show in it, and normalising rounded rows changes it by a percent at most. It
 * is limited to 1/(2 classes), below the largest of every row, so that no class of probability 0
 * can become the predicted one.
 */
#include "data/floor.h"
#include "base/parallel.h"
#include "calibrator/calibrator.h"
#include "calibrator/temper.h"
#include "data/array.h"
#include "data/predictions.h"

#include <math.h>

enum { STEPS = 12, PER_DECADE = 2 };
static const double tie = 1e-9; /* likelihoods closer than this are equal up to rounding */

/* ---- Candidates. */

/* The resolution of class 0 and of the others; 0: no value there is exactly 0. */
typedef struct {
  double first, others;
} resolution;

static resolution find_resolution(const crd_predictions *p, const crd__data_clipping *met) {
  const double most = crd__data_floor_limit(p->classes ? p->classes : 2);
  double r[2];
  for (size_t i = 0; i < 2; i++) r[i] = met->least[i] > 0 ? fmin(met->least[i], most) : most;
  /* A single score s and its 1 - s have different resolutions, unless both are rounded decimals. */
  const bool same =
      crd__data_cols(&p->parts.scores) > 1 || fabs(r[0] - r[1]) <= 1e-6 * fmax(r[0], r[1]);
  if (same) r[0] = r[1] = fmin(r[0], r[1]);
  const bool zeros[2] = { met->zeros[0] > 0, met->zeros[1] > 0 };
  const bool any = same && (zeros[0] || zeros[1]);
  return (resolution){ any || zeros[0] ? r[0] : 0, any || zeros[1] ? r[1] : 0 };
}

static crd__data_floor floor_at(const crd_predictions *p, resolution r, int step) {
  const double factor = pow(10, -(double)step / PER_DECADE);
  crd__data_floor floor = crd__data_floor_standard(p->parts.input);
  if (r.first > 0) floor.first = fmax(r.first * factor, CRD__LEAST_PROBABILITY);
  if (r.others > 0) floor.others = fmax(r.others * factor, CRD__LEAST_PROBABILITY);
  return floor;
}

/* ---- The search. */

typedef struct {
  double *logits;
  size_t classes;
  double first, others; /* log of the floor */
} raising;

static void raise_rows(void *arg, size_t from, size_t to) {
  const raising *const r = arg;
  for (size_t i = from; i < to; i++) {
    double *const row = r->logits + i * r->classes;
    row[0] = fmax(row[0], r->first);
    for (size_t k = 1; k < r->classes; k++) row[k] = fmax(row[k], r->others);
  }
}

bool crd__calibrator_floor_is_needed(const crd__data_clipping *met) {
  return met->zeros[0] || met->zeros[1];
}

/* The candidates ascend, so the logits can be raised in place. Logarithms are left unnormalised,
 * which makes no difference to a temperature. */
crd_status crd__calibrator_floor_fit(crd_context *ctx, const crd_predictions *p,
                                     const crd__calibrator_fit_data *given, double *logits,
                                     const crd__data_clipping *met, crd__data_floor *out) {
  const resolution r = find_resolution(p, met);
  const crd__data_reading how = { .floor = floor_at(p, r, STEPS), .unnormalised = true };
  crd__calibrator_fit_data data = *given;
  crd__data_clipping unused = { 0 };
  double best = INFINITY;
  data.logits = data.stored = logits;
  data.type = CRD__ROW_F64;
  data.peaks = NULL;
  CRD_TRY(crd__data_logits_read_all(ctx, p, &how, logits, &unused));
  for (int step = STEPS; step >= 0; step--) {
    const crd__data_floor floor = floor_at(p, r, step);
    raising raise = { logits, data.classes, log(floor.first), log(floor.others) };
    crd_certificate certificate = { 0 };
    double temperature;
    crd__parallel_spans(ctx->threads, data.rows, 1024, raise_rows, &raise);
    CRD_TRY(crd__calibrator_temperature_fit(ctx, &data, &temperature, &certificate));
    if (certificate.objective > best + tie * fabs(best)) continue;
    best = fmin(best, certificate.objective);
    *out = floor;
  }
  return CRD_OK;
}
