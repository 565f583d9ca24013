/*
 * predictions.c -- a training loss (credence/loss.h) of predictions, as one batch.
 *
 * Logits are used as given, probabilities as their logarithms (0 as 1e-300), like in calibrators.
 * All rows are in memory at once, since a loss may depend on the whole batch.
 */
#include "base/memory.h"
#include "base/options.h"
#include "credence/loss.h"
#include "data/array.h"
#include "data/logits.h"
#include "data/rows.h"
#include "io/write.h"

#include <math.h>

typedef struct {
  const crd_predictions *predictions;
  const int64_t *ignored;
  size_t rows, classes;
  double *logits, *gradient, *shares, *weights; /* shares: soft labels; NULL: none */
  size_t *label;
  size_t floored;
} batch;

static void clear(const crd_allocator *alloc, batch *b) {
  crd__free(alloc, b->logits);
  crd__free(alloc, b->gradient);
  crd__free(alloc, b->shares);
  crd__free(alloc, b->weights);
  crd__free(alloc, b->label);
}

static crd_status check(crd_context *ctx, const crd_predictions *p) {
  if (crd__data_is_top_only(p))
    return crd__fail(ctx, CRD_EINPUT, "%s: found %s only, a loss needs scores of all classes",
                     p->parts.name,
                     p->parts.input == CRD_INPUT_PAIRS ? "confidences" : "a ranking");
  return crd__data_labels_require(ctx, p);
}

/* ---- Labels: class indices, or shares of classes (soft labels, one-hot rows included). */

static bool is_ignored(const crd_predictions *p, size_t row, const int64_t *ignored) {
  int64_t label;
  return ignored && crd__data_cols(&p->parts.labels) == 1 &&
         crd__data_array_integer(&p->parts.labels, crd__data_row_at(p, row), 0, &label) &&
         label == *ignored;
}

/* Adds a row's label to shares[]: 1 to its class, or its share of each. */
static crd_status read_row(crd_context *ctx, const crd_predictions *p, size_t row, double *shares) {
  const crd_array *const labels = &p->parts.labels;
  size_t label;
  if (crd__data_cols(labels) == 1) {
    CRD_TRY(crd__data_labels_read(ctx, p, row, 1, &label));
    shares[label] += 1;
    return CRD_OK;
  }
  double sum = 0;
  for (size_t k = 0; k < p->classes; k++) {
    const double share = crd__data_array_number(labels, crd__data_row_at(p, row), k);
    if (!(share >= 0 && share <= 1))
      return crd__data_row_fail(ctx, p, p->parts.labels_name, row,
                                ", class %zu is not a probability from 0 to 1", k);
    shares[k] += share;
    sum += share;
  }
  if (fabs(sum - 1) <= 1e-4) return CRD_OK;
  return crd__data_row_fail(ctx, p, p->parts.labels_name, row,
                            ": class probabilities do not sum to 1");
}

crd_status crd_predictions_class_counts(crd_context *ctx, const crd_predictions *p,
                                        const int64_t *ignored, double *counts) {
  CRD_TRY(check(ctx, p));
  for (size_t k = 0; k < p->classes; k++) counts[k] = 0;
  for (size_t i = 0; i < p->rows; i++)
    if (!is_ignored(p, i, ignored)) CRD_TRY(read_row(ctx, p, i, counts));
  return CRD_OK;
}

/* ---- A batch of all rows. */

static crd_status allocate(crd_context *ctx, batch *b) {
  size_t cells;
  if (!crd__size_mul(b->rows, b->classes, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof(double), "logits", &b->logits));
  CRD_TRY(crd__new(ctx, cells, sizeof(double), "a gradient", &b->gradient));
  CRD_TRY(crd__new(ctx, b->rows, sizeof(double), "weights", &b->weights));
  if (crd__data_cols(&b->predictions->parts.labels) > 1)
    return crd__new(ctx, cells, sizeof(double), "labels", &b->shares);
  return crd__new(ctx, b->rows, sizeof(size_t), "labels", &b->label);
}

static crd_status read_target(crd_context *ctx, const batch *b, size_t row) {
  const crd_predictions *const p = b->predictions;
  const crd_array *const weights = &p->parts.weights;
  b->weights[row] =
      weights->data ? crd__data_array_number(weights, crd__data_row_at(p, row), 0) : 1;
  if (b->shares) return read_row(ctx, p, row, b->shares + row * b->classes);
  if (!is_ignored(p, row, b->ignored)) return crd__data_labels_read(ctx, p, row, 1, &b->label[row]);
  b->weights[row] = 0;
  return CRD_OK;
}

/* Turns one-hot rows into class indices, which every loss takes; few are defined for soft labels.
 */
static crd_status harden(crd_context *ctx, batch *b) {
  for (size_t i = 0; b->shares && i < b->rows * b->classes; i++)
    if (b->shares[i] != 0 && b->shares[i] != 1) return CRD_OK;
  if (!b->shares) return CRD_OK;
  crd__free(&ctx->alloc, b->shares);
  b->shares = NULL;
  CRD_TRY(crd__new(ctx, b->rows, sizeof(size_t), "labels", &b->label));
  return crd__data_labels_read(ctx, b->predictions, 0, b->rows, b->label);
}

static crd_status read_all(crd_context *ctx, batch *b) {
  CRD_TRY(allocate(ctx, b));
  for (size_t i = 0; i < b->rows; i++) CRD_TRY(read_target(ctx, b, i));
  CRD_TRY(harden(ctx, b));
  const crd__data_reading how = { .scale = CRD__AS_GIVEN,
                                  .floor = crd__data_floor_standard(b->predictions->parts.input) };
  crd__data_clipping met = { 0 };
  CRD_TRY(crd__data_logits_read(ctx, b->predictions, &how, 0, b->rows, b->logits, &met));
  b->floored = met.rows;
  return CRD_OK;
}

static crd_status write_gradient(crd_context *ctx, const batch *b, const crd_loss_reading *how) {
  const size_t cells = b->rows * b->classes;
  float *single = NULL;
  crd_status status = CRD_OK;
  if (how->float32) status = crd__new(ctx, cells, sizeof *single, "a gradient", &single);
  for (size_t i = 0; single && i < cells; i++) single[i] = (float)b->gradient[i];
  const crd__io_array array = {
    .name = "gradient",
    .view = crd_array_matrix(single ? (const void *)single : b->gradient,
                             single ? CRD_F32 : CRD_F64, b->rows, b->classes),
  };
  if (status == CRD_OK) status = crd__io_bundle_write(ctx, how->gradient, &array, 1);
  crd__free(&ctx->alloc, single);
  return status;
}

static crd_status evaluate(crd_context *ctx, const crd_loss *loss, batch *b,
                           const crd_loss_reading *how, crd_loss_value *value) {
  CRD_TRY(read_all(ctx, b));
  const crd_array logits = crd_array_matrix(b->logits, CRD_F64, b->rows, b->classes);
  const crd_dtype index = sizeof(size_t) == 8 ? CRD_U64 : CRD_U32;
  const crd_targets targets = {
    .size = sizeof targets,
    .labels = b->shares ? crd_array_matrix(b->shares, CRD_F64, b->rows, b->classes)
                        : crd_array_matrix(b->label, index, b->rows, 1),
    .weights = crd_array_matrix(b->weights, CRD_F64, b->rows, 1),
  };
  crd_loss_value found;
  CRD_TRY(crd_loss_evaluate(ctx, loss, &logits, &targets, &found, b->gradient));
  if (how->gradient) CRD_TRY(write_gradient(ctx, b, how));
  found.floored = b->floored;
  *value = found;
  return CRD_OK;
}

crd_status crd_loss_predictions(crd_context *ctx, const crd_loss *loss,
                                const crd_predictions *predictions, const crd_loss_reading *how,
                                crd_loss_value *value) {
  crd_loss_reading own;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_loss_reading, how, &own));
  batch b = { .predictions = predictions,
              .ignored = own.ignored,
              .rows = predictions->rows,
              .classes = predictions->classes };
  CRD_TRY(check(ctx, predictions));
  const crd_status status = evaluate(ctx, loss, &b, &own, value);
  clear(&ctx->alloc, &b);
  return status;
}
