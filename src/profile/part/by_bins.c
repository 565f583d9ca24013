/*
 * by_bins.c -- calibration errors for several numbers of bins, computed from the ranking. Threads
 * share the numbers of bins.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "metric/top_bins.h"
#include "profile/part.h"

extern const crd__metric crd__metric_ece, crd__metric_ece_debiased, crd__metric_aece;

enum { BLOCK = 256 };

static const unsigned numbers[] = { 1,  2,  3,  4,  5,  6,  7,  8,   9,   10,  12,           15,
                                    20, 25, 30, 40, 50, 60, 75, 100, 150, 200, CRD_FINE_BINS };
enum { NUMBERS = sizeof numbers / sizeof *numbers };

typedef struct {
  const crd__profile_source *source;
  crd__sum *cells; /* of each worker: `stride` */
  size_t stride;
  crd_bins_point *points;
} work;

/* The tally of the reliability diagram, from the ranking's records instead of scores. */
static void count(const crd__metric_ranking *r, const crd__metric_shape *shape, crd__sum *cells) {
  double confidence[BLOCK], weight[BLOCK];
  unsigned char correct[BLOCK];
  for (size_t first = 0; first < r->count; first += BLOCK) {
    const size_t rows = r->count - first < BLOCK ? r->count - first : BLOCK;
    for (size_t i = 0; i < rows; i++) {
      confidence[i] = crd__metric_ranking_confidence(r, first + i);
      correct[i] = crd__metric_ranking_correct(r, first + i);
      weight[i] = crd__metric_ranking_weight(r, first + i);
    }
    const crd__data_rows block = { .count = rows,
                                   .weight = weight,
                                   .weighted = r->kind.weighted,
                                   .confidence = confidence,
                                   .correct = correct };
    crd__metric_top_bins.add(cells, shape, &block);
  }
}

static crd_status measure(crd_context *ctx, void *arg, unsigned worker, size_t from, size_t to) {
  const work *const w = arg;
  crd__sum *const cells = w->cells + worker * w->stride;
  (void)ctx;
  for (size_t i = from; i < to; i++) {
    crd__metric_facts facts = crd__profile_facts(w->source, numbers[i]);
    for (size_t c = 0; c < w->stride; c++) cells[c] = (crd__sum){ 0 };
    count(facts.ranking, &facts.shape, cells);
    facts.cells = cells;
    w->points[i] = (crd_bins_point){ .bins = numbers[i],
                                     .ece = crd__metric_ece.finish(&facts).value,
                                     .ece_debiased = crd__metric_ece_debiased.finish(&facts).value,
                                     .aece = crd__metric_aece.finish(&facts).value,
                                     .noise_floor = crd__metric_ece.noise_floor(&facts) };
  }
  return CRD_OK;
}

static crd_status by_bins_fill(crd_context *ctx, const crd__profile_source *source,
                               crd_profile *out) {
  const crd__metric_shape largest = { .bins = CRD_FINE_BINS };
  work w = { .source = source, .stride = crd__metric_top_bins.cells(&largest) };
  CRD_TRY(crd__arena_add(ctx, out, NUMBERS, sizeof *w.points, "a profile", &w.points));
  CRD_TRY(crd__new(ctx, crd__parallel_workers(ctx, NUMBERS) * w.stride, sizeof *w.cells, "bins",
                   &w.cells));
  const crd_status status =
      crd__parallel_for(ctx, "counting in other bins", NUMBERS, 1, measure, &w);
  crd__free(&ctx->alloc, w.cells);
  out->by_bins = w.points;
  out->by_bins_count = NUMBERS;
  return status;
}

const crd__profile_part crd__profile_part_by_bins = { .part = CRD_PROFILE_CURVES,
                                                      .ranked = true,
                                                      .fill = by_bins_fill };
