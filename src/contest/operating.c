/*
 * operating.c -- the operating points of a candidate: thresholds chosen on the calibration rows and
 * measured on the test rows.
 *
 * Methods are fitted on the calibration rows too, so that their confidence is better there than on
 * other rows; the points say so. Where calibrated calibration rows do not exist, with folds and for
 * external methods, the calibrated test rows are divided into halves.
 */
#include "contest/cross.h"

crd_status crd__contest_operating(crd_context *ctx, const crd__contest_rounds *rounds,
                                  const crd__contest_trial *trial, const crd_predictions *judged,
                                  const crd_operating_options *options,
                                  const crd_operating_table **out) {
  crd_operating_options how = *options;
  crd_predictions *chosen = NULL;
  const bool same = judged == rounds->test; /* identity: not fitted */
  *out = NULL;
  how.guarantee = CRD_GUARANTEE_HELD_OUT;
  if (rounds->folds || !trial->calibrator) return crd_operating_find(ctx, judged, &how, out);
  if (same) return crd_operating_choose(ctx, rounds->calibrate, judged, &how, out);
  how.fitted = 1;
  CRD_TRY(crd_calibrator_calibrate(ctx, trial->calibrator, rounds->calibrate, &chosen));
  const crd_status status = crd_operating_choose(ctx, chosen, judged, &how, out);
  crd_predictions_destroy(chosen);
  return status;
}
