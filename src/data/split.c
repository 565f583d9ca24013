/*
 * split.c -- rows shared out over folds: at random, by class, or by group.
 *
 * Each row's (or group's) place in the queue is a random number that depends on the seed and its
 * own number only; folds are dealt out along the queue like cards. By class, the queue is sorted by
 * label first, so every fold gets its share of every class. By group, whole groups are dealt,
 * largest first, each to the fold that has the fewest rows: one patient's images never sit on two
 * sides.
 */
#include "base/memory.h"
#include "base/random.h"
#include "data/rows.h"
#include "data/view.h"
#include "math/sort.h"

enum { WORDS = 3, SPLIT_STREAM = 1 };

/* One word to sort by first, one to break ties at random, one that says which row or group. */
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
    status = crd__labels_read(ctx, p, i, 1, &label);
    queue[WORDS * i] = label;
  }
  if (status == CRD_OK) {
    crd__sort_records(queue, rows, WORDS);
    for (size_t i = 0; i < rows; i++) fold[queue[WORDS * i + 2]] = (unsigned)(i % folds);
  }
  crd__free(&ctx->alloc, queue);
  return status;
}

/* Order rows by group; queue[WORDS*i+2] is the row. Returns the number of groups. */
static crd_status order_by_group(crd_context *ctx, const crd_predictions *p, uint64_t *queue,
                                 size_t *groups) {
  const size_t rows = crd_predictions_rows(p);
  for (size_t i = 0; i < rows; i++) {
    int64_t group;
    if (!crd__view_integer(&p->parts.groups, i, 0, &group))
      return crd__bad_row(ctx, p, "groups", i, " is not a whole number");
    queue[WORDS * i] = (uint64_t)group;
  }
  crd__sort_records(queue, rows, WORDS);
  *groups = rows > 0;
  for (size_t i = 1; i < rows; i++) *groups += queue[WORDS * i] != queue[WORDS * (i - 1)];
  return CRD_OK;
}

/* Deal out groups: `dealt` is a queue of groups, `start` their first places among ordered rows. */
static void deal_groups(const uint64_t *queue, uint64_t *dealt, const size_t *start, size_t groups,
                        size_t *filled, unsigned folds, unsigned *fold) {
  for (size_t g = 0; g < groups; g++) dealt[WORDS * g] = UINT64_MAX - (start[g + 1] - start[g]);
  crd__sort_records(dealt, groups, WORDS);
  for (size_t d = 0; d < groups; d++) {
    const size_t g = (size_t)dealt[WORDS * d + 2];
    unsigned least = 0;
    for (unsigned f = 1; f < folds; f++)
      if (filled[f] < filled[least]) least = f;
    for (size_t i = start[g]; i < start[g + 1]; i++) fold[queue[WORDS * i + 2]] = least;
    filled[least] += start[g + 1] - start[g];
  }
}

static crd_status split_groups(crd_context *ctx, const crd_predictions *p, unsigned folds,
                               unsigned *fold) {
  const size_t rows = crd_predictions_rows(p);
  uint64_t *queue = NULL, *dealt = NULL;
  size_t *start = NULL, *filled = NULL, groups = 0;
  if (!p->parts.groups.data)
    return crd__fail(ctx, CRD_EINPUT, "%s: no groups to split by", p->parts.name);
  crd_status status = make_queue(ctx, rows, &queue);
  if (status == CRD_OK) status = order_by_group(ctx, p, queue, &groups);
  if (status == CRD_OK && groups < folds)
    status = crd__fail(ctx, CRD_EINPUT, "%s: %zu groups cannot fill %u folds", p->parts.name,
                       groups, folds);
  if (status == CRD_OK) status = make_queue(ctx, groups, &dealt);
  if (status == CRD_OK) status = crd__new(ctx, groups + 1, sizeof *start, "a split", &start);
  if (status == CRD_OK) status = crd__new(ctx, folds, sizeof *filled, "a split", &filled);
  if (status == CRD_OK) {
    size_t g = 0;
    for (size_t i = 1; i < rows; i++)
      if (queue[WORDS * i] != queue[WORDS * (i - 1)]) start[++g] = i;
    start[groups] = rows;
    deal_groups(queue, dealt, start, groups, filled, folds, fold);
  }
  crd__free(&ctx->alloc, queue);
  crd__free(&ctx->alloc, dealt);
  crd__free(&ctx->alloc, start);
  crd__free(&ctx->alloc, filled);
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
