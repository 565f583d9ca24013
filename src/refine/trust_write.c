/*
 * trust_write.c -- writes predictions with their TrustScores: ranking (or confidence and
 * trust_score), predicted, the scores, labels, weights and groups.
 */
#include "base/memory.h"
#include "data/array.h"
#include "data/rows.h"
#include "io/write.h"
#include "refine/trust.h"

enum { ARRAYS_MAX = 6 }; /* besides groups */

/* The source of a copied array. */
typedef struct {
  const crd_predictions *predictions;
  const char *name;
  const crd_array *view;
} column;

typedef struct {
  const crd_predictions *predictions;
  crd__io_array *arrays;
  column *columns;
  size_t count;
} writing;

static crd_status copy_numbers(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  const column *const c = self;
  const size_t cols = crd__data_cols(c->view);
  double *const to = out;
  (void)ctx;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < cols; j++)
      to[i * cols + j] =
          crd__data_array_number(c->view, crd__data_row_at(c->predictions, from + i), j);
  return CRD_OK;
}

static crd_status copy_integers(crd_context *ctx, void *self, size_t from, size_t count,
                                void *out) {
  const column *const c = self;
  int64_t *const to = out;
  for (size_t i = 0; i < count; i++)
    if (!crd__data_array_integer(c->view, crd__data_row_at(c->predictions, from + i), 0, &to[i]))
      return crd__data_row_fail(ctx, c->predictions, c->name, from + i, " is not an integer");
  return CRD_OK;
}

/* One-hot rows become class indices. */
static crd_status copy_labels(crd_context *ctx, void *self, size_t from, size_t count, void *out) {
  const column *const c = self;
  int64_t *const to = out;
  if (crd__data_cols(c->view) == 1) return copy_integers(ctx, self, from, count, out);
  for (size_t i = 0; i < count; i++) {
    size_t label;
    CRD_TRY(crd__data_labels_read(ctx, c->predictions, from + i, 1, &label));
    to[i] = (int64_t)label;
  }
  return CRD_OK;
}

typedef crd_status maker(crd_context *ctx, void *self, size_t from, size_t count, void *out);

/* Adds a copy of an array of the predictions; skipped if they lack it. */
static void add_copy(writing *w, const char *name, maker *make, const crd_array *view) {
  if (!view->data) return;
  column *const c = &w->columns[w->count];
  const size_t cols = make == copy_labels ? 1 : crd__data_cols(view);
  *c = (column){ w->predictions, name, view };
  w->arrays[w->count++] = (crd__io_array){
    .name = name,
    .view = crd_array_matrix(NULL, make == copy_numbers ? CRD_F64 : CRD_I64, w->predictions->rows,
                             cols),
    .source = { make, c, 0 },
  };
}

static void add_own(writing *w, const char *name, const void *data, crd_dtype dtype) {
  w->arrays[w->count++] =
      (crd__io_array){ .name = name,
                       .view = crd_array_matrix(data, dtype, w->predictions->rows, 1) };
}

static void add_scores(writing *w) {
  const crd_predictions_parts *const parts = &w->predictions->parts;
  if (w->predictions->classes == 0) return;
  const bool logits = parts->input == CRD_INPUT_LOGITS;
  add_copy(w, logits ? "logits" : "probabilities", copy_numbers, &parts->scores);
  w->arrays[w->count - 1].columns = parts->class_names;
}

static void add_rest(writing *w) {
  const crd_predictions_parts *const parts = &w->predictions->parts;
  add_copy(w, "labels", copy_labels, &parts->labels);
  add_scores(w);
  add_copy(w, "weights", copy_numbers, &parts->weights);
  for (size_t i = 0; i < parts->group_column_count; i++) {
    const crd_group_column *const groups = &parts->group_columns[i];
    add_copy(w, groups->name, copy_integers, &groups->ids);
    w->arrays[w->count - 1].words = groups->names;
    w->arrays[w->count - 1].word_count = groups->name_count;
  }
}

/* ---- The scores of all rows. */

typedef struct {
  double *ranking, *confidence;
  size_t *predicted;
  int64_t *classes;
} scores;

static crd_status calibrate(crd_context *ctx, const crd_calibrator *calibrator, size_t rows,
                            scores *s) {
  crd_predictions *pairs = NULL;
  CRD_TRY(crd__new(ctx, rows, sizeof *s->confidence, "scores", &s->confidence));
  for (size_t i = 0; i < rows; i++) s->confidence[i] = s->ranking[i] / (1 + s->ranking[i]);
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(s->confidence, CRD_F64, rows, 1),
                                        .input = CRD_INPUT_PAIRS,
                                        .labels_optional = 1,
                                        .scores_name = "TrustScore" };
  crd_status status = crd_predictions_create(ctx, &parts, &pairs);
  if (status == CRD_OK)
    status = crd_calibrator_apply(ctx, calibrator, pairs, 0, rows, NULL, s->confidence, NULL);
  crd_predictions_destroy(pairs);
  return status;
}

static crd_status compute(crd_context *ctx, const crd_trust *trust,
                          const crd_calibrator *calibrator, const crd_predictions *p, scores *s) {
  CRD_TRY(crd__new(ctx, p->rows, sizeof *s->ranking, "scores", &s->ranking));
  CRD_TRY(crd__new(ctx, p->rows, sizeof *s->predicted, "predicted classes", &s->predicted));
  CRD_TRY(crd__new(ctx, p->rows, sizeof *s->classes, "predicted classes", &s->classes));
  CRD_TRY(crd_trust_score(ctx, trust, p, s->ranking, s->predicted));
  for (size_t i = 0; i < p->rows; i++) s->classes[i] = (int64_t)s->predicted[i];
  return calibrator ? calibrate(ctx, calibrator, p->rows, s) : CRD_OK;
}

static crd_status write_all(crd_context *ctx, const scores *s, writing *w, const char *path) {
  const size_t most = ARRAYS_MAX + w->predictions->parts.group_column_count;
  CRD_TRY(crd__new(ctx, most, sizeof *w->arrays, "arrays", &w->arrays));
  CRD_TRY(crd__new(ctx, most, sizeof *w->columns, "arrays", &w->columns));
  if (s->confidence) add_own(w, "confidence", s->confidence, CRD_F64);
  add_own(w, s->confidence ? "trust_score" : "ranking", s->ranking, CRD_F64);
  add_own(w, "predicted", s->classes, CRD_I64);
  add_rest(w);
  return crd__io_bundle_write(ctx, path, w->arrays, w->count);
}

crd_status crd_trust_apply_to(crd_context *ctx, const crd_trust *trust,
                              const crd_calibrator *calibrator, const crd_predictions *predictions,
                              const char *path) {
  writing w = { .predictions = predictions };
  scores s = { 0 };
  crd_status status = compute(ctx, trust, calibrator, predictions, &s);
  if (status == CRD_OK) status = write_all(ctx, &s, &w, path);
  void *const owned[] = { s.ranking, s.confidence, s.predicted, s.classes, w.arrays, w.columns };
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(&ctx->alloc, owned[i]);
  return status;
}
