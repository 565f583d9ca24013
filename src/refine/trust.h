/* trust.h -- contents of a TrustScore, and the predicted classes it reads. */
#ifndef CRD_REFINE_TRUST_H
#define CRD_REFINE_TRUST_H

#include "base/context.h"
#include "credence/refine.h"

enum { CRD__TRUST_K, CRD__TRUST_ALPHA, CRD__TRUST_NEIGHBOUR, CRD__TRUST_SETTINGS };

/* Larger features would overflow when they are squared. */
#define CRD__TRUST_FEATURE_MAX 1e150

struct crd_trust {
  crd_allocator alloc;
  crd_trust_summary summary;
  double *features; /* kept x width, class by class, each in the order of its rows */
  size_t *counts;   /* of each class; summary.counts */
  double set[CRD__TRUST_SETTINGS];
};

/* Leaves out the rows of each class with the largest k-NN radii. */
crd_status crd__refine_trust_filter(crd_context *ctx, crd_trust *trust);

/* Sets *out to a finite feature; CRD_EINPUT names file and row otherwise. */
crd_status crd__refine_feature_check(crd_context *ctx, const char *name, size_t row, size_t column,
                                     double value);

/* Reads predicted classes: those of the file, or the largest scores. CRD_EINPUT names an invalid
 * row. */
crd_status crd__refine_predicted(crd_context *ctx, const crd_predictions *predictions, size_t from,
                                 size_t count, size_t *out);

#endif
