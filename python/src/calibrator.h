/* calibrator.h -- calibrators in Python, and what is known of a fit. */
#ifndef CRD_PYTHON_CALIBRATOR_H
#define CRD_PYTHON_CALIBRATOR_H

#include "core.h"

/* Creates a Calibrator that owns `calibrator` and the context of the call, which this ends with
 * `status`. */
PyObject *core_calibrator_new(core_call *call, crd_status status, crd_calibrator *calibrator);
/* The fields of crd_certificate. */
extern const core_field core_certificate_fields[];
/* Returns a learnt array: a NumPy array, or a list of them if it has several parts. */
PyObject *core_learnt(const crd_learnt *learnt);

#endif
