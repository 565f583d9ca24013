/* platt.h -- the line of Platt scaling, for the methods that build on it. */
#ifndef CRD_CALIBRATOR_METHOD_PLATT_H
#define CRD_CALIBRATOR_METHOD_PLATT_H

#include "calibrator/method.h"

/* line[0] s + line[1] are log-odds, s being the event's; `plain`: targets of 0 and 1 themselves. */
crd_status crd__calibrator_platt_fit(crd_context *ctx, const crd__calibrator_event_data *data,
                                     bool plain, double line[2], crd_certificate *certificate);

#endif
