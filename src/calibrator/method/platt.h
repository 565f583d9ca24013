/* platt.h -- the fit of Platt scaling, for the methods that build on it. */
#ifndef CRD_CALIBRATOR_METHOD_PLATT_H
#define CRD_CALIBRATOR_METHOD_PLATT_H

#include "calibrator/method.h"

/* Fits slope line[0] and intercept line[1] over the event's log-odds; `plain`: targets of 0 and 1,
 * not smoothed. */
crd_status crd__calibrator_platt_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                     bool plain, double line[2], crd_certificate *certificate);

#endif
