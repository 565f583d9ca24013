/*
 * trust_score.c -- the TrustScores of predictions: blocks of rows against the rows of each class,
 * by exact nearest neighbours (math/neighbours.h), and isotonic regression of correctness on them.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "data/array.h"
#include "data/rows.h"
#include "math/neighbours.h"
#include "refine/trust.h"

#include <math.h>

enum { CHUNK = 64 };

/* Added to the distance of the predicted class, as in the authors' code. */
static const double least_distance = 1e-12;

/* ---- Predicted classes. */

static crd_status read_stored(crd_context *ctx, const crd_predictions *p, size_t from, size_t count,
                              size_t *out) {
  for (size_t i = 0; i < count; i++) {
    int64_t label;
    const size_t at = crd__data_row_at(p, from + i);
    if (!crd__data_array_integer(&p->parts.predicted, at, 0, &label) || label < 0)
      return crd__data_row_fail(ctx, p, "predicted labels", from + i, " is not a class index");
    out[i] = (size_t)label;
  }
  return CRD_OK;
}

crd_status crd__refine_predicted(crd_context *ctx, const crd_predictions *p, size_t from,
                                 size_t count, size_t *out) {
  const crd__math_row_kernels *const kernels = crd__math_row_kernels_best();
  crd__math_row_summary summary;
  crd__math_row_type type;
  double *scratch;
  if (p->parts.predicted.data) return read_stored(ctx, p, from, count, out);
  if (p->classes == 0)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: no predicted classes, TrustScore needs them or scores of all classes",
                     p->parts.name);
  CRD_TRY(crd__new(ctx, p->classes, sizeof *scratch, "a row", &scratch));
  crd_status status = CRD_OK;
  for (size_t i = 0; i < count && status == CRD_OK; i++) {
    const void *const row = crd__data_score_rows(p, from + i, 1, scratch, &type);
    const bool logits = p->parts.input == CRD_INPUT_LOGITS;
    (logits ? kernels->logits : kernels->probabilities)(row, type, 1, p->classes, 0, &summary);
    status = crd__data_scores_check(ctx, p, from + i, &summary);
    out[i] = summary.argmax;
  }
  crd__free(&ctx->alloc, scratch);
  return status;
}

/* ---- Scores. */

typedef struct {
  const crd_trust *trust;
  const crd_predictions *predictions;
  double *features; /* CHUNK x width for each worker */
  double *squares;  /* CHUNK x neighbour */
  double *own;      /* CHUNK: squared distances to the predicted class */
  double *out;      /* of each row: those to the nearest other class, then the scores */
  size_t *predicted;
} scoring;

/* Takes the distances of `count` rows to one class. */
static void take_class(const scoring *s, size_t class, const double *squares, size_t wanted,
                       size_t from, size_t count, double *own) {
  for (size_t i = 0; i < count; i++) {
    const double square = squares[i * wanted + wanted - 1];
    double *const to = s->predicted[from + i] == class ? &own[i] : &s->out[from + i];
    *to = fmin(*to, square);
  }
}

static crd_status read_features(crd_context *ctx, const scoring *s, size_t from, size_t count,
                                double *out) {
  const crd_predictions *const p = s->predictions;
  const size_t width = s->trust->summary.width;
  for (size_t i = 0; i < count; i++) {
    CRD_TRY(crd__data_features_row(ctx, p, from + i, out + i * width));
    for (size_t j = 0; j < width; j++)
      CRD_TRY(crd__refine_feature_check(ctx, p->parts.name, from + i, j, out[i * width + j]));
  }
  return CRD_OK;
}

static crd_status score_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from,
                              size_t to) {
  const scoring *const s = arg;
  const crd_trust *const t = s->trust;
  const size_t width = t->summary.width, count = to - from;
  const size_t neighbour = (size_t)t->set[CRD__TRUST_NEIGHBOUR];
  double *const features = s->features + (size_t)worker * CHUNK * width;
  double *const squares = s->squares + (size_t)worker * CHUNK * neighbour;
  double *const own = s->own + (size_t)worker * CHUNK;
  const double *bank = t->features;
  CRD_TRY(read_features(ctx, s, from, count, features));
  CRD_TRY(crd__refine_predicted(ctx, s->predictions, from, count, s->predicted + from));
  for (size_t i = 0; i < count; i++) own[i] = s->out[from + i] = INFINITY;
  for (size_t c = 0; c < t->summary.classes; bank += t->counts[c++] * width) {
    const size_t wanted = t->counts[c] < neighbour ? t->counts[c] : neighbour;
    if (wanted == 0) continue;
    crd__math_neighbours(features, count, bank, t->counts[c], width, wanted, squares, NULL);
    take_class(s, c, squares, wanted, from, count, own);
  }
  for (size_t i = 0; i < count; i++) {
    const double other = sqrt(s->out[from + i]);
    s->out[from + i] = isinf(own[i]) ? 0 : other / (sqrt(own[i]) + least_distance);
  }
  return CRD_OK;
}

static crd_status check_features(crd_context *ctx, const crd_trust *t, const crd_predictions *p) {
  const size_t width = crd_predictions_features(p);
  if (width == t->summary.width) return CRD_OK;
  if (width == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: no array `features`, TrustScore needs them",
                     p->parts.name);
  return crd__fail(ctx, CRD_EINPUT, "%s: %zu features in a row, the training rows have %zu",
                   p->parts.name, width, t->summary.width);
}

crd_status crd_trust_score(crd_context *ctx, const crd_trust *trust, const crd_predictions *p,
                           double *out, size_t *predicted) {
  const unsigned workers = crd__parallel_workers(ctx, p->rows / CHUNK + 1);
  const size_t neighbour = (size_t)trust->set[CRD__TRUST_NEIGHBOUR];
  scoring s = { .trust = trust, .predictions = p, .out = out, .predicted = predicted };
  size_t *classes = NULL, cells;
  CRD_TRY(check_features(ctx, trust, p));
  if (!crd__size_mul((size_t)workers * CHUNK, trust->summary.width, &cells)) cells = SIZE_MAX;
  crd_status status = crd__new(ctx, cells, sizeof(double), "features", &s.features);
  if (status == CRD_OK)
    status = crd__new(ctx, (size_t)workers * CHUNK * neighbour, sizeof(double), "neighbours",
                      &s.squares);
  if (status == CRD_OK)
    status = crd__new(ctx, (size_t)workers * CHUNK, sizeof(double), "neighbours", &s.own);
  if (status == CRD_OK && !predicted)
    status = crd__new(ctx, p->rows, sizeof *classes, "predicted classes", &classes);
  if (!predicted) s.predicted = classes;
  if (status == CRD_OK) status = crd__parallel_for(ctx, "scoring", p->rows, CHUNK, score_chunk, &s);
  crd__free(&ctx->alloc, s.features);
  crd__free(&ctx->alloc, s.squares);
  crd__free(&ctx->alloc, s.own);
  crd__free(&ctx->alloc, classes);
  return status;
}

/* ---- Isotonic regression. */

typedef struct {
  double *confidence, *weight;
  unsigned char *correct;
  size_t next;
} outcome;

/* Whether predictions are correct follows from their labels; scores become r / (1 + r). */
static crd_status take_rows(crd_context *ctx, void *self, const crd__data_rows *rows) {
  outcome *const o = self;
  (void)ctx;
  for (size_t i = 0; i < rows->count; i++, o->next++) {
    o->correct[o->next] = rows->hit[i];
    o->weight[o->next] = rows->weight[i];
    o->confidence[o->next] /= 1 + o->confidence[o->next];
  }
  return CRD_OK;
}

crd_status crd_trust_calibrate(crd_context *ctx, const crd_trust *trust,
                               const crd_predictions *held_out, crd_calibrator **out) {
  const size_t rows = crd_predictions_rows(held_out);
  outcome o = { 0 };
  crd_predictions *pairs = NULL;
  *out = NULL;
  crd_status status = crd__new(ctx, rows, sizeof *o.confidence, "scores", &o.confidence);
  if (status == CRD_OK) status = crd__new(ctx, rows, sizeof *o.weight, "weights", &o.weight);
  if (status == CRD_OK) status = crd__new(ctx, rows, 1, "scores", &o.correct);
  if (status == CRD_OK) status = crd_trust_score(ctx, trust, held_out, o.confidence, NULL);
  if (status == CRD_OK) status = crd__data_rows_walk(ctx, held_out, 0, take_rows, &o);
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(o.confidence, CRD_F64, rows, 1),
                                        .correct = crd_array_matrix(o.correct, CRD_U8, rows, 1),
                                        .weights = crd_array_matrix(o.weight, CRD_F64, rows, 1),
                                        .input = CRD_INPUT_PAIRS,
                                        .scores_name = "TrustScore",
                                        .name = held_out->parts.name };
  if (status == CRD_OK) status = crd_predictions_create(ctx, &parts, &pairs);
  if (status == CRD_OK) status = crd_calibrator_fit(ctx, "isotonic", NULL, pairs, out);
  crd_predictions_destroy(pairs);
  crd__free(&ctx->alloc, o.confidence);
  crd__free(&ctx->alloc, o.weight);
  crd__free(&ctx->alloc, o.correct);
  return status;
}
