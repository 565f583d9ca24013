/*
 * vector.c -- vector scaling: probs = softmax(w o z + b), a weight and a bias for each class.
 *
 * Convex in (w, b), solved exactly (affine.c); b sums to 0. A calibrator fitted on logits applies
 * to logits only: unlike with a temperature, a constant added to z changes the result.
 *
 * Guo, Pleiss, Sun, Weinberger: On calibration of modern neural networks (2017).
 */
#include "calibrator/affine.h"

static const crd_setting_info settings[] = { CRD__AFFINE_COMPAT };

static crd_status vector_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                             crd__calibrator_fitted *out) {
  crd__calibrator_affine a;
  CRD_TRY(crd__calibrator_affine_create(ctx, data, true, &a));
  const crd_status status = crd__calibrator_affine_solve(ctx, &a, out);
  crd__calibrator_affine_clear(ctx, &a);
  return status;
}

static const crd__calibrator_learns learns[] = { { .name = "w", .length = CRD__EACH_CLASS },
                                                 { .name = "b", .length = CRD__EACH_CLASS },
                                                 { .name = NULL } };

const crd__calibrator_method crd__calibrator_method_vector = {
  .info = { .name = "vector",
            .summary = "vector scaling: a weight and a bias for the logit of each class",
            .meaning = "Corrects classes that are predicted too often or too rarely, and over- or "
                       "underconfidence that differs between classes. Predictions may change.",
            .reference = "Guo, Pleiss, Sun, Weinberger 2017, On calibration of modern neural "
                         "networks",
            .standard = SIZE_MAX,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .scale = CRD__AS_GIVEN,
  .terse = true,
  .learns = learns,
  .fit = vector_fit,
  .apply = crd__calibrator_affine_apply,
  .describe = crd__calibrator_affine_describe,
};
