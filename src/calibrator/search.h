/* search.h -- global search for the temperature of the smallest mean loss, for nonconvex losses. */
#ifndef CRD_CALIBRATOR_SEARCH_H
#define CRD_CALIBRATOR_SEARCH_H

#include "calibrator/method.h"

/* The loss of one row at probs = softmax(b z), and its derivative with respect to b. */
typedef struct {
  double value, slope;
} crd__calibrator_row_loss;
typedef crd__calibrator_row_loss crd__calibrator_row_loss_fn(const double *z, size_t classes,
                                                             size_t label, double b,
                                                             double setting);

/* Finds T in [0.001, 1000]; sets the certificate's objective, derivative with respect to 1/T,
 * iterations, and bounds hit. `setting` is passed to the loss. */
crd_status crd__calibrator_temperature_search(crd_context *ctx,
                                              const crd__calibrator_fit_data *data,
                                              crd__calibrator_row_loss_fn *loss, double setting,
                                              double *temperature, crd_certificate *certificate);

#endif
