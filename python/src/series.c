/* series.c -- the type Series: a contest that was repeated, as mean and standard deviation. */
#include "result.h"

PyTypeObject *core_series_type;

static void series_free(void *it) { crd_series_destroy(it); }
static crd_series *get(PyObject *self) { return ((core_object *)self)->it; }
static PyThread_type_lock lock_of(PyObject *self) { return ((core_object *)self)->lock; }

static const core_field option_fields[] = {
  { "kind", CORE_WORD, offsetof(crd_series_options, kind), "independent splits" },
  { "caption", CORE_TEXT, offsetof(crd_series_options, caption), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *series_new(PyTypeObject *type, PyObject *unnamed, PyObject *arguments) {
  crd_series_options options = { .size = sizeof options };
  crd_series *series = NULL;
  core_call call;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("Series takes keyword arguments only");
  if (!core_fields_set(arguments, "Series", option_fields, &options, NULL)) return NULL;
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  if (core_call_end(&call, crd_series_create(call.ctx, &options, &series)))
    return core_object_new(type, series, series_free, &call, NULL);
  core_call_close(&call);
  return NULL;
}

static PyObject *series_add(PyObject *self, PyObject *contest) {
  const crd_contest *const run = core_object_get(contest, core_contest_type, "contest");
  core_call call;
  if (!run || !core_call_begin(&call, NULL, lock_of(self))) return NULL;
  const bool done = core_call_end(&call, crd_series_add(call.ctx, get(self), run));
  core_call_close(&call);
  if (done) Py_RETURN_NONE;
  return NULL;
}

/* ---- The summary. */

static const core_field value_fields[] = {
  { "runs", CORE_SIZE, offsetof(crd_series_value, runs), NULL },
  { "mean", CORE_DOUBLE, offsetof(crd_series_value, mean), NULL },
  { "std", CORE_DOUBLE, offsetof(crd_series_value, std), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field difference_fields[] = {
  { "runs", CORE_SIZE, offsetof(crd_series_difference, runs), NULL },
  { "mean", CORE_DOUBLE, offsetof(crd_series_difference, mean), NULL },
  { "std", CORE_DOUBLE, offsetof(crd_series_difference, std), NULL },
  { "p", CORE_DOUBLE, offsetof(crd_series_difference, p), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field candidate_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_series_candidate, name), NULL },
  { "failures", CORE_SIZE, offsetof(crd_series_candidate, failures), NULL },
  { "failure", CORE_TEXT, offsetof(crd_series_candidate, failure), NULL },
  { "unconverged", CORE_SIZE, offsetof(crd_series_candidate, unconverged), NULL },
  { "chosen", CORE_SIZE, offsetof(crd_series_candidate, chosen), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *floats(const double *values, size_t count) {
  PyObject *const list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++)
    PyList_SetItem(list, (Py_ssize_t)i, PyFloat_FromDouble(values[i]));
  return list;
}

static PyObject *value_dict(const crd_series_value *value, size_t runs) {
  PyObject *const dict = core_fields_dict(value, value_fields);
  if (dict && core_put(dict, "values", floats(value->values, runs))) return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* A candidate in its summary. */
typedef struct {
  const crd_series_summary *summary;
  const crd_series_candidate *candidate;
  const crd_series_difference *differences; /* one of the candidate's two */
} part;

static bool add_value(PyObject *dict, const void *self, size_t index) {
  const part *const p = self;
  return core_put(dict, p->summary->metrics[index]->name,
                  value_dict(&p->candidate->values[index], p->summary->runs));
}

static bool add_difference(PyObject *dict, const void *self, size_t index) {
  const part *const p = self;
  return core_put(dict, p->summary->metrics[index]->name,
                  core_fields_dict(&p->differences[index], difference_fields));
}

static PyObject *differences_dict(const part *p, const crd_series_difference *differences) {
  if (!differences) Py_RETURN_NONE;
  const part with = { p->summary, p->candidate, differences };
  return core_dict_of(add_difference, &with, p->summary->metric_count);
}

static PyObject *candidate_dict(const void *self, size_t index) {
  const crd_series_summary *const s = self;
  const part p = { s, &s->candidates[index], NULL };
  PyObject *const dict = core_fields_dict(p.candidate, candidate_fields);
  if (dict && core_put(dict, "seconds", value_dict(&p.candidate->seconds, s->runs)) &&
      core_put(dict, "temperature", value_dict(&p.candidate->temperature, s->runs)) &&
      core_put(dict, "values", core_dict_of(add_value, &p, s->metric_count)) &&
      core_put(dict, "against_identity", differences_dict(&p, p.candidate->against_identity)) &&
      core_put(dict, "against_temperature", differences_dict(&p, p.candidate->against_temperature)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static const char *note_at(const void *self, size_t index) {
  const crd_series_summary *const s = self;
  return index < s->note_count ? s->notes[index] : NULL;
}

static PyObject *about(const void *it) {
  static const core_field fields[] = {
    { "kind", CORE_WORD, offsetof(crd_series_summary, kind), "independent splits" },
    { "caption", CORE_TEXT, offsetof(crd_series_summary, caption), NULL },
    { "runs", CORE_SIZE, offsetof(crd_series_summary, runs), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  const crd_series_summary *const s = crd_series_describe(it);
  PyObject *const dict = core_fields_dict(s, fields);
  if (dict &&
      core_put(dict, "candidates", core_list_of(candidate_dict, s, s->runs ? s->count : 0)) &&
      core_put(dict, "notes", core_texts(note_at, s)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static PyObject *series_describe(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_object_read(self, about);
}

static crd_status write_series(crd_context *ctx, const void *what, const char *form,
                               const crd_report_options *options, crd_output *output) {
  return crd_series_write(ctx, crd_series_describe(what), form, options, output);
}

static PyObject *series_report(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  return core_report(unnamed, arguments, write_series, get(self), lock_of(self));
}

static void series_dealloc(PyObject *self) { core_object_free(self, series_free); }

static PyMethodDef methods[] = {
  { "add", series_add, METH_O, "Add a run, a Contest." },
  { "describe", series_describe, METH_NOARGS, "Return caption, runs, candidates ... as a dict." },
  { "report", (PyCFunction)(void (*)(void))series_report, METH_VARARGS | METH_KEYWORDS,
    "Return the series in a form: text, json, csv, markdown, latex." },
  { NULL, NULL, 0, NULL },
};

bool core_series_add(PyObject *module) {
  static const core_type type = { "credence._core.Series", "A contest that was repeated.",
                                  series_new, series_dealloc, methods };
  return core_type_make(module, &type, &core_series_type);
}
