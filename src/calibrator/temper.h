/* temper.h -- softmax of logits divided by a temperature. */
#ifndef CRD_CALIBRATOR_TEMPER_H
#define CRD_CALIBRATOR_TEMPER_H

#include "calibrator/method.h"

void crd__temper(const double *logits, size_t rows, size_t classes, double temperature,
                 double *out);
/* For methods that learn `temperature`: the same in steps. */
crd_status crd__temper_describe(crd_context *ctx, const crd__model *model, crd__map *out);

#endif
