/* identity.c -- no calibration: probs = softmax(z). The baseline for all other methods. */
#include "calibrator/method.h"
#include "math/rows.h"

#include <math.h>

static crd_status identity_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                               crd__calibrator_fitted *out) {
  (void)ctx;
  (void)data;
  out->certificate.converged = 1;
  out->certificate.objective = out->certificate.gradient_norm = (double)NAN;
  return CRD_OK;
}

static void identity_apply(const crd__calibrator_model *model, const double *logits, size_t rows,
                           double *out) {
  crd__math_row_kernels_best()->softmax(logits, CRD__ROW_F64, rows, model->classes, out);
}

static crd_status identity_describe(crd_context *ctx, const crd__calibrator_model *model,
                                    crd__calibrator_map *out) {
  (void)model;
  return crd__calibrator_map_add(ctx, out, CRD__SOFTMAX, NULL, 0, NULL, 0);
}

const crd__calibrator_method crd__calibrator_method_identity = {
  .info = { .name = "identity",
            .summary = "no calibration: softmax of the logits",
            .meaning = "Learns nothing and changes nothing: the baseline for comparisons.",
            .reference = "softmax",
            .keeps_argmax = 1,
            .standard = SIZE_MAX },
  .given = true,
  .as_is = true,
  .fit = identity_fit,
  .apply = identity_apply,
  .describe = identity_describe,
};
