/*
 * apply_to.c -- writes calibrated predictions to a file, block by block, in constant memory.
 *
 * The file has all that evaluation needs: probabilities (or confidences), and the labels, weights,
 * groups and names of the predictions, if any. If only the predicted class was calibrated, its
 * probability need not be the largest any more: the arrays confidence and pred_label hold it then.
 * An .npy file has one array, the probabilities.
 *
 * The writer of the file drives the computation: it pulls blocks of each column (io/write.h).
 */
#include "base/memory.h"
#include "calibrator/calibrator.h"
#include "data/array.h"
#include "data/rows.h"
#include "io/format/npy.h"
#include "io/write.h"

enum { ARRAYS_MAX = 8 }; /* besides groups */

typedef struct writing writing;

/* The source of an array of the file. */
typedef struct {
  writing *all;
  const char *name;
  const crd_array *view; /* of the predictions; NULL: computed by the calibrator */
} column;

struct writing {
  const crd_calibrator *calibrator;
  const crd_predictions *predictions;
  crd_dtype dtype;
  crd__io_array *arrays;
  column *columns;
  size_t count;
  /* The last calibrated block: a table writer pulls the same one once for each column. */
  double *probabilities, *confidence;
  size_t *predicted;
  size_t capacity, from, rows;
};

/* ---- Calibrated rows. */

static size_t width(const writing *w) {
  return w->calibrator->classes ? w->calibrator->classes : 1;
}

static void clear(const crd_allocator *alloc, writing *w) {
  crd__free(alloc, w->probabilities);
  crd__free(alloc, w->confidence);
  crd__free(alloc, w->predicted);
  w->probabilities = w->confidence = NULL;
  w->predicted = NULL;
}

static crd_status allocate(crd_context *ctx, writing *w, size_t rows) {
  size_t cells;
  if (rows <= w->capacity) return CRD_OK;
  clear(&ctx->alloc, w);
  w->capacity = w->rows = 0;
  if (!crd__size_mul(rows, width(w), &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof(double), "a block of rows", &w->probabilities));
  CRD_TRY(crd__new(ctx, rows, sizeof(double), "a block of rows", &w->confidence));
  CRD_TRY(crd__new(ctx, rows, sizeof(size_t), "a block of rows", &w->predicted));
  w->capacity = rows;
  return CRD_OK;
}

static crd_status calibrate(crd_context *ctx, writing *w, size_t from, size_t rows) {
  if (w->rows == rows && w->from == from) return CRD_OK;
  CRD_TRY(allocate(ctx, w, rows));
  w->rows = 0;
  CRD_TRY(crd__calibrator_apply_predictions(ctx, w->calibrator, w->predictions, from, rows, NULL,
                                            w->probabilities, w->confidence, w->predicted));
  crd__progress(ctx, "applying", from + rows, crd_predictions_rows(w->predictions));
  w->from = from;
  w->rows = rows;
  return CRD_OK;
}

static void put_numbers(const writing *w, const double *values, size_t count, void *out) {
  double *const wide = out;
  float *const narrow = out;
  for (size_t i = 0; i < count; i++) {
    if (w->dtype == CRD_F32) narrow[i] = (float)values[i];
    else wide[i] = values[i];
  }
}

static crd_status make_probabilities(crd_context *ctx, void *self, size_t from, size_t count,
                                     void *out) {
  writing *const w = ((const column *)self)->all;
  CRD_TRY(calibrate(ctx, w, from, count));
  put_numbers(w, w->probabilities, count * width(w), out);
  return CRD_OK;
}

static crd_status make_confidence(crd_context *ctx, void *self, size_t from, size_t count,
                                  void *out) {
  writing *const w = ((const column *)self)->all;
  CRD_TRY(calibrate(ctx, w, from, count));
  put_numbers(w, w->confidence, count, out);
  return CRD_OK;
}

static crd_status make_predicted(crd_context *ctx, void *self, size_t from, size_t count,
                                 void *out) {
  writing *const w = ((const column *)self)->all;
  int64_t *const to = out;
  CRD_TRY(calibrate(ctx, w, from, count));
  for (size_t i = 0; i < count; i++) to[i] = (int64_t)w->predicted[i];
  return CRD_OK;
}

/* ---- Copied columns. */

/* Converts one-hot rows to class indices, which every format supports; -100 stays. */
static crd_status make_labels(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  const column *const c = self;
  int64_t *const to = out;
  for (size_t i = 0; i < count; i++) {
    size_t label;
    if (crd__data_label_is_ignored(c->all->predictions, from + i)) {
      to[i] = CRD_IGNORE_LABEL;
      continue;
    }
    CRD_TRY(crd__data_labels_read(ctx, c->all->predictions, from + i, 1, &label));
    to[i] = (int64_t)label;
  }
  return CRD_OK;
}

static crd_status make_whole(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  const column *const c = self;
  const crd_predictions *const p = c->all->predictions;
  int64_t *const to = out;
  for (size_t i = 0; i < count; i++)
    if (!crd__data_array_integer(c->view, crd__data_row_at(p, from + i), 0, &to[i]))
      return crd__data_row_fail(ctx, p, c->name, from + i, " is not an integer");
  return CRD_OK;
}

static crd_status make_copy(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  const column *const c = self;
  double *const to = out;
  (void)ctx;
  for (size_t i = 0; i < count; i++)
    to[i] = crd__data_array_number(c->view, crd__data_row_at(c->all->predictions, from + i), 0);
  return CRD_OK;
}

/* ---- The file. */

typedef crd_status maker(crd_context *ctx, void *self, size_t from, size_t count, void *out);

/* Adds an array to the file; skipped if it would copy a column that the predictions lack. */
static void add(writing *w, const char *name, maker *make, crd_dtype dtype, size_t cols,
                const crd_array *view) {
  if (view && !view->data) return;
  column *const c = &w->columns[w->count];
  *c = (column){ w, name, view };
  w->arrays[w->count++] = (crd__io_array){
    .name = name,
    .view = crd_array_matrix(NULL, dtype, crd_predictions_rows(w->predictions), cols),
    .source = { make, c, 0 },
  };
}

static void add_all(writing *w) {
  const crd_predictions_parts *const parts = &w->predictions->parts;
  const bool pairs = w->calibrator->classes == 0;
  add(w, pairs ? "confidence" : "probabilities", make_probabilities, w->dtype, width(w), NULL);
  if (!pairs) w->arrays[0].columns = parts->class_names;
  if (crd_calibrator_is_top(w->calibrator)) {
    add(w, "confidence", make_confidence, w->dtype, 1, NULL);
    add(w, "pred_label", make_predicted, CRD_I64, 1, NULL);
  }
  add(w, "labels", pairs ? make_whole : make_labels, CRD_I64, 1, &parts->labels);
  if (pairs) add(w, "pred_label", make_whole, CRD_I64, 1, &parts->predicted);
  if (pairs) add(w, "correct", make_whole, CRD_I64, 1, &parts->correct);
  add(w, "weights", make_copy, CRD_F64, 1, &parts->weights);
  for (size_t i = 0; i < parts->group_column_count; i++) {
    const crd_group_column *const groups = &parts->group_columns[i];
    add(w, groups->name, make_whole, CRD_I64, 1, &groups->ids);
    w->arrays[w->count - 1].words = groups->names;
    w->arrays[w->count - 1].word_count = groups->name_count;
  }
}

static crd_status write_all(crd_context *ctx, writing *w, const char *path) {
  const size_t most = ARRAYS_MAX + w->predictions->parts.group_column_count;
  CRD_TRY(crd__new(ctx, most, sizeof *w->arrays, "arrays", &w->arrays));
  CRD_TRY(crd__new(ctx, most, sizeof *w->columns, "arrays", &w->columns));
  add_all(w);
  return crd__io_bundle_write(ctx, path, w->arrays, crd__io_npy_is_named(path) ? 1 : w->count);
}

crd_status crd_calibrator_apply_to(crd_context *ctx, const crd_calibrator *calibrator,
                                   const crd_predictions *predictions, crd_dtype dtype,
                                   const char *path) {
  writing w = { .calibrator = calibrator, .predictions = predictions, .dtype = dtype };
  if (dtype != CRD_F32 && dtype != CRD_F64)
    return crd__fail(ctx, CRD_EUSAGE, "probabilities as %s, allowed are f32 and f64",
                     crd_dtype_name(dtype));
  CRD_TRY(crd__calibrator_fits(ctx, calibrator, predictions));
  const crd_status status = write_all(ctx, &w, path);
  clear(&ctx->alloc, &w);
  crd__free(&ctx->alloc, w.arrays);
  crd__free(&ctx->alloc, w.columns);
  return status;
}
