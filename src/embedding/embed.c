/*
 * embed.c -- 2-D embedding of predictions by t-SNE (math/tsne/tsne.h).
 *
 * Large data are subsampled: each row has a random number that depends on the seed and its index
 * only, and the rows with the smallest are embedded. Distances are those of the features or,
 * without features, of the logits. Log-probabilities are clamped at log(DBL_EPSILON): a smaller one
 * would put a row farther away than the classes are from each other.
 */
#include "base/arena.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "credence/embedding.h"
#include "data/logits.h"
#include "data/rows.h"
#include "math/sort.h"
#include "math/tsne/tsne.h"

#include <float.h>
#include <math.h>

enum { ROWS_USUAL = 5000, WORDS = 2, STREAM = 0x656d6265 /* "embe" */ };

/* The embedding in the making, in its arena. */
typedef struct {
  crd_embedding embedding;
  size_t *row, *label;
  double *x, *y;
  unsigned char *correct;
} owner;

void crd_embedding_destroy(const crd_embedding *embedding) { crd__arena_free(embedding); }

/* ---- Choice of rows. */

static crd_status draw(crd_context *ctx, size_t all, size_t count, size_t *rows) {
  uint64_t *queue;
  size_t words;
  if (!crd__size_mul(all, WORDS, &words)) words = SIZE_MAX;
  CRD_TRY(crd__new(ctx, words, sizeof *queue, "a choice of rows", &queue));
  for (size_t i = 0; i < all; i++) {
    queue[WORDS * i] = crd__random_bits(ctx->seed, STREAM, i);
    queue[WORDS * i + 1] = i;
  }
  crd__math_sort_records(queue, all, WORDS);
  for (size_t i = 0; i < count; i++) queue[WORDS * i] = queue[WORDS * i + 1];
  crd__math_sort_records(queue, count, WORDS);
  for (size_t i = 0; i < count; i++) rows[i] = (size_t)queue[WORDS * i];
  crd__free(&ctx->alloc, queue);
  return CRD_OK;
}

static crd_status choose(crd_context *ctx, size_t all, size_t count, size_t *rows) {
  if (count < all) return draw(ctx, all, count, rows);
  for (size_t i = 0; i < count; i++) rows[i] = i;
  return CRD_OK;
}

/* ---- Labels and inputs. */

static crd_status take_truth(crd_context *ctx, void *self, const crd__data_rows *rows) {
  const owner *const o = self;
  (void)ctx;
  for (size_t i = 0; i < rows->count; i++) {
    o->label[rows->first + i] = rows->label[i];
    o->correct[rows->first + i] = rows->hit[i];
  }
  return CRD_OK;
}

static crd_status read_numbers(crd_context *ctx, const crd_predictions *p, size_t width,
                               double *out) {
  const size_t count = crd_predictions_rows(p);
  const crd__data_reading how = { .scale = CRD__AS_GIVEN,
                                  .floor = crd__data_floor_standard(crd_predictions_input(p)) };
  crd__data_clipping met = { 0 };
  if (crd_predictions_features(p)) {
    for (size_t i = 0; i < count; i++) CRD_TRY(crd__data_features_row(ctx, p, i, out + i * width));
    return CRD_OK;
  }
  CRD_TRY(crd__data_logits_read(ctx, p, &how, 0, count, out, &met));
  if (crd_predictions_input(p) == CRD_INPUT_PROBABILITIES)
    for (size_t i = 0; i < count * width; i++) out[i] = fmax(out[i], log(DBL_EPSILON));
  return CRD_OK;
}

/* ---- The embedding. */

static crd_status place(crd_context *ctx, const crd_predictions *p, unsigned iterations, owner *o) {
  const size_t count = o->embedding.count, features = crd_predictions_features(p);
  const size_t width = features ? features : o->embedding.classes;
  const crd__math_tsne_options how = { .perplexity = o->embedding.perplexity,
                                       .iterations = iterations
                                                         ? iterations
                                                         : crd__math_tsne_defaults.iterations,
                                       .angle = crd__math_tsne_defaults.angle };
  double *numbers = NULL, *points = NULL;
  size_t cells;
  if (!crd__size_mul(count, width, &cells)) cells = SIZE_MAX;
  crd_status status = crd__new(ctx, cells, sizeof *numbers, "rows", &numbers);
  if (status == CRD_OK) status = crd__new(ctx, count, 2 * sizeof *points, "points", &points);
  if (status == CRD_OK) status = read_numbers(ctx, p, width, numbers);
  if (status == CRD_OK) {
    status = crd__math_tsne(ctx, numbers, count, width, &how, points);
    if (status == CRD_EINPUT) crd__fail_in(ctx, status, o->embedding.name);
  }
  for (size_t i = 0; status == CRD_OK && i < count; i++) {
    o->x[i] = points[2 * i];
    o->y[i] = points[2 * i + 1];
  }
  crd__free(&ctx->alloc, numbers);
  crd__free(&ctx->alloc, points);
  return status;
}

static crd_status allocate(crd_context *ctx, owner *o) {
  const size_t count = o->embedding.count;
  CRD_TRY(crd__arena_add(ctx, o, count, sizeof *o->row, "points", &o->row));
  CRD_TRY(crd__arena_add(ctx, o, count, sizeof *o->label, "points", &o->label));
  CRD_TRY(crd__arena_add(ctx, o, count, sizeof *o->x, "points", &o->x));
  CRD_TRY(crd__arena_add(ctx, o, count, sizeof *o->y, "points", &o->y));
  CRD_TRY(crd__arena_add(ctx, o, count, sizeof *o->correct, "points", &o->correct));
  o->embedding.row = o->row;
  o->embedding.label = o->label;
  o->embedding.x = o->x;
  o->embedding.y = o->y;
  o->embedding.correct = o->correct;
  return CRD_OK;
}

/* t-SNE uses 3 * perplexity neighbours, which must be fewer than the rows. */
static double usual_perplexity(size_t count) {
  const double third = floor((double)(count - 1) / 3);
  return fmax(1, fmin(crd__math_tsne_defaults.perplexity, third));
}

static crd_status fill(crd_context *ctx, const crd_predictions *p, const crd_embed_options *options,
                       owner *o) {
  const size_t all = crd_predictions_rows(p), most = options->rows ? options->rows : ROWS_USUAL;
  const size_t count = all < most ? all : most;
  crd_predictions *picked = NULL;
  o->embedding =
      (crd_embedding){ .all_rows = all,
                       .count = count,
                       .classes = crd_predictions_classes(p),
                       .features = crd_predictions_features(p) > 0,
                       .perplexity = options->perplexity != 0 ? options->perplexity
                                                              : usual_perplexity(count) };
  CRD_TRY(crd__arena_text(ctx, o, crd_predictions_name(p), &o->embedding.name));
  CRD_TRY(allocate(ctx, o));
  CRD_TRY(choose(ctx, all, count, o->row));
  CRD_TRY(crd__data_predictions_pick(ctx, p, o->row, count, &picked));
  crd_status status = crd__data_rows_walk(ctx, picked, 0, take_truth, o);
  if (status == CRD_OK) status = place(ctx, picked, options->iterations, o);
  crd_predictions_destroy(picked);
  return status;
}

crd_status crd_embed(crd_context *ctx, const crd_predictions *predictions,
                     const crd_embed_options *options, const crd_embedding **out) {
  crd_embed_options own;
  owner *o;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_embed_options, options, &own));
  if (!crd_predictions_classes(predictions))
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: found confidences of the predicted class only, an embedding needs "
                     "scores of all classes",
                     crd_predictions_name(predictions));
  CRD_TRY(crd__arena_new(ctx, sizeof *o, "points", &o));
  const crd_status status = fill(ctx, predictions, &own, o);
  if (status == CRD_OK) *out = &o->embedding;
  else crd__arena_free(o);
  return status;
}
