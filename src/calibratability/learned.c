/*
 * learned.c -- learned epochs and largest logits of training rows.
 *
 * A row's learned epoch is the first one from which on it is predicted correctly until the last.
 * Networks learn easy rows before hard ones; a network that still distinguishes them gives higher
 * logits to rows that it learned early: a negative rank correlation. Regularised networks compress
 * the logits, and lose that information for post-hoc calibration.
 *
 * Wang, Feng, Zhang: Rethinking calibration of deep neural networks: do not be afraid of
 * overconfidence (2021), section 5.1, figure 5.
 */
#include "base/memory.h"
#include "calibratability/calibratability.h"
#include "math/spearman.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 30, BINS_MAX = 10000, VALUES = 4 };
enum { RHO, MEAN, STD, NEVER };

/* The results in the making, in their arena. */
typedef struct {
  crd_learned results;
  crd_learned_training *items;
  crd_learned_bin *histograms; /* training methods x thirds x bins */
  double *table;               /* values x runs, sorted by training method */
} owner;

void crd_learned_destroy(const crd_learned *learned) { crd__arena_free(learned); }

/* ---- Checks. */

static crd_status check_run(crd_context *ctx, const crd_learned_run *run) {
  if (!run->rows) return crd__fail(ctx, CRD_EINPUT, "%.100s: there are no rows", run->name);
  for (size_t i = 0; i < run->rows; i++)
    if (!isfinite(run->max_logit[i]))
      return crd__fail(ctx, CRD_EINPUT, "%.100s: max_logit row %zu is not a finite number",
                       run->name, i);
  return CRD_OK;
}

static crd_status check_runs(crd_context *ctx, const crd_learned_run *runs, size_t count,
                             unsigned bins) {
  if (!count) return crd__fail(ctx, CRD_EUSAGE, "no runs: at least one is needed");
  if (bins > BINS_MAX)
    return crd__fail(ctx, CRD_EUSAGE, "%s is %u, allowed are up to %d", crd__spell(ctx, "bins"),
                     bins, BINS_MAX);
  for (size_t r = 0; r < count; r++) CRD_TRY(check_run(ctx, &runs[r]));
  return CRD_OK;
}

/* ---- Values of a run. */

/* Rows that were never learned are the last. */
static uint32_t order_of(uint32_t learned) { return learned ? learned : UINT32_MAX; }

static crd_status correlate(crd_context *ctx, const crd_learned_run *run, double *rho) {
  double *pairs;
  CRD_TRY(crd__new(ctx, run->rows, 2 * sizeof *pairs, "learned epochs", &pairs));
  for (size_t i = 0; i < run->rows; i++) {
    pairs[i] = order_of(run->learned[i]);
    pairs[run->rows + i] = run->max_logit[i];
  }
  const crd_status status = crd__math_spearman(ctx, pairs, pairs + run->rows, run->rows, rho);
  crd__free(&ctx->alloc, pairs);
  return status;
}

/* Mean and standard deviation of the largest logits in a third, or (NULL) of all rows, of all runs
 * of a name. */
typedef struct {
  size_t count;
  double mean, std;
} moments;

static bool is_within(uint32_t epoch, const uint32_t bounds[2]) {
  return !bounds || (epoch > bounds[0] && epoch <= bounds[1]);
}

static moments moments_of(const crd_learned_run *runs, size_t count, const char *name,
                          const uint32_t bounds[2]) {
  moments m = { 0, (double)NAN, (double)NAN };
  double sum = 0, squares = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t r = 0; r < count; r++)
      for (size_t i = 0; i < runs[r].rows && strcmp(runs[r].name, name) == 0; i++) {
        if (!is_within(order_of(runs[r].learned[i]), bounds)) continue;
        const double distance = runs[r].max_logit[i] - m.mean;
        if (pass) squares += distance * distance;
        else sum += runs[r].max_logit[i];
        m.count += pass == 0;
      }
    if (pass == 0 && m.count) m.mean = sum / (double)m.count;
  }
  if (m.count > 1) m.std = sqrt(squares / (double)(m.count - 1));
  return m;
}

static crd_status measure_run(crd_context *ctx, const crd_learned_run *run, double *table,
                              size_t runs) {
  size_t never = 0;
  const moments m = moments_of(run, 1, run->name, NULL);
  CRD_TRY(correlate(ctx, run, &table[RHO * runs]));
  for (size_t i = 0; i < run->rows; i++) never += !run->learned[i];
  table[MEAN * runs] = m.mean;
  table[STD * runs] = m.std;
  table[NEVER * runs] = (double)never / (double)run->rows;
  return CRD_OK;
}

/* ---- Thirds. */

static int compare_epochs(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Sets the last epochs of the thirds: those of the rows at a third and two thirds of all. */
static crd_status find_bounds(crd_context *ctx, const crd_learned_run *runs, size_t count,
                              const char *name, uint32_t bounds[CRD_LEARNED_THIRDS + 1]) {
  size_t rows = 0, at = 0;
  uint32_t *all;
  for (size_t r = 0; r < count; r++)
    if (strcmp(runs[r].name, name) == 0) rows += runs[r].rows;
  CRD_TRY(crd__new(ctx, rows, sizeof *all, "learned epochs", &all));
  for (size_t r = 0; r < count; r++)
    for (size_t i = 0; i < runs[r].rows && strcmp(runs[r].name, name) == 0; i++)
      all[at++] = order_of(runs[r].learned[i]);
  qsort(all, rows, sizeof *all, compare_epochs);
  bounds[0] = 0;
  bounds[1] = all[(rows + 2) / 3 - 1];
  bounds[2] = all[(2 * rows + 2) / 3 - 1];
  bounds[3] = UINT32_MAX;
  crd__free(&ctx->alloc, all);
  return CRD_OK;
}

static size_t bin_of(const crd_learned *l, double value) {
  const double place = (value - l->low) / (l->high - l->low) * (double)l->bins;
  return place >= (double)l->bins ? l->bins - 1 : (size_t)place;
}

static void add_row(const crd_learned *l, uint32_t learned, double logit, crd_learned_third *third,
                    crd_learned_bin *bins) {
  third->never += !learned;
  if (learned && (!third->from || learned < third->from)) third->from = learned;
  if (learned > third->to) third->to = learned;
  bins[bin_of(l, logit)].rows++;
}

static void fill_third(const crd_learned *l, const crd_learned_run *runs, size_t count,
                       const char *name, const uint32_t bounds[2], crd_learned_third *third,
                       crd_learned_bin *bins) {
  const moments m = moments_of(runs, count, name, bounds);
  *third = (crd_learned_third){ .rows = m.count, .mean = m.mean, .std = m.std, .bins = bins };
  for (size_t r = 0; r < count; r++)
    for (size_t i = 0; i < runs[r].rows && strcmp(runs[r].name, name) == 0; i++)
      if (is_within(order_of(runs[r].learned[i]), bounds))
        add_row(l, runs[r].learned[i], runs[r].max_logit[i], third, bins);
}

/* Sets the edges of the bins, and their shares of the rows of all thirds. */
static void finish_bins(const crd_learned *l, const crd_learned_training *item,
                        crd_learned_bin *bins) {
  const double width = (l->high - l->low) / (double)l->bins;
  size_t rows = 0;
  for (size_t k = 0; k < CRD_LEARNED_THIRDS; k++) rows += item->thirds[k].rows;
  for (size_t b = 0; b < (size_t)CRD_LEARNED_THIRDS * l->bins; b++) {
    const double place = (double)(b % l->bins);
    bins[b].low = l->low + place * width;
    bins[b].high = l->low + (place + 1) * width;
    bins[b].share = (double)bins[b].rows / (double)rows;
  }
}

/* ---- All runs. */

/* Comparisons instead of fmin and fmax, on which gcc 12 for aarch64 crashes here. */
static void find_range(crd_learned *l, const crd_learned_run *runs, size_t count) {
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (size_t r = 0; r < count; r++)
    for (size_t i = 0; i < runs[r].rows; i++) {
      const double logit = runs[r].max_logit[i];
      low = logit < low ? logit : low;
      high = logit > high ? logit : high;
    }
  l->low = low < high ? low : low - 0.5;
  l->high = low < high ? high : high + 0.5;
}

static crd_status enlist(crd_context *ctx, owner *o, const char *name) {
  for (size_t i = 0; i < o->results.count; i++)
    if (strcmp(o->items[i].name, name) == 0) {
      o->items[i].runs++;
      return CRD_OK;
    }
  crd_learned_training *const item = &o->items[o->results.count];
  CRD_TRY(crd__arena_text(ctx, o, name, &item->name));
  item->runs = 1;
  o->results.count++;
  return CRD_OK;
}

static crd_status measure_training(crd_context *ctx, owner *o, const crd_learned_run *runs,
                                   size_t count, size_t index, size_t first) {
  crd_learned_training *const item = &o->items[index];
  uint32_t bounds[CRD_LEARNED_THIRDS + 1];
  double *const table = o->table + first;
  for (size_t r = 0, at = 0; r < count; r++)
    if (strcmp(runs[r].name, item->name) == 0)
      CRD_TRY(measure_run(ctx, &runs[r], table + at++, count));
  item->rho = crd__calibratability_moments(table + RHO * count, item->runs);
  item->mean = crd__calibratability_moments(table + MEAN * count, item->runs);
  item->std = crd__calibratability_moments(table + STD * count, item->runs);
  item->never = crd__calibratability_moments(table + NEVER * count, item->runs);
  CRD_TRY(find_bounds(ctx, runs, count, item->name, bounds));
  crd_learned_bin *const bins = o->histograms + index * CRD_LEARNED_THIRDS * o->results.bins;
  for (size_t k = 0; k < CRD_LEARNED_THIRDS; k++)
    fill_third(&o->results, runs, count, item->name, bounds + k, &item->thirds[k],
               bins + k * o->results.bins);
  finish_bins(&o->results, item, bins);
  return CRD_OK;
}

static crd_status measure_all(crd_context *ctx, owner *o, const crd_learned_run *runs,
                              size_t count) {
  crd_learned *const l = &o->results;
  crd__text name;
  CRD_TRY(crd__arena_add(ctx, o, count, sizeof *o->items, "training methods", &o->items));
  CRD_TRY(crd__arena_add(ctx, o, count, VALUES * sizeof *o->table, "training methods", &o->table));
  l->items = o->items;
  for (size_t r = 0; r < count; r++) CRD_TRY(enlist(ctx, o, runs[r].name));
  crd__text_init(&name, crd__arena_allocator(o));
  crd__calibratability_join(&name, &o->items[0].name, sizeof *o->items, l->count);
  CRD_TRY(crd__text_status(ctx, &name));
  l->name = name.bytes;
  CRD_TRY(crd__arena_add(ctx, o, l->count * CRD_LEARNED_THIRDS, l->bins * sizeof *o->histograms,
                         "histograms", &o->histograms));
  find_range(l, runs, count);
  for (size_t i = 0, first = 0; i < l->count; first += o->items[i++].runs) {
    CRD_TRY(crd__check_interrupt(ctx));
    CRD_TRY(measure_training(ctx, o, runs, count, i, first));
  }
  return CRD_OK;
}

crd_status crd_learned_measure(crd_context *ctx, const crd_learned_run *runs, size_t count,
                               unsigned bins, const crd_learned **out) {
  owner *o;
  *out = NULL;
  CRD_TRY(check_runs(ctx, runs, count, bins));
  CRD_TRY(crd__arena_new(ctx, sizeof *o, "learned epochs", &o));
  o->results.bins = bins ? bins : BINS;
  const crd_status status = measure_all(ctx, o, runs, count);
  if (status == CRD_OK) *out = &o->results;
  else crd__arena_free(o);
  return status;
}
