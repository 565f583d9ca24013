/* search.h -- the temperature with the least mean loss, for losses that are not convex in it. */
#ifndef CRD_CALIBRATOR_SEARCH_H
#define CRD_CALIBRATOR_SEARCH_H

#include "calibrator/method.h"

/* One row's loss at probs = softmax(b z), and its derivative by b. */
typedef struct {
  double value, slope;
} crd__calibrator_row_loss;
typedef crd__calibrator_row_loss crd__calibrator_row_loss_fn(const double *z, size_t classes,
                                                             size_t label, double b,
                                                             double setting);

/* T in [0.001, 1000]; the certificate's objective, derivative by 1/T, iterations, and what it ended
 * at. `setting` is handed to the loss. */
crd_status crd__calibrator_temperature_search(crd_context *ctx,
                                              const crd__calibrator_fit_data *data,
                                              crd__calibrator_row_loss_fn *loss, double setting,
                                              double *temperature, crd_certificate *certificate);

#endif
