/* loss.c -- the type Loss: a training loss, its value and its gradient with respect to logits. */
#include "core.h"

#include <string.h>

static PyTypeObject *loss_type;

static void loss_free(void *it) { crd_loss_destroy(it); }
static crd_loss *get(PyObject *self) { return ((core_object *)self)->it; }

/* ---- Creation. */

static const core_field option_fields[] = {
  { "reduction", CORE_WORD, offsetof(crd_loss_options, reduction), "mean sum" },
  { "allow_negative", CORE_FLAG, offsetof(crd_loss_options, allow_negative), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* Reads a sequence of numbers. None: no counts. The caller frees *out. */
static bool read_counts(PyObject *given, double **out, size_t *count) {
  *out = NULL;
  *count = 0;
  if (!given || given == Py_None) return true;
  PyObject *const items = PySequence_Tuple(given);
  if (items) {
    *count = (size_t)PyTuple_Size(items);
    *out = PyMem_Calloc(*count + 1, sizeof **out);
    if (!*out) core_raise(CRD_ENOMEM, "no memory for class_counts");
    for (size_t i = 0; !PyErr_Occurred() && i < *count; i++)
      (*out)[i] = PyFloat_AsDouble(PyTuple_GetItem(items, (Py_ssize_t)i));
    Py_DECREF(items);
  }
  if (!PyErr_Occurred()) return true;
  if (core_clear_error())
    core_raise_type("class_counts is %R, expected a number for each class", given);
  return false;
}

static PyObject *loss_new(PyTypeObject *type, PyObject *unnamed, PyObject *arguments) {
  static const char *const others[] = { "class_counts", NULL };
  crd_loss_options options = { .size = sizeof options };
  const char *expression;
  PyObject *given, *result = NULL;
  crd_loss *loss = NULL;
  double *counts = NULL;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &given) || !core_name_read(given, "expression", &expression))
    return NULL;
  if (!core_fields_set(arguments, "Loss", option_fields, &options, others)) return NULL;
  given = core_argument(arguments, "class_counts");
  if (read_counts(given, &counts, &options.classes) && core_call_begin(&call, NULL, NULL)) {
    options.class_counts = counts;
    if (core_call_end(&call, crd_loss_create(call.ctx, expression, &options, &loss)))
      result = core_object_new(type, loss, loss_free, &call, NULL);
    else core_call_close(&call);
  }
  PyMem_Free(counts);
  return result;
}

/* ---- Evaluation. */

/* One batch: its arrays are borrowed until the end of the call. */
typedef struct {
  core_array logits, labels, weights, history;
  crd_targets targets;
  crd_loss_value value;
  PyObject *gradient; /* a NumPy array; NULL: none */
} evaluation;

static void release(evaluation *e) {
  core_array_release(&e->logits);
  core_array_release(&e->labels);
  core_array_release(&e->weights);
  core_array_release(&e->history);
  Py_CLEAR(e->gradient);
}

static const core_field target_fields[] = {
  { "history_low", CORE_DOUBLE, offsetof(crd_targets, history_low), NULL },
  { "epochs", CORE_DOUBLE, offsetof(crd_targets, epochs), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static bool read_column(PyObject *arguments, const char *name, core_array *array, crd_array *out) {
  if (!core_array_read(core_argument(arguments, name), name, array)) return false;
  core_array_column(array);
  *out = array->view;
  return true;
}

static bool read_ignored(PyObject *given, crd_targets *targets) {
  if (!given || given == Py_None) return true;
  PyObject *const index = PyNumber_Index(given);
  targets->ignored = index ? PyLong_AsLongLong(index) : 0;
  targets->has_ignored = 1;
  Py_XDECREF(index);
  if (!PyErr_Occurred()) return true;
  if (core_clear_error())
    core_raise_type("ignore is %R, expected an int of at most 64 bits, or None", given);
  return false;
}

static bool read_batch(PyObject *logits, PyObject *labels, PyObject *arguments, evaluation *e) {
  static const char *const others[] = { "weights",  "history",      "ignore",
                                        "gradient", CORE_RUN_NAMES, NULL };
  PyObject *const ignored = core_argument(arguments, "ignore");
  e->targets.size = sizeof e->targets;
  if (!core_fields_set(arguments, "a loss", target_fields, &e->targets, others)) return false;
  if (!core_array_read(logits, "logits", &e->logits)) return false;
  if (!core_array_read(labels, "targets", &e->labels)) return false;
  if (!e->logits.view.data || !e->labels.view.data)
    return core_raise_type("logits or targets are None, expected arrays") != NULL;
  core_array_column(&e->labels);
  e->targets.labels = e->labels.view;
  return read_column(arguments, "weights", &e->weights, &e->targets.weights) &&
         read_column(arguments, "history", &e->history, &e->targets.history) &&
         read_ignored(ignored, &e->targets);
}

/* Makes room for the gradient, unless the library will refuse these logits. */
static bool make_gradient(PyObject *wanted, evaluation *e, void **data) {
  const crd_array *const logits = &e->logits.view;
  *data = NULL;
  if (wanted && PyObject_IsTrue(wanted) != 1) return !PyErr_Occurred();
  if (logits->rank != 2 || (logits->dtype != CRD_F32 && logits->dtype != CRD_F64)) return true;
  e->gradient = core_numpy_empty(logits->dtype, 2, logits->dims, data);
  return e->gradient != NULL;
}

static PyObject *number_list(const double *values, size_t count) {
  PyObject *const list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++)
    PyList_SetItem(list, (Py_ssize_t)i, PyFloat_FromDouble(values[i]));
  return list;
}

/* (value, gradient, terms, gradient_norm) */
static PyObject *evaluation_tuple(evaluation *e) {
  PyObject *const terms = number_list(e->value.terms, e->value.term_count);
  if (!terms) return NULL;
  return Py_BuildValue("dONd", e->value.value, e->gradient ? e->gradient : Py_None, terms,
                       e->value.gradient_norm);
}

static PyObject *loss_evaluate(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  evaluation e = { 0 };
  PyObject *logits, *labels, *result = NULL;
  void *gradient = NULL;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "OO", &logits, &labels) || !core_run_read(arguments, &run))
    return NULL;
  PyObject *const wanted = core_argument(arguments, "gradient");
  if (read_batch(logits, labels, arguments, &e) && make_gradient(wanted, &e, &gradient) &&
      core_call_begin(&call, &run, NULL)) {
    const crd_status status =
        crd_loss_evaluate(call.ctx, get(self), &e.logits.view, &e.targets, &e.value, gradient);
    if (core_call_end(&call, status)) result = evaluation_tuple(&e);
    core_call_close(&call);
  }
  release(&e);
  return result;
}

/* ---- What is known of it. */

static const char *term_at(const void *self, size_t index) { return crd_loss_term(self, index); }
static const char *note_at(const void *self, size_t index) { return crd_loss_note(self, index); }

static PyObject *loss_describe(PyObject *self, PyObject *unused) {
  PyObject *const dict = PyDict_New();
  (void)unused;
  if (dict && core_put(dict, "terms", core_texts(term_at, get(self))) &&
      core_put(dict, "notes", core_texts(note_at, get(self))))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static void loss_dealloc(PyObject *self) { core_object_free(self, loss_free); }

static PyMethodDef methods[] = {
  { "evaluate", (PyCFunction)(void (*)(void))loss_evaluate, METH_VARARGS | METH_KEYWORDS,
    "Return (value, gradient, terms, gradient_norm) of a batch." },
  { "describe", loss_describe, METH_NOARGS, "Return terms and notes as a dict." },
  { NULL, NULL, 0, NULL },
};

bool core_loss_add(PyObject *module) {
  static const core_type type = { "credence._core.Loss",
                                  "A training loss: a weighted sum of terms.", loss_new,
                                  loss_dealloc, methods };
  return core_type_make(module, &type, &loss_type);
}
