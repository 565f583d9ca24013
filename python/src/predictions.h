/* predictions.h -- predictions in Python, and the methods of theirs that other files define. */
#ifndef CRD_PYTHON_PREDICTIONS_H
#define CRD_PYTHON_PREDICTIONS_H

#include "core.h"

#define CORE_INPUT_WORDS "auto logits probabilities confidence ranking"

/* Returns the predictions of an object, or NULL with an exception set. */
const crd_predictions *core_predictions_get(PyObject *object, const char *what);

PyObject *core_predictions_evaluate(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_predictions_gather(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_predictions_fit(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_predictions_compete(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_predictions_diagnose(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_predictions_embed(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_predictions_operate(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_predictions_evaluate_shift(PyObject *self, PyObject *unnamed, PyObject *arguments);

/* Gathers evidence of rows by their numbers, as the program does. */
crd_status core_gather(crd_context *ctx, const crd_predictions *predictions,
                       const crd_evaluate_options *options, crd_evidence **out);

/* Reads [(name, predictions), ...], borrowed from the list; frees nothing. Sets *sets (to be freed
 * by PyMem_Free) and *count. Returns false with an exception set. */
bool core_shift_sets_read(PyObject *list, crd_shift_set **sets, size_t *count);

/* Operating points to find; `options.targets` are to be set where they are used. */
enum { CORE_TARGETS_MAX = 64 };
typedef struct {
  crd_operating_options options;
  crd_target targets[CORE_TARGETS_MAX];
} core_operation;

/* Reads the keyword arguments CORE_OPERATION_NAMES; those that are missing or None are left. */
#define CORE_OPERATION_NAMES "targets", "guarantee"
bool core_operation_read(PyObject *arguments, core_operation *out);
/* Returns operating points as a dict; None for NULL. */
PyObject *core_operating_dict(const crd_operating_table *table);

/* The fields of crd_evaluate_options. */
extern const core_field core_evaluate_fields[];

#endif
