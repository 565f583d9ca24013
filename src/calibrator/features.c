/*
 * features.c -- reads rows of features in float64, normalised to length 1.
 *
 * Networks, and rows of one network, differ in the scale of their features; directions can be
 * compared. A row of zeros stays 0. The largest element is divided out first, so that no square
 * overflows or underflows.
 */
#include "calibrator/calibrator.h"
#include "data/rows.h"

#include <math.h>

crd_status crd__calibrator_features_fit(crd_context *ctx, const crd_method_info *method,
                                        size_t expected, const crd_predictions *p) {
  const size_t found = crd_predictions_features(p);
  if (!method->needs_features) return CRD_OK;
  if (found == 0)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: %s needs features (an array `features`, one row for each row of scores)",
                     p->parts.name, method->name);
  if (expected && found != expected)
    return crd__fail(ctx, CRD_EINPUT,
                     "%s: features have %zu columns, the calibrator was fitted on %zu",
                     p->parts.name, found, expected);
  return CRD_OK;
}

static void normalise(double *row, size_t width) {
  double most = 0, square = 0;
  for (size_t j = 0; j < width; j++) most = fmax(most, fabs(row[j]));
  if (most == 0) return;
  for (size_t j = 0; j < width; j++) {
    row[j] /= most;
    square += row[j] * row[j];
  }
  for (size_t j = 0; j < width; j++) row[j] /= sqrt(square);
}

crd_status crd__calibrator_features_read(crd_context *ctx, const crd_predictions *p, size_t from,
                                         size_t count, double *out) {
  const size_t width = crd_predictions_features(p);
  for (size_t i = 0; i < count; i++) {
    CRD_TRY(crd__data_features_row(ctx, p, from + i, out + i * width));
    normalise(out + i * width, width);
  }
  return CRD_OK;
}
