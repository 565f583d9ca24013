/* result.c -- the type Result: values with intervals, and the reports and figures made of them. */
#include "result.h"
#include "predictions.h"

#include <string.h>

PyTypeObject *core_result_type;

/* A result, and the tables that belong to it. */
typedef struct {
  const crd_result *values; /* as evaluated; NULL: borrowed from another object */
  const crd_result *shown;  /* the same with the tables below */
  crd_result_parts tables;
} core_result;

static void destroy_tables(const crd_result_parts *tables) {
  crd_comparison_destroy(tables->paired);
  crd_group_table_destroy(tables->groups);
  crd_profile_destroy(tables->profile);
  crd_shift_table_destroy(tables->shift);
}

static void result_free(void *it) {
  core_result *const r = it;
  crd_result_destroy(r->shown);
  destroy_tables(&r->tables);
  crd_result_destroy(r->values);
  PyMem_Free(r);
}

const core_field core_evaluate_fields[] = {
  { "metrics", CORE_TEXT, offsetof(crd_evaluate_options, metrics), NULL },
  { "bins", CORE_UNSIGNED, offsetof(crd_evaluate_options, bins), NULL },
  { "resamples", CORE_UNSIGNED, offsetof(crd_evaluate_options, resamples), NULL },
  { "interval", CORE_WORD, offsetof(crd_evaluate_options, interval), "corrected percentile" },
  { "paired", CORE_FLAG, offsetof(crd_evaluate_options, paired), NULL },
  { "group_by", CORE_TEXT, offsetof(crd_evaluate_options, group_by), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* ---- Evaluation. */

/* What to evaluate besides the metrics. */
typedef struct {
  const char *recalibrate; /* method; NULL: temperature */
  int by_group, profile;
} extras;

static const core_field extra_fields[] = {
  { "recalibrate", CORE_TEXT, offsetof(extras, recalibrate), NULL },
  { "by_group", CORE_FLAG, offsetof(extras, by_group), NULL },
  { "profile", CORE_FLAG, offsetof(extras, profile), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static crd_status evaluate(crd_context *ctx, crd_predictions *predictions,
                           const crd_evaluate_options *options, const extras *more,
                           core_result *r) {
  crd_status status = CRD_OK;
  if (crd_metrics_recalibrated(options->metrics)) {
    const crd_recalibration how = { .size = sizeof how, .method = more->recalibrate };
    status = crd_predictions_recalibrate(ctx, predictions, &how);
  }
  if (status == CRD_OK) status = crd_evaluate(ctx, predictions, options, &r->values);
  if (status == CRD_OK && (more->by_group || options->group_by))
    status = crd_evaluate_groups(ctx, predictions, options, &r->tables.groups);
  if (status == CRD_OK && more->profile) {
    const crd_profile_options what = { .size = sizeof what,
                                       .bins = options->bins,
                                       .resamples = options->resamples };
    status = crd_profile_make(ctx, predictions, &what, &r->tables.profile);
  }
  return status == CRD_OK ? crd_result_with(ctx, r->values, &r->tables, &r->shown) : status;
}

PyObject *core_predictions_evaluate(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  crd_evaluate_options options = { .size = sizeof options };
  static const char *const others[] = { "recalibrate", "by_group", "profile", CORE_RUN_NAMES,
                                        NULL };
  extras more = { .recalibrate = NULL };
  crd_predictions *const predictions = core_predictions_get(self, "self");
  core_run run;
  core_call call;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("evaluate takes keyword arguments only");
  if (!core_run_read(arguments, &run) || !core_fields_pick(arguments, extra_fields, &more))
    return NULL;
  if (!core_fields_set(arguments, "evaluate", core_evaluate_fields, &options, others)) return NULL;
  core_result *const r = PyMem_Calloc(1, sizeof *r);
  if (!r) return core_raise(CRD_ENOMEM, "no memory for a result");
  r->tables.size = sizeof r->tables;
  /* Recalibration changes the predictions: two threads must not do it at once. */
  if (!core_call_begin(&call, &run, ((core_object *)self)->lock)) {
    result_free(r);
    return NULL;
  }
  if (core_call_end(&call, evaluate(call.ctx, predictions, &options, &more, r)))
    return core_object_new(core_result_type, r, result_free, &call, NULL);
  result_free(r);
  core_call_close(&call);
  return NULL;
}

PyObject *core_result_new(const crd_result *values, const crd_result_parts *tables,
                          core_call *call) {
  core_result *const r = PyMem_Calloc(1, sizeof *r);
  if (r) *r = (core_result){ .values = values, .tables = *tables };
  if (r && crd_result_with(call->ctx, values, tables, &r->shown) == CRD_OK)
    return core_object_new(core_result_type, r, result_free, call, NULL);
  if (r) result_free(r);
  else {
    destroy_tables(tables);
    crd_result_destroy(values);
  }
  core_call_close(call);
  return core_raise(CRD_ENOMEM, "no memory for a result");
}

PyObject *core_result_borrow(const crd_result *values, PyObject *owner) {
  core_result *const r = values ? PyMem_Calloc(1, sizeof *r) : NULL;
  core_call call;
  if (!values) Py_RETURN_NONE;
  if (!r) return core_raise(CRD_ENOMEM, "no memory for a result");
  r->tables.size = sizeof r->tables;
  if (!core_call_begin(&call, NULL, NULL)) {
    PyMem_Free(r);
    return NULL;
  }
  Py_INCREF(owner);
  if (core_call_end(&call, crd_result_with(call.ctx, values, &r->tables, &r->shown)))
    return core_object_new(core_result_type, r, result_free, &call, owner);
  PyMem_Free(r);
  Py_DECREF(owner);
  core_call_close(&call);
  return NULL;
}

const crd_result *core_result_get(PyObject *object, const char *what) {
  const core_result *const r = core_object_get(object, core_result_type, what);
  return r ? r->shown : NULL;
}

/* ---- Values. */

static const core_field value_fields[] = {
  { "value", CORE_DOUBLE, offsetof(crd_metric_value, value), NULL },
  { "low", CORE_DOUBLE, offsetof(crd_metric_value, low), NULL },
  { "high", CORE_DOUBLE, offsetof(crd_metric_value, high), NULL },
  { "noise_floor", CORE_DOUBLE, offsetof(crd_metric_value, noise_floor), NULL },
  { "p", CORE_DOUBLE, offsetof(crd_metric_value, p), NULL },
  { "reason", CORE_TEXT, offsetof(crd_metric_value, reason), NULL },
  { "interval", CORE_TEXT, offsetof(crd_metric_value, interval), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *result_value(PyObject *self, PyObject *name) {
  const char *metric;
  if (!core_text_read(name, "the name of a metric", &metric)) return NULL;
  const crd_metric_value *const value =
      metric ? crd_result_value(core_result_get(self, "self"), metric) : NULL;
  if (!value) Py_RETURN_NONE;
  return core_fields_dict(value, value_fields);
}

static PyObject *result_names(PyObject *self, PyObject *unused) {
  const crd_result *const r = core_result_get(self, "self");
  PyObject *const list = PyList_New(0);
  (void)unused;
  for (size_t i = 0; list && i < r->value_count; i++) {
    PyObject *const name = core_text(r->values[i].metric->name);
    if (!name || PyList_Append(list, name) != 0) {
      Py_XDECREF(name);
      Py_DECREF(list);
      return NULL;
    }
    Py_DECREF(name);
  }
  return list;
}

static const core_field result_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_result, name), NULL },
  { "rows", CORE_SIZE, offsetof(crd_result, rows), NULL },
  { "classes", CORE_SIZE, offsetof(crd_result, classes), NULL },
  { "input", CORE_WORD, offsetof(crd_result, input), CORE_INPUT_WORDS },
  { "binary", CORE_WORD, offsetof(crd_result, binary), "top pos" },
  { "weighted", CORE_FLAG, offsetof(crd_result, weighted), NULL },
  { "resamples", CORE_UNSIGNED, offsetof(crd_result, resamples), NULL },
  { "interval", CORE_WORD, offsetof(crd_result, interval), "corrected percentile" },
  { "cluster", CORE_TEXT, offsetof(crd_result, cluster), NULL },
  { "clusters", CORE_SIZE, offsetof(crd_result, clusters), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const char *note_at(const void *self, size_t index) {
  const crd_result *const r = self;
  return index < r->note_count ? r->notes[index] : NULL;
}

static PyObject *result_describe(PyObject *self, PyObject *unused) {
  const crd_result *const r = core_result_get(self, "self");
  PyObject *const dict = core_fields_dict(r, result_fields);
  (void)unused;
  if (dict && core_put(dict, "notes", core_texts(note_at, r))) return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* ---- Reports and figures. */

const core_field core_report_fields[] = {
  { "colour", CORE_FLAG, offsetof(crd_report_options, colour), NULL },
  { "ascii", CORE_FLAG, offsetof(crd_report_options, ascii), NULL },
  { "digits", CORE_UNSIGNED, offsetof(crd_report_options, digits), NULL },
  { "percent", CORE_FLAG, offsetof(crd_report_options, percent), NULL },
  { "classes", CORE_FLAG, offsetof(crd_report_options, classes), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

typedef struct {
  core_report_fn write;
  const void *what;
  const char *form;
  crd_report_options options;
} report_job;

static crd_status write_report(crd_context *ctx, const void *what, crd_output *output) {
  const report_job *const job = what;
  return job->write(ctx, job->what, job->form, &job->options, output);
}

PyObject *core_report(PyObject *unnamed, PyObject *arguments, core_report_fn write,
                      const void *what, PyThread_type_lock lock) {
  report_job job = { .write = write, .what = what, .options = { .size = sizeof job.options } };
  PyObject *form;
  if (!PyArg_ParseTuple(unnamed, "O", &form) || !core_text_read(form, "form", &job.form))
    return NULL;
  if (!job.form) return core_raise_type("form is None, expected a str");
  if (!core_fields_set(arguments, "report", core_report_fields, &job.options, NULL)) return NULL;
  return core_written_text(lock, write_report, &job);
}

static crd_status write_result(crd_context *ctx, const void *what, const char *form,
                               const crd_report_options *options, crd_output *output) {
  return crd_report_write(ctx, what, form, options, output);
}

static PyObject *result_report(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  return core_report(unnamed, arguments, write_result, core_result_get(self, "self"), NULL);
}

const core_field core_figure_fields[] = {
  { "title", CORE_TEXT, offsetof(crd_figure_options, title), NULL },
  { "id", CORE_TEXT, offsetof(crd_figure_options, id), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static crd_status write_figure(crd_context *ctx, const void *what, crd_output *output) {
  const core_figure_job *const job = what;
  return crd_figure_write(ctx, job->name, &job->data, &job->options, output);
}

PyObject *core_figure(PyObject *unnamed, PyObject *arguments, core_figure_job *job) {
  PyObject *name;
  job->data.size = sizeof job->data;
  job->options.size = sizeof job->options;
  if (!PyArg_ParseTuple(unnamed, "O", &name) || !core_text_read(name, "figure", &job->name))
    return NULL;
  if (!job->name) return core_raise_type("figure is None, expected a str");
  if (!core_fields_set(arguments, "figure", core_figure_fields, &job->options, NULL)) return NULL;
  return core_written_text(NULL, write_figure, job);
}

static PyObject *result_figure(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  core_figure_job job = { .data = { .result = core_result_get(self, "self") } };
  return core_figure(unnamed, arguments, &job);
}

static crd_status write_page(crd_context *ctx, const void *what, crd_output *output) {
  const core_page_job *const job = what;
  return crd_page_write(ctx, &job->part, 1, &job->options, output);
}

PyObject *core_page(PyObject *arguments, core_page_job *job) {
  static const core_field fields[] = {
    { "title", CORE_TEXT, offsetof(crd_page_options, title), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  job->options.size = sizeof job->options;
  if (!core_fields_set(arguments, "page", fields, &job->options, NULL)) return NULL;
  return core_written_text(NULL, write_page, job);
}

static PyObject *result_page(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  core_page_job job = { .part = { .result = core_result_get(self, "self") } };
  (void)unnamed;
  return core_page(arguments, &job);
}

static void result_dealloc(PyObject *self) { core_object_free(self, result_free); }

static PyMethodDef methods[] = {
  { "value", result_value, METH_O, "Return a metric as a dict, or None if it was not evaluated." },
  { "names", result_names, METH_NOARGS, "Return the names of the metrics." },
  { "describe", result_describe, METH_NOARGS, "Return rows, classes, notes ... as a dict." },
  { "report", (PyCFunction)(void (*)(void))result_report, METH_VARARGS | METH_KEYWORDS,
    "Return the result in a form: text, json, csv, markdown, latex." },
  { "shift", core_result_shift, METH_NOARGS, "Return the shifted sets as a list of dicts." },
  { "figure", (PyCFunction)(void (*)(void))result_figure, METH_VARARGS | METH_KEYWORDS,
    "Return a figure as SVG." },
  { "page", (PyCFunction)(void (*)(void))result_page, METH_VARARGS | METH_KEYWORDS,
    "Return a page of HTML." },
  { NULL, NULL, 0, NULL },
};

bool core_result_add(PyObject *module) {
  static PyType_Slot slots[] = {
    { Py_tp_doc, "The evaluation of one set of predictions." },
    { Py_tp_dealloc, (void *)result_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
  };
  static PyType_Spec spec = { "credence._core.Result", sizeof(core_object), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                  Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              slots };
  core_result_type = core_type_add(module, &spec);
  return core_result_type != NULL;
}
