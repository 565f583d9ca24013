/*
 * vector.c -- vector scaling: probs = softmax(w o z + b), one slope and one offset for each class.
 *
 * Convex in (w, b), solved exactly (affine.c); b sums to 0. What was fitted on logits needs logits:
 * unlike a temperature, w o z depends on a constant added to z.
 *
 * Guo, Pleiss, Sun, Weinberger: On calibration of modern neural networks (2017).
 */
#include "calibrator/affine.h"

static crd_status fit(crd_context *ctx, const crd__fit_data *data, crd__fit *out) {
  crd__affine a;
  CRD_TRY(crd__affine_create(ctx, data, true, &a));
  const crd_status status = crd__affine_solve(ctx, &a, out);
  crd__affine_clear(ctx, &a);
  return status;
}

static const crd__learns learns[] = { { .name = "w", .length = CRD__EACH_CLASS },
                                      { .name = "b", .length = CRD__EACH_CLASS },
                                      { .name = NULL } };

const crd__method crd_method_vector = {
  .info = { .name = "vector",
            .summary = "a slope and an offset for the logit of each class",
            .meaning = "Mends classes that are over- or underrated, and over- or underconfidence "
                       "that differs between classes. Predictions may change.",
            .reference = "Guo, Pleiss, Sun, Weinberger 2017, On calibration of modern neural "
                         "networks",
            .standard = SIZE_MAX },
  .scale = CRD__AS_GIVEN,
  .learns = learns,
  .fit = fit,
  .apply = crd__affine_apply,
  .describe = crd__affine_describe,
};
