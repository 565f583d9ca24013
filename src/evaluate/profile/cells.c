/* cells.c -- right, or wrong, rows of nearly the same confidence as one. */
#include "evaluate/profile/cells.h"
#include "base/memory.h"
#include "math/bins.h"

/* How many different confidences there are. */
static size_t count_runs(const crd__ranking *r, bool right) {
  size_t runs = 0;
  double last = -1;
  for (size_t i = 0; i < r->count; i++) {
    if (!(crd__side_weight(r, i, right) > 0)) continue;
    const double confidence = crd__ranking_confidence(r, i);
    runs += confidence != last;
    last = confidence;
  }
  return runs;
}

static void collect(const crd__ranking *r, bool each, crd__cells *out) {
  size_t last = 0;
  for (size_t i = 0; i < r->count; i++) {
    const double weight = crd__side_weight(r, i, out->right);
    const double confidence = crd__ranking_confidence(r, i);
    if (!(weight > 0)) continue;
    const size_t bin = crd__bin_index(confidence, CRD__CELLS);
    if (out->count == 0) out->low = confidence;
    if (out->count == 0 || (each ? confidence != out->high : bin != last))
      out->items[out->count++].place = confidence;
    crd__cell *const cell = &out->items[out->count - 1];
    cell->weight += weight;
    cell->place += weight / cell->weight * (confidence - cell->place); /* equal ones stay exact */
    cell->end = i + 1;
    out->high = confidence;
    out->total += weight;
    out->squares += weight * weight;
    last = bin;
  }
}

crd_status crd__cells_make(crd_context *ctx, const crd__ranking *ranking, bool right,
                           crd__cells *out) {
  const size_t runs = count_runs(ranking, right);
  *out = (crd__cells){ .right = right };
  CRD_TRY(crd__new(ctx, runs < CRD__CELLS ? runs : CRD__CELLS, sizeof *out->items, "a curve",
                   &out->items));
  collect(ranking, runs <= CRD__CELLS, out);
  return CRD_OK;
}

void crd__cells_clear(const crd_allocator *alloc, crd__cells *cells) {
  crd__free(alloc, cells->items);
  *cells = (crd__cells){ 0 };
}
