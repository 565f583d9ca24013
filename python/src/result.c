/* result.c -- the type Result: values with intervals. */
#include "result.h"
#include "predictions.h"

#include <string.h>

PyTypeObject *core_result_type;

/* A result, and what it consists of. */
typedef struct {
  const crd_result *shown;  /* borrowed: of `whole`, `stored`, or of another object's groups */
  const crd_result *values; /* as evaluated */
  const crd_result *whole;  /* the same with the tables below */
  crd_result_parts tables;
  crd_stored *stored;
} core_result;

static void destroy_tables(const crd_result_parts *tables) {
  crd_comparison_destroy(tables->paired);
  crd_group_table_destroy(tables->groups);
  crd_compat_destroy(tables->compat);
  crd_profile_destroy(tables->profile);
  crd_shift_table_destroy(tables->shift);
  crd_operating_destroy(tables->operating);
}

static void result_free(void *it) {
  core_result *const r = it;
  crd_result_destroy(r->whole);
  destroy_tables(&r->tables);
  crd_result_destroy(r->values);
  crd_stored_destroy(r->stored);
  PyMem_Free(r);
}

/* Puts the tables of a result into it. */
static crd_status assemble(crd_context *ctx, core_result *r) {
  r->tables.size = sizeof r->tables;
  const crd_status status = crd_result_with(ctx, r->values, &r->tables, &r->whole);
  r->shown = r->whole;
  return status;
}

/* Ends a call that made a result: returns an object that owns it, or destroys it. */
static PyObject *wrap(core_call *call, crd_status status, core_result *r) {
  if (core_call_end(call, status))
    return core_object_new(core_result_type, r, result_free, call, NULL);
  result_free(r);
  core_call_close(call);
  return NULL;
}

const core_field core_evaluate_fields[] = {
  { "metrics", CORE_TEXT, offsetof(crd_evaluate_options, metrics), NULL },
  { "bins", CORE_COUNT, offsetof(crd_evaluate_options, bins), NULL },
  { "resamples", CORE_UNSIGNED, offsetof(crd_evaluate_options, resamples), NULL },
  { "interval", CORE_WORD, offsetof(crd_evaluate_options, interval), "corrected percentile" },
  { "paired", CORE_FLAG, offsetof(crd_evaluate_options, paired), NULL },
  { "group_by", CORE_TEXT, offsetof(crd_evaluate_options, group_by), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* ---- Evaluation. */

typedef struct {
  const crd_predictions *predictions, *paired; /* paired: NULL: none */
  crd_evaluate_options options;
  const char *recalibrate; /* method; NULL: temperature */
  const char *compat;      /* a peer; NULL: none */
  int by_group, profile;
  core_operation operation;
} evaluation;

static const core_field evaluation_fields[] = {
  { "recalibrate", CORE_TEXT, offsetof(evaluation, recalibrate), NULL },
  { "compat", CORE_TEXT, offsetof(evaluation, compat), NULL },
  { "by_group", CORE_FLAG, offsetof(evaluation, by_group), NULL },
  { "profile", CORE_FLAG, offsetof(evaluation, profile), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* Recalibrates a view if metrics need it. */
static crd_status gather(crd_context *ctx, crd_predictions *predictions,
                         const crd_evaluate_options *options, const char *method,
                         crd_evidence **out) {
  const crd_recalibration how = { .size = sizeof how, .method = method };
  crd_status status = CRD_OK;
  if (crd_metrics_recalibrated(options->metrics))
    status = crd_predictions_recalibrate(ctx, predictions, &how);
  if (status != CRD_OK) return status;
  return crd_evidence_gather(ctx, predictions, options, crd_predictions_first_row(predictions),
                             out);
}

crd_status core_gather(crd_context *ctx, const crd_predictions *predictions,
                       const crd_evaluate_options *options, crd_evidence **out) {
  crd_predictions *view;
  crd_status status = crd_predictions_view(ctx, predictions, &view);
  if (status == CRD_OK) status = gather(ctx, view, options, NULL, out);
  crd_predictions_destroy(view);
  return status;
}

static crd_status compare(crd_context *ctx, const evaluation *e, crd_predictions *paired,
                          crd_evidence *evidence, const crd_comparison **out) {
  crd_evidence *other = NULL;
  crd_status status = gather(ctx, paired, &e->options, e->recalibrate, &other);
  if (status == CRD_OK) status = crd_evidence_compare(ctx, evidence, other, out);
  crd_evidence_destroy(other);
  return status;
}

/* Prepares two models: one of them may lack the clusters. */
static crd_status match(crd_context *ctx, crd_predictions *predictions, crd_predictions *paired) {
  crd_status status = CRD_OK;
  if (crd_predictions_first_row(paired) == crd_predictions_first_row(predictions))
    status = crd_predictions_match_labels(ctx, predictions, paired);
  if (status == CRD_OK) status = crd_predictions_share_clusters(ctx, paired, predictions);
  if (status == CRD_OK) status = crd_predictions_share_clusters(ctx, predictions, paired);
  return status;
}

/* Evaluates a view of the predictions, and of the other model's, which may be NULL. */
static crd_status evaluate(crd_context *ctx, const evaluation *e, crd_predictions *predictions,
                           crd_predictions *paired, core_result *r) {
  const crd_profile_options what = { .size = sizeof what,
                                     .bins = e->options.bins,
                                     .resamples = e->options.resamples };
  crd_evidence *evidence = NULL;
  crd_status status = paired ? match(ctx, predictions, paired) : CRD_OK;
  if (status == CRD_OK) status = gather(ctx, predictions, &e->options, e->recalibrate, &evidence);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, evidence, &r->values);
  if (status == CRD_OK && paired) status = compare(ctx, e, paired, evidence, &r->tables.paired);
  crd_evidence_destroy(evidence);
  if (status == CRD_OK && (e->by_group || e->options.group_by))
    status = crd_evaluate_groups(ctx, predictions, &e->options, &r->tables.groups);
  if (status == CRD_OK && e->compat)
    status = crd_compat(ctx, predictions, e->compat, e->options.bins, &r->tables.compat);
  if (status == CRD_OK && e->profile)
    status = crd_profile_make(ctx, predictions, &what, &r->tables.profile);
  crd_operating_options targets = e->operation.options;
  targets.targets = e->operation.targets;
  targets.resamples = e->options.resamples;
  if (status == CRD_OK && targets.target_count > 0)
    status = crd_operating_find(ctx, predictions, &targets, &r->tables.operating);
  return status == CRD_OK ? assemble(ctx, r) : status;
}

/* What recalibration and shared clusters change belongs to this call: other threads may be reading
 * the predictions. */
static crd_status evaluate_views(crd_context *ctx, const evaluation *e, core_result *r) {
  crd_predictions *view = NULL, *paired = NULL;
  crd_status status = crd_predictions_view(ctx, e->predictions, &view);
  if (status == CRD_OK && e->paired) status = crd_predictions_view(ctx, e->paired, &paired);
  if (status == CRD_OK) status = evaluate(ctx, e, view, paired, r);
  crd_predictions_destroy(paired);
  crd_predictions_destroy(view);
  return status;
}

static bool read_evaluation(PyObject *arguments, evaluation *e) {
  static const char *const others[] = { "recalibrate",  "compat", "by_group",
                                        "profile",      "other",  CORE_OPERATION_NAMES,
                                        CORE_RUN_NAMES, NULL };
  PyObject *const other = core_argument(arguments, "other");
  if (!core_fields_pick(arguments, evaluation_fields, e)) return false;
  if (!core_operation_read(arguments, &e->operation)) return false;
  if (!core_fields_set(arguments, "evaluate", core_evaluate_fields, &e->options, others))
    return false;
  if (e->recalibrate && !crd_metrics_recalibrated(e->options.metrics))
    return core_raise_usage("recalibrate is '%s', but no metric of refinement, such as "
                            "nll-refinement, is requested: add one to metrics",
                            e->recalibrate) != NULL;
  if (!other || other == Py_None) return true;
  e->paired = core_predictions_get(other, "other");
  e->options.paired = 1;
  return e->paired != NULL;
}

PyObject *core_predictions_evaluate(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  evaluation e = { .predictions = core_predictions_get(self, "self"),
                   .options = { .size = sizeof e.options } };
  core_run run;
  core_call call;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("evaluate takes keyword arguments only");
  if (!core_run_read(arguments, &run) || !read_evaluation(arguments, &e)) return NULL;
  core_result *const r = PyMem_Calloc(1, sizeof *r);
  if (!r) return core_raise(CRD_ENOMEM, "no memory for a result");
  if (core_call_begin(&call, &run, NULL)) return wrap(&call, evaluate_views(call.ctx, &e, r), r);
  result_free(r);
  return NULL;
}

PyObject *core_result_new(const crd_result *values, const crd_result_parts *tables,
                          core_call *call) {
  core_result *const r = PyMem_Calloc(1, sizeof *r);
  if (r) *r = (core_result){ .values = values, .tables = *tables };
  if (r && assemble(call->ctx, r) == CRD_OK)
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
  core_call none = { .ctx = NULL };
  if (!values) Py_RETURN_NONE;
  core_result *const r = PyMem_Calloc(1, sizeof *r);
  if (!r) return core_raise(CRD_ENOMEM, "no memory for a result");
  r->shown = values;
  Py_INCREF(owner);
  return core_object_new(core_result_type, r, result_free, &none, owner);
}

/* Reads a stored result: load(bytes, name). */
static PyObject *result_load(PyObject *unused, PyObject *unnamed) {
  PyObject *state, *object;
  const char *bytes, *name;
  size_t length;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &state, &object)) return NULL;
  if (!core_bytes_read(state, "the result", &bytes, &length)) return NULL;
  if (!core_text_read(object, "name", &name)) return NULL;
  core_result *const r = PyMem_Calloc(1, sizeof *r);
  if (!r) return core_raise(CRD_ENOMEM, "no memory for a result");
  if (!core_call_begin(&call, NULL, NULL)) {
    result_free(r);
    return NULL;
  }
  crd_status status =
      crd_stored_load_memory(call.ctx, name ? name : "the result", bytes, length, &r->stored);
  if (status == CRD_OK) r->shown = crd_stored_part(r->stored)->result;
  if (status == CRD_OK && !r->shown)
    status = crd_context_fail(call.ctx, CRD_EINPUT, "found a contest, expected a result");
  return wrap(&call, status, r);
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
  for (size_t i = 0; list && i < r->value_count; i++)
    if (!core_append(list, core_text(r->values[i].metric->name))) {
      Py_DECREF(list);
      return NULL;
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
  if (dict && core_put(dict, "notes", core_texts(note_at, r)) &&
      core_put(dict, "paired", core_text(r->paired ? r->paired->name : NULL)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* ---- Tables of a result, as lists. */

static const core_field bin_fields[] = {
  { "low", CORE_DOUBLE, offsetof(crd_reliability_bin, low), NULL },
  { "high", CORE_DOUBLE, offsetof(crd_reliability_bin, high), NULL },
  { "rows", CORE_SIZE, offsetof(crd_reliability_bin, rows), NULL },
  { "weight", CORE_DOUBLE, offsetof(crd_reliability_bin, weight), NULL },
  { "confidence", CORE_DOUBLE, offsetof(crd_reliability_bin, confidence), NULL },
  { "accuracy", CORE_DOUBLE, offsetof(crd_reliability_bin, accuracy), NULL },
  { "accuracy_low", CORE_DOUBLE, offsetof(crd_reliability_bin, accuracy_low), NULL },
  { "accuracy_high", CORE_DOUBLE, offsetof(crd_reliability_bin, accuracy_high), NULL },
  { "calibrated_low", CORE_DOUBLE, offsetof(crd_reliability_bin, calibrated_low), NULL },
  { "calibrated_high", CORE_DOUBLE, offsetof(crd_reliability_bin, calibrated_high), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *result_bins(PyObject *self, PyObject *unused) {
  const crd_result *const r = core_result_get(self, "self");
  (void)unused;
  return core_list(r->bin_count, r->bins, sizeof *r->bins, bin_fields);
}

static const core_field difference_fields[] = {
  { "value", CORE_DOUBLE, offsetof(crd_difference, value), NULL },
  { "low", CORE_DOUBLE, offsetof(crd_difference, low), NULL },
  { "high", CORE_DOUBLE, offsetof(crd_difference, high), NULL },
  { "p", CORE_DOUBLE, offsetof(crd_difference, p), NULL },
  { "test", CORE_TEXT, offsetof(crd_difference, test), NULL },
  { "test_p", CORE_DOUBLE, offsetof(crd_difference, test_p), NULL },
  { "test_reason", CORE_TEXT, offsetof(crd_difference, test_reason), NULL },
  { "interval", CORE_TEXT, offsetof(crd_difference, interval), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static bool add_difference(PyObject *dict, const void *self, size_t index) {
  const crd_difference *const item = &((const crd_comparison *)self)->items[index];
  return core_put(dict, item->metric->name, core_fields_dict(item, difference_fields));
}

PyObject *core_comparison(const crd_comparison *comparison) {
  if (!comparison) Py_RETURN_NONE;
  return core_dict_of(add_difference, comparison, comparison->count);
}

static PyObject *result_differences(PyObject *self, PyObject *unused) {
  const crd_comparison *const paired = core_result_get(self, "self")->paired;
  (void)unused;
  return paired ? core_comparison(paired) : PyDict_New();
}

/* Returns [(column, number, name, rows, Result), ...]. */
static PyObject *result_groups(PyObject *self, PyObject *unused) {
  const crd_group_table *const groups = core_result_get(self, "self")->groups;
  PyObject *const list = PyList_New(0);
  (void)unused;
  for (size_t i = 0; list && groups && i < groups->count; i++) {
    const crd_group *const group = &groups->items[i];
    PyObject *const item = Py_BuildValue(
        "NLNnN", core_text(group->column), (long long)group->number, core_text(group->name),
        (Py_ssize_t)group->rows, core_result_borrow(group->result, self));
    if (!core_append(list, item)) {
      Py_DECREF(list);
      return NULL;
    }
  }
  return list;
}

/* ---- Reports and figures. */

static crd_status write_result(crd_context *ctx, const void *what, const char *form,
                               const crd_report_options *options, crd_output *output) {
  return crd_report_write(ctx, what, form, options, output);
}

static PyObject *result_report(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  return core_report(unnamed, arguments, write_result, core_result_get(self, "self"), NULL);
}

static PyObject *result_figure(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  core_figure_job job = { .data = { .result = core_result_get(self, "self") } };
  return core_figure(unnamed, arguments, &job);
}

static PyObject *result_operating(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_operating_dict(core_result_get(self, "self")->operating);
}

static void result_dealloc(PyObject *self) { core_object_free(self, result_free); }

static PyMethodDef methods[] = {
  { "value", result_value, METH_O, "Return a metric as a dict, or None if it was not evaluated." },
  { "names", result_names, METH_NOARGS, "Return the names of the metrics." },
  { "describe", result_describe, METH_NOARGS, "Return rows, classes, notes ... as a dict." },
  { "bins", result_bins, METH_NOARGS, "Return the bins of the reliability diagram." },
  { "differences", result_differences, METH_NOARGS, "Return the differences of a paired result." },
  { "compat", core_result_compat, METH_NOARGS, "Return the values of another package, by metric." },
  { "groups", result_groups, METH_NOARGS, "Return [(column, number, name, rows, Result), ...]." },
  { "load", result_load, METH_VARARGS | METH_STATIC, "Read stored JSON: load(bytes, name)." },
  { "report", (PyCFunction)(void (*)(void))result_report, METH_VARARGS | METH_KEYWORDS,
    "Return the result in a form: text, json, csv, markdown, latex." },
  { "shift", core_result_shift, METH_NOARGS, "Return the shifted sets as a list of dicts." },
  { "operating", result_operating, METH_NOARGS, "Return the operating points as a dict, or None." },
  { "figure", (PyCFunction)(void (*)(void))result_figure, METH_VARARGS | METH_KEYWORDS,
    "Return a figure as SVG." },
  { NULL, NULL, 0, NULL },
};

bool core_result_add(PyObject *module) {
  static const core_type type = { "credence._core.Result",
                                  "The evaluation of one set of predictions.", NULL, result_dealloc,
                                  methods };
  return core_type_make(module, &type, &core_result_type);
}
