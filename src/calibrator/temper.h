/* temper.h -- softmax of logits divided by a temperature. */
#ifndef CRD_CALIBRATOR_TEMPER_H
#define CRD_CALIBRATOR_TEMPER_H

#include <stddef.h>

void crd__temper(const double *logits, size_t rows, size_t classes, double temperature,
                 double *out);

#endif
