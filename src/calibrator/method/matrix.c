/*
 * matrix.c -- matrix scaling: probs = softmax(W z + b), unregularised.
 *
 * K (K + 1) parameters for K classes: with few rows it overfits, and where the classes are linearly
 * separable there is no finite optimum (the certificate reports it). A baseline for comparison; use
 * matrix-odir instead.
 *
 * Guo, Pleiss, Sun, Weinberger: On calibration of modern neural networks (2017).
 */
#include "calibrator/affine.h"

static const crd_setting_info settings[] = { CRD__AFFINE_COMPAT };

static crd_status matrix_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                             crd__calibrator_fitted *out) {
  crd__calibrator_affine a;
  CRD_TRY(crd__calibrator_affine_create(ctx, data, false, &a));
  const crd_status status = crd__calibrator_affine_solve(ctx, &a, out);
  crd__calibrator_affine_clear(ctx, &a);
  return status;
}

static const crd__calibrator_learns learns[] = {
  { .name = "W", .parts = CRD__EACH_CLASS, .length = CRD__EACH_CLASS },
  { .name = "b", .length = CRD__EACH_CLASS },
  { .name = NULL }
};

const crd__calibrator_method crd__calibrator_method_matrix = {
  .info = { .name = "matrix",
            .summary = "matrix scaling: a linear map of the logits, unregularised",
            .meaning = "Can correct confusions between classes, but has K (K + 1) parameters for K "
                       "classes: with fewer rows than that it overfits. Predictions may change.",
            .reference = "Guo, Pleiss, Sun, Weinberger 2017, On calibration of modern neural "
                         "networks",
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .scale = CRD__AS_GIVEN,
  .terse = true,
  .learns = learns,
  .fit = matrix_fit,
  .apply = crd__calibrator_affine_apply,
  .describe = crd__calibrator_affine_describe,
};
