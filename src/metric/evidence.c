/*
 * evidence.c -- gathering: one pass over the rows feeds every tally and the ranking.
 *
 * Each worker adds to cells of its own; integer sums make the order of merging irrelevant. Nothing
 * of the evidence changes before the whole pass has succeeded.
 */
#include "metric/evidence.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "metric/plan.h"
#include "metric/top_bins.h"

#include <string.h>

enum { CHUNK = 4096, BINS = 15, BINS_MAX = 100000 };

crd_status crd_evidence_create(crd_context *ctx, const crd_evaluate_options *options,
                               crd_evidence **out) {
  static const crd_evaluate_options standard = { 0 };
  *out = NULL;
  if (!options) options = &standard;
  if (options->bins > BINS_MAX)
    return crd__fail(ctx, CRD_EUSAGE, "%u bins, allowed are 1 .. %d", options->bins, BINS_MAX);
  crd_evidence *e;
  CRD_TRY(crd__new(ctx, 1, sizeof *e, "evidence", &e));
  e->alloc = ctx->alloc;
  e->shape.bins = options->bins ? options->bins : BINS;
  const crd_status status = crd__plan_make(ctx, options->metrics, &e->plan);
  if (status == CRD_OK) *out = e;
  else crd_evidence_destroy(e);
  return status;
}

void crd_evidence_destroy(crd_evidence *evidence) {
  if (!evidence) return;
  const crd_allocator alloc = evidence->alloc;
  crd__plan_clear(&alloc, &evidence->plan);
  crd__ranking_clear(&alloc, &evidence->ranking);
  crd__notes_clear(&alloc, &evidence->notes);
  crd__free(&alloc, evidence->offset);
  crd__free(&alloc, evidence->cells);
  crd__free(&alloc, evidence->name);
  crd__free(&alloc, evidence);
}

const crd__sum *crd__evidence_cells(const crd_evidence *e, const crd__tally *tally) {
  for (size_t t = 0; e->cells && t < e->plan.tally_count; t++)
    if (e->plan.tallies[t] == tally)
      return e->offset[t] < e->offset[t + 1] ? e->cells + e->offset[t] : NULL;
  return NULL;
}

/* Pairs know the top class alone: a tally that needs more has no cells then. */
static size_t cell_count(const crd_evidence *e, const crd__tally *tally, size_t classes) {
  const crd__shape shape = { .classes = classes, .bins = e->shape.bins };
  return classes == 0 && tally->needs ? 0 : tally->cells(&shape);
}

/* What the first rows settle: the layout of cells, the name. */
static crd_status settle(crd_context *ctx, crd_evidence *e, const crd__kind *kind,
                         const char *called) {
  size_t *offset = NULL;
  crd__sum *cells = NULL;
  char *const name = crd__strdup(&e->alloc, called);
  crd_status status = name ? CRD_OK : crd__fail(ctx, CRD_ENOMEM, "no memory for a name");
  if (status == CRD_OK)
    status = crd__new(ctx, e->plan.tally_count + 1, sizeof *offset, "evidence", &offset);
  for (size_t t = 0; status == CRD_OK && t < e->plan.tally_count; t++)
    if (!crd__size_add(offset[t], cell_count(e, e->plan.tallies[t], kind->classes), &offset[t + 1]))
      status = crd__fail(ctx, CRD_ENOMEM, "no memory for so many bins and classes");
  if (status == CRD_OK)
    status = crd__new(ctx, offset[e->plan.tally_count], sizeof *cells, "bins", &cells);
  if (status != CRD_OK) {
    crd__free(&e->alloc, name);
    crd__free(&e->alloc, offset);
    return status;
  }
  e->name = name;
  e->offset = offset;
  e->cells = cells;
  e->kind = *kind;
  e->shape.classes = kind->classes;
  return CRD_OK;
}

/* Back to evidence that has seen nothing. */
static void unsettle(crd_evidence *e) {
  crd__free(&e->alloc, e->name);
  crd__free(&e->alloc, e->offset);
  crd__free(&e->alloc, e->cells);
  e->name = NULL;
  e->offset = NULL;
  e->cells = NULL;
}

static crd_status check_fit(crd_context *ctx, const crd_evidence *e, const crd__kind *kind) {
  if (kind->classes != e->kind.classes)
    return crd__fail(ctx, CRD_EINPUT, "%zu classes cannot be put together with %zu", kind->classes,
                     e->kind.classes);
  if (kind->weighted != e->kind.weighted)
    return crd__fail(ctx, CRD_EINPUT, "rows with weights and rows without cannot be put together");
  if (kind->weight_shift != e->kind.weight_shift)
    return crd__fail(ctx, CRD_EINPUT, "weights of too different sizes cannot be put together");
  if (kind->binary != e->kind.binary)
    return crd__fail(ctx, CRD_EINPUT, "binary scores judged differently cannot be put together");
  return CRD_OK;
}

/* ---- One pass. */

typedef struct {
  crd__row_reader *reader;
  crd__sum *cells;
  crd__sum weight;
  uint64_t floored;
} worker;

typedef struct {
  crd_evidence *evidence;
  worker *workers;
  uint64_t first_row;
} pass;

static crd_status add_chunk(crd_context *ctx, void *arg, unsigned index, size_t from, size_t to) {
  const pass *const all = arg;
  crd_evidence *const e = all->evidence;
  worker *const mine = &all->workers[index];
  const size_t step = crd__row_reader_capacity(mine->reader);
  for (size_t first = from; first < to; first += step) {
    crd__rows rows;
    CRD_TRY(crd__row_reader_read(ctx, mine->reader, first, to - first < step ? to - first : step,
                                 &rows));
    for (size_t t = 0; t < e->plan.tally_count; t++)
      if (e->offset[t] < e->offset[t + 1])
        e->plan.tallies[t]->add(mine->cells + e->offset[t], &e->shape, &rows);
    if (e->plan.ranked)
      crd__ranking_put(&e->ranking, e->ranking.count + first, &rows, all->first_row);
    for (size_t i = 0; i < rows.count; i++) crd__sum_count(&mine->weight, &rows, i);
    mine->floored += rows.floored;
  }
  return CRD_OK;
}

static unsigned all_needs(const crd_evidence *e) {
  unsigned needs = 0;
  for (size_t t = 0; t < e->plan.tally_count; t++) needs |= e->plan.tallies[t]->needs;
  return e->shape.classes ? needs : 0;
}

static crd_status make_workers(crd_context *ctx, const crd_evidence *e, const crd_predictions *p,
                               worker *workers, unsigned count) {
  for (unsigned w = 0; w < count; w++) {
    CRD_TRY(crd__row_reader_create(ctx, p, all_needs(e), &workers[w].reader));
    CRD_TRY(
        crd__new(ctx, e->offset[e->plan.tally_count], sizeof(crd__sum), "bins", &workers[w].cells));
  }
  return CRD_OK;
}

static void take_over(crd_evidence *e, const crd__sum *cells, crd__sum weight, uint64_t floored) {
  for (size_t i = 0; i < e->offset[e->plan.tally_count]; i++)
    crd__sum_merge(&e->cells[i], cells[i]);
  crd__sum_merge(&e->weight, weight);
  e->floored += floored;
}

static crd_status run_pass(crd_context *ctx, crd_evidence *e, const crd_predictions *p,
                           uint64_t first_row) {
  const size_t rows = crd_predictions_rows(p);
  const unsigned count = crd__parallel_workers(ctx, rows / CHUNK + 1);
  pass all = { .evidence = e, .first_row = first_row };
  CRD_TRY(crd__new(ctx, count, sizeof *all.workers, "evaluation", &all.workers));
  crd_status status = make_workers(ctx, e, p, all.workers, count);
  if (status == CRD_OK && e->plan.ranked)
    status = crd__ranking_reserve(ctx, &e->alloc, &e->ranking, rows, e->kind.weighted);
  if (status == CRD_OK) status = crd__parallel_for(ctx, "evaluating", rows, CHUNK, add_chunk, &all);
  for (unsigned w = 0; w < count; w++) {
    const worker *const each = &all.workers[w];
    if (status == CRD_OK) take_over(e, each->cells, each->weight, each->floored);
    crd__row_reader_destroy(each->reader);
    crd__free(&ctx->alloc, each->cells);
  }
  crd__free(&ctx->alloc, all.workers);
  return status;
}

/* A note is kept once, however many parts bring it. */
static crd_status keep_note(crd_context *ctx, crd_evidence *e, const char *note) {
  for (size_t i = 0; i < e->notes.count; i++)
    if (strcmp(e->notes.items[i], note) == 0) return CRD_OK;
  return crd__notes_add(ctx, &e->alloc, &e->notes, "%s", note);
}

static void count_rows(crd_evidence *e, size_t rows) {
  e->rows += rows;
  if (!e->plan.ranked) return;
  e->ranking.count += rows;
  e->ranking.sorted = false;
}

crd_status crd_evidence_add(crd_context *ctx, crd_evidence *evidence,
                            const crd_predictions *predictions, uint64_t first_row) {
  const bool first = evidence->cells == NULL;
  const crd__kind kind = { .classes = predictions->classes,
                           .weighted = predictions->parts.weights.data != NULL,
                           .weight_shift = predictions->weight_shift,
                           .input = predictions->parts.input,
                           .binary = predictions->parts.binary };
  if (first) CRD_TRY(settle(ctx, evidence, &kind, predictions->parts.name));
  crd_status status = check_fit(ctx, evidence, &kind);
  for (size_t i = 0; status == CRD_OK && crd_predictions_note(predictions, i); i++)
    status = keep_note(ctx, evidence, crd_predictions_note(predictions, i));
  if (status == CRD_OK) status = run_pass(ctx, evidence, predictions, first_row);
  if (status == CRD_OK) count_rows(evidence, crd_predictions_rows(predictions));
  else if (first) unsettle(evidence);
  return status;
}

/* The ranking of `other` behind the one that is there, not counted yet. */
static crd_status append_ranking(crd_context *ctx, crd_evidence *e, const crd__ranking *other) {
  if (!e->plan.ranked) return CRD_OK;
  crd__ranking *const mine = &e->ranking;
  CRD_TRY(crd__ranking_reserve(ctx, &e->alloc, mine, other->count, e->kind.weighted));
  memcpy(mine->records + mine->count * mine->words, other->records,
         other->count * other->words * sizeof *other->records);
  return CRD_OK;
}

crd_status crd_evidence_merge(crd_context *ctx, crd_evidence *evidence, const crd_evidence *other) {
  const bool first = evidence->cells == NULL;
  if (!crd__plan_equal(&evidence->plan, &other->plan) || evidence->shape.bins != other->shape.bins)
    return crd__fail(ctx, CRD_EUSAGE, "evidence for other metrics or bins cannot be merged");
  if (!other->cells) return CRD_OK;
  if (first) CRD_TRY(settle(ctx, evidence, &other->kind, other->name));
  crd_status status = check_fit(ctx, evidence, &other->kind);
  for (size_t i = 0; status == CRD_OK && i < other->notes.count; i++)
    status = keep_note(ctx, evidence, other->notes.items[i]);
  if (status == CRD_OK) status = append_ranking(ctx, evidence, &other->ranking);
  if (status != CRD_OK) {
    if (first) unsettle(evidence);
    return status;
  }
  take_over(evidence, other->cells, other->weight, other->floored);
  count_rows(evidence, (size_t)other->rows);
  return CRD_OK;
}
