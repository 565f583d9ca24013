/*
 * shift.c -- evaluates shifted sets like the original, and their differences.
 *
 * Whether rows are paired decides how resamples are drawn. Draws are random numbers of (seed, row)
 * or (seed, cluster): paired rows use the seed and the row numbers of the original, so each
 * resample draws the same rows from both; independent ones use a seed of their own, which depends
 * on the name of the set only. If both sets are clustered the seed is the original's: a patient who
 * is in both is then drawn for both, which accounts for the part of the variation that they share.
 *
 * A set without true labels is evaluated with arbitrary ones; metrics that depend on them are then
 * marked as undefined.
 */
#include "evaluate/shift.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "base/table.h"
#include "base/text.h"
#include "data/clusters.h"
#include "data/rows.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 0x73686966 }; /* the stream of random numbers that seeds are taken from */

const char *crd_shift_rows_name(crd_shift_rows rows) {
  static const char *const words[] = { [CRD_SHIFT_AUTO] = "auto",
                                       [CRD_SHIFT_PAIRED] = "paired",
                                       [CRD_SHIFT_INDEPENDENT] = "independent" };
  return CRD_NAME_AT(words, rows);
}

double crd_shift_severity(const char *name, size_t *length) {
  const char *const colon = strrchr(name, ':');
  double severity;
  *length = strlen(name);
  if (!colon || colon == name || strspn(colon + 1, "0123456789.") != strlen(colon + 1)) return 1;
  if (!crd__number_parse(colon + 1, strlen(colon + 1), &severity)) return 1;
  *length = (size_t)(colon - name);
  return severity;
}

crd_status crd__evaluate_shift_family(crd_context *ctx, const void *object, const char *name,
                                      const char **family, double *severity) {
  size_t length;
  char *copy;
  *severity = crd_shift_severity(name, &length);
  CRD_TRY(crd__arena_add(ctx, object, length + 1, 1, "a name", &copy));
  *family = memcpy(copy, name, length);
  return CRD_OK;
}

void crd_shift_table_destroy(const crd_shift_table *shift) { crd__arena_free(shift); }

/* ---- Which rows belong together. */

bool crd__evaluate_is_labelled(const crd_predictions *p) {
  const crd_predictions_parts *const parts = &p->parts;
  if (parts->input != CRD_INPUT_PAIRS) return parts->labels.data != NULL;
  return parts->correct.data || (parts->labels.data && parts->predicted.data);
}

/* Sets `*same` if the true classes of all rows are known and equal. */
static crd_status compare_labels(crd_context *ctx, const crd_predictions *a,
                                 const crd_predictions *b, bool *same) {
  size_t row;
  *same = false;
  if (a->classes == 0 || b->classes == 0) return CRD_OK;
  return crd__data_labels_compare(ctx, a, b, same, &row);
}

/* How one set is resampled. */
typedef struct {
  bool paired;
  uint64_t seed, first_row;
} drawing;

static crd_status choose(crd_context *ctx, const crd_predictions *original,
                         const crd_evidence *evidence, const char *name, crd_predictions *set,
                         crd_shift_rows rows, drawing *out) {
  const char *const mine = crd_predictions_cluster(original);
  const char *const theirs = crd_predictions_cluster(set);
  const uint64_t own = crd__random_bits(evidence->seed, SEEDS, crd__data_cluster_key(name));
  *out = (drawing){ .paired = rows == CRD_SHIFT_PAIRED };
  if (out->paired) CRD_TRY(crd_predictions_match_labels(ctx, original, set));
  if (rows == CRD_SHIFT_AUTO && (mine || !theirs))
    CRD_TRY(compare_labels(ctx, original, set, &out->paired));
  const bool related = rows == CRD_SHIFT_AUTO && mine && crd__data_cluster_same(mine, theirs);
  out->seed = out->paired || related ? evidence->seed : own;
  if (!out->paired) return CRD_OK;
  out->first_row = evidence->spans.items[0].from;
  return crd_predictions_share_clusters(ctx, set, original);
}

/* ---- One set. */

/* The zeros that stand for missing labels. */
static void release_zeros(const crd_allocator *alloc, void *keeper) { crd__free(alloc, keeper); }

/* Creates a view of unlabelled predictions with arbitrary labels. */
static crd_status label(crd_context *ctx, const crd_predictions *p, crd_predictions **out) {
  crd_predictions_parts parts = p->parts;
  unsigned char *zeros;
  CRD_TRY(crd__new(ctx, p->rows, sizeof *zeros, "labels", &zeros));
  crd_array *const taken = parts.input == CRD_INPUT_PAIRS ? &parts.correct : &parts.labels;
  *taken = crd_array_matrix(zeros, CRD_U8, p->rows, 1);
  parts.trusted = 1;
  parts.cluster = "none"; /* clusters are shared after creation */
  crd_status status = crd_predictions_create(ctx, &parts, out);
  if (status != CRD_OK) {
    crd__free(&ctx->alloc, zeros);
    return status;
  }
  (*out)->keeper = zeros;
  (*out)->release = release_zeros;
  status = crd_predictions_share_clusters(ctx, *out, p);
  if (status == CRD_OK) return CRD_OK;
  crd_predictions_destroy(*out);
  *out = NULL;
  return status;
}

/* Marks values that depend on the labels, and everything derived from them. */
static void unlabel(const crd_evidence *e, crd__evaluate_result *result,
                    crd__evaluate_comparison *difference) {
  for (size_t m = 0; m < e->plan.metric_count; m++) {
    if (e->plan.metrics[m]->unlabelled) continue;
    const crd_metric_info *const metric = &e->plan.metrics[m]->info;
    const double none = (double)NAN;
    result->values[m] =
        (crd_metric_value){ metric, none, "needs true labels", none, none, none, none, NULL };
    difference->items[m] =
        (crd_difference){ metric, none, none, none, none, NULL, none, NULL, NULL };
  }
  result->shown.bin_count = 0;
}

static crd_status gather(crd_context *ctx, const crd_evidence *like, const crd_predictions *judged,
                         const drawing *drawn, crd_evidence **out) {
  const uint64_t before = ctx->seed;
  crd_evaluate_options what = { .size = sizeof what,
                                .bins = (unsigned)like->shape.bins,
                                .resamples = (unsigned)like->resamples,
                                .interval = like->interval,
                                .paired = like->plan.ranked };
  crd__text names;
  crd__text_init(&names, &ctx->alloc);
  for (size_t m = 0; m < like->plan.metric_count; m++)
    crd__text_addf(&names, "%s%s", m ? "," : "", like->plan.metrics[m]->info.name);
  crd_status status = crd__text_status(ctx, &names);
  what.metrics = names.bytes;
  ctx->seed = drawn->seed;
  if (status == CRD_OK) status = crd_evidence_gather(ctx, judged, &what, drawn->first_row, out);
  ctx->seed = before;
  crd__text_clear(&names);
  return status;
}

static crd_status judge(crd_context *ctx, crd_evidence *original, const crd_predictions *judged,
                        const drawing *drawn, const crd_shift_table *table, crd_shift *out) {
  crd_evidence *evidence = NULL;
  crd__evaluate_result *result = NULL;
  crd__evaluate_comparison *difference = NULL;
  crd_status status = gather(ctx, original, judged, drawn, &evidence);
  if (status == CRD_OK) status = crd__evaluate_judge(ctx, evidence, &result);
  if (status == CRD_OK) status = crd__arena_keep(ctx, table, result, crd__arena_free);
  if (status == CRD_OK)
    status = crd__evaluate_shift_difference(ctx, original, evidence, drawn->paired, &difference);
  if (status == CRD_OK) status = crd__arena_keep(ctx, table, difference, crd__arena_free);
  if (status == CRD_OK && !out->labelled) unlabel(evidence, result, difference);
  if (status == CRD_OK) {
    out->result = &result->shown;
    out->difference = &difference->shown;
  }
  crd_evidence_destroy(evidence);
  return status;
}

crd_status crd__evaluate_shift_check(crd_context *ctx, const crd_predictions *original,
                                     const crd_shift_set *sets, size_t index) {
  const crd_predictions *const p = sets[index].predictions;
  const char *const name = sets[index].name;
  if (!name || !*name) return crd__fail(ctx, CRD_EUSAGE, "a shifted set without a name");
  for (size_t i = 0; i < index; i++)
    if (strcmp(sets[i].name, name) == 0)
      return crd__fail(ctx, CRD_EUSAGE, "two shifted sets are called '%s'", name);
  if (p->rows == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: no rows, expected at least 1 in a shifted set",
                     p->parts.name);
  if (p->classes != original->classes || p->parts.binary != original->parts.binary)
    return crd__fail(ctx, CRD_EINPUT, "%s: %zu classes, expected %zu as in %s%s", p->parts.name,
                     p->classes, original->classes, original->parts.name,
                     p->classes && original->classes
                         ? ""
                         : " (0: only the confidence in the predicted class is known)");
  return CRD_OK;
}

/* `set` is a view of the set's predictions, whose clusters this may change. */
static crd_status evaluate(crd_context *ctx, const crd_predictions *original,
                           crd_evidence *evidence, crd_predictions *set, crd_shift_rows rows,
                           const crd_shift_table *table, crd_shift *out) {
  drawing drawn;
  crd_predictions *labelled = NULL;
  CRD_TRY(choose(ctx, original, evidence, out->name, set, rows, &drawn));
  out->labelled = crd__evaluate_is_labelled(set);
  out->rows = drawn.paired ? CRD_SHIFT_PAIRED : CRD_SHIFT_INDEPENDENT;
  if (!out->labelled) CRD_TRY(label(ctx, set, &labelled));
  const crd_status status = judge(ctx, evidence, labelled ? labelled : set, &drawn, table, out);
  crd_predictions_destroy(labelled);
  return status;
}

static crd_status add(crd_context *ctx, const crd_predictions *original, crd_evidence *evidence,
                      const crd_shift_set *set, crd_shift_rows rows, const crd_shift_table *table,
                      crd_shift *out) {
  crd_predictions *view;
  CRD_TRY(crd__arena_text(ctx, table, set->name, &out->name));
  CRD_TRY(crd__evaluate_shift_family(ctx, table, set->name, &out->family, &out->severity));
  CRD_TRY(crd_predictions_view(ctx, set->predictions, &view));
  const crd_status status = evaluate(ctx, original, evidence, view, rows, table, out);
  crd_predictions_destroy(view);
  return status;
}

crd_status crd_evaluate_shift(crd_context *ctx, const crd_predictions *original,
                              crd_evidence *evidence, const crd_shift_set *sets, size_t count,
                              crd_shift_rows rows, const crd_shift_table **out) {
  crd_shift_table *table;
  crd_shift *items;
  *out = NULL;
  if (evidence->rows == 0)
    return crd__fail(ctx, CRD_EUSAGE, "evidence has no rows: nothing to compare with");
  for (size_t i = 0; i < count; i++) CRD_TRY(crd__evaluate_shift_check(ctx, original, sets, i));
  CRD_TRY(crd__arena_new(ctx, sizeof *table, "shifted sets", &table));
  crd_status status = crd__arena_add(ctx, table, count, sizeof *items, "shifted sets", &items);
  if (status == CRD_OK) status = crd__metric_evidence_sort(ctx, evidence);
  *table = (crd_shift_table){ .count = count, .items = items };
  for (size_t i = 0; status == CRD_OK && i < count; i++)
    status = add(ctx, original, evidence, &sets[i], rows, table, &items[i]);
  if (status == CRD_OK) *out = table;
  else crd__arena_free(table);
  return status;
}
