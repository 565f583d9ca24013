/* calibrator.c -- the type Calibrator: fit, apply, save, load, export. */
#include "calibrator.h"
#include "predictions.h"
#include "result.h"

#include <string.h>

PyTypeObject *core_calibrator_type;

static void calibrator_free(void *it) { crd_calibrator_destroy(it); }
static const crd_calibrator *get(PyObject *self) { return ((core_object *)self)->it; }

PyObject *core_calibrator_new(core_call *call, crd_status status, crd_calibrator *calibrator) {
  if (core_call_end(call, status))
    return core_object_new(core_calibrator_type, calibrator, calibrator_free, call, NULL);
  crd_calibrator_destroy(calibrator);
  core_call_close(call);
  return NULL;
}

/* ---- Fitting and loading. */

PyObject *core_predictions_fit(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field fields[] = {
    { "floor", CORE_DOUBLE, offsetof(crd_fit_options, floor), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  static const char *const others[] = { "settings", CORE_RUN_NAMES, NULL };
  const crd_predictions *const predictions = core_predictions_get(self, "self");
  crd_fit_options options = { .size = sizeof options };
  crd_calibrator *calibrator = NULL;
  PyObject *object;
  const char *method, *settings = NULL;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &object) || !core_name_read(object, "method", &method))
    return NULL;
  if (arguments && !core_text_read(core_argument(arguments, "settings"), "settings", &settings))
    return NULL;
  if (!core_fields_set(arguments, "fit", fields, &options, others)) return NULL;
  if (!core_run_read(arguments, &run) || !core_call_begin(&call, &run, NULL)) return NULL;
  const crd_status status =
      crd_calibrator_fit_with(call.ctx, method, settings, &options, predictions, &calibrator);
  return core_calibrator_new(&call, status, calibrator);
}

static PyObject *calibrator_load(PyObject *unused, PyObject *unnamed) {
  crd_calibrator *calibrator = NULL;
  PyObject *state, *object;
  const char *name, *bytes;
  size_t length;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &state, &object)) return NULL;
  if (!core_bytes_read(state, "the calibrator", &bytes, &length)) return NULL;
  if (!core_text_read(object, "name", &name) || !core_call_begin(&call, NULL, NULL)) return NULL;
  const crd_status status = crd_calibrator_load_memory(call.ctx, name ? name : "the calibrator",
                                                       bytes, length, &calibrator);
  return core_calibrator_new(&call, status, calibrator);
}

/* ---- Applying. */

typedef struct {
  PyObject *probabilities, *confidence, *predicted;
  double *p, *c;
  size_t *k;
} applied;

static bool allocate(const crd_calibrator *calibrator, size_t rows, applied *out) {
  const size_t classes = crd_calibrator_classes(calibrator);
  const int64_t dims[] = { (int64_t)rows, (int64_t)classes };
  void *data;
  out->probabilities = core_numpy_empty(CRD_F64, classes ? 2 : 1, dims, &data);
  out->p = data;
  if (out->probabilities) out->confidence = core_numpy_empty(CRD_F64, 1, dims, &data);
  out->c = data;
  if (out->confidence) out->predicted = core_numpy_empty(CRD_I64, 1, dims, &data);
  out->k = data;
  return out->predicted != NULL;
}

/* Returns (probabilities, confidence, predicted). */
static PyObject *calibrator_apply(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  applied a = { NULL, NULL, NULL, NULL, NULL, NULL };
  PyObject *object, *result = NULL;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &object) || !core_run_read(arguments, &run)) return NULL;
  const crd_predictions *const predictions = core_predictions_get(object, "predictions");
  if (!predictions) return NULL;
  const size_t rows = crd_predictions_rows(predictions);
  if (allocate(get(self), rows, &a) && core_call_begin(&call, &run, NULL)) {
    const crd_status status =
        crd_calibrator_apply(call.ctx, get(self), predictions, 0, rows, a.p, a.c, a.k);
    if (core_call_end(&call, status))
      result = PyTuple_Pack(3, a.probabilities, a.confidence, a.predicted);
    core_call_close(&call);
  }
  Py_XDECREF(a.probabilities);
  Py_XDECREF(a.confidence);
  Py_XDECREF(a.predicted);
  return result;
}

/* apply_to(predictions, path, dtype): writes calibrated rows, block by block. */
static PyObject *calibrator_apply_to(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field field = { "dtype", CORE_WORD, 0, "float64 float32" };
  PyObject *object, *file, *word;
  unsigned dtype = 0;
  const char *path;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "OOO", &object, &file, &word) || !core_run_read(arguments, &run) ||
      !core_name_read(file, "path", &path) || !core_field_set(word, &field, &dtype))
    return NULL;
  const crd_predictions *const predictions = core_predictions_get(object, "predictions");
  if (!predictions || !core_call_begin(&call, &run, NULL)) return NULL;
  const crd_status status =
      crd_calibrator_apply_to(call.ctx, get(self), predictions, dtype ? CRD_F32 : CRD_F64, path);
  const bool done = core_call_end(&call, status);
  core_call_close(&call);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

/* ---- What is known of it. */

const core_field core_certificate_fields[] = {
  { "converged", CORE_FLAG, offsetof(crd_certificate, converged), NULL },
  { "objective", CORE_DOUBLE, offsetof(crd_certificate, objective), NULL },
  { "gradient_norm", CORE_DOUBLE, offsetof(crd_certificate, gradient_norm), NULL },
  { "iterations", CORE_UNSIGNED, offsetof(crd_certificate, iterations), NULL },
  { "separable", CORE_FLAG, offsetof(crd_certificate, separable), NULL },
  { "bounds", CORE_TEXT, offsetof(crd_certificate, bounds), NULL },
  { "rows_clipped", CORE_SIZE, offsetof(crd_certificate, rows_clipped), NULL },
  { "values_floored", CORE_SIZE, offsetof(crd_certificate, values_floored), NULL },
  { "suspicious", CORE_FLAG, offsetof(crd_certificate, suspicious), NULL },
  { "argmax_changes", CORE_SIZE, offsetof(crd_certificate, argmax_changes), NULL },
  { "note", CORE_TEXT, offsetof(crd_certificate, note), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* Returns a learnt array: a NumPy array, or a list of them if it has several parts. */
PyObject *core_learnt(const crd_learnt *learnt) {
  PyObject *const list = PyList_New((Py_ssize_t)learnt->parts);
  for (size_t p = 0; list && p < learnt->parts; p++) {
    const int64_t count = (int64_t)(learnt->start[p + 1] - learnt->start[p]);
    void *data;
    PyObject *const array = core_numpy_empty(CRD_F64, 1, &count, &data);
    if (!array) {
      Py_DECREF(list);
      return NULL;
    }
    memcpy(data, learnt->values + learnt->start[p], (size_t)count * sizeof(double));
    PyList_SetItem(list, (Py_ssize_t)p, array);
  }
  if (!list || learnt->parts != 1) return list;
  PyObject *const only = PyList_GetItem(list, 0);
  Py_INCREF(only);
  Py_DECREF(list);
  return only;
}

static PyObject *learnt_arrays(const crd_calibrator *calibrator) {
  PyObject *const dict = PyDict_New();
  const crd_learnt *learnt;
  for (size_t i = 0; dict && (learnt = crd_calibrator_learnt(calibrator, i)); i++)
    if (!core_put(dict, learnt->name, core_learnt(learnt))) {
      Py_DECREF(dict);
      return NULL;
    }
  return dict;
}

static PyObject *settings_of(const crd_calibrator *calibrator) {
  const crd_method_info *const method = crd_calibrator_method(calibrator);
  PyObject *const dict = PyDict_New();
  for (size_t i = 0; dict && i < method->setting_count; i++)
    if (!core_put(dict, method->settings[i].name,
                  core_text(crd_calibrator_setting(calibrator, i)))) {
      Py_DECREF(dict);
      return NULL;
    }
  return dict;
}

static PyObject *calibrator_describe(PyObject *self, PyObject *unused) {
  const crd_calibrator *const c = get(self);
  PyObject *const dict = PyDict_New();
  (void)unused;
  if (dict && core_put(dict, "method", core_text(crd_calibrator_method(c)->name)) &&
      core_put(dict, "classes", PyLong_FromSize_t(crd_calibrator_classes(c))) &&
      core_put(dict, "top", PyBool_FromLong(crd_calibrator_is_top(c))) &&
      core_put(dict, "settings", settings_of(c)) && core_put(dict, "learnt", learnt_arrays(c)) &&
      core_put(dict, "certificate",
               core_fields_dict(crd_calibrator_certificate(c), core_certificate_fields)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* ---- Files. */

static crd_status save(crd_context *ctx, const void *what, crd_output *output) {
  return crd_calibrator_save(ctx, what, output);
}

static PyObject *calibrator_save(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_written_bytes(NULL, save, get(self));
}

typedef struct {
  const crd_calibrator *calibrator;
  const char *format, *model, *value;
  crd_export_options options;
} export_job;

static crd_status write_export(crd_context *ctx, const void *what, crd_output *output) {
  const export_job *const job = what;
  return crd_calibrator_export_with(ctx, job->calibrator, job->format, &job->options, output, NULL);
}

static crd_status write_into(crd_context *ctx, const void *what, crd_output *output) {
  const export_job *const job = what;
  return crd_calibrator_export_into(ctx, job->calibrator, job->model, job->value, output);
}

/* export(format, name=None, float32=False, model=None, value=None): bytes */
static PyObject *calibrator_export(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field fields[] = {
    { "name", CORE_TEXT, offsetof(export_job, options.name), NULL },
    { "float32", CORE_FLAG, offsetof(export_job, options.float32), NULL },
    { "model", CORE_TEXT, offsetof(export_job, model), NULL },
    { "value", CORE_TEXT, offsetof(export_job, value), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  export_job job = { .calibrator = get(self), .options = { .size = sizeof job.options } };
  PyObject *format;
  if (!PyArg_ParseTuple(unnamed, "O", &format) || !core_text_read(format, "format", &job.format))
    return NULL;
  if (!core_fields_set(arguments, "export", fields, &job, NULL)) return NULL;
  if (job.model) return core_written_bytes(NULL, write_into, &job);
  if (!job.format) return core_raise_type("format is None, expected a str");
  return core_written_bytes(NULL, write_export, &job);
}

static PyObject *calibrator_figure(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  core_figure_job job = { .data = { .calibrator = get(self) } };
  return core_figure(unnamed, arguments, &job);
}

static void calibrator_dealloc(PyObject *self) { core_object_free(self, calibrator_free); }

static PyMethodDef methods[] = {
  { "apply", (PyCFunction)(void (*)(void))calibrator_apply, METH_VARARGS | METH_KEYWORDS,
    "Return (probabilities, confidence, predicted) of predictions." },
  { "apply_to", (PyCFunction)(void (*)(void))calibrator_apply_to, METH_VARARGS | METH_KEYWORDS,
    "Write calibrated rows: apply_to(predictions, path, dtype)." },
  { "describe", calibrator_describe, METH_NOARGS,
    "Return method, settings, learnt arrays, certificate." },
  { "save", calibrator_save, METH_NOARGS, "Return the bytes of a calibrator file." },
  { "load", calibrator_load, METH_VARARGS | METH_STATIC, "Read such bytes: load(bytes, name)." },
  { "export", (PyCFunction)(void (*)(void))calibrator_export, METH_VARARGS | METH_KEYWORDS,
    "Return the calibrator as a program or model: bytes." },
  { "figure", (PyCFunction)(void (*)(void))calibrator_figure, METH_VARARGS | METH_KEYWORDS,
    "Return a figure as SVG." },
  { NULL, NULL, 0, NULL },
};

bool core_calibrator_add(PyObject *module) {
  static const core_type type = { "credence._core.Calibrator", "A fitted calibrator.", NULL,
                                  calibrator_dealloc, methods };
  return core_type_make(module, &type, &core_calibrator_type);
}
