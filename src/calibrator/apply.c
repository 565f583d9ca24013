/* apply.c -- calibrates rows into the caller's memory, or into new predictions. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "calibrator/calibrator.h"
#include "data/array.h"
#include "data/rows.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };

size_t crd__calibrator_argmax(const double *row, size_t classes) {
  size_t top = 0;
  for (size_t k = 1; k < classes; k++)
    if (row[k] > row[top]) top = k;
  return top;
}

void crd__calibrator_keep_argmax(double *row, size_t classes, size_t top) {
  const size_t now = crd__calibrator_argmax(row, classes);
  if (now != top) row[top] = nextafter(row[now], 2);
}

void crd__calibrator_apply_rows(const crd_calibrator *calibrator, const double *logits,
                                const double *features, size_t rows, double *out) {
  const crd__calibrator_model model = crd__calibrator_model_of(calibrator);
  if (calibrator->method->event)
    crd__calibrator_event_apply(calibrator->method, &model, logits, features, rows, out);
  else calibrator->method->apply(&model, logits, rows, out);
}

crd_status crd__calibrator_check_input(crd_context *ctx, const crd_calibrator *c,
                                       const crd_predictions *p) {
  const bool other = c->input != p->parts.input;
  CRD_TRY(crd__data_ranking_refuse(ctx, p, "calibration"));
  if (!c->classes != !p->classes)
    return crd__fail(ctx, CRD_EINPUT, "%s: %s, the calibrator was fitted on %s", p->parts.name,
                     p->classes ? "scores of all classes" : "confidences alone",
                     p->classes ? "confidences alone" : "scores of all classes");
  if (c->classes != p->classes)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: %zu classes, the calibrator was fitted on predictions of %zu",
                     p->parts.name, p->classes, c->classes);
  if (other && c->method->scale == CRD__AS_GIVEN)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: %s, but %s was fitted on %s, which differ by more than a constant",
                     p->parts.name, crd_input_name(p->parts.input), c->method->info.name,
                     crd_input_name(c->input));
  return crd__calibrator_features_check(ctx, &c->method->info, c->width, p);
}

typedef struct {
  const crd_calibrator *calibrator;
  const crd_predictions *predictions;
  crd__data_reading how;
  size_t first;
  double *logits, *mapped; /* CHUNK x classes for each worker; mapped: if `probabilities` is NULL */
  double *features;        /* CHUNK x width */
  double *probabilities, *confidence;
  size_t *predicted;
} application;

/* Writes one row's results to the caller's arrays. */
static void hand_out(const application *a, size_t at, const double *logits, const double *row,
                     size_t classes) {
  const bool pairs = a->calibrator->classes == 0;
  const size_t top =
      crd__calibrator_argmax(crd_calibrator_is_top(a->calibrator) ? logits : row, classes);
  if (pairs && a->probabilities) a->probabilities[at] = row[1];
  if (a->confidence) a->confidence[at] = pairs ? row[1] : row[top];
  if (a->predicted) a->predicted[at] = top;
}

static crd_status apply_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from,
                              size_t to) {
  const application *const a = arg;
  const size_t classes = crd__calibrator_model_of(a->calibrator).classes;
  const bool in_place = a->probabilities && a->calibrator->classes > 0;
  double *const logits = a->logits + (size_t)worker * CHUNK * classes;
  double *const features = a->features + (size_t)worker * CHUNK * a->calibrator->width;
  double *const out =
      in_place ? a->probabilities + from * classes : a->mapped + (size_t)worker * CHUNK * classes;
  crd__data_clipping met = { 0 };
  CRD_TRY(crd__data_logits_read(ctx, a->predictions, &a->how, a->first + from, to - from, logits,
                                &met));
  if (a->calibrator->width)
    CRD_TRY(
        crd__calibrator_features_read(ctx, a->predictions, a->first + from, to - from, features));
  crd__calibrator_apply_rows(a->calibrator, logits, features, to - from, out);
  for (size_t i = from; i < to; i++)
    hand_out(a, i, logits + (i - from) * classes, out + (i - from) * classes, classes);
  return CRD_OK;
}

crd_status crd__calibrator_apply_predictions(crd_context *ctx, const crd_calibrator *calibrator,
                                             const crd_predictions *predictions, size_t from,
                                             size_t count, const char *stage, double *probabilities,
                                             double *confidence, size_t *predicted) {
  const size_t cells = CHUNK * crd__calibrator_model_of(calibrator).classes;
  const unsigned workers = crd__parallel_workers(ctx, count / CHUNK + 1);
  application a = { .calibrator = calibrator,
                    .predictions = predictions,
                    .how = { .scale = calibrator->method->scale,
                             .floor = crd__calibrator_floor(calibrator) },
                    .first = from,
                    .probabilities = probabilities,
                    .confidence = confidence,
                    .predicted = predicted };
  size_t wide;
  CRD_TRY(crd__calibrator_check_input(ctx, calibrator, predictions));
  if (!crd__size_mul((size_t)workers * CHUNK, calibrator->width, &wide)) wide = SIZE_MAX;
  crd_status status = crd__new(ctx, workers * cells, sizeof *a.logits, "logits", &a.logits);
  if (status == CRD_OK)
    status = crd__new(ctx, workers * cells, sizeof *a.mapped, "probabilities", &a.mapped);
  if (status == CRD_OK) status = crd__new(ctx, wide, sizeof *a.features, "features", &a.features);
  if (status == CRD_OK) status = crd__parallel_for(ctx, stage, count, CHUNK, apply_chunk, &a);
  crd__free(&ctx->alloc, a.logits);
  crd__free(&ctx->alloc, a.mapped);
  crd__free(&ctx->alloc, a.features);
  return status;
}

crd_status crd_calibrator_apply(crd_context *ctx, const crd_calibrator *calibrator,
                                const crd_predictions *predictions, size_t from, size_t count,
                                double *probabilities, double *confidence, size_t *predicted) {
  const size_t rows = crd_predictions_rows(predictions);
  if (from > rows || count > rows - from)
    return crd__fail(ctx, CRD_EUSAGE, "%zu rows from row %zu on, found %zu rows in %s", count, from,
                     rows, crd_predictions_name(predictions));
  return crd__calibrator_apply_predictions(ctx, calibrator, predictions, from, count, "applying",
                                           probabilities, confidence, predicted);
}

/* ---- New predictions. */

/* The memory that calibrated predictions refer to. */
typedef struct {
  double *probabilities, *confidence, *weights;
  int weight_shift; /* of the weights as they are read (data/predictions.h) */
  size_t *predicted;
  int64_t *labels, *groups; /* groups: column-major */
  unsigned char *correct;
  crd_group_column *columns; /* with copied names */
  size_t column_count;
  char **class_names;
} storage;

static void release(const crd_allocator *alloc, void *keeper) {
  storage *const s = keeper;
  for (size_t i = 0; i < s->column_count; i++)
    crd__free(alloc, (void *)(uintptr_t)s->columns[i].names);
  void *const owned[] = { s->probabilities, s->confidence, s->weights, s->predicted,   s->labels,
                          s->groups,        s->correct,    s->columns, s->class_names, s };
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(alloc, owned[i]);
}

static crd_status copy_groups(crd_context *ctx, const crd_predictions *p, storage *s) {
  const size_t rows = crd_predictions_rows(p);
  for (size_t c = 0; c < p->parts.group_column_count; c++) {
    const crd_group_column *const column = &p->parts.group_columns[c];
    int64_t *const to = s->groups + c * rows;
    for (size_t row = 0; row < rows; row++)
      if (!crd__data_array_integer(&column->ids, crd__data_row_at(p, row), 0, &to[row]))
        return crd__data_row_fail(ctx, p, column->name, row, " is not an integer");
  }
  return CRD_OK;
}

/* Copies weights, and labels or correctness, as the row reader returns them. */
static crd_status copy_block(crd_context *ctx, void *self, const crd__data_rows *rows) {
  const storage *const s = self;
  (void)ctx;
  for (size_t i = 0; i < rows->count; i++) {
    const size_t row = rows->first + i;
    if (rows->label) s->labels[row] = (int64_t)rows->label[i];
    else s->correct[row] = rows->correct[i];
    if (s->weights) s->weights[row] = ldexp(rows->weight[i], -s->weight_shift);
  }
  return CRD_OK;
}

static crd_status make_storage(crd_context *ctx, const crd_calibrator *c, const crd_predictions *p,
                               storage *s) {
  const size_t rows = crd_predictions_rows(p);
  const bool top = crd_calibrator_is_top(c);
  const size_t columns = p->parts.group_column_count;
  size_t cells, ids;
  s->weight_shift = p->weight_shift;
  if (!crd__size_mul(rows, c->classes ? c->classes : 1, &cells)) cells = SIZE_MAX;
  if (!crd__size_mul(rows, columns, &ids)) ids = SIZE_MAX;
  const struct {
    bool wanted;
    size_t count, size;
    void *at;
  } arrays[] = {
    { true, cells, sizeof(double), &s->probabilities },
    { top, rows, sizeof(double), &s->confidence },
    { top, rows, sizeof(size_t), &s->predicted },
    { p->parts.weights.data != NULL, rows, sizeof(double), &s->weights },
    { columns > 0, ids, sizeof(int64_t), &s->groups },
    { columns > 0, columns, sizeof(crd_group_column), &s->columns },
    { c->classes > 0, rows, sizeof(int64_t), &s->labels },
    { c->classes == 0, rows, 1, &s->correct },
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (arrays[i].wanted)
      CRD_TRY(crd__new(ctx, arrays[i].count, arrays[i].size, "predictions", arrays[i].at));
  return CRD_OK;
}

static crd_status copy_names(crd_context *ctx, const char *const *names, size_t count,
                             char ***out) {
  crd__text text;
  if (!names) return CRD_OK;
  crd__text_init(&text, &ctx->alloc);
  for (size_t i = 0; i < count; i++) crd__text_add_bytes(&text, names[i], strlen(names[i]) + 1);
  const crd_status status = crd__text_strings(ctx, &text, count, out);
  crd__text_clear(&text);
  return status;
}

static crd_status copy_all_names(crd_context *ctx, const crd_predictions *p, storage *s) {
  const crd_predictions_parts *const parts = &p->parts;
  const size_t rows = crd_predictions_rows(p);
  for (size_t c = 0; c < parts->group_column_count; c++) {
    const crd_group_column *const from = &parts->group_columns[c];
    char **names = NULL;
    CRD_TRY(copy_names(ctx, from->names, from->name_count, &names));
    s->columns[s->column_count++] =
        (crd_group_column){ from->name, crd_array_matrix(s->groups + c * rows, CRD_I64, rows, 1),
                            (const char *const *)names, from->name_count };
  }
  return copy_names(ctx, parts->class_names, parts->class_name_count, &s->class_names);
}

static crd_array column(const void *data, crd_dtype dtype, size_t rows) {
  return data ? crd_array_matrix(data, dtype, rows, 1) : (crd_array){ 0 };
}

static crd_predictions_parts parts_of(const crd_calibrator *c, const crd_predictions *p,
                                      const storage *s) {
  const size_t rows = crd_predictions_rows(p);
  return (crd_predictions_parts){
    .size = sizeof(crd_predictions_parts),
    .scores = crd_array_matrix(s->probabilities, CRD_F64, rows, c->classes ? c->classes : 1),
    .labels = column(s->labels, CRD_I64, rows),
    .correct = column(s->correct, CRD_U8, rows),
    .confidence = column(s->confidence, CRD_F64, rows),
    .predicted = column(s->predicted, CRD_U64, rows),
    .weights = column(s->weights, CRD_F64, rows),
    .group_columns = s->columns,
    .group_column_count = s->column_count,
    .cluster = "none", /* clusters are shared below, once the rows exist */
    .class_names = (const char *const *)s->class_names,
    .class_name_count = p->parts.class_name_count,
    .input = c->classes ? CRD_INPUT_PROBABILITIES : CRD_INPUT_PAIRS,
    .trusted = 1,
    .binary = p->parts.binary,
    .name = p->parts.name,
    .first_row = p->parts.first_row,
  };
}

crd_status crd_calibrator_calibrate(crd_context *ctx, const crd_calibrator *calibrator,
                                    const crd_predictions *predictions, crd_predictions **out) {
  storage *s;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *s, "predictions", &s));
  crd_status status = make_storage(ctx, calibrator, predictions, s);
  if (status == CRD_OK)
    status =
        crd_calibrator_apply(ctx, calibrator, predictions, 0, crd_predictions_rows(predictions),
                             s->probabilities, s->confidence, s->predicted);
  if (status == CRD_OK) status = crd__data_rows_walk(ctx, predictions, 0, copy_block, s);
  if (status == CRD_OK) status = copy_groups(ctx, predictions, s);
  if (status == CRD_OK) status = copy_all_names(ctx, predictions, s);
  const crd_predictions_parts parts = parts_of(calibrator, predictions, s);
  if (status == CRD_OK) status = crd_predictions_create(ctx, &parts, out);
  if (status != CRD_OK) {
    release(&ctx->alloc, s);
    return status;
  }
  (*out)->keeper = s;
  (*out)->release = release;
  status = crd_predictions_share_clusters(ctx, *out, predictions);
  if (status == CRD_OK) return CRD_OK;
  crd_predictions_destroy(*out);
  *out = NULL;
  return status;
}
