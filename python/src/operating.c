/* operating.c -- operating points of selective prediction, as a dict. */
#include "predictions.h"

static const core_field proportion_fields[] = {
  { "value", CORE_DOUBLE, offsetof(crd_proportion, value), NULL },
  { "low", CORE_DOUBLE, offsetof(crd_proportion, low), NULL },
  { "high", CORE_DOUBLE, offsetof(crd_proportion, high), NULL },
  { "count", CORE_DOUBLE, offsetof(crd_proportion, count), NULL },
  { "total", CORE_DOUBLE, offsetof(crd_proportion, total), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field point_fields[] = {
  { "kind", CORE_WORD, offsetof(crd_operating_point, target.kind), "risk coverage" },
  { "target", CORE_DOUBLE, offsetof(crd_operating_point, target.value), NULL },
  { "threshold", CORE_DOUBLE, offsetof(crd_operating_point, threshold), NULL },
  { "reason", CORE_TEXT, offsetof(crd_operating_point, reason), NULL },
  { "rows", CORE_SIZE, offsetof(crd_operating_point, rows), NULL },
  { "accepted", CORE_SIZE, offsetof(crd_operating_point, accepted), NULL },
  { "promised", CORE_DOUBLE, offsetof(crd_operating_point, promised), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field table_fields[] = {
  { "guarantee", CORE_WORD, offsetof(crd_operating_table, guarantee), "held-out bootstrap" },
  { "text", CORE_TEXT, offsetof(crd_operating_table, text), NULL },
  { "interval", CORE_TEXT, offsetof(crd_operating_table, interval), NULL },
  { "chosen_rows", CORE_SIZE, offsetof(crd_operating_table, chosen_rows), NULL },
  { "measured_rows", CORE_SIZE, offsetof(crd_operating_table, measured_rows), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* The proportions of a point; all but the first two are of two classes. */
static const struct {
  const char *name;
  size_t offset;
} proportions[] = {
  { "coverage", offsetof(crd_operating_point, coverage) },
  { "risk", offsetof(crd_operating_point, risk) },
  { "sensitivity", offsetof(crd_operating_point, sensitivity) },
  { "specificity", offsetof(crd_operating_point, specificity) },
  { "ppv", offsetof(crd_operating_point, ppv) },
  { "npv", offsetof(crd_operating_point, npv) },
};

static PyObject *proportion(const crd_operating_table *table, size_t point, size_t which) {
  if (which >= 2 && !table->binary) Py_RETURN_NONE;
  const char *const at = (const char *)&table->items[point];
  return core_fields_dict(at + proportions[which].offset, proportion_fields);
}

static PyObject *point_dict(const void *self, size_t index) {
  const crd_operating_table *const table = self;
  const crd_operating_point *const point = &table->items[index];
  PyObject *dict = core_fields_dict(point, point_fields);
  if (dict && !core_put(dict, "promise", core_text(crd_promise_name(point->promise))))
    Py_CLEAR(dict);
  for (size_t i = 0; dict && i < sizeof proportions / sizeof *proportions; i++)
    if (!core_put(dict, proportions[i].name, proportion(table, index, i))) {
      Py_DECREF(dict);
      return NULL;
    }
  return dict;
}

PyObject *core_operating_dict(const crd_operating_table *table) {
  PyObject *const dict = table ? core_fields_dict(table, table_fields) : NULL;
  if (!table) Py_RETURN_NONE;
  if (dict && core_put(dict, "points", core_list_of(point_dict, table, table->count))) return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* Reads [(kind, value), ...]. */
static bool read_targets(PyObject *list, core_operation *out) {
  static const core_field fields[] = {
    { "target", CORE_WORD, offsetof(crd_target, kind), "risk coverage" },
    { "target", CORE_DOUBLE, offsetof(crd_target, value), NULL },
  };
  if (!PyList_Check(list) || PyList_Size(list) > CORE_TARGETS_MAX)
    return core_raise_usage("expected a list of at most %d targets", CORE_TARGETS_MAX) != NULL;
  out->options.target_count = (size_t)PyList_Size(list);
  for (size_t i = 0; i < out->options.target_count; i++) {
    PyObject *kind, *value;
    if (!PyArg_ParseTuple(PyList_GetItem(list, (Py_ssize_t)i), "OO", &kind, &value) ||
        !core_field_set(kind, &fields[0], &out->targets[i]) ||
        !core_field_set(value, &fields[1], &out->targets[i]))
      return false;
  }
  return true;
}

bool core_operation_read(PyObject *arguments, core_operation *out) {
  static const core_field fields[] = {
    { "guarantee", CORE_WORD, offsetof(crd_operating_options, guarantee), "held-out bootstrap" },
    { NULL, CORE_TEXT, 0, NULL },
  };
  PyObject *const list = core_argument(arguments, "targets");
  out->options.size = sizeof out->options;
  if (!core_fields_pick(arguments, fields, &out->options)) return false;
  return !list || list == Py_None || read_targets(list, out);
}

/* operate(targets, guarantee="held-out", resamples=0) */
PyObject *core_predictions_operate(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field fields[] = {
    { "resamples", CORE_UNSIGNED, offsetof(crd_operating_options, resamples), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  static const char *const others[] = { CORE_OPERATION_NAMES, CORE_RUN_NAMES, NULL };
  const crd_predictions *const predictions = core_predictions_get(self, "self");
  core_operation operation = { .options = { .size = sizeof operation.options } };
  const crd_operating_table *table = NULL;
  PyObject *dict = NULL;
  core_run run;
  core_call call;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("operate takes keyword arguments only");
  if (!core_run_read(arguments, &run) || !core_operation_read(arguments, &operation)) return NULL;
  if (!core_fields_set(arguments, "operate", fields, &operation.options, others)) return NULL;
  operation.options.targets = operation.targets;
  if (!core_call_begin(&call, &run, NULL)) return NULL;
  const crd_status status = crd_operating_find(call.ctx, predictions, &operation.options, &table);
  if (core_call_end(&call, status)) dict = core_operating_dict(table);
  crd_operating_destroy(table);
  core_call_close(&call);
  return dict;
}
