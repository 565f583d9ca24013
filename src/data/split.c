/*
 * split.c -- split rows into folds: at random, stratified by class, or by group.
 *
 * Each row (or group) gets a random number that depends only on the seed and its index, by which a
 * queue is sorted; folds are assigned in turn along the queue. Stratified, the queue is sorted by
 * label first, so every fold gets its share of every class. By group, whole groups are assigned,
 * largest first, each to the fold that has the fewest rows: a patient's images are never in two
 * folds.
 */
#include "base/memory.h"
#include "base/random.h"
#include "data/groups.h"
#include "data/rows.h"
#include "math/sort.h"

enum { WORDS = 3, SPLIT_STREAM = 1 };

/* Records of three words: a key, a random number to break ties, the index of the row or group. */
static crd_status make_queue(crd_context *ctx, size_t count, uint64_t **out) {
  size_t words;
  if (!crd__size_mul(count, WORDS, &words)) words = SIZE_MAX;
  CRD_TRY(crd__new(ctx, words, sizeof **out, "a split", out));
  for (size_t i = 0; i < count; i++) {
    (*out)[WORDS * i + 1] = crd__random_bits(ctx->seed, SPLIT_STREAM, i);
    (*out)[WORDS * i + 2] = i;
  }
  return CRD_OK;
}

static crd_status split_rows(crd_context *ctx, const crd_predictions *p, bool by_class,
                             unsigned folds, unsigned *fold) {
  const size_t rows = crd_predictions_rows(p);
  uint64_t *queue;
  CRD_TRY(make_queue(ctx, rows, &queue));
  crd_status status = CRD_OK;
  for (size_t i = 0; by_class && i < rows && status == CRD_OK; i++) {
    size_t label = 0;
    status = crd__data_labels_read(ctx, p, i, 1, &label);
    queue[WORDS * i] = label;
  }
  if (status == CRD_OK) {
    crd__math_sort_records(queue, rows, WORDS);
    for (size_t i = 0; i < rows; i++) fold[queue[WORDS * i + 2]] = (unsigned)(i % folds);
  }
  crd__free(&ctx->alloc, queue);
  return status;
}

/* Assigns whole groups to folds; `dealt` is a queue of them. */
static void deal_groups(const crd__data_groups *g, uint64_t *dealt, size_t *filled, unsigned folds,
                        unsigned *fold) {
  for (size_t i = 0; i < g->count; i++)
    dealt[WORDS * i] = UINT64_MAX - (g->start[i + 1] - g->start[i]);
  crd__math_sort_records(dealt, g->count, WORDS);
  for (size_t d = 0; d < g->count; d++) {
    const size_t from = g->start[dealt[WORDS * d + 2]], to = g->start[dealt[WORDS * d + 2] + 1];
    unsigned least = 0;
    for (unsigned f = 1; f < folds; f++)
      if (filled[f] < filled[least]) least = f;
    for (size_t i = from; i < to; i++) fold[g->rows[i]] = least;
    filled[least] += to - from;
  }
}

static crd_status split_groups(crd_context *ctx, const crd_predictions *p, unsigned folds,
                               unsigned *fold) {
  crd__data_groups groups;
  uint64_t *dealt = NULL;
  size_t *filled = NULL;
  CRD_TRY(crd__data_groups_together(ctx, p, &groups));
  crd_status status = CRD_OK;
  if (groups.count < folds)
    status = crd__fail(ctx, CRD_EINPUT, "%s: %zu groups cannot fill %u folds", p->parts.name,
                       groups.count, folds);
  if (status == CRD_OK) status = make_queue(ctx, groups.count, &dealt);
  if (status == CRD_OK) status = crd__new(ctx, folds, sizeof *filled, "a split", &filled);
  if (status == CRD_OK) deal_groups(&groups, dealt, filled, folds, fold);
  crd__free(&ctx->alloc, dealt);
  crd__free(&ctx->alloc, filled);
  crd__data_groups_clear(&ctx->alloc, &groups);
  return status;
}

crd_status crd_predictions_split(crd_context *ctx, const crd_predictions *predictions,
                                 crd_split split, unsigned folds, unsigned *fold) {
  const size_t rows = crd_predictions_rows(predictions);
  if (folds < 2 || folds > rows)
    return crd__fail(ctx, CRD_EUSAGE, "%u folds of %zu rows, allowed are 2 .. rows", folds, rows);
  if (split == CRD_SPLIT_GROUPS) return split_groups(ctx, predictions, folds, fold);
  if (split == CRD_SPLIT_CLASSES && !predictions->classes)
    return crd__fail(ctx, CRD_EINPUT, "%s: confidence pairs have no classes to split by",
                     predictions->parts.name);
  return split_rows(ctx, predictions, split == CRD_SPLIT_CLASSES, folds, fold);
}
