/* evidence.c -- the type Evidence: sums of rows that merge exactly, and pickle as the state files
 * of the program. */
#include "predictions.h"
#include "result.h"

PyTypeObject *core_evidence_type;

static void evidence_free(void *it) { crd_evidence_destroy(it); }
static crd_evidence *get(PyObject *self) { return ((core_object *)self)->it; }
static core_lock *lock_of(PyObject *self) { return &((core_object *)self)->lock; }

/* ---- Creation. */

static const core_field first_row_fields[] = {
  { "first_row", CORE_UINT64, 0, NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const char *const run_names[] = { CORE_RUN_NAMES, NULL };

static PyObject *wrap(core_call *call, crd_status status, crd_evidence *evidence) {
  if (core_call_end(call, status))
    return core_object_new(core_evidence_type, evidence, evidence_free, call, NULL);
  crd_evidence_destroy(evidence);
  core_call_close(call);
  return NULL;
}

PyObject *core_predictions_gather(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  crd_evaluate_options options = { .size = sizeof options };
  const crd_predictions *const predictions = core_predictions_get(self, "self");
  crd_evidence *evidence = NULL;
  core_run run;
  core_call call;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("gather takes keyword arguments only");
  if (!core_run_read(arguments, &run)) return NULL;
  if (!core_fields_set(arguments, "gather", core_evaluate_fields, &options, run_names)) return NULL;
  if (!core_call_begin(&call, &run, NULL)) return NULL;
  const crd_status status = core_gather(call.ctx, predictions, &options, &evidence);
  return wrap(&call, status, evidence);
}

static PyObject *evidence_new(PyTypeObject *type, PyObject *unnamed, PyObject *arguments) {
  crd_evaluate_options options = { .size = sizeof options };
  crd_evidence *evidence = NULL;
  core_run run;
  core_call call;
  (void)type;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("Evidence takes keyword arguments only");
  if (!core_run_read(arguments, &run)) return NULL;
  if (!core_fields_set(arguments, "Evidence", core_evaluate_fields, &options, run_names))
    return NULL;
  if (!core_call_begin(&call, &run, NULL)) return NULL;
  const crd_status status = crd_evidence_create(call.ctx, &options, &evidence);
  return wrap(&call, status, evidence);
}

static PyObject *evidence_load(PyObject *unused, PyObject *unnamed) {
  crd_evidence *evidence = NULL;
  PyObject *state, *object;
  const char *bytes, *name;
  size_t length;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &state, &object)) return NULL;
  if (!core_bytes_read(state, "the state", &bytes, &length)) return NULL;
  if (!core_text_read(object, "name", &name) || !core_call_begin(&call, NULL, NULL)) return NULL;
  const crd_status status =
      crd_evidence_load_memory(call.ctx, name ? name : "the state", bytes, length, &evidence);
  return wrap(&call, status, evidence);
}

/* ---- Rows and other evidence. */

static PyObject *finish(core_call *call, crd_status status) {
  const bool done = core_call_end(call, status);
  core_call_close(call);
  if (done) Py_RETURN_NONE;
  return NULL;
}

static PyObject *evidence_add(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  PyObject *object;
  uint64_t first_row = 0;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &object)) return NULL;
  const crd_predictions *const predictions = core_predictions_get(object, "predictions");
  if (!predictions || !core_run_read(arguments, &run)) return NULL;
  if (!core_fields_pick(arguments, first_row_fields, &first_row)) return NULL;
  if (!core_call_begin(&call, &run, lock_of(self))) return NULL;
  return finish(&call, crd_evidence_add(call.ctx, get(self), predictions, first_row));
}

static PyObject *evidence_merge(PyObject *self, PyObject *other) {
  core_call call;
  crd_evidence *const theirs = core_object_get(other, core_evidence_type, "other");
  if (!theirs) return NULL;
  if (self == other) return core_raise_usage("evidence cannot be merged into itself");
  if (!core_call_begin_both(&call, NULL, lock_of(self), lock_of(other))) return NULL;
  return finish(&call, crd_evidence_merge(call.ctx, get(self), theirs));
}

/* ---- Results. */

static PyObject *evidence_judge(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  const crd_result_parts tables = { .size = sizeof tables };
  const crd_result *result = NULL;
  core_run run;
  core_call call;
  (void)unnamed;
  if (!core_run_read(arguments, &run)) return NULL;
  if (!core_call_begin(&call, &run, lock_of(self))) return NULL;
  if (core_call_end(&call, crd_evidence_judge(call.ctx, get(self), &result)))
    return core_result_new(result, &tables, &call);
  crd_result_destroy(result);
  core_call_close(&call);
  return NULL;
}

/* Judges, and compares with other evidence of the same rows. */
static PyObject *evidence_compare(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  const crd_result *result = NULL;
  crd_result_parts tables = { .size = sizeof tables };
  PyObject *other;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &other) || !core_run_read(arguments, &run)) return NULL;
  crd_evidence *const theirs = core_object_get(other, core_evidence_type, "other");
  if (!theirs) return NULL;
  if (self == other) return core_raise_usage("evidence cannot be compared with itself");
  if (!core_call_begin_both(&call, &run, lock_of(self), lock_of(other))) return NULL;
  crd_status status = crd_evidence_judge(call.ctx, get(self), &result);
  if (status == CRD_OK) status = crd_evidence_compare(call.ctx, get(self), theirs, &tables.paired);
  if (core_call_end(&call, status)) return core_result_new(result, &tables, &call);
  crd_result_destroy(result);
  crd_comparison_destroy(tables.paired);
  core_call_close(&call);
  return NULL;
}

static crd_status save(crd_context *ctx, const void *what, crd_output *output) {
  return crd_evidence_save(ctx, what, output);
}

static PyObject *evidence_save(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_written_bytes(lock_of(self), save, get(self));
}

static void evidence_dealloc(PyObject *self) { core_object_free(self, evidence_free); }

static PyMethodDef methods[] = {
  { "add", (PyCFunction)(void (*)(void))evidence_add, METH_VARARGS | METH_KEYWORDS,
    "Add the rows of predictions: add(predictions, first_row=0)." },
  { "merge", evidence_merge, METH_O, "Add the rows of other evidence." },
  { "judge", (PyCFunction)(void (*)(void))evidence_judge, METH_VARARGS | METH_KEYWORDS,
    "Return the Result of the rows so far." },
  { "compare", (PyCFunction)(void (*)(void))evidence_compare, METH_VARARGS | METH_KEYWORDS,
    "Return the Result with its differences from other evidence of the same rows." },
  { "save", evidence_save, METH_NOARGS, "Return the bytes of a state file." },
  { "load", evidence_load, METH_VARARGS | METH_STATIC, "Read such bytes: load(bytes, name)." },
  { NULL, NULL, 0, NULL },
};

bool core_evidence_add(PyObject *module) {
  static const core_type type = { "credence._core.Evidence", "Sums of rows that merge exactly.",
                                  evidence_new, evidence_dealloc, methods };
  return core_type_make(module, &type, &core_evidence_type);
}
