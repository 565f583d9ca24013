/* temper.h -- softmax of logits divided by a temperature, which several methods fit in their ways.
 */
#ifndef CRD_CALIBRATOR_TEMPER_H
#define CRD_CALIBRATOR_TEMPER_H

#include "calibrator/method.h"

void crd__calibrator_temper(const double *logits, size_t rows, size_t classes, double temperature,
                            double *out);
/* For methods that learn `temperature`: the same in steps. */
crd_status crd__calibrator_temper_describe(crd_context *ctx, const crd__calibrator_model *model,
                                           crd__calibrator_map *out);

/* For methods that learn the number "temperature" and nothing else. */
extern const crd__calibrator_learns crd__calibrator_temper_learns[];
void crd__calibrator_temper_apply(const crd__calibrator_model *model, const double *logits,
                                  size_t rows, double *out);

/* The largest logit of each row: the data's, or found here, and then *own is to be freed. */
crd_status crd__calibrator_fit_peaks(crd_context *ctx, const crd__calibrator_fit_data *data,
                                     double **own, const double **peaks);
/* The class of the largest logit of a stored row, the lowest on ties. */
size_t crd__calibrator_stored_argmax(const crd__calibrator_fit_data *data, size_t row);

/* The temperature of the least negative log-likelihood, within [0.001, 1000] (temperature.c). */
crd_status crd__calibrator_temperature_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                           double *temperature, crd_certificate *certificate);

#endif
