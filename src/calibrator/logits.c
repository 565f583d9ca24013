/*
 * logits.c -- rows of predictions as methods read them: logits in double.
 *
 * Probabilities become their logarithms, 0 being read as 1e-300. A confidence c is the
 * probability of the second of two classes, "wrong" and "right": log(1 - c), log c, with 1 being
 * read as the largest double below it.
 */
#include "calibrator/calibrator.h"
#include "data/rows.h"
#include "data/view.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 };
static const double probability_floor = 1e-300;

/* From rows of any type to doubles; backwards, since both may lie in the same memory. */
static void widen(const void *rows, crd__row_type type, size_t cells, double *out) {
  if (rows == out && type == CRD__ROW_F64) return;
  if (rows != out && type == CRD__ROW_F32) {
    const char *const from = rows; /* perhaps not aligned */
    for (size_t i = 0; i < cells; i++) {
      float single;
      memcpy(&single, from + i * sizeof single, sizeof single);
      out[i] = (double)single;
    }
  } else
    for (size_t i = cells; i-- > 0;) out[i] = crd__row_score(rows, type, i);
}

/* Logarithms of a row's probabilities; says whether one of them was 0. */
static bool take_logarithms(double *row, size_t classes, double mass) {
  bool clipped = false;
  const double log_mass = log(mass);
  for (size_t k = 0; k < classes; k++) {
    clipped |= row[k] < probability_floor;
    row[k] = log(fmax(row[k], probability_floor)) - log_mass;
  }
  return clipped;
}

static void subtract_log_mass(double *row, size_t classes, const crd__row_summary *summary) {
  const double log_mass = summary->top + log(summary->mass);
  for (size_t k = 0; k < classes; k++) row[k] -= log_mass;
}

static crd_status read_block(crd_context *ctx, const crd_predictions *p, crd__scale scale,
                             size_t from, size_t count, double *out, size_t *clipped) {
  const crd__row_kernels *const kernels = crd__row_kernels_best();
  const bool logits = p->parts.input == CRD_INPUT_LOGITS;
  crd__row_summary summary[BLOCK];
  crd__row_type type;
  const void *const rows = crd__score_rows(p, from, count, out, &type);
  if (logits && scale != CRD__LOG_P) kernels->peaks(rows, type, count, p->classes, summary);
  else
    (logits ? kernels->logits : kernels->probabilities)(rows, type, count, p->classes, 0, summary);
  for (size_t i = 0; i < count; i++) CRD_TRY(crd__scores_check(ctx, p, from + i, &summary[i]));
  widen(rows, type, count * p->classes, out);
  for (size_t i = 0; i < count; i++) {
    double *const row = out + i * p->classes;
    if (!logits) *clipped += take_logarithms(row, p->classes, summary[i].mass);
    else if (scale == CRD__LOG_P) subtract_log_mass(row, p->classes, &summary[i]);
  }
  return CRD_OK;
}

const void *crd__logits_stored(const crd_predictions *p, crd__row_type *type) {
  const bool whole = p->parts.input == CRD_INPUT_LOGITS && p->parts.scores.cols == p->classes;
  if (!whole || p->picked || !crd__view_is_direct(&p->parts.scores)) return NULL;
  return crd__view_rows(&p->parts.scores, 0, 1, NULL, type);
}

crd_status crd__logits_check(crd_context *ctx, const crd_predictions *p, size_t from, size_t count,
                             double *top) {
  crd__row_type type;
  for (size_t first = from; first < from + count; first += BLOCK) {
    crd__row_summary summary[BLOCK];
    const size_t rows = from + count - first < BLOCK ? from + count - first : BLOCK;
    const void *const at = crd__view_rows(&p->parts.scores, first, rows, NULL, &type);
    crd__row_kernels_best()->peaks(at, type, rows, p->classes, summary);
    for (size_t i = 0; i < rows; i++) {
      CRD_TRY(crd__scores_check(ctx, p, first + i, &summary[i]));
      top[first - from + i] = summary[i].top;
    }
  }
  return CRD_OK;
}

static crd_status read_pair(crd_context *ctx, const crd_predictions *p, size_t row, double *out,
                            size_t *clipped) {
  const double c = crd__view_number(&p->parts.scores, crd__row_at(p, row), 0);
  if (!(c >= 0 && c <= CRD__PROBABILITY_MAX))
    return crd__bad_row(ctx, p, p->parts.scores_name, row, " lies outside of [0, 1]");
  const double inside = fmin(fmax(c, probability_floor), 1 - 0x1p-53);
  *clipped += inside != c;
  out[0] = log1p(-inside);
  out[1] = log(inside);
  return CRD_OK;
}

crd_status crd__logits_read(crd_context *ctx, const crd_predictions *predictions, crd__scale scale,
                            size_t from, size_t count, double *out, size_t *clipped) {
  if (predictions->parts.input == CRD_INPUT_PAIRS) {
    for (size_t i = 0; i < count; i++)
      CRD_TRY(read_pair(ctx, predictions, from + i, out + 2 * i, clipped));
    return CRD_OK;
  }
  for (size_t i = 0; i < count; i += BLOCK) {
    const size_t step = count - i < BLOCK ? count - i : BLOCK;
    CRD_TRY(read_block(ctx, predictions, scale, from + i, step, out + i * predictions->classes,
                       clipped));
  }
  return CRD_OK;
}
