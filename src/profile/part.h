/*
 * part.h -- the interface of a part of a profile, and its input.
 *
 * The frame gathers evidence once, in fine bins of confidence, with a ranking if a requested part
 * needs it. A part reads that evidence, or makes its own pass. Arrays and names belong to the arena
 * of the profile.
 */
#ifndef CRD_PROFILE_PART_H
#define CRD_PROFILE_PART_H

#include "base/arena.h"
#include "credence/profile.h"
#include "metric/evidence.h"

/* The input of parts. */
typedef struct {
  const crd_predictions *predictions;
  const crd_evidence *evidence; /* CRD_FINE_BINS bins; rankings sorted */
  unsigned bins;                /* of the result */
  unsigned resamples;
} crd__profile_source;

typedef struct {
  unsigned part; /* CRD_PROFILE_... */
  bool ranked;   /* reads the ranking by confidence */
  bool ordinal;  /* reads no probabilities: exists for rankings, too */
  crd_status (*fill)(crd_context *ctx, const crd__profile_source *source, crd_profile *out);
} crd__profile_part;

#define PART(name) extern const crd__profile_part crd__profile_part_##name;
#include "profile/part/list.h"
#undef PART

/* Returns the facts for metrics that are computed from the ranking, with this number of bins. */
crd__metric_facts crd__profile_facts(const crd__profile_source *source, size_t bins);

/* Stores the bins that are not empty; `shift`: weights were multiplied by 2^shift. */
crd_status crd__profile_fine_bins_keep(crd_context *ctx, crd_profile *profile,
                                       const crd_fine_bin *all, unsigned bins, int shift,
                                       crd_fine_bins *out);
/* The same from cells of crd__metric_top_bins with CRD_FINE_BINS bins. */
crd_status crd__profile_fine_bins(crd_context *ctx, crd_profile *profile, const crd__sum *cells,
                                  int shift, crd_fine_bins *out);

#endif
