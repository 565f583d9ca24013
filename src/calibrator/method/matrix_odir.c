/*
 * matrix_odir.c -- matrix scaling with ODIR penalty: probs = softmax(W x + b), x = z: the logits as
 * given (odir.c).
 *
 * Kull et al.: Beyond temperature scaling (2019).
 */
#include "calibrator/odir.h"

#include <math.h>

static void matrix_odir_apply(const crd__calibrator_model *model, const double *logits, size_t rows,
                              double *out) {
  crd__calibrator_odir_apply(model, -INFINITY, logits, rows, out);
}

const crd__calibrator_method crd__calibrator_method_matrix_odir = {
  .info = { .name = "matrix-odir",
            .summary = "matrix scaling with ODIR penalty",
            .meaning = "Corrects confusions between classes; cross-validation chooses the strength "
                       "of the penalty. The most flexible method that does not overfit, and the "
                       "slowest. Predictions may change.",
            .reference = "Kull et al. 2019, Beyond temperature scaling: obtaining well-calibrated "
                         "multiclass probabilities with Dirichlet calibration",
            .setting_count = CRD__ODIR_SETTINGS,
            .settings = crd__calibrator_odir_settings },
  .scale = CRD__AS_GIVEN,
  .learns = crd__calibrator_odir_learns,
  .fit = crd__calibrator_odir_fit,
  .apply = matrix_odir_apply,
  .describe = crd__calibrator_odir_describe,
};
