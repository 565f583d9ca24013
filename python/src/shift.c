/* shift.c -- one classifier on other data: the shifted sets of results. */
#include "predictions.h"
#include "result.h"

bool core_shift_sets_read(PyObject *list, crd_shift_set **sets, size_t *count) {
  *sets = NULL;
  *count = 0;
  if (!list || list == Py_None) return true;
  if (!PyList_Check(list)) return core_raise_type("shift is %R, expected a list", list) != NULL;
  *count = (size_t)PyList_Size(list);
  *sets = PyMem_Calloc(*count + 1, sizeof **sets);
  if (!*sets) return core_raise(CRD_ENOMEM, "no memory for shifted sets") != NULL;
  for (size_t i = 0; i < *count; i++) {
    PyObject *const item = PyList_GetItem(list, (Py_ssize_t)i);
    PyObject *name, *predictions;
    if (PyArg_ParseTuple(item, "OO", &name, &predictions) &&
        core_name_read(name, "the name of a shifted set", &(*sets)[i].name) &&
        ((*sets)[i].predictions = core_predictions_get(predictions, "a shifted set")))
      continue;
    PyMem_Free(*sets);
    return false;
  }
  return true;
}

/* ---- Evaluation. */

typedef struct {
  const crd_predictions *predictions;
  crd_evaluate_options options;
  crd_shift_set *sets;
  size_t count;
  crd_shift_rows rows;
  core_operation operation;
} shift_job;

static const core_field shift_fields[] = {
  { "rows", CORE_WORD, offsetof(shift_job, rows), "auto paired independent" },
  { NULL, CORE_TEXT, 0, NULL },
};

/* Finds operating points, and measures them on the sets. */
static crd_status operate(crd_context *ctx, const shift_job *job, crd_result_parts *tables) {
  crd_operating_options options = job->operation.options;
  options.targets = job->operation.targets;
  options.resamples = job->options.resamples;
  if (options.target_count == 0) return CRD_OK;
  const crd_status status = crd_operating_find(ctx, job->predictions, &options, &tables->operating);
  if (status != CRD_OK) return status;
  return crd_operating_apply_shift(ctx, tables->operating, job->predictions, job->sets,
                                   options.resamples, &tables->shift);
}

static crd_status evaluate(crd_context *ctx, const shift_job *job, const crd_result **result,
                           crd_result_parts *tables) {
  crd_evidence *evidence = NULL;
  crd_status status = core_gather(ctx, job->predictions, &job->options, &evidence);
  if (status == CRD_OK) status = crd_evidence_judge(ctx, evidence, result);
  if (status == CRD_OK)
    status = crd_evaluate_shift(ctx, job->predictions, evidence, job->sets, job->count, job->rows,
                                &tables->shift);
  if (status == CRD_OK) status = operate(ctx, job, tables);
  crd_evidence_destroy(evidence);
  return status;
}

PyObject *core_predictions_evaluate_shift(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const char *const others[] = { "rows", CORE_OPERATION_NAMES, CORE_RUN_NAMES, NULL };
  shift_job job = { .predictions = core_predictions_get(self, "self"),
                    .options = { .size = sizeof job.options } };
  crd_result_parts tables = { .size = sizeof tables };
  const crd_result *result = NULL;
  PyObject *list;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &list) || !core_run_read(arguments, &run)) return NULL;
  if (!core_fields_pick(arguments, shift_fields, &job)) return NULL;
  if (!core_operation_read(arguments, &job.operation)) return NULL;
  if (!core_fields_set(arguments, "evaluate_shift", core_evaluate_fields, &job.options, others))
    return NULL;
  if (!core_shift_sets_read(list, &job.sets, &job.count)) return NULL;
  bool done = core_call_begin(&call, &run, NULL);
  if (done && !(done = core_call_end(&call, evaluate(call.ctx, &job, &result, &tables)))) {
    crd_operating_destroy(tables.operating);
    crd_shift_table_destroy(tables.shift);
    crd_result_destroy(result);
    core_call_close(&call);
  }
  PyMem_Free(job.sets);
  return done ? core_result_new(result, &tables, &call) : NULL;
}

/* ---- The shifted sets of a result. */

static const core_field set_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_shift, name), NULL },
  { "family", CORE_TEXT, offsetof(crd_shift, family), NULL },
  { "severity", CORE_DOUBLE, offsetof(crd_shift, severity), NULL },
  { "labelled", CORE_FLAG, offsetof(crd_shift, labelled), NULL },
  { "rows", CORE_WORD, offsetof(crd_shift, rows), "auto paired independent" },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *set_dict(const void *self, size_t index) {
  PyObject *const owner = (PyObject *)(uintptr_t)self;
  const crd_shift *const set = &core_result_get(owner, "self")->shift->items[index];
  PyObject *const dict = core_fields_dict(set, set_fields);
  if (dict && core_put(dict, "result", core_result_borrow(set->result, owner)) &&
      core_put(dict, "difference", core_comparison(set->difference)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

PyObject *core_result_shift(PyObject *self, PyObject *unused) {
  const crd_result *const result = core_result_get(self, "self");
  (void)unused;
  return core_list_of(set_dict, self, result->shift ? result->shift->count : 0);
}
