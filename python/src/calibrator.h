/* calibrator.h -- what is known of a fit, in Python. */
#ifndef CRD_PYTHON_CALIBRATOR_H
#define CRD_PYTHON_CALIBRATOR_H

#include "core.h"

/* The fields of crd_certificate. */
extern const core_field core_certificate_fields[];
/* Returns a learnt array: a NumPy array, or a list of them if it has several parts. */
PyObject *core_learnt(const crd_learnt *learnt);

#endif
