/* diagnosis.c -- the type Diagnosis: faults of predictions and of their calibration. */
#include "predictions.h"
#include "result.h"

static PyTypeObject *diagnosis_type;

/* A diagnosis, as made, or as described before. */
typedef struct {
  const crd_diagnosis *shown, *made; /* shown: `made`, or `told` */
  crd_diagnosis told;
  crd_finding *findings; /* of `told`; its texts belong to a dict that the object keeps */
} held;

static void held_free(void *it) {
  held *const h = it;
  crd_diagnosis_destroy(h->made);
  PyMem_Free(h->findings);
  PyMem_Free(h);
}

static const crd_diagnosis *get(PyObject *self) {
  return ((const held *)((core_object *)self)->it)->shown;
}

const crd_diagnosis *core_diagnosis_get(PyObject *object, const char *what) {
  const held *const h = core_object_get(object, diagnosis_type, what);
  return h ? h->shown : NULL;
}

PyObject *core_predictions_diagnose(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const char *const run_names[] = { CORE_RUN_NAMES, NULL };
  static const core_field none[] = { { NULL, CORE_TEXT, 0, NULL } };
  const crd_predictions *const predictions = core_predictions_get(self, "self");
  core_run run;
  core_call call;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("diagnose takes keyword arguments only");
  if (!core_fields_set(arguments, "diagnose", none, NULL, run_names)) return NULL;
  if (!core_run_read(arguments, &run)) return NULL;
  held *const h = PyMem_Calloc(1, sizeof *h);
  if (!h) return core_raise(CRD_ENOMEM, "no memory for a diagnosis");
  if (core_call_begin(&call, &run, NULL)) {
    if (core_call_end(&call, crd_diagnose(call.ctx, predictions, &h->made))) {
      h->shown = h->made;
      return core_object_new(diagnosis_type, h, held_free, &call, NULL);
    }
    core_call_close(&call);
  }
  held_free(h);
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

static const core_field fields[] = {
  { "name", CORE_TEXT, offsetof(crd_diagnosis, name), NULL },
  { "rows", CORE_SIZE, offsetof(crd_diagnosis, rows), NULL },
  { "classes", CORE_SIZE, offsetof(crd_diagnosis, classes), NULL },
  { "input", CORE_WORD, offsetof(crd_diagnosis, input), CORE_INPUT_WORDS },
  { "verdict", CORE_TEXT, offsetof(crd_diagnosis, verdict), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *diagnosis_describe(PyObject *self, PyObject *unused) {
  const crd_diagnosis *const d = get(self);
  PyObject *const dict = core_fields_dict(d, fields);
  (void)unused;
  if (dict && core_put(dict, "findings", core_list_of(finding_dict, d, d->finding_count)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* ---- What was described before, as a diagnosis. */

static bool read_finding(PyObject *dict, crd_finding *out) {
  PyObject *const name = PyDict_Check(dict) ? core_argument(dict, "name") : NULL;
  const char *text;
  if (!name) return core_raise_type("a finding is %R, expected a dict with its name", dict) != NULL;
  if (!core_text_read(name, "name", &text) || !core_fields_pick(dict, finding_fields, out))
    return false;
  out->info = text ? crd_finding_find(text) : NULL;
  if (out->info && out->found && out->advice) return true;
  return core_raise_usage("this version has no finding %R", name) != NULL;
}

static bool read_told(PyObject *dict, held *h) {
  PyObject *const list = core_argument(dict, "findings");
  if (!core_fields_pick(dict, fields, &h->told)) return false;
  if (!list || !PyList_Check(list) || !h->told.name || !h->told.verdict)
    return core_raise_type("the diagnosis is %R, expected what describe() returns", dict) != NULL;
  const size_t count = (size_t)PyList_Size(list);
  h->findings = PyMem_Calloc(count + 1, sizeof *h->findings);
  if (!h->findings) return core_raise(CRD_ENOMEM, "no memory for a diagnosis") != NULL;
  for (size_t i = 0; i < count; i++)
    if (!read_finding(PyList_GetItem(list, (Py_ssize_t)i), &h->findings[i])) return false;
  h->told.findings = h->findings;
  h->told.finding_count = count;
  h->shown = &h->told;
  return true;
}

/* load(dict): the diagnosis that describe() returned this dict of, which it keeps. */
static PyObject *diagnosis_load(PyObject *unused, PyObject *dict) {
  core_call none = { .ctx = NULL };
  (void)unused;
  if (!PyDict_Check(dict)) return core_raise_type("the diagnosis is %R, expected a dict", dict);
  held *const h = PyMem_Calloc(1, sizeof *h);
  if (!h) return core_raise(CRD_ENOMEM, "no memory for a diagnosis");
  if (read_told(dict, h)) {
    Py_INCREF(dict);
    return core_object_new(diagnosis_type, h, held_free, &none, dict);
  }
  if (!PyErr_Occurred()) core_raise_type("the diagnosis is %R, expected findings by name", dict);
  held_free(h);
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

static void diagnosis_dealloc(PyObject *self) { core_object_free(self, held_free); }

static PyMethodDef methods[] = {
  { "load", diagnosis_load, METH_O | METH_STATIC, "Make a diagnosis of what describe returned." },
  { "describe", diagnosis_describe, METH_NOARGS, "Return verdict, findings ... as a dict." },
  { "report", (PyCFunction)(void (*)(void))diagnosis_report, METH_VARARGS | METH_KEYWORDS,
    "Return the diagnosis in a form: text, json." },
  { NULL, NULL, 0, NULL },
};

bool core_diagnosis_add(PyObject *module) {
  static const core_type type = { "credence._core.Diagnosis",
                                  "Faults of predictions and of their calibration.", NULL,
                                  diagnosis_dealloc, methods };
  return core_type_make(module, &type, &diagnosis_type);
}
