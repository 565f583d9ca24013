/*
 * evidence.c -- the sums and rankings that metrics need: created, extended by rows, merged.
 */
#include "metric/evidence.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/parallel.h"
#include "data/array.h"
#include "data/clusters.h"
#include "metric/plan.h"
#include "metric/top_bins.h"

#include <stdio.h>
#include <string.h>

enum { BINS = 15, BINS_MAX = 100000, RESAMPLES_MAX = 1000000 };

/* Limit on the cells of all resamples, 16 bytes each: tallies beyond it are not resampled. */
static const size_t resampled_most = (size_t)1 << 28;

crd_status crd__metric_options_check(crd_context *ctx, const crd_evaluate_options *options) {
  if (options->bins > BINS_MAX)
    return crd__fail(ctx, CRD_EUSAGE, "%u bins, allowed are 1 .. %d", options->bins, BINS_MAX);
  if (options->resamples > RESAMPLES_MAX)
    return crd__fail(ctx, CRD_EUSAGE, "%u resamples, allowed are 0 .. %d", options->resamples,
                     RESAMPLES_MAX);
  return CRD_OK;
}

crd_status crd_evidence_create(crd_context *ctx, const crd_evaluate_options *options,
                               crd_evidence **out) {
  crd_evaluate_options own;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_evaluate_options, options, &own));
  options = &own;
  CRD_TRY(crd__metric_options_check(ctx, options));
  crd_evidence *e;
  CRD_TRY(crd__new(ctx, 1, sizeof *e, "evidence", &e));
  e->alloc = ctx->alloc;
  e->seed = ctx->seed;
  e->resamples = options->resamples;
  e->interval = options->interval;
  e->shape.bins = options->bins ? options->bins : BINS;
  const crd_status status = crd__metric_plan_make(ctx, options->metrics, options->paired, &e->plan);
  if (status == CRD_OK) *out = e;
  else crd_evidence_destroy(e);
  return status;
}

/* Discards the values computed from the rows, which have changed. */
static void forget(crd_evidence *e) {
  crd__free(&e->alloc, e->resampled);
  e->resampled = NULL;
}

/* Resets the evidence to its state before any row was added. */
static void unsettle(crd_evidence *e) {
  forget(e);
  for (size_t r = 0; r < e->ranking_count; r++)
    crd__metric_ranking_clear(&e->alloc, &e->rankings[r]);
  crd__free(&e->alloc, e->rankings);
  crd__free(&e->alloc, (void *)(uintptr_t)e->name);
  crd__free(&e->alloc, (void *)(uintptr_t)e->kind.cluster);
  crd__free(&e->alloc, e->data.offset);
  crd__free(&e->alloc, e->resample.offset);
  crd__free(&e->alloc, e->cells);
  e->rankings = NULL;
  e->ranking_count = 0;
  e->name = NULL;
  e->kind.cluster = NULL;
  e->data = e->resample = (crd__metric_layout){ 0 };
  e->cells = NULL;
}

void crd_evidence_destroy(crd_evidence *evidence) {
  if (!evidence) return;
  const crd_allocator alloc = evidence->alloc;
  crd__metric_plan_clear(&alloc, &evidence->plan);
  crd__metric_spans_clear(&alloc, &evidence->spans);
  crd__metric_cluster_set_clear(&alloc, &evidence->clusters);
  crd__notes_clear(&alloc, &evidence->notes);
  unsettle(evidence);
  crd__free(&alloc, evidence);
}

/* Confidences alone (classes == 0) have no other scores: a tally that needs them has no cells. Nor
 * has a tally of confidences if they are not probabilities. */
static size_t cell_count(const crd_evidence *e, const crd__metric_tally *tally,
                         const crd__metric_kind *kind) {
  const crd__metric_shape shape = { .classes = kind->classes, .bins = e->shape.bins };
  if (kind->input == CRD_INPUT_RANKING && !tally->ordinal) return 0;
  return kind->classes == 0 && tally->needs ? 0 : tally->cells(&shape);
}

/* Lays out the cells of a sample, at most `most`: tallies that do not fit are left out, and *whole
 * is whether all fit. */
static crd_status lay_sample(crd_context *ctx, const crd_evidence *e, const crd__metric_kind *kind,
                             size_t most, crd__metric_layout *out, bool *whole) {
  const size_t tallies = e->plan.tally_count;
  *whole = true;
  CRD_TRY(crd__new(ctx, tallies + 1, sizeof *out->offset, "evidence", &out->offset));
  for (size_t t = 0; t < tallies; t++) {
    const size_t cells = cell_count(e, e->plan.tallies[t], kind), before = out->offset[t];
    const bool fits = cells < most && before < most - cells;
    out->offset[t + 1] = before + (fits ? cells : 0);
    *whole = *whole && fits;
  }
  out->stride = out->offset[tallies] + 1;
  return CRD_OK;
}

static crd_status lay_out(crd_context *ctx, crd_evidence *e, const crd__metric_kind *kind,
                          const char *name, size_t most) {
  const size_t resamples = e->resamples ? e->resamples : 1;
  size_t rankings = 1, total = 0;
  bool whole, rest;
  e->name = crd__strdup(&e->alloc, name);
  if (!e->name) return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  CRD_TRY(lay_sample(ctx, e, kind, most, &e->data, &whole));
  CRD_TRY(lay_sample(ctx, e, kind, resampled_most / resamples, &e->resample, &rest));
  const bool fits = whole && crd__size_mul(e->resample.stride, e->resamples, &total) &&
                    crd__size_add(total, e->data.stride, &total) && total <= most;
  if (!fits)
    return crd__fail(ctx, CRD_ENOMEM, "no memory for this number of bins, classes and resamples");
  if (e->plan.pairs) rankings += kind->classes;
  CRD_TRY(crd__new(ctx, rankings, sizeof *e->rankings, "rankings", &e->rankings));
  e->ranking_count = rankings;
  e->kind = *kind;
  e->kind.cluster = kind->cluster ? crd__strdup(&e->alloc, kind->cluster) : NULL;
  if (kind->cluster && !e->kind.cluster) return crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  e->shape.classes = kind->classes;
  e->shape.positive = kind->classes == 2 && kind->binary == CRD_BINARY_POS;
  e->shape.ranking = kind->input == CRD_INPUT_RANKING;
  return crd__new(ctx, total, sizeof *e->cells, "bins", &e->cells);
}

crd_status crd__metric_evidence_init(crd_context *ctx, crd_evidence *evidence,
                                     const crd__metric_kind *kind, const char *name, size_t most) {
  const crd_status status = lay_out(ctx, evidence, kind, name, most);
  if (status != CRD_OK) unsettle(evidence);
  return status;
}

/* Resamples of clusters and resamples of rows cannot be merged. */
static crd_status refuse_clusters(crd_context *ctx, const char *column, const char *other) {
  if (column && other)
    return crd__fail(ctx, CRD_EINPUT, "rows clustered by '%s' and by '%s' cannot be merged", column,
                     other);
  const char *const option = crd__spell(ctx, "cluster"), *const known = column ? column : other;
  return crd__fail(ctx, CRD_EINPUT,
                   "rows clustered by '%s' and rows without clusters cannot be merged: "
                   "evaluate all parts with %s %s, or all with %s none",
                   known, option, known, option);
}

static crd_status check_fit(crd_context *ctx, const crd_evidence *e, const crd__metric_kind *kind) {
  if (kind->classes != e->kind.classes)
    return crd__fail(ctx, CRD_EINPUT, "%zu classes cannot be merged with %zu", kind->classes,
                     e->kind.classes);
  if ((kind->input == CRD_INPUT_RANKING) != (e->kind.input == CRD_INPUT_RANKING))
    return crd__fail(ctx, CRD_EINPUT, "a ranking cannot be merged with confidences in [0, 1]");
  if (kind->weighted != e->kind.weighted)
    return crd__fail(ctx, CRD_EINPUT, "rows with weights and rows without cannot be merged");
  if (kind->weight_shift != e->kind.weight_shift)
    return crd__fail(ctx, CRD_EINPUT, "weights of too different scales cannot be merged");
  if (kind->binary != e->kind.binary)
    return crd__fail(
        ctx, CRD_EINPUT,
        "binary scores evaluated differently (class 1, predicted class) cannot be merged");
  if (kind->class_names && e->kind.class_names && kind->class_names != e->kind.class_names)
    return crd__fail(
        ctx, CRD_EINPUT,
        "rows whose classes have different names, or the same in another order, cannot "
        "be merged");
  if (!crd__data_cluster_same(kind->cluster, e->kind.cluster))
    return refuse_clusters(ctx, e->kind.cluster, kind->cluster);
  return CRD_OK;
}

/* Adds a note, unless it exists. Notes are sorted, so that they do not depend on the order of
 * parts. */
static crd_status add_note(crd_context *ctx, const crd_allocator *alloc, crd__notes *notes,
                           const char *note) {
  for (size_t i = 0; i < notes->count; i++)
    if (strcmp(notes->items[i], note) == 0) return CRD_OK;
  CRD_TRY(crd__notes_add(ctx, alloc, notes, "%s", note));
  char **const items = notes->items;
  for (size_t i = notes->count - 1; i > 0 && strcmp(items[i - 1], items[i]) > 0; i--) {
    char *const later = items[i - 1];
    items[i - 1] = items[i];
    items[i] = later;
  }
  return CRD_OK;
}

/* Notes and names as they will be once more rows are counted. Prepared before the pass and adopted
 * after it, so that a failed call leaves the evidence as it was. */
typedef struct {
  crd__notes notes;
  char *name, *cluster; /* NULL: unchanged */
} naming;

static void clear_naming(const crd_allocator *alloc, naming *n) {
  crd__notes_clear(alloc, &n->notes);
  crd__free(alloc, n->name);
  crd__free(alloc, n->cluster);
}

/* Of two names keep the one that sorts first; the order of parts must not show here either. */
static crd_status choose_name(crd_context *ctx, const crd_evidence *e, const char *now,
                              const char *name, char **out) {
  if (!now || !name || strcmp(now, name) <= 0) return CRD_OK;
  *out = crd__strdup(&e->alloc, name);
  return *out ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
}

static crd_status begin_naming(crd_context *ctx, const crd_evidence *e, const char *name,
                               const char *cluster, naming *out) {
  *out = (naming){ 0 };
  for (size_t i = 0; i < e->notes.count; i++)
    CRD_TRY(add_note(ctx, &e->alloc, &out->notes, e->notes.items[i]));
  CRD_TRY(choose_name(ctx, e, e->name, name, &out->name));
  return choose_name(ctx, e, e->kind.cluster, cluster, &out->cluster);
}

static void replace(const crd_allocator *alloc, const char **kept, char *name) {
  if (!name) return;
  crd__free(alloc, (void *)(uintptr_t)*kept);
  *kept = name;
}

static void adopt_naming(crd_evidence *e, const naming *n, const crd__metric_kind *kind) {
  if (!e->kind.class_names) e->kind.class_names = kind->class_names;
  crd__notes_clear(&e->alloc, &e->notes);
  e->notes = n->notes;
  replace(&e->alloc, &e->name, n->name);
  replace(&e->alloc, &e->kind.cluster, n->cluster);
}

/* The row indices and clusters of an evidence. */
typedef struct {
  crd__metric_spans spans;
  crd__metric_cluster_set clusters;
} extent;

static void clear_extent(const crd_allocator *alloc, extent *x) {
  crd__metric_spans_clear(alloc, &x->spans);
  crd__metric_cluster_set_clear(alloc, &x->clusters);
}

static crd_status join_extent(crd_context *ctx, const crd_evidence *e, const extent *more,
                              extent *out) {
  *out = (extent){ 0 };
  CRD_TRY(crd__metric_spans_join(ctx, &e->alloc, &e->spans, &more->spans, &out->spans));
  const crd_status status =
      crd__metric_cluster_set_join(ctx, &e->alloc, &e->clusters, &more->clusters, &out->clusters);
  if (status != CRD_OK) clear_extent(&e->alloc, out);
  return status;
}

/* Commits the new extent; cannot fail. */
static void count_rows(crd_evidence *e, uint64_t rows, extent joined) {
  crd__metric_spans_clear(&e->alloc, &e->spans);
  crd__metric_cluster_set_clear(&e->alloc, &e->clusters);
  e->spans = joined.spans;
  e->clusters = joined.clusters;
  e->rows += rows;
  forget(e);
}

/* Computes the extent after adding predictions whose row indices are `span`. */
static crd_status extend(crd_context *ctx, const crd_evidence *e, const crd_predictions *p,
                         crd__metric_span span, extent *out) {
  extent more = { .spans = { &span, 1 } };
  CRD_TRY(crd__metric_cluster_set_of(ctx, &e->alloc, p, &more.clusters));
  const crd_status status = join_extent(ctx, e, &more, out);
  crd__metric_cluster_set_clear(&e->alloc, &more.clusters);
  return status;
}

crd_status crd_evidence_add(crd_context *ctx, crd_evidence *evidence,
                            const crd_predictions *predictions, uint64_t first_row) {
  const bool first = evidence->cells == NULL;
  const uint64_t rows = crd_predictions_rows(predictions);
  const crd__metric_kind kind = { .classes = predictions->classes,
                                  .weighted = predictions->parts.weights.data != NULL,
                                  .weight_shift = predictions->weight_shift,
                                  .input = predictions->parts.input,
                                  .binary = predictions->parts.binary,
                                  .cluster = crd_predictions_cluster(predictions),
                                  .class_names = crd__data_class_names_key(predictions) };
  if (first_row > UINT64_MAX / 8) /* a record holds the row index and two bits more */
    return crd__fail(ctx, CRD_EUSAGE, "the index of the first row exceeds 2^61");
  if (!first) CRD_TRY(check_fit(ctx, evidence, &kind));
  const uint64_t numbers =
      predictions->numbered ? crd__data_rows_of(&predictions->parts.scores) : rows;
  extent joined;
  CRD_TRY(extend(ctx, evidence, predictions, (crd__metric_span){ first_row, first_row + numbers },
                 &joined));
  naming named;
  crd_status status = begin_naming(ctx, evidence, NULL, kind.cluster, &named);
  for (size_t i = 0; status == CRD_OK && crd_predictions_note(predictions, i); i++)
    status = add_note(ctx, &evidence->alloc, &named.notes, crd_predictions_note(predictions, i));
  if (status == CRD_OK && first)
    status = crd__metric_evidence_init(ctx, evidence, &kind, predictions->parts.name, SIZE_MAX);
  if (status == CRD_OK) status = crd__metric_evidence_pass(ctx, evidence, predictions, first_row);
  if (status == CRD_OK) {
    adopt_naming(evidence, &named, &kind);
    count_rows(evidence, rows, joined);
    evidence->shape.recalibrated = first && predictions->recalibrated;
    snprintf(evidence->recalibration, sizeof evidence->recalibration, "%s",
             first ? predictions->recalibration : "");
    return CRD_OK;
  }
  clear_naming(&evidence->alloc, &named);
  clear_extent(&evidence->alloc, &joined);
  if (first) unsettle(evidence);
  return status;
}

/* Copies the rankings of `other` behind the existing records, without counting them yet. */
static crd_status append_rankings(crd_context *ctx, crd_evidence *e, const crd_evidence *other) {
  for (size_t r = 0; r < e->ranking_count; r++) {
    crd__metric_ranking *const mine = &e->rankings[r];
    const crd__metric_ranking *const theirs = &other->rankings[r];
    if (theirs->count == 0) continue;
    CRD_TRY(crd__metric_ranking_reserve(ctx, &e->alloc, mine, theirs->count,
                                        crd__metric_evidence_record(e)));
    memcpy(mine->records + mine->count * mine->words, theirs->records,
           theirs->count * theirs->words * sizeof *theirs->records);
  }
  return CRD_OK;
}

crd_status crd_evidence_merge(crd_context *ctx, crd_evidence *evidence, const crd_evidence *other) {
  const bool first = evidence->cells == NULL;
  if (!crd__metric_plan_equal(&evidence->plan, &other->plan) ||
      evidence->shape.bins != other->shape.bins)
    return crd__fail(ctx, CRD_EUSAGE, "evidence with different metrics or bins cannot be merged");
  if (evidence->resamples != other->resamples || evidence->seed != other->seed)
    return crd__fail(ctx, CRD_EUSAGE,
                     "evidence with different resamples or seeds cannot be merged");
  if (!other->cells) return CRD_OK;
  if (!first) CRD_TRY(check_fit(ctx, evidence, &other->kind));
  extent joined;
  crd_status status =
      join_extent(ctx, evidence, &(extent){ other->spans, other->clusters }, &joined);
  if (status != CRD_OK) return crd__fail_in(ctx, status, other->name);
  naming named;
  status = begin_naming(ctx, evidence, other->name, other->kind.cluster, &named);
  for (size_t i = 0; status == CRD_OK && i < other->notes.count; i++)
    status = add_note(ctx, &evidence->alloc, &named.notes, other->notes.items[i]);
  if (status == CRD_OK && first)
    status = crd__metric_evidence_init(ctx, evidence, &other->kind, other->name, SIZE_MAX);
  if (status == CRD_OK) status = append_rankings(ctx, evidence, other);
  if (status != CRD_OK) {
    clear_naming(&evidence->alloc, &named);
    clear_extent(&evidence->alloc, &joined);
    if (first) unsettle(evidence);
    return status;
  }
  adopt_naming(evidence, &named, &other->kind);
  for (size_t i = 0; i < crd__metric_evidence_offset(evidence, evidence->resamples + 1); i++)
    crd__sum_merge(&evidence->cells[i], other->cells[i]);
  for (size_t r = 0; r < evidence->ranking_count; r++)
    crd__metric_ranking_grow(&evidence->rankings[r], other->rankings[r].count);
  evidence->floored += other->floored;
  count_rows(evidence, other->rows, joined);
  evidence->shape.recalibrated = first && other->shape.recalibrated;
  snprintf(evidence->recalibration, sizeof evidence->recalibration, "%s",
           first ? other->recalibration : "");
  return CRD_OK;
}

static crd_status sort_rankings(crd_context *ctx, void *arg, unsigned worker, size_t from,
                                size_t to) {
  const crd_evidence *const e = arg;
  (void)ctx;
  (void)worker;
  for (size_t r = from; r < to; r++) crd__metric_ranking_sort(&e->rankings[r]);
  return CRD_OK;
}

crd_status crd__metric_evidence_sort(crd_context *ctx, crd_evidence *evidence) {
  return crd__parallel_for(ctx, NULL, evidence->ranking_count, 1, sort_rankings, evidence);
}

void crd__metric_evidence_free_resamples(crd_evidence *evidence) {
  if (!evidence->resampled) return; /* computing these needs the cells */
  crd__sum *const cells =
      crd__resize(&evidence->alloc, evidence->cells, evidence->data.stride, sizeof *cells);
  if (cells) evidence->cells = cells;
}
