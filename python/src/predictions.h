/* predictions.h -- predictions in Python, and the methods of theirs that other files define. */
#ifndef CRD_PYTHON_PREDICTIONS_H
#define CRD_PYTHON_PREDICTIONS_H

#include "core.h"

#define CORE_INPUT_WORDS "auto logits probabilities confidence ranking"

/* Returns the predictions of an object, or NULL with an exception set. */
crd_predictions *core_predictions_get(PyObject *object, const char *what);

PyObject *core_predictions_evaluate(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_predictions_gather(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_predictions_fit(PyObject *self, PyObject *unnamed, PyObject *arguments);

/* The fields of crd_evaluate_options. */
extern const core_field core_evaluate_fields[];

#endif
