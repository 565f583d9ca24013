/* diagnosis.c -- the type Diagnosis: faults of predictions and of their calibration. */
#include "predictions.h"
#include "result.h"

PyTypeObject *core_diagnosis_type;

static void diagnosis_free(void *it) { crd_diagnosis_destroy(it); }
static const crd_diagnosis *get(PyObject *self) { return ((core_object *)self)->it; }

PyObject *core_predictions_diagnose(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const char *const run_names[] = { CORE_RUN_NAMES, NULL };
  static const core_field none[] = { { NULL, CORE_TEXT, 0, NULL } };
  const crd_predictions *const predictions = core_predictions_get(self, "self");
  const crd_diagnosis *diagnosis = NULL;
  core_run run;
  core_call call;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("diagnose takes keyword arguments only");
  if (!core_fields_set(arguments, "diagnose", none, NULL, run_names)) return NULL;
  if (!core_run_read(arguments, &run) || !core_call_begin(&call, &run, NULL)) return NULL;
  if (core_call_end(&call, crd_diagnose(call.ctx, predictions, &diagnosis)))
    return core_object_new(core_diagnosis_type, diagnosis, diagnosis_free, &call, NULL);
  crd_diagnosis_destroy(diagnosis);
  core_call_close(&call);
  return NULL;
}

/* ---- What was found. */

static const core_field finding_fields[] = {
  { "severity", CORE_WORD, offsetof(crd_finding, severity), "problem warning note fine" },
  { "found", CORE_TEXT, offsetof(crd_finding, found), NULL },
  { "advice", CORE_TEXT, offsetof(crd_finding, advice), NULL },
  { "remedy", CORE_TEXT, offsetof(crd_finding, remedy), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *finding_dict(const void *self, size_t index) {
  const crd_finding *const finding = &((const crd_diagnosis *)self)->findings[index];
  PyObject *const dict = core_fields_dict(finding, finding_fields);
  if (dict && core_put(dict, "name", core_text(finding->info->name))) return dict;
  Py_XDECREF(dict);
  return NULL;
}

static PyObject *diagnosis_describe(PyObject *self, PyObject *unused) {
  static const core_field fields[] = {
    { "name", CORE_TEXT, offsetof(crd_diagnosis, name), NULL },
    { "rows", CORE_SIZE, offsetof(crd_diagnosis, rows), NULL },
    { "classes", CORE_SIZE, offsetof(crd_diagnosis, classes), NULL },
    { "verdict", CORE_TEXT, offsetof(crd_diagnosis, verdict), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  const crd_diagnosis *const d = get(self);
  PyObject *const dict = core_fields_dict(d, fields);
  (void)unused;
  if (dict && core_put(dict, "input", core_text(crd_input_name(d->input))) &&
      core_put(dict, "findings", core_list_of(finding_dict, d, d->finding_count)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* ---- Forms. */

static crd_status write_diagnosis(crd_context *ctx, const void *what, const char *form,
                                  const crd_report_options *options, crd_output *output) {
  return crd_diagnosis_write(ctx, what, form, options, output);
}

/* Reads [(line, meaning), ...], borrowed from the list. */
static bool read_suggestions(PyObject *list, crd_suggestion *out, size_t count) {
  for (size_t i = 0; i < count; i++) {
    PyObject *line, *meaning;
    if (!PyArg_ParseTuple(PyList_GetItem(list, (Py_ssize_t)i), "UU", &line, &meaning) ||
        !core_text_read(line, "a suggestion", &out[i].line) ||
        !core_text_read(meaning, "a suggestion", &out[i].meaning))
      return false;
  }
  return true;
}

/* report(form, suggestions, ...) */
static PyObject *diagnosis_report(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  core_report_job job = { .write = write_diagnosis, .what = get(self) };
  PyObject *form, *list, *text = NULL;
  if (!PyArg_ParseTuple(unnamed, "OO", &form, &list)) return NULL;
  if (!PyList_Check(list)) return core_raise_type("suggestions are %R, expected a list", list);
  job.options.suggestion_count = (size_t)PyList_Size(list);
  crd_suggestion *const suggestions =
      PyMem_Calloc(job.options.suggestion_count + 1, sizeof *suggestions);
  job.options.suggestions = suggestions;
  if (!suggestions) return core_raise(CRD_ENOMEM, "no memory for suggestions");
  if (read_suggestions(list, suggestions, job.options.suggestion_count))
    text = core_report_as(form, arguments, &job);
  PyMem_Free(suggestions);
  return text;
}

static void diagnosis_dealloc(PyObject *self) { core_object_free(self, diagnosis_free); }

static PyMethodDef methods[] = {
  { "describe", diagnosis_describe, METH_NOARGS, "Return verdict, findings ... as a dict." },
  { "report", (PyCFunction)(void (*)(void))diagnosis_report, METH_VARARGS | METH_KEYWORDS,
    "Return the diagnosis in a form: text, json." },
  { NULL, NULL, 0, NULL },
};

bool core_diagnosis_add(PyObject *module) {
  static const core_type type = { "credence._core.Diagnosis",
                                  "Faults of predictions and of their calibration.", NULL,
                                  diagnosis_dealloc, methods };
  return core_type_make(module, &type, &core_diagnosis_type);
}
