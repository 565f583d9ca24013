/* temper.h -- softmax of logits divided by a temperature, for all temperature methods. */
#ifndef CRD_CALIBRATOR_TEMPER_H
#define CRD_CALIBRATOR_TEMPER_H

#include "calibrator/method.h"

/* Sets out = softmax(logits / temperature), row by row. */
void crd__calibrator_temper(const double *logits, size_t rows, size_t classes, double temperature,
                            double *out);
/* Describes it as a map, for methods that learn `temperature`. */
crd_status crd__calibrator_temper_describe(crd_context *ctx, const crd__calibrator_model *model,
                                           crd__calibrator_map *out);

/* For methods whose only parameter is "temperature". */
extern const crd__calibrator_learns crd__calibrator_temper_learns[];
void crd__calibrator_temper_apply(const crd__calibrator_model *model, const double *logits,
                                  size_t rows, double *out);

/* Sets *peaks to the largest logit of each row: the data's, or computed here into *own, which the
 * caller frees. */
crd_status crd__calibrator_fit_peaks(crd_context *ctx, const crd__calibrator_fit_data *data,
                                     double **own, const double **peaks);
/* Returns the argmax of a stored row, the lowest index on ties. */
size_t crd__calibrator_stored_argmax(const crd__calibrator_fit_data *data, size_t row);

/* Finds the temperature of maximum likelihood, within [0.001, 1000] (temperature.c). */
crd_status crd__calibrator_temperature_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                           double *temperature, crd_certificate *certificate);

#endif
