/* trust.c -- the type Trust: TrustScores, from the training rows of each class. */
#include "calibrator.h"
#include "predictions.h"

static PyTypeObject *trust_type;

static void trust_free(void *it) { crd_trust_destroy(it); }
static const crd_trust *get(PyObject *self) { return ((core_object *)self)->it; }

static PyObject *wrap(core_call *call, crd_status status, crd_trust *trust) {
  if (core_call_end(call, status))
    return core_object_new(trust_type, trust, trust_free, call, NULL);
  core_call_close(call);
  return NULL;
}

/* ---- Fitting. */

typedef struct {
  const char *settings, *name;
} fit_arguments;

static const core_field fit_fields[] = {
  { "settings", CORE_TEXT, offsetof(fit_arguments, settings), NULL },
  { "name", CORE_TEXT, offsetof(fit_arguments, name), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* fit(features, labels, settings=None, name=None) */
static PyObject *trust_fit(PyObject *unused, PyObject *unnamed, PyObject *arguments) {
  static const char *const others[] = { CORE_RUN_NAMES, NULL };
  fit_arguments a = { NULL, NULL };
  core_array features = { .buffered = false }, labels = { .buffered = false };
  PyObject *given[2], *result = NULL;
  crd_trust *trust = NULL;
  core_run run;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &given[0], &given[1]) || !core_run_read(arguments, &run) ||
      !core_fields_set(arguments, "fit", fit_fields, &a, others))
    return NULL;
  if (core_array_read(given[0], "features", &features) &&
      core_array_read(given[1], "labels", &labels) && core_call_begin(&call, &run, NULL)) {
    core_array_column(&labels);
    const crd_trust_rows rows = {
      .size = sizeof rows, .features = features.view, .labels = labels.view, .name = a.name
    };
    const crd_status status = crd_trust_fit(call.ctx, &rows, a.settings, &trust);
    result = wrap(&call, status, trust);
  }
  core_array_release(&features);
  core_array_release(&labels);
  return result;
}

/* open(path, settings) */
static PyObject *trust_open(PyObject *unused, PyObject *unnamed) {
  const char *path, *settings;
  PyObject *file, *text;
  crd_trust *trust = NULL;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &file, &text) || !core_name_read(file, "path", &path) ||
      !core_text_read(text, "settings", &settings))
    return NULL;
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  const crd_status status = crd_trust_open(call.ctx, path, settings, &trust);
  return wrap(&call, status, trust);
}

/* ---- Scoring. */

/* score(predictions): (scores, predicted classes). */
static PyObject *trust_score(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field none[] = { { NULL, CORE_TEXT, 0, NULL } };
  static const char *const others[] = { CORE_RUN_NAMES, NULL };
  PyObject *object, *scores, *predicted = NULL;
  const crd_predictions *rows;
  void *to[2];
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &object) || !core_run_read(arguments, &run) ||
      !core_fields_set(arguments, "score", none, NULL, others) ||
      !(rows = core_predictions_get(object, "predictions")))
    return NULL;
  const int64_t count = (int64_t)crd_predictions_rows(rows);
  scores = core_numpy_empty(CRD_F64, 1, &count, &to[0]);
  if (scores) predicted = core_numpy_empty(CRD_I64, 1, &count, &to[1]);
  if (predicted && core_call_begin(&call, &run, NULL)) {
    /* size_t has the bits of int64_t here: classes are small. */
    _Static_assert(sizeof(size_t) == sizeof(int64_t), "a class index is an int64");
    const bool done =
        core_call_end(&call, crd_trust_score(call.ctx, get(self), rows, to[0], to[1]));
    core_call_close(&call);
    if (done) return Py_BuildValue("(NN)", scores, predicted);
  }
  Py_XDECREF(scores);
  Py_XDECREF(predicted);
  return NULL;
}

/* calibrate(predictions): the Calibrator of r / (1 + r). */
static PyObject *trust_calibrate(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field none[] = { { NULL, CORE_TEXT, 0, NULL } };
  static const char *const others[] = { CORE_RUN_NAMES, NULL };
  PyObject *object;
  const crd_predictions *rows;
  crd_calibrator *calibrator = NULL;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &object) || !core_run_read(arguments, &run) ||
      !core_fields_set(arguments, "calibrate", none, NULL, others) ||
      !(rows = core_predictions_get(object, "predictions")) || !core_call_begin(&call, &run, NULL))
    return NULL;
  const crd_status status = crd_trust_calibrate(call.ctx, get(self), rows, &calibrator);
  return core_calibrator_new(&call, status, calibrator);
}

/* ---- What is known of it. */

static const core_field summary_fields[] = {
  { "rows", CORE_SIZE, offsetof(crd_trust_summary, rows), NULL },
  { "kept", CORE_SIZE, offsetof(crd_trust_summary, kept), NULL },
  { "classes", CORE_SIZE, offsetof(crd_trust_summary, classes), NULL },
  { "features", CORE_SIZE, offsetof(crd_trust_summary, width), NULL },
  { "k", CORE_DOUBLE, offsetof(crd_trust_summary, k), NULL },
  { "alpha", CORE_DOUBLE, offsetof(crd_trust_summary, alpha), NULL },
  { "neighbour", CORE_DOUBLE, offsetof(crd_trust_summary, neighbour), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *count_at(const void *self, size_t index) {
  return PyLong_FromSize_t(((const crd_trust_summary *)self)->counts[index]);
}

static PyObject *trust_describe(PyObject *self, PyObject *unused) {
  const crd_trust_summary *const s = crd_trust_describe(get(self));
  PyObject *const dict = core_fields_dict(s, summary_fields);
  (void)unused;
  if (dict && core_put(dict, "counts", core_list_of(count_at, s, s->classes))) return dict;
  Py_XDECREF(dict);
  return NULL;
}

static void trust_dealloc(PyObject *self) { core_object_free(self, trust_free); }

static PyMethodDef methods[] = {
  { "fit", (PyCFunction)(void (*)(void))trust_fit, METH_VARARGS | METH_KEYWORDS | METH_STATIC,
    "Fit: fit(features, labels, settings=None, name=None)." },
  { "open", trust_open, METH_VARARGS | METH_STATIC, "Fit on a file: open(path, settings)." },
  { "score", (PyCFunction)(void (*)(void))trust_score, METH_VARARGS | METH_KEYWORDS,
    "Return (scores, predicted classes) of predictions." },
  { "calibrate", (PyCFunction)(void (*)(void))trust_calibrate, METH_VARARGS | METH_KEYWORDS,
    "Fit a Calibrator of r / (1 + r) on held-out predictions." },
  { "describe", trust_describe, METH_NOARGS, "Return rows, kept, classes ... as a dict." },
  { NULL, NULL, 0, NULL },
};

bool core_trust_add(PyObject *module) {
  static const core_type type = { "credence._core.Trust",
                                  "The kept training rows of each class, for TrustScores.", NULL,
                                  trust_dealloc, methods };
  return core_type_make(module, &type, &trust_type);
}
