/*
 * recalibrate.c -- recalibrates rows by cross-validation: the losses that remain are refinement.
 *
 * Each fold is recalibrated by a calibrator fitted on the other folds. The loss after that is the
 * refinement of the scores, up to what the method cannot correct and what its fit costs; the
 * decrease is their calibration error (metric/recalibrated.h). Neither needs bins.
 *
 * The top-1 loss is that of the class predicted before: recalibration may predict another one, and
 * two different events would not be comparable.
 *
 * Berta, Holzmueller, Jordan, Bach: Rethinking early stopping: refine, then calibrate (2025).
 */
#include "base/memory.h"
#include "base/options.h"
#include "credence/calibrator.h"
#include "credence/evaluate.h"
#include "data/array.h"
#include "data/groups.h"
#include "data/rows.h"

#include <math.h>
#include <stdio.h>

enum { FOLDS = 5 };

typedef struct {
  const crd_predictions *predictions;
  const char *method, *settings;
  unsigned folds;
  const unsigned *fold; /* of each row */
  double *losses;       /* of each row of the views, x CRD__LOSSES */
} task;

/* ---- The losses of one fold. */

typedef struct {
  const task *task;
  const crd_predictions *part;
  const crd_calibrator *calibrator;
  double *probabilities, *confidence; /* of a block of rows, after recalibration */
  double *scores;                     /* scratch buffer of one row */
} held_out;

/* Returns the class whose probability is the row's confidence before recalibration. */
static size_t judged_class(const held_out *h, size_t row) {
  const crd_predictions *const p = h->part;
  const size_t at = crd__data_row_at(p, row);
  crd__math_row_summary summary;
  crd__math_row_type type;
  int64_t predicted;
  if (p->classes == 2 && p->parts.binary == CRD_BINARY_POS) return 1;
  if (p->parts.confidence.data && p->parts.predicted.data &&
      crd__data_array_integer(&p->parts.predicted, at, 0, &predicted) && predicted >= 0 &&
      (uint64_t)predicted < p->classes)
    return (size_t)predicted;
  const void *const scores = crd__data_score_rows(p, row, 1, h->scores, &type);
  crd__math_row_kernels_best()->peaks(scores, type, 1, p->classes, &summary);
  return summary.argmax;
}

/* Computes the losses of row i of a block with true class `label`. */
static void measure(const held_out *h, const crd__data_rows *rows, size_t i, double *out) {
  const size_t classes = rows->classes, label = rows->label[i];
  const double *const p = h->probabilities + i * classes;
  double brier = 0;
  for (size_t k = 0; k < classes; k++) {
    const double error = p[k] - (k == label ? 1 : 0);
    brier += error * error;
  }
  const double confidence =
      crd_calibrator_is_top(h->calibrator) ? h->confidence[i] : p[judged_class(h, rows->first + i)];
  const double error = confidence - rows->correct[i];
  out[CRD__LOSS_NLL] = -log(fmin(fmax(p[label], CRD__LEAST_PROBABILITY), 1));
  out[CRD__LOSS_BRIER] = brier;
  out[CRD__LOSS_TOP] = error * error;
}

static crd_status take_block(crd_context *ctx, void *self, const crd__data_rows *rows) {
  const held_out *const h = self;
  CRD_TRY(crd_calibrator_apply(ctx, h->calibrator, h->part, rows->first, rows->count,
                               h->probabilities, h->confidence, NULL));
  for (size_t i = 0; i < rows->count; i++) {
    double *const out = h->task->losses + CRD__LOSSES * crd__data_row_at(h->part, rows->first + i);
    const double error = h->probabilities[i] - rows->correct[i];
    if (rows->label) measure(h, rows, i, out);
    else out[CRD__LOSS_TOP] = error * error; /* pairs: nothing else is known */
  }
  return CRD_OK;
}

static crd_status measure_part(crd_context *ctx, const task *t, const crd_predictions *part,
                               const crd_calibrator *calibrator) {
  const size_t width = part->classes ? part->classes : 1;
  held_out h = { .task = t, .part = part, .calibrator = calibrator };
  size_t cells;
  if (!crd__size_mul(width, CRD__BLOCK_ROWS, &cells)) cells = SIZE_MAX;
  crd_status status = crd__new(ctx, cells, sizeof(double), "probabilities", &h.probabilities);
  if (status == CRD_OK)
    status = crd__new(ctx, CRD__BLOCK_ROWS, sizeof(double), "rows", &h.confidence);
  if (status == CRD_OK) status = crd__new(ctx, width, sizeof(double), "a row", &h.scores);
  if (status == CRD_OK) status = crd__data_rows_walk(ctx, part, 0, take_block, &h);
  crd__free(&ctx->alloc, h.probabilities);
  crd__free(&ctx->alloc, h.confidence);
  crd__free(&ctx->alloc, h.scores);
  return status;
}

/* ---- Folds. */

/* Picks the rows of a fold, or all others. */
static crd_status pick(crd_context *ctx, const task *t, unsigned which, bool others,
                       crd_predictions **out) {
  size_t *chosen, count = 0;
  CRD_TRY(crd__new(ctx, t->predictions->rows, sizeof *chosen, "rows", &chosen));
  for (size_t i = 0; i < t->predictions->rows; i++)
    if ((t->fold[i] == which) != others) chosen[count++] = i;
  const crd_status status = crd__data_predictions_pick(ctx, t->predictions, chosen, count, out);
  crd__free(&ctx->alloc, chosen);
  return status;
}

static crd_status run_fold(crd_context *ctx, const task *t, unsigned which) {
  crd_predictions *train = NULL, *part = NULL;
  crd_calibrator *calibrator = NULL;
  crd_status status = pick(ctx, t, which, true, &train);
  if (status == CRD_OK) status = pick(ctx, t, which, false, &part);
  if (status == CRD_OK)
    status = crd_calibrator_fit(ctx, t->method, t->settings, train, &calibrator);
  if (status == CRD_OK) status = measure_part(ctx, t, part, calibrator);
  crd_calibrator_destroy(calibrator);
  crd_predictions_destroy(part);
  crd_predictions_destroy(train);
  return status;
}

/* Sets *out to the number of rows, or of clusters, which stay together. */
static crd_status count_units(crd_context *ctx, const crd_predictions *p, size_t *out) {
  crd__data_groups groups;
  *out = p->rows;
  if (!p->cluster_keys) return CRD_OK;
  CRD_TRY(crd__data_groups_together(ctx, p, &groups));
  *out = groups.count;
  crd__data_groups_clear(&ctx->alloc, &groups);
  return CRD_OK;
}

/* Assigns rows to t->folds folds, or fewer where there are fewer rows or clusters. */
static crd_status deal(crd_context *ctx, task *t, unsigned *fold) {
  const crd_predictions *const p = t->predictions;
  size_t units;
  CRD_TRY(count_units(ctx, p, &units));
  if (units < 2)
    return crd__fail(ctx, CRD_EINPUT, "%s: one %s cannot be divided into folds", p->parts.name,
                     p->cluster_keys ? "cluster" : "row");
  if (units < t->folds) t->folds = (unsigned)units;
  const crd_split split = p->cluster_keys ? CRD_SPLIT_GROUPS
                          : p->classes    ? CRD_SPLIT_CLASSES
                                          : CRD_SPLIT_ROWS;
  return crd_predictions_split(ctx, p, split, t->folds, fold);
}

static crd_status run_folds(crd_context *ctx, task *t) {
  CRD_TRY(crd__data_labels_require(ctx, t->predictions));
  for (unsigned f = 0; f < t->folds; f++) {
    crd__progress(ctx, "recalibrating", f, t->folds);
    CRD_TRY(run_fold(ctx, t, f));
  }
  return CRD_OK;
}

static crd_status check(crd_context *ctx, const crd_predictions *p, const crd_recalibration *how) {
  if (how->folds == 1) return crd__fail(ctx, CRD_EUSAGE, "1 fold, allowed are 2 or more");
  for (size_t i = 0; how->fold && i < p->rows; i++)
    if (how->fold[i] >= (how->folds ? how->folds : FOLDS))
      return crd__fail(ctx, CRD_EUSAGE, "row %zu is in fold %u of %u", i, how->fold[i],
                       how->folds ? how->folds : FOLDS);
  return CRD_OK;
}

/* Computes t->losses. */
static crd_status recalibrate(crd_context *ctx, const crd_recalibration *how, task *t) {
  unsigned *fold = NULL;
  t->fold = how->fold;
  if (!how->fold) CRD_TRY(crd__new(ctx, t->predictions->rows, sizeof *fold, "folds", &fold));
  crd_status status = how->fold ? CRD_OK : deal(ctx, t, fold);
  if (fold) t->fold = fold;
  if (status == CRD_OK) status = run_folds(ctx, t);
  crd__free(&ctx->alloc, fold);
  return status;
}

/* Replaces the losses of an earlier recalibration, which t->losses are afterwards. */
static void keep(crd_predictions *p, task *t, bool done) {
  double *const before = p->owns_recalibrated ? p->recalibrated : NULL;
  p->recalibrated = done ? t->losses : NULL;
  p->owns_recalibrated = done;
  if (!done) {
    crd__free(&p->alloc, before);
    return;
  }
  t->losses = before;
  snprintf(p->recalibration, sizeof p->recalibration,
           "refinement and calibration: rows recalibrated by %s in %u folds", t->method, t->folds);
}

crd_status crd_predictions_recalibrate(crd_context *ctx, crd_predictions *predictions,
                                       const crd_recalibration *how) {
  crd_predictions *const p = predictions;
  crd_recalibration own;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_recalibration, how, &own));
  how = &own;
  task t = { .predictions = p,
             .method = how->method ? how->method : "temperature",
             .settings = how->settings,
             .folds = how->folds ? how->folds : FOLDS };
  size_t cells;
  CRD_TRY(check(ctx, p, how));
  if (!crd__size_mul(crd__data_rows_of(&p->parts.scores), CRD__LOSSES, &cells)) cells = SIZE_MAX;
  t.losses = crd__calloc(&p->alloc, cells, sizeof *t.losses); /* the predictions will own them */
  if (!t.losses) return crd__fail(ctx, CRD_ENOMEM, "no memory for losses");
  const crd_status status = recalibrate(ctx, how, &t);
  const bool hopeless = status == CRD_EINPUT || status == CRD_ENUMERIC;
  if (hopeless)
    snprintf(p->recalibration, sizeof p->recalibration, "rows cannot be recalibrated: %.200s",
             crd_context_message(ctx));
  if (status == CRD_OK || hopeless) keep(p, &t, status == CRD_OK);
  crd__free(&p->alloc, t.losses);
  return hopeless ? CRD_OK : status;
}
