/* bins.c -- the reliability diagram in fine bins: sums over the rows of each bin. */
#include "metric/top_bins.h"
#include "profile/part.h"

#include <math.h>

crd_status crd__profile_fine_bins_keep(crd_context *ctx, crd_profile *profile,
                                       const crd_fine_bin *all, unsigned bins, int shift,
                                       crd_fine_bins *out) {
  crd_fine_bin *items;
  size_t count = 0;
  for (unsigned m = 0; m < bins; m++) count += all[m].rows > 0;
  CRD_TRY(crd__arena_add(ctx, profile, count, sizeof *items, "a profile", &items));
  *out = (crd_fine_bins){ .bins = bins, .items = items };
  for (unsigned m = 0; m < bins; m++) {
    if (all[m].rows == 0) continue;
    items[out->count++] = (crd_fine_bin){ .index = m,
                                          .rows = all[m].rows,
                                          .weight = ldexp(all[m].weight, -shift),
                                          .confidence = ldexp(all[m].confidence, -shift),
                                          .correct = ldexp(all[m].correct, -shift) };
  }
  return CRD_OK;
}

crd_status crd__profile_fine_bins(crd_context *ctx, crd_profile *profile, const crd__sum *cells,
                                  int shift, crd_fine_bins *out) {
  crd_fine_bin all[CRD_FINE_BINS];
  for (size_t m = 0; m < CRD_FINE_BINS; m++) {
    const crd__metric_top_sums sums = crd__metric_top_sums_at(cells, m);
    all[m] = (crd_fine_bin){ .rows = sums.rows,
                             .weight = sums.weight,
                             .confidence = sums.confidence,
                             .correct = sums.correct };
  }
  return crd__profile_fine_bins_keep(ctx, profile, all, CRD_FINE_BINS, shift, out);
}

static crd_status bins_fill(crd_context *ctx, const crd__profile_source *source, crd_profile *out) {
  const crd_evidence *const e = source->evidence;
  return crd__profile_fine_bins(ctx, out,
                                crd__metric_evidence_cells(e, e->cells, 0, &crd__metric_top_bins),
                                e->kind.weight_shift, &out->bins);
}

const crd__profile_part crd__profile_part_bins = { .part = CRD_PROFILE_BINS, .fill = bins_fill };
