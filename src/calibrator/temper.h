/* temper.h -- softmax of logits divided by a temperature, which several methods fit in their ways.
 */
#ifndef CRD_CALIBRATOR_TEMPER_H
#define CRD_CALIBRATOR_TEMPER_H

#include "calibrator/method.h"

void crd__temper(const double *logits, size_t rows, size_t classes, double temperature,
                 double *out);
/* For methods that learn `temperature`: the same in steps. */
crd_status crd__temper_describe(crd_context *ctx, const crd__model *model, crd__map *out);

/* For methods that learn the number "temperature" and nothing else. */
extern const crd__learns crd__temper_learns[];
void crd__temper_apply(const crd__model *model, const double *logits, size_t rows, double *out);

/* The mean negative log-likelihood at softmax(b z) and its derivative by b, for b below 0 too. */
crd_status crd__temperature_look(crd_context *ctx, const crd__fit_data *data, double b,
                                 double *value, double *slope);
/* The temperature of the least negative log-likelihood, within [0.001, 1000] (temperature.c). */
crd_status crd__temperature_fit(crd_context *ctx, const crd__fit_data *data, double *temperature,
                                crd_certificate *certificate);

#endif
