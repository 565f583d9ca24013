/* cells.c -- pools correct, or incorrect, rows of nearly equal confidence. */
#include "profile/cells.h"
#include "base/memory.h"
#include "math/bins.h"

#include <math.h>

static const double narrowest = 0.01;

/* Counts distinct confidences. */
static size_t count_runs(const crd__metric_ranking *r, bool right) {
  size_t runs = 0;
  double last = -1;
  for (size_t i = 0; i < r->count; i++) {
    if (!(crd__profile_side_weight(r, i, right) > 0)) continue;
    const double confidence = crd__metric_ranking_confidence(r, i);
    runs += confidence != last;
    last = confidence;
  }
  return runs;
}

static void collect(const crd__metric_ranking *r, bool each, crd__profile_cells *out) {
  size_t last = 0;
  for (size_t i = 0; i < r->count; i++) {
    const double weight = crd__profile_side_weight(r, i, out->right);
    const double confidence = crd__metric_ranking_confidence(r, i);
    if (!(weight > 0)) continue;
    const size_t bin = crd__math_bin_index(confidence, CRD__CELLS);
    if (out->count == 0) out->low = confidence;
    if (out->count == 0 || (each ? confidence != out->high : bin != last))
      out->items[out->count++].place = confidence;
    crd__profile_cell *const cell = &out->items[out->count - 1];
    cell->weight += weight;
    cell->place += weight / cell->weight *
                   (confidence - cell->place); /* running mean; exact for equal confidences */
    cell->end = i + 1;
    out->high = confidence;
    out->total += weight;
    out->squares += weight * weight;
    last = bin;
  }
}

crd_status crd__profile_cells_make(crd_context *ctx, const crd__metric_ranking *ranking, bool right,
                                   crd__profile_cells *out) {
  const size_t runs = count_runs(ranking, right);
  *out = (crd__profile_cells){ .right = right };
  CRD_TRY(crd__new(ctx, runs < CRD__CELLS ? runs : CRD__CELLS, sizeof *out->items, "a curve",
                   &out->items));
  collect(ranking, runs <= CRD__CELLS, out);
  return CRD_OK;
}

void crd__profile_cells_clear(const crd_allocator *alloc, crd__profile_cells *cells) {
  crd__free(alloc, cells->items);
  *cells = (crd__profile_cells){ 0 };
}

/* ---- Silverman's rule. */

/* Returns the lowest confidence with at least `weight` up to it. */
static double quantile(const crd__metric_ranking *r, bool right, double weight) {
  double sum = 0;
  size_t i = 0;
  while (i < r->count && (sum += crd__profile_side_weight(r, i, right)) < weight) i++;
  return crd__metric_ranking_confidence(r, i < r->count ? i : r->count - 1);
}

static double deviation(const crd__metric_ranking *r, const crd__profile_cells *cells) {
  double mean = 0, variance = 0;
  for (size_t i = 0; i < r->count; i++)
    mean += crd__profile_side_weight(r, i, cells->right) * crd__metric_ranking_confidence(r, i) /
            cells->total;
  for (size_t i = 0; i < r->count; i++) {
    const double distance = crd__metric_ranking_confidence(r, i) - mean;
    variance += crd__profile_side_weight(r, i, cells->right) * distance * distance / cells->total;
  }
  return sqrt(variance);
}

double crd__profile_cells_width(const crd__metric_ranking *r, const crd__profile_cells *cells) {
  const double total = cells->total, rows = total * total / cells->squares;
  const double middle =
      quantile(r, cells->right, 0.75 * total) - quantile(r, cells->right, 0.25 * total);
  const double all = deviation(r, cells), spread = middle > 0 ? fmin(all, middle / 1.34) : all;
  return fmax(0.9 * spread * pow(rows, -0.2), narrowest);
}
