/* features.c -- read the features of a row. */
#include "data/array.h"
#include "data/rows.h"

#include <math.h>

crd_status crd__data_features_row(crd_context *ctx, const crd_predictions *p, size_t row,
                                  double *out) {
  const crd_array *const features = &p->parts.features;
  for (size_t j = 0; j < crd__data_cols(features); j++) {
    out[j] = crd__data_array_number(features, crd__data_row_at(p, row), j);
    if (!isfinite(out[j]))
      return crd__data_row_fail(ctx, p, "features", row,
                                ", column %zu is %s, expected a finite number", j,
                                crd__data_not_finite(out[j]));
  }
  return CRD_OK;
}
