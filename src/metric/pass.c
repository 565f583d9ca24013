/*
 * pass.c -- adds rows to evidence: they are read once in blocks, and added to every sample.
 *
 * Each worker adds to its own cells; integer sums make the order of merging irrelevant. Where all
 * samples together would need too much memory, they are processed in groups ("turns"), each with
 * its own pass over the rows. Rankings of classes take one more pass, after their pairs are
 * counted. Rankings may be filled in any order, because they are sorted afterwards.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "metric/evidence.h"
#include "metric/resample.h"

enum { CHUNK = 1024, BUDGET = 4 << 20 /* cells of all workers */ };

typedef struct {
  const struct pass *pass;
  crd__data_row_reader *reader;
  crd__sum *cells; /* of the samples of this turn */
  double *draws;   /* counts of a block of rows in CRD__DRAWN_SAMPLES resamples */
  double *weight;  /* of these rows in one resample */
  double *ones;    /* unit weights */
  crd__metric_drawn_scratch *scratch;
  uint64_t floored;
} worker;

typedef struct pass {
  crd_evidence *evidence;
  worker *workers;
  unsigned worker_count;
  uint64_t first_row;
  size_t from, to;     /* the samples of this turn */
  atomic_size_t *next; /* while ranking classes: the index of each class's next pair; else NULL */
} pass;

static void count_data(const crd_evidence *e, crd__sum *cells, const crd__data_rows *rows) {
  const size_t *const offset = e->data.offset;
  for (size_t t = 0; t < e->plan.tally_count; t++)
    if (offset[t] < offset[t + 1]) e->plan.tallies[t]->add(cells + offset[t], &e->shape, rows);
  for (size_t i = 0; i < rows->count; i++)
    crd__metric_sum_count(&cells[e->data.stride - 1], rows, i);
}

/* Adds rows to one resample, for tallies without `add_drawn`; the rows carry its weights. */
static void count_weighted(const crd_evidence *e, crd__sum *cells, const crd__data_rows *rows) {
  const size_t *const offset = e->resample.offset;
  for (size_t t = 0; t < e->plan.tally_count; t++)
    if (offset[t] < offset[t + 1] && !e->plan.tallies[t]->add_drawn)
      e->plan.tallies[t]->add(cells + offset[t], &e->shape, rows);
  for (size_t i = 0; i < rows->count; i++)
    crd__metric_sum_count(&cells[e->resample.stride - 1], rows, i);
}

/* Adds rows to all resamples of `drawn`; drawn->cells are those of the first one. */
static void count_drawn(const crd_evidence *e, const worker *mine, crd__metric_drawn *drawn) {
  const size_t *const offset = e->resample.offset;
  crd__sum *const cells = drawn->cells;
  crd__data_rows resampled = *drawn->rows;
  resampled.weighted = true;
  resampled.weight = mine->weight;
  for (size_t s = 0; s < drawn->samples; s++) {
    for (size_t i = 0; i < resampled.count; i++)
      mine->weight[i] = drawn->rows->weight[i] * drawn->draws[s * resampled.count + i];
    count_weighted(e, cells + s * drawn->stride, &resampled);
  }
  for (size_t t = 0; t < e->plan.tally_count; t++) {
    if (offset[t] == offset[t + 1] || !e->plan.tallies[t]->add_drawn) continue;
    drawn->cells = cells + offset[t];
    e->plan.tallies[t]->add_drawn(drawn, &e->shape);
  }
}

static void count_block(const pass *all, const worker *mine, const crd__data_rows *rows) {
  const crd_evidence *const e = all->evidence;
  const size_t before = crd__metric_evidence_offset(e, all->from);
  crd__data_rows plain = *rows;
  plain.weight = mine->ones;
  if (all->from == 0) count_data(e, mine->cells, rows);
  size_t samples = 0;
  for (size_t first = all->from ? all->from : 1; first < all->to; first += samples) {
    samples = all->to - first < CRD__DRAWN_SAMPLES ? all->to - first : CRD__DRAWN_SAMPLES;
    for (size_t s = 0; s < samples; s += CRD__RESAMPLES_AT_ONCE)
      crd__metric_resample_weights(e->seed, all->first_row, first + s, &plain,
                                   mine->draws + s * rows->count);
    crd__metric_drawn drawn = { .rows = rows,
                                .draws = mine->draws,
                                .samples = samples,
                                .cells =
                                    mine->cells + crd__metric_evidence_offset(e, first) - before,
                                .stride = e->resample.stride,
                                .scratch = mine->scratch };
    count_drawn(e, mine, &drawn);
  }
}

static crd_status add_block(crd_context *ctx, void *self, const crd__data_rows *rows) {
  worker *const mine = self;
  const pass *const all = mine->pass;
  crd_evidence *const e = all->evidence;
  (void)ctx;
  if (all->next) {
    e->plan.pairs->put_pairs(e->rankings + 1, all->next, rows, all->first_row);
    return CRD_OK;
  }
  count_block(all, mine, rows);
  if (all->from > 0) return CRD_OK;
  if (e->plan.ranked)
    crd__metric_ranking_put(&e->rankings[0], e->rankings[0].count + rows->first, rows,
                            all->first_row);
  mine->floored += rows->floored;
  return CRD_OK;
}

static crd_status add_chunk(crd_context *ctx, void *arg, unsigned index, size_t from, size_t to) {
  const pass *const all = arg;
  worker *const mine = &all->workers[index];
  return crd__data_row_reader_walk(ctx, mine->reader, from, to, add_block, mine);
}

static unsigned all_needs(const crd_evidence *e) {
  unsigned needs = 0;
  for (size_t t = 0; t < e->plan.tally_count; t++) needs |= e->plan.tallies[t]->needs;
  return e->shape.classes ? needs : 0;
}

static crd_status make_draw_buffers(crd_context *ctx, worker *each) {
  const size_t rows = crd__data_row_reader_capacity(each->reader), size = sizeof *each->draws;
  CRD_TRY(crd__new(ctx, CRD__DRAWN_SAMPLES * rows, size, "resampling", &each->draws));
  CRD_TRY(crd__new(ctx, rows, size, "resampling", &each->weight));
  CRD_TRY(crd__new(ctx, rows, size, "resampling", &each->ones));
  for (size_t i = 0; i < rows; i++) each->ones[i] = 1;
  return crd__new(ctx, 1, sizeof *each->scratch, "resampling", &each->scratch);
}

static crd_status make_workers(crd_context *ctx, const pass *all, const crd_predictions *p,
                               size_t cells) {
  for (unsigned w = 0; w < all->worker_count; w++) {
    worker *const each = &all->workers[w];
    each->pass = all;
    CRD_TRY(crd__data_row_reader_create(ctx, p, all_needs(all->evidence), &each->reader));
    CRD_TRY(crd__new(ctx, cells, sizeof *each->cells, "bins", &each->cells));
    if (all->evidence->resamples > 0) CRD_TRY(make_draw_buffers(ctx, each));
  }
  return CRD_OK;
}

/* Moves the workers' sums to `cells`, which are not part of the evidence yet. */
static void collect(const pass *all, crd__sum *cells) {
  const size_t before = crd__metric_evidence_offset(all->evidence, all->from);
  const size_t count = crd__metric_evidence_offset(all->evidence, all->to) - before;
  for (unsigned w = 0; w < all->worker_count; w++)
    for (size_t i = 0; i < count; i++) {
      crd__sum_merge(&cells[before + i], all->workers[w].cells[i]);
      all->workers[w].cells[i] = (crd__sum){ 0 };
    }
}

static crd_status take_turns(crd_context *ctx, pass *all, size_t rows, size_t turn,
                             crd__sum *cells) {
  const size_t samples = all->evidence->resamples + 1;
  for (all->from = 0; all->from < samples; all->from = all->to) {
    all->to = (all->from ? all->from : 1) + turn;
    if (all->to > samples) all->to = samples;
    CRD_TRY(crd__parallel_for(ctx, all->from ? "resampling" : "evaluating", rows, CHUNK, add_chunk,
                              all));
    collect(all, cells);
  }
  return CRD_OK;
}

/* Returns the name of the first metric that reads the pairs. */
static const char *first_reader(const crd__metric_plan *plan) {
  size_t m = 0;
  while (m + 1 < plan->metric_count && plan->metrics[m]->tally != plan->pairs) m++;
  return plan->metrics[m]->info.name;
}

/*
 * Reserves memory for `counts` pairs of each class. One block of the total size is allocated and
 * freed first: an overcommitting system would grant many small blocks beyond its memory, and kill
 * the program when they are used.
 */
static crd_status reserve_classes(crd_context *ctx, crd_evidence *e, const crd__sum *counts) {
  const size_t record =
      crd__metric_record_words(crd__metric_evidence_record(e)) * sizeof *e->rankings->records;
  size_t pairs = 0;
  for (size_t k = 0; k + 1 < e->ranking_count; k++) pairs += (size_t)counts[k].whole;
  void *const probe = crd__resize(&e->alloc, NULL, pairs, record);
  crd__free(&e->alloc, probe);
  if (!probe)
    return crd__fail(ctx, CRD_ENOMEM,
                     "no memory for the %zu %s (%zu bytes each) that %s ranks: leave %s out", pairs,
                     e->plan.pairs->pairs, record, first_reader(&e->plan), first_reader(&e->plan));
  for (size_t k = 0; k + 1 < e->ranking_count; k++)
    CRD_TRY(crd__metric_ranking_reserve(ctx, &e->alloc, &e->rankings[k + 1],
                                        (size_t)counts[k].whole, crd__metric_evidence_record(e)));
  return CRD_OK;
}

static crd_status rank_classes(crd_context *ctx, pass *all, size_t rows, const crd__sum *counts) {
  crd_evidence *const e = all->evidence;
  if (e->ranking_count == 1) return CRD_OK;
  CRD_TRY(reserve_classes(ctx, e, counts));
  CRD_TRY(crd__new(ctx, e->ranking_count, sizeof *all->next, "rankings", &all->next));
  for (size_t r = 1; r < e->ranking_count; r++)
    atomic_init(&all->next[r - 1], e->rankings[r].count);
  CRD_TRY(crd__parallel_for(ctx, "ranking classes", rows, CHUNK, add_chunk, all));
  for (size_t r = 1; r < e->ranking_count; r++)
    if (atomic_load(&all->next[r - 1]) != e->rankings[r].count + counts[r - 1].whole)
      return crd__fail(ctx, CRD_EINPUT, "%s: the scores changed while they were read", e->name);
  return CRD_OK;
}

/* Commits the results to the evidence, which takes over the cells if it was empty; cannot fail. */
static void keep(const pass *all, size_t rows, crd__sum **cells) {
  crd_evidence *const e = all->evidence;
  if (e->rows == 0) {
    crd__sum *const empty = e->cells;
    e->cells = *cells;
    *cells = empty;
  } else
    for (size_t i = 0; i < crd__metric_evidence_offset(e, e->resamples + 1); i++)
      crd__sum_merge(&e->cells[i], (*cells)[i]);
  for (unsigned w = 0; w < all->worker_count; w++) e->floored += all->workers[w].floored;
  crd__metric_ranking_grow(&e->rankings[0], e->plan.ranked ? rows : 0);
  for (size_t r = 1; r < e->ranking_count; r++)
    crd__metric_ranking_grow(&e->rankings[r],
                             atomic_load(&all->next[r - 1]) - e->rankings[r].count);
}

/* Returns the number of resamples of a turn: workers may have as many cells as the evidence itself.
 * It is a multiple of CRD__RESAMPLES_AT_ONCE. */
static size_t turn_of(const pass *all) {
  const crd_evidence *const e = all->evidence;
  const size_t total = crd__metric_evidence_offset(e, e->resamples + 1);
  const size_t most = (total > BUDGET ? total : BUDGET) / all->worker_count / e->resample.stride;
  const size_t groups = most / CRD__RESAMPLES_AT_ONCE;
  const size_t turn = (groups ? groups : 1) * CRD__RESAMPLES_AT_ONCE;
  return turn < e->resamples ? turn : e->resamples;
}

crd_status crd__metric_evidence_pass(crd_context *ctx, crd_evidence *evidence,
                                     const crd_predictions *predictions, uint64_t first_row) {
  const size_t rows = crd_predictions_rows(predictions);
  const size_t total = crd__metric_evidence_offset(evidence, evidence->resamples + 1);
  pass all = { .evidence = evidence, .first_row = first_row };
  all.worker_count = crd__parallel_workers(ctx, rows / CHUNK + 1);
  const size_t turn = turn_of(&all);
  crd__sum *cells = NULL;
  CRD_TRY(crd__new(ctx, all.worker_count, sizeof *all.workers, "evaluation", &all.workers));
  crd_status status =
      make_workers(ctx, &all, predictions, crd__metric_evidence_offset(evidence, turn + 1));
  if (status == CRD_OK) status = crd__new(ctx, total, sizeof *cells, "bins", &cells);
  if (status == CRD_OK && evidence->plan.ranked)
    status = crd__metric_ranking_reserve(ctx, &evidence->alloc, &evidence->rankings[0], rows,
                                         crd__metric_evidence_record(evidence));
  if (status == CRD_OK) status = take_turns(ctx, &all, rows, turn, cells);
  if (status == CRD_OK)
    status = rank_classes(ctx, &all, rows,
                          crd__metric_evidence_cells(evidence, cells, 0, evidence->plan.pairs));
  if (status == CRD_OK) keep(&all, rows, &cells);
  for (unsigned w = 0; w < all.worker_count; w++) {
    crd__data_row_reader_destroy(all.workers[w].reader);
    crd__free(&ctx->alloc, all.workers[w].cells);
    crd__free(&ctx->alloc, all.workers[w].draws);
    crd__free(&ctx->alloc, all.workers[w].weight);
    crd__free(&ctx->alloc, all.workers[w].ones);
    crd__free(&ctx->alloc, all.workers[w].scratch);
  }
  crd__free(&ctx->alloc, all.workers);
  crd__free(&ctx->alloc, all.next);
  crd__free(&ctx->alloc, cells);
  return status;
}
