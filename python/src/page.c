/* page.c -- pages and tables of several results. */
#include "page.h"
#include "predictions.h"
#include "result.h"

/* ---- Pages. */

typedef struct {
  crd_page_part *parts;
  crd_stored **stored;
  size_t count;
  crd_page_options options;
} page_job;

/* Reads (result, contest, series, diagnosis). */
static bool read_part(PyObject *item, crd_page_part *part) {
  PyObject *result, *contest, *series, *diagnosis;
  static const char what[] = "a part of a page";
  const crd_series *series_of = NULL;
  if (!PyArg_ParseTuple(item, "OOOO", &result, &contest, &series, &diagnosis)) return false;
  if (result != Py_None && !(part->result = core_result_get(result, what))) return false;
  if (contest != Py_None && !(part->contest = core_contest_get(contest, what))) return false;
  if (diagnosis != Py_None && !(part->diagnosis = core_diagnosis_get(diagnosis, what)))
    return false;
  if (series != Py_None && !(series_of = core_object_get(series, core_series_type, what)))
    return false;
  part->series = series_of ? crd_series_describe(series_of) : NULL;
  return true;
}

static crd_status write_page(crd_context *ctx, const void *what, crd_output *output) {
  const page_job *const job = what;
  return crd_page_write(ctx, job->parts, job->count, &job->options, output);
}

/* Part i is read from a file. */
static bool load_part(PyObject *file, page_job *job, size_t i) {
  const char *path;
  core_call call;
  if (!core_text_read(file, "path", &path) || !core_call_begin(&call, NULL, NULL)) return false;
  const bool done = core_call_end(&call, crd_stored_load(call.ctx, path, &job->stored[i]));
  core_call_close(&call);
  if (done) job->parts[i] = *crd_stored_part(job->stored[i]);
  return done;
}

PyObject *core_page_of(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field fields[] = {
    { "title", CORE_TEXT, offsetof(crd_page_options, title), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  page_job job = { .options = { .size = sizeof job.options } };
  PyObject *list, *page = NULL;
  (void)self;
  if (!PyArg_ParseTuple(unnamed, "O", &list)) return NULL;
  if (!PyList_Check(list)) return core_raise_type("parts are %R, expected a list", list);
  if (!core_fields_set(arguments, "page", fields, &job.options, NULL)) return NULL;
  job.count = (size_t)PyList_Size(list);
  job.parts = PyMem_Calloc(job.count + 1, sizeof *job.parts);
  job.stored = PyMem_Calloc(job.count + 1, sizeof(crd_stored *));
  bool read = job.parts && job.stored;
  if (!read) core_raise(CRD_ENOMEM, "no memory for a page");
  for (size_t i = 0; read && i < job.count; i++) {
    PyObject *const item = PyList_GetItem(list, (Py_ssize_t)i);
    read = PyUnicode_Check(item) ? load_part(item, &job, i) : read_part(item, &job.parts[i]);
  }
  if (read) page = core_written_text(NULL, write_page, &job);
  for (size_t i = 0; job.stored && i < job.count; i++) crd_stored_destroy(job.stored[i]);
  PyMem_Free(job.parts);
  PyMem_Free(job.stored);
  return page;
}

/* ---- Tables of several models. */

typedef struct {
  crd_named_result *models;
  size_t count;
} table_job;

static crd_status write_table(crd_context *ctx, const void *what, const char *form,
                              const crd_report_options *options, crd_output *output) {
  const table_job *const job = what;
  return crd_results_write(ctx, job->models, job->count, form, options, output);
}

/* Reads (name, result, p), where p is an array of float64 or None. */
static bool read_model(PyObject *item, crd_named_result *model, Py_buffer *held) {
  PyObject *name, *result, *p;
  if (!PyArg_ParseTuple(item, "OOO", &name, &result, &p)) return false;
  if (!core_name_read(name, "the name of a model", &model->name)) return false;
  if (!(model->result = core_result_get(result, "a model"))) return false;
  if (p == Py_None) return true;
  if (PyObject_GetBuffer(p, held, PyBUF_SIMPLE) != 0) return false;
  model->p = held->buf;
  if ((size_t)held->len == model->result->value_count * sizeof *model->p) return true;
  return core_raise_usage("%s: expected a p-value for each metric", model->name) != NULL;
}

PyObject *core_table_of(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  PyObject *list, *form, *text = NULL;
  (void)self;
  if (!PyArg_ParseTuple(unnamed, "OO", &list, &form)) return NULL;
  if (!PyList_Check(list)) return core_raise_type("models are %R, expected a list", list);
  table_job job = { .count = (size_t)PyList_Size(list) };
  Py_buffer *const held = PyMem_Calloc(job.count + 1, sizeof *held);
  job.models = PyMem_Calloc(job.count + 1, sizeof *job.models);
  bool read = held && job.models;
  if (!read) core_raise(CRD_ENOMEM, "no memory for a table");
  for (size_t i = 0; read && i < job.count; i++)
    read = read_model(PyList_GetItem(list, (Py_ssize_t)i), &job.models[i], &held[i]);
  core_report_job written = { .write = write_table, .what = &job };
  if (read) text = core_report_as(form, arguments, &written);
  for (size_t i = 0; held && i < job.count; i++) PyBuffer_Release(&held[i]);
  PyMem_Free(held);
  PyMem_Free(job.models);
  return text;
}

/* ---- Which of them differ from the best. */

/* Reads (predictions, evidence, result). */
static bool read_ranked(PyObject *item, crd_ranked_model *model) {
  PyObject *predictions, *evidence, *result;
  if (!PyArg_ParseTuple(item, "OOO", &predictions, &evidence, &result)) return false;
  return (model->predictions = core_predictions_get(predictions, "a model")) &&
         (model->evidence = core_object_get(evidence, core_evidence_type, "a model")) &&
         (model->result = core_result_get(result, "a model"));
}

static bool rank(const crd_ranked_model *models, size_t count, double *p, int *paired) {
  core_call call;
  if (!core_call_begin(&call, NULL, NULL)) return false;
  const bool done = core_call_end(&call, crd_models_rank(call.ctx, models, count, p, paired));
  core_call_close(&call);
  return done;
}

PyObject *core_rank(PyObject *self, PyObject *list) {
  PyObject *result = NULL, *array = NULL;
  void *p;
  int paired;
  (void)self;
  if (!PyList_Check(list) || PyList_Size(list) == 0)
    return core_raise_type("models are %R, expected a list of at least one", list);
  const size_t count = (size_t)PyList_Size(list);
  crd_ranked_model *const models = PyMem_Calloc(count, sizeof *models);
  bool read = models != NULL;
  if (!read) core_raise(CRD_ENOMEM, "no memory for a table");
  for (size_t i = 0; read && i < count; i++)
    read = read_ranked(PyList_GetItem(list, (Py_ssize_t)i), &models[i]);
  const int64_t dims[] = { (int64_t)count, read ? (int64_t)models[0].result->value_count : 0 };
  if (read) array = core_numpy_empty(CRD_F64, 2, dims, &p);
  if (array && rank(models, count, p, &paired)) result = Py_BuildValue("Oi", array, paired);
  Py_XDECREF(array);
  PyMem_Free(models);
  return result;
}
