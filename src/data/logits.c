/*
 * logits.c -- convert rows of predictions to float64 logits.
 *
 * Probabilities below the floor (floor.h) are raised to it, rows are normalised again, and the
 * logarithms are taken. A confidence c becomes two classes, "wrong" and "correct": log(1 - c), log
 * c.
 */
#include "data/logits.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "data/array.h"
#include "data/rows.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64, CHUNK = 1024 };

/* Converts rows of any type to doubles; backwards, since both may share their memory. */
static void widen(const void *rows, crd__math_row_type type, size_t cells, double *out) {
  if (rows == out && type == CRD__ROW_F64) return;
  if (rows != out && type == CRD__ROW_F32) {
    const char *const from = rows; /* may be unaligned */
    for (size_t i = 0; i < cells; i++) {
      float single;
      memcpy(&single, from + i * sizeof single, sizeof single);
      out[i] = (double)single;
    }
  } else
    for (size_t i = cells; i-- > 0;) out[i] = crd__math_row_score(rows, type, i);
}

/* Returns by how much a row's sum grows when its probabilities are raised to the floor. */
static double meet(const double *row, size_t classes, const crd__data_floor *floor,
                   crd__data_clipping *met) {
  double raised = 0;
  size_t below = 0;
  for (size_t k = 0; k < classes; k++) {
    const size_t side = k > 0;
    const double least = side ? floor->others : floor->first;
    if (row[k] < least) {
      raised += least - row[k];
      met->zeros[side] += row[k] == 0;
      below++;
    } else if (!(met->least[side] > 0 && met->least[side] < row[k])) met->least[side] = row[k];
  }
  met->values += below;
  met->rows += below > 0;
  return raised;
}

/* Replaces probabilities by their logarithms, raised to the floor and, unless unnormalised,
 * normalised again. */
static void take_logarithms(double *row, size_t classes, double mass, const crd__data_reading *how,
                            crd__data_clipping *met) {
  const double sum = mass + meet(row, classes, &how->floor, met);
  const double log_mass = how->unnormalised ? 0 : log(sum);
  for (size_t k = 0; k < classes; k++)
    row[k] = log(fmax(row[k], crd__data_floor_of(&how->floor, k))) - log_mass;
}

static void subtract_log_mass(double *row, size_t classes, const crd__math_row_summary *summary) {
  const double log_mass = summary->top + log(summary->mass);
  for (size_t k = 0; k < classes; k++) row[k] -= log_mass;
}

static crd_status read_block(crd_context *ctx, const crd_predictions *p,
                             const crd__data_reading *how, size_t from, size_t count, double *out,
                             crd__data_clipping *met) {
  const crd__math_row_kernels *const kernels = crd__math_row_kernels_best();
  const bool logits = p->parts.input == CRD_INPUT_LOGITS;
  crd__math_row_summary summary[BLOCK];
  crd__math_row_type type;
  const void *const rows = crd__data_score_rows(p, from, count, out, &type);
  if (logits && how->scale != CRD__LOG_P) kernels->peaks(rows, type, count, p->classes, summary);
  else
    (logits ? kernels->logits : kernels->probabilities)(rows, type, count, p->classes, 0, summary);
  for (size_t i = 0; i < count; i++) CRD_TRY(crd__data_scores_check(ctx, p, from + i, &summary[i]));
  widen(rows, type, count * p->classes, out);
  for (size_t i = 0; i < count; i++) {
    double *const row = out + i * p->classes;
    if (!logits) take_logarithms(row, p->classes, summary[i].mass, how, met);
    else if (how->scale == CRD__LOG_P) subtract_log_mass(row, p->classes, &summary[i]);
  }
  return CRD_OK;
}

const void *crd__data_logits_stored(const crd_predictions *p, crd__math_row_type *type) {
  const bool whole =
      p->parts.input == CRD_INPUT_LOGITS && crd__data_cols(&p->parts.scores) == p->classes;
  if (!whole || p->picked || !crd__data_array_is_direct(&p->parts.scores)) return NULL;
  return crd__data_array_rows(&p->parts.scores, 0, 1, NULL, type);
}

crd_status crd__data_logits_check(crd_context *ctx, const crd_predictions *p, size_t from,
                                  size_t count, double *top) {
  crd__math_row_type type;
  for (size_t first = from; first < from + count; first += BLOCK) {
    crd__math_row_summary summary[BLOCK];
    const size_t rows = from + count - first < BLOCK ? from + count - first : BLOCK;
    const void *const at = crd__data_array_rows(&p->parts.scores, first, rows, NULL, &type);
    crd__math_row_kernels_best()->peaks(at, type, rows, p->classes, summary);
    for (size_t i = 0; i < rows; i++) {
      CRD_TRY(crd__data_scores_check(ctx, p, first + i, &summary[i]));
      top[first - from + i] = summary[i].top;
    }
  }
  return CRD_OK;
}

/* Reads a confidence c as c and 1 - c. If one is raised to its floor, the other is the rest. */
static crd_status read_pair(crd_context *ctx, const crd_predictions *p, size_t row,
                            const crd__data_floor *floor, double *out, crd__data_clipping *met) {
  const double c = crd__data_array_number(&p->parts.scores, crd__data_row_at(p, row), 0);
  if (!crd__data_probability_fits(p, c))
    return crd__data_row_fail(ctx, p, p->parts.scores_name, row, " is outside [0, 1]");
  const double pair[] = { fmax(1 - c, 0), fmax(c, 0) };
  meet(pair, 2, floor, met);
  const bool full = pair[0] < floor->first;
  const double inside = fmax(c, floor->others);
  out[0] = full ? log(floor->first) : log1p(-inside);
  out[1] = full ? log1p(-floor->first) : log(inside);
  return CRD_OK;
}

crd_status crd__data_logits_read(crd_context *ctx, const crd_predictions *predictions,
                                 const crd__data_reading *how, size_t from, size_t count,
                                 double *out, crd__data_clipping *met) {
  CRD_TRY(crd__data_ranking_refuse(ctx, predictions, "a fit"));
  if (predictions->parts.input == CRD_INPUT_PAIRS) {
    for (size_t i = 0; i < count; i++)
      CRD_TRY(read_pair(ctx, predictions, from + i, &how->floor, out + 2 * i, met));
    return CRD_OK;
  }
  for (size_t i = 0; i < count; i += BLOCK) {
    const size_t step = count - i < BLOCK ? count - i : BLOCK;
    CRD_TRY(read_block(ctx, predictions, how, from + i, step, out + i * predictions->classes, met));
  }
  return CRD_OK;
}

/* ---- All rows. */

void crd__data_clipping_merge(crd__data_clipping *into, const crd__data_clipping *from) {
  into->rows += from->rows;
  into->values += from->values;
  for (size_t i = 0; i < 2; i++) {
    into->zeros[i] += from->zeros[i];
    if (from->least[i] > 0 && !(into->least[i] > 0 && into->least[i] < from->least[i]))
      into->least[i] = from->least[i];
  }
}

typedef struct {
  const crd_predictions *predictions;
  const crd__data_reading *how;
  double *out;
  crd__data_clipping *met; /* of each worker */
} reading_all;

static crd_status read_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from, size_t to) {
  const reading_all *const r = arg;
  const size_t classes = r->predictions->classes ? r->predictions->classes : 2;
  return crd__data_logits_read(ctx, r->predictions, r->how, from, to - from,
                               r->out + from * classes, &r->met[worker]);
}

crd_status crd__data_logits_read_all(crd_context *ctx, const crd_predictions *predictions,
                                     const crd__data_reading *how, double *out,
                                     crd__data_clipping *met) {
  const size_t rows = crd_predictions_rows(predictions);
  const unsigned workers = crd__parallel_workers(ctx, rows / CHUNK + 1);
  reading_all all = { .predictions = predictions, .how = how, .out = out };
  CRD_TRY(crd__new(ctx, workers, sizeof *all.met, "logits", &all.met));
  const crd_status status = crd__parallel_for(ctx, "reading", rows, CHUNK, read_chunk, &all);
  for (unsigned w = 0; w < workers; w++) crd__data_clipping_merge(met, &all.met[w]);
  crd__free(&ctx->alloc, all.met);
  return status;
}
