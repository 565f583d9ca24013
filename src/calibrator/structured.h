/* structured.h -- structured scaling, for structured-vector and structured-matrix, which differ in
 * whether W is diagonal. */
#ifndef CRD_CALIBRATOR_STRUCTURED_H
#define CRD_CALIBRATOR_STRUCTURED_H

#include "calibrator/affine.h"

/* The setting of both. */
extern const crd_setting_info crd__calibrator_structured_settings[1];

crd_status crd__calibrator_structured_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                          bool diagonal, crd__calibrator_fitted *out);
void crd__calibrator_structured_apply(const crd__calibrator_model *model, const double *logits,
                                      size_t rows, double *out);
crd_status crd__calibrator_structured_describe(crd_context *ctx, const crd__calibrator_model *model,
                                               crd__calibrator_map *out);

#endif
