/* save.c -- writes which rows each operating point accepts. */
#include "base/memory.h"
#include "base/number.h"
#include "credence/operating.h"
#include "data/array.h"
#include "data/rows.h"
#include "io/write.h"
#include "selective/halves.h"
#include "selective/sample.h"

#include <stdio.h>

/* One element for each row. */
typedef struct {
  int64_t *row, *predicted;
  double *confidence;
  unsigned char *measured;
  unsigned char *accepted; /* by point, then row */
} columns;

typedef struct {
  const crd_operating_table *table;
  const crd_predictions *predictions;
  bool has_predicted;
  columns *out;
} writing;

/* The class of the largest probability besides the true one, which was not predicted. */
static size_t best_other(const double *probabilities, size_t classes, size_t label) {
  size_t best = label ? 0 : 1;
  for (size_t k = best + 1; k < classes; k++)
    if (k != label && probabilities[k] > probabilities[best]) best = k;
  return best;
}

static crd_status predicted_of(crd_context *ctx, const writing *w, const crd__data_rows *rows,
                               size_t i, int64_t *out) {
  const crd_predictions *const p = w->predictions;
  if (!w->has_predicted) return CRD_OK;
  if (p->parts.predicted.data) {
    if (crd__data_array_integer(&p->parts.predicted, crd__data_row_at(p, rows->first + i), 0, out))
      return CRD_OK;
    return crd__data_row_fail(ctx, p, "predicted labels", rows->first + i, " is not an integer");
  }
  *out = (int64_t)(rows->hit[i] ? rows->label[i]
                                : best_other(rows->probabilities + i * rows->classes, rows->classes,
                                             rows->label[i]));
  return CRD_OK;
}

static crd_status take(crd_context *ctx, void *self, const crd__data_rows *rows) {
  const writing *const w = self;
  const crd_predictions *const p = w->predictions;
  for (size_t i = 0; i < rows->count; i++) {
    const size_t at = rows->first + i;
    const double confidence = crd__selective_confidence(p, rows->confidence[i]);
    w->out->row[at] = (int64_t)(p->parts.first_row + crd__data_row_at(p, at));
    w->out->confidence[at] = confidence;
    CRD_TRY(predicted_of(ctx, w, rows, i, &w->out->predicted[at]));
    for (size_t t = 0; t < w->table->count; t++)
      w->out->accepted[t * crd_predictions_rows(p) + at] =
          confidence >= w->table->items[t].threshold; /* never for NaN */
  }
  return CRD_OK;
}

/* Marks the rows of the half that measures; with the bootstrap, all. */
static crd_status mark_measured(crd_context *ctx, const writing *w) {
  const size_t rows = crd_predictions_rows(w->predictions);
  crd__selective_halves halves = { 0 };
  if (w->table->guarantee == CRD_GUARANTEE_HELD_OUT)
    CRD_TRY(crd__selective_halves_make(ctx, w->predictions, &halves));
  for (size_t i = 0; i < rows; i++) w->out->measured[i] = halves.half ? halves.half[i] == 1 : 1;
  crd__selective_halves_clear(&ctx->alloc, &halves);
  return CRD_OK;
}

static crd_status allocate(crd_context *ctx, size_t rows, size_t points, columns *out) {
  CRD_TRY(crd__new(ctx, rows, sizeof *out->row, "accepted rows", &out->row));
  CRD_TRY(crd__new(ctx, rows, sizeof *out->predicted, "accepted rows", &out->predicted));
  CRD_TRY(crd__new(ctx, rows, sizeof *out->confidence, "accepted rows", &out->confidence));
  CRD_TRY(crd__new(ctx, rows, sizeof *out->measured, "accepted rows", &out->measured));
  return crd__new(ctx, rows, points, "accepted rows", &out->accepted);
}

enum { NAME_SIZE = 32 + CRD__NUMBER_SIZE, FIXED = 4 };

static crd__io_array column(const char *name, const void *data, crd_dtype type, size_t rows) {
  return (crd__io_array){ .name = name, .view = crd_array_matrix(data, type, rows, 1) };
}

static void name_point(const crd_operating_table *t, size_t index, char name[NAME_SIZE]) {
  char value[CRD__NUMBER_SIZE];
  const crd_target *const target = &t->items[index].target;
  snprintf(name, NAME_SIZE, "accepted");
  if (t->count > 1)
    snprintf(name, NAME_SIZE, "accepted_%s_%s",
             target->kind == CRD_TARGET_RISK ? "risk" : "coverage",
             crd__number_format(value, target->value));
}

static crd_status put(crd_context *ctx, const writing *w, const char *path) {
  const size_t rows = crd_predictions_rows(w->predictions), points = w->table->count;
  const columns *const c = w->out;
  crd__io_array *arrays = NULL;
  char(*names)[NAME_SIZE] = NULL;
  size_t count = 0;
  crd_status status = crd__new(ctx, points + FIXED, sizeof *arrays, "accepted rows", &arrays);
  if (status == CRD_OK) status = crd__new(ctx, points, sizeof *names, "accepted rows", &names);
  if (status == CRD_OK) {
    arrays[count++] = column("row", c->row, CRD_I64, rows);
    if (w->has_predicted) arrays[count++] = column("predicted", c->predicted, CRD_I64, rows);
    arrays[count++] = column("confidence", c->confidence, CRD_F64, rows);
    for (size_t t = 0; t < points; t++) {
      name_point(w->table, t, names[t]);
      arrays[count++] = column(names[t], c->accepted + t * rows, CRD_U8, rows);
    }
    arrays[count++] = column("measured", c->measured, CRD_U8, rows);
    status = crd__io_bundle_write(ctx, path, arrays, count);
  }
  crd__free(&ctx->alloc, arrays);
  crd__free(&ctx->alloc, names);
  return status;
}

crd_status crd_operating_save(crd_context *ctx, const crd_operating_table *table,
                              const crd_predictions *predictions, const char *path) {
  columns c = { 0 };
  const bool given = predictions->parts.predicted.data != NULL;
  const writing w = { table, predictions, given || predictions->classes > 0, &c };
  const unsigned needs = w.has_predicted && !given ? CRD__NEED_PROBABILITIES : 0;
  crd_status status = allocate(ctx, crd_predictions_rows(predictions), table->count, &c);
  if (status == CRD_OK)
    status = crd__data_rows_walk(ctx, predictions, needs, take, (void *)(uintptr_t)&w);
  if (status == CRD_OK) status = mark_measured(ctx, &w);
  if (status == CRD_OK) status = put(ctx, &w, path);
  crd__free(&ctx->alloc, c.row);
  crd__free(&ctx->alloc, c.predicted);
  crd__free(&ctx->alloc, c.confidence);
  crd__free(&ctx->alloc, c.measured);
  crd__free(&ctx->alloc, c.accepted);
  return status;
}
