/*
 * structured_matrix.c -- structured matrix scaling: softmax(W x + b) of temperature-scaled
 * log-probabilities x, with the whole matrix W (structured.c).
 *
 * Berta, Holzmueller, Jordan, Bach: Structured matrix scaling for multi-class calibration (2026).
 */
#include "calibrator/structured.h"

static crd_status structured_matrix_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                        crd__calibrator_fitted *out) {
  return crd__calibrator_structured_fit(ctx, data, false, out);
}

static const crd__calibrator_learns learns[] = {
  { .name = "temperature" },
  { .name = "uniform" },
  { .name = "W", .parts = CRD__EACH_CLASS, .length = CRD__EACH_CLASS },
  { .name = "b", .length = CRD__EACH_CLASS },
  { .name = NULL },
};

const crd__calibrator_method crd__calibrator_method_structured_matrix = {
  .info = { .name = "structured-matrix",
            .summary = "matrix scaling after temperature scaling, penalised by the numbers of "
                       "classes and rows",
            .meaning =
                "Corrects confusions between classes with a penalty that needs no search: much "
                "faster than matrix-odir, and close to temperature scaling where rows are few. "
                "Predictions may change.",
            .reference = "Berta, Holzmueller, Jordan, Bach 2026, Structured matrix scaling for "
                         "multi-class calibration",
            .standard = 256, /* the fit grows with the square of the number of classes */
            .setting_count = 1,
            .settings = crd__calibrator_structured_settings },
  .scale = CRD__ANY_SHIFT,
  .learns = learns,
  .fit = structured_matrix_fit,
  .apply = crd__calibrator_structured_apply,
  .describe = crd__calibrator_structured_describe,
};
