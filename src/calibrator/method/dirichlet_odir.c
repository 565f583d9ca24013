/*
 * dirichlet_odir.c -- Dirichlet calibration with ODIR penalty: probs = softmax(W x + b), x = log p
 * (odir.c).
 *
 * Kull et al.: Beyond temperature scaling (2019).
 */
#include "calibrator/odir.h"

#include <float.h>
#include <math.h>

/* The experiments of the paper clip probabilities at 2.2e-16. */
static void dirichlet_odir_apply(const crd__calibrator_model *model, const double *logits,
                                 size_t rows, double *out) {
  crd__calibrator_odir_apply(model, log(DBL_EPSILON), logits, rows, out);
}

const crd__calibrator_method crd__calibrator_method_dirichlet_odir = {
  .info = { .name = "dirichlet-odir",
            .summary = "Dirichlet calibration with ODIR penalty",
            .meaning = "Corrects confusions between classes by a linear map of the "
                       "log-probabilities; cross-validation chooses the strength of the penalty. "
                       "The most flexible method that does not overfit, and the slowest. "
                       "Predictions may change.",
            .reference = "Kull et al. 2019, Beyond temperature scaling: obtaining well-calibrated "
                         "multiclass probabilities with Dirichlet calibration",
            .standard = 256,
            .setting_count = CRD__ODIR_SETTINGS,
            .settings = crd__calibrator_odir_settings },
  .scale = CRD__LOG_P,
  .learns = crd__calibrator_odir_learns,
  .fit = crd__calibrator_odir_fit,
  .apply = dirichlet_odir_apply,
  .describe = crd__calibrator_odir_describe,
};
