/* contest.c -- the type Contest: calibration methods on the same rows, and a verdict. */
#include "calibrator.h"
#include "predictions.h"
#include "result.h"

static PyTypeObject *contest_type;

/* A contest, as run or as stored. */
typedef struct {
  const crd_contest *contest; /* owned, or of `stored` */
  crd_stored *stored;         /* NULL: as run */
  PyObject *calibrators;      /* of a stored one: a list of bytes or None, by candidate */
} held;

static void held_free(void *it) {
  held *const h = it;
  if (!h->stored) crd_contest_destroy(h->contest);
  crd_stored_destroy(h->stored);
  Py_XDECREF(h->calibrators);
  PyMem_Free(h);
}

static const crd_contest *get(PyObject *self) {
  return ((const held *)((core_object *)self)->it)->contest;
}

const crd_contest *core_contest_get(PyObject *object, const char *what) {
  const held *const h = core_object_get(object, contest_type, what);
  return h ? h->contest : NULL;
}

/* Ends the call that made the contest in `h`. */
static PyObject *wrap(core_call *call, crd_status status, held *h) {
  if (core_call_end(call, status)) return core_object_new(contest_type, h, held_free, call, NULL);
  held_free(h);
  core_call_close(call);
  return NULL;
}

/* ---- The comparison. */

typedef struct {
  crd_contest_options options;
  const crd_predictions *calibrate, *test;
  double split;
  unsigned folds;
  int profile;
  core_operation operation;
} contest_job;

static const core_field fields[] = {
  { "methods", CORE_TEXT, offsetof(contest_job, options.methods), NULL },
  { "metrics", CORE_TEXT, offsetof(contest_job, options.metrics), NULL },
  { "bins", CORE_COUNT, offsetof(contest_job, options.bins), NULL },
  { "resamples", CORE_UNSIGNED, offsetof(contest_job, options.resamples), NULL },
  { "floor", CORE_DOUBLE, offsetof(contest_job, options.floor), NULL },
  { "split", CORE_DOUBLE, offsetof(contest_job, split), NULL },
  { "folds", CORE_UNSIGNED, offsetof(contest_job, folds), NULL },
  { "profile", CORE_FLAG, offsetof(contest_job, profile), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static crd_status compete(crd_context *ctx, const contest_job *job, const crd_contest **out) {
  if (job->test) return crd_contest_run(ctx, job->calibrate, job->test, &job->options, out);
  if (job->folds) return crd_contest_folds(ctx, job->calibrate, job->folds, &job->options, out);
  return crd_contest_split(ctx, job->calibrate, job->split, &job->options, out);
}

static bool read_job(PyObject *arguments, contest_job *job, crd_shift_set **sets) {
  static const char *const others[] = { "test", "shift", CORE_OPERATION_NAMES, CORE_RUN_NAMES,
                                        NULL };
  PyObject *const test = core_argument(arguments, "test");
  PyObject *const shift = core_argument(arguments, "shift");
  if (!core_fields_set(arguments, "compete", fields, job, others)) return false;
  if (!core_operation_read(arguments, &job->operation)) return false;
  job->operation.options.targets = job->operation.targets;
  job->operation.options.resamples = job->options.resamples;
  if (job->operation.options.target_count > 0) job->options.operating = &job->operation.options;
  if (job->profile) job->options.profile = CRD_PROFILE_ALL;
  if (test && test != Py_None && !(job->test = core_predictions_get(test, "test"))) return false;
  if (!core_shift_sets_read(shift, sets, &job->options.shift_count)) return false;
  job->options.shift = *sets;
  return true;
}

PyObject *core_predictions_compete(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  contest_job job = { .calibrate = core_predictions_get(self, "self"),
                      .split = 0.5,
                      .options = { .size = sizeof job.options } };
  PyObject *result = NULL;
  crd_shift_set *sets;
  core_run run;
  core_call call;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("compete takes keyword arguments only");
  if (!core_run_read(arguments, &run) || !read_job(arguments, &job, &sets)) return NULL;
  held *const h = PyMem_Calloc(1, sizeof *h);
  if (!h) core_raise(CRD_ENOMEM, "no memory for a contest");
  else if (!core_call_begin(&call, &run, NULL)) held_free(h);
  else result = wrap(&call, compete(call.ctx, &job, &h->contest), h);
  PyMem_Free(sets);
  return result;
}

/* load(bytes, calibrators): a stored contest, with the bytes of each candidate's calibrator. */
static PyObject *contest_load(PyObject *unused, PyObject *unnamed) {
  PyObject *state, *calibrators;
  const char *bytes;
  size_t length;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &state, &calibrators) ||
      !core_bytes_read(state, "the contest", &bytes, &length))
    return NULL;
  if (!PyList_Check(calibrators))
    return core_raise_type("calibrators are %R, expected a list", calibrators);
  held *const h = PyMem_Calloc(1, sizeof *h);
  if (!h) return core_raise(CRD_ENOMEM, "no memory for a contest");
  if (!core_call_begin(&call, NULL, NULL)) {
    held_free(h);
    return NULL;
  }
  crd_status status = crd_stored_load_memory(call.ctx, "the contest", bytes, length, &h->stored);
  if (status == CRD_OK) h->contest = crd_stored_part(h->stored)->contest;
  if (status == CRD_OK && !h->contest)
    status = crd_context_fail(call.ctx, CRD_EINPUT, "found a result, expected a contest");
  if (status == CRD_OK && (size_t)PyList_Size(calibrators) != h->contest->count)
    status = crd_context_fail(call.ctx, CRD_EINPUT, "found another number of calibrators");
  h->calibrators = status == CRD_OK ? Py_NewRef(calibrators) : NULL;
  return wrap(&call, status, h);
}

/* ---- What is known of it. */

static const core_field candidate_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_candidate, name), NULL },
  { "failure", CORE_TEXT, offsetof(crd_candidate, failure), NULL },
  { "parameters", CORE_SIZE, offsetof(crd_candidate, parameters), NULL },
  { "seconds", CORE_DOUBLE, offsetof(crd_candidate, seconds), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static bool add_learnt(PyObject *dict, const void *self, size_t index) {
  const crd_learnt *const learnt = &((const crd_candidate *)self)->learnt[index];
  return core_put(dict, learnt->name, core_learnt(learnt));
}

static PyObject *certificate_dict(const crd_certificate *certificate) {
  if (!certificate) Py_RETURN_NONE;
  return core_fields_dict(certificate, core_certificate_fields);
}

static PyObject *candidate_dict(const void *self, size_t index) {
  const crd_candidate *const c = &((const crd_contest *)self)->candidates[index];
  PyObject *const dict = core_fields_dict(c, candidate_fields);
  if (dict && core_put(dict, "certificate", certificate_dict(c->certificate)) &&
      core_put(dict, "learnt", core_dict_of(add_learnt, c, c->learnt_count)) &&
      core_put(dict, "against_identity", core_comparison(c->against_identity)) &&
      core_put(dict, "against_temperature", core_comparison(c->against_temperature)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static bool add_rejected(PyObject *dict, const void *self, size_t index) {
  const crd_rejection *const rejected = &((const crd_contest *)self)->rejected[index];
  return core_put(dict, rejected->candidate->name, core_text(rejected->reason));
}

static const char *note_at(const void *self, size_t index) {
  const crd_contest *const contest = self;
  return index < contest->note_count ? contest->notes[index] : NULL;
}

static const core_field contest_fields[] = {
  { "calibrate_name", CORE_TEXT, offsetof(crd_contest, calibrate_name), NULL },
  { "test_name", CORE_TEXT, offsetof(crd_contest, test_name), NULL },
  { "calibrate_rows", CORE_SIZE, offsetof(crd_contest, calibrate_rows), NULL },
  { "test_rows", CORE_SIZE, offsetof(crd_contest, test_rows), NULL },
  { "folds", CORE_UNSIGNED, offsetof(crd_contest, folds), NULL },
  { "resamples", CORE_UNSIGNED, offsetof(crd_contest, resamples), NULL },
  { "verdict", CORE_TEXT, offsetof(crd_contest, verdict), NULL },
  { "score", CORE_TEXT, offsetof(crd_contest, score), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *contest_describe(PyObject *self, PyObject *unused) {
  const crd_contest *const contest = get(self);
  PyObject *const dict = core_fields_dict(contest, contest_fields);
  (void)unused;
  if (dict && core_put(dict, "candidates", core_list_of(candidate_dict, contest, contest->count)) &&
      core_put(dict, "chosen", core_text(contest->chosen ? contest->chosen->name : NULL)) &&
      core_put(dict, "best", core_text(contest->best ? contest->best->name : NULL)) &&
      core_put(dict, "rejected", core_dict_of(add_rejected, contest, contest->rejected_count)) &&
      core_put(dict, "notes", core_texts(note_at, contest)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* ---- Candidates, by their index. */

static const crd_candidate *candidate_at(PyObject *self, PyObject *index) {
  const crd_contest *const contest = get(self);
  const size_t at = PyLong_AsSize_t(index);
  if (PyErr_Occurred()) return NULL;
  if (at < contest->count) return &contest->candidates[at];
  core_raise_usage("candidate %zu, allowed are 0 to %zu", at, contest->count - 1);
  return NULL;
}

static PyObject *contest_result(PyObject *self, PyObject *index) {
  const crd_candidate *const candidate = candidate_at(self, index);
  if (!candidate) return NULL;
  return core_result_borrow(candidate->result, self);
}

static crd_status save(crd_context *ctx, const void *what, crd_output *output) {
  return crd_calibrator_save(ctx, what, output);
}

static PyObject *contest_calibrator(PyObject *self, PyObject *index) {
  const crd_candidate *const candidate = candidate_at(self, index);
  const held *const h = ((core_object *)self)->it;
  if (!candidate) return NULL;
  if (h->calibrators) {
    PyObject *const bytes = PyList_GetItem(h->calibrators, candidate - h->contest->candidates);
    return bytes ? Py_NewRef(bytes) : NULL;
  }
  if (!candidate->calibrator) Py_RETURN_NONE;
  return core_written_bytes(NULL, save, candidate->calibrator);
}

/* ---- Shifted sets. */

static const core_field shift_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_contest_shift, name), NULL },
  { "family", CORE_TEXT, offsetof(crd_contest_shift, family), NULL },
  { "severity", CORE_DOUBLE, offsetof(crd_contest_shift, severity), NULL },
  { "rows", CORE_SIZE, offsetof(crd_contest_shift, rows), NULL },
  { "verdict", CORE_TEXT, offsetof(crd_contest_shift, verdict), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* A shifted set of a contest. */
typedef struct {
  PyObject *owner;
  const crd_contest *contest;
  const crd_contest_shift *set;
} owned_shift;

static bool add_shifted(PyObject *dict, const void *self, size_t index) {
  const owned_shift *const s = self;
  const crd_shifted_candidate *const candidate = &s->set->candidates[index];
  PyObject *const item = PyDict_New();
  if (item && core_put(item, "result", core_result_borrow(candidate->result, s->owner)) &&
      core_put(item, "failure", core_text(candidate->failure)) &&
      core_put(item, "against_identity", core_comparison(candidate->against_identity)))
    return core_put(dict, s->contest->candidates[index].name, item);
  Py_XDECREF(item);
  return false;
}

static PyObject *shift_dict(const void *self, size_t index) {
  PyObject *const owner = (PyObject *)(uintptr_t)self;
  const owned_shift s = { owner, get(owner), &get(owner)->shift[index] };
  PyObject *const dict = core_fields_dict(s.set, shift_fields);
  if (dict && core_put(dict, "candidates", core_dict_of(add_shifted, &s, s.contest->count)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static PyObject *contest_shift(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_list_of(shift_dict, self, get(self)->shift_count);
}

/* ---- Forms. */

static crd_status write_contest(crd_context *ctx, const void *what, const char *form,
                                const crd_report_options *options, crd_output *output) {
  return crd_contest_write(ctx, what, form, options, output);
}

static PyObject *contest_report(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  return core_report(unnamed, arguments, write_contest, get(self), NULL);
}

static PyObject *contest_figure(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  core_figure_job job = { .data = { .contest = get(self) } };
  return core_figure(unnamed, arguments, &job);
}

static void contest_dealloc(PyObject *self) { core_object_free(self, held_free); }

static PyMethodDef methods[] = {
  { "load", contest_load, METH_VARARGS | METH_STATIC, "Read a stored one: (bytes, calibrators)." },
  { "describe", contest_describe, METH_NOARGS, "Return verdict, candidates, notes ... as a dict." },
  { "result", contest_result, METH_O, "Return the Result of a candidate, by its index, or None." },
  { "calibrator", contest_calibrator, METH_O, "Return the bytes of its calibrator, or None." },
  { "shift", contest_shift, METH_NOARGS, "Return the shifted sets as a list of dicts." },
  { "report", (PyCFunction)(void (*)(void))contest_report, METH_VARARGS | METH_KEYWORDS,
    "Return the contest in a form: text, json, csv, markdown, latex." },
  { "figure", (PyCFunction)(void (*)(void))contest_figure, METH_VARARGS | METH_KEYWORDS,
    "Return a figure as SVG." },
  { NULL, NULL, 0, NULL },
};

bool core_contest_add(PyObject *module) {
  static const core_type type = { "credence._core.Contest", "Calibration methods, compared.", NULL,
                                  contest_dealloc, methods };
  return core_type_make(module, &type, &contest_type);
}
