/*
 * source.c -- the type Source: what figures are drawn from, besides results, contests and
 * calibrators: 2-D embeddings, records of training, perturbations, calibratability, learned epochs.
 */
#include "predictions.h"
#include "result.h"

#include <string.h>

PyTypeObject *core_source_type;

/* A kind of source. */
typedef struct {
  size_t member; /* offset in crd_figure_data */
  void (*destroy)(void *it);
  PyObject *(*describe)(const void *it); /* NULL: the report has everything */
  core_report_fn write;                  /* NULL: it has no report */
} kind;

typedef struct {
  const kind *kind;
  const void *it, *drawn; /* owned; what the figure is drawn from */
  crd_perturbation perturbation;
} source;

static void source_free(void *it) {
  source *const s = it;
  if (s->it) s->kind->destroy((void *)(uintptr_t)s->it);
  PyMem_Free(s);
}

static const source *get(PyObject *self) { return ((core_object *)self)->it; }

/* Ends a call that made `it`, and creates its object. */
static PyObject *wrap(core_call *call, crd_status status, const kind *of, const void *it) {
  const bool done = core_call_end(call, status);
  source *const s = done ? PyMem_Calloc(1, sizeof *s) : NULL;
  if (s) {
    *s = (source){ .kind = of, .it = it, .drawn = it };
    return core_object_new(core_source_type, s, source_free, call, NULL);
  }
  if (it) of->destroy((void *)(uintptr_t)it);
  core_call_close(call);
  return done ? core_raise(CRD_ENOMEM, "no memory for a figure") : NULL;
}

/* ---- Arrays out. */

static PyObject *vector(crd_dtype dtype, const void *values, size_t count, size_t size) {
  const int64_t dims = (int64_t)count;
  void *data;
  PyObject *const array = core_numpy_empty(dtype, 1, &dims, &data);
  if (array && count) memcpy(data, values, count * size);
  return array;
}

/* ---- 2-D embeddings. */

static void destroy_embedding(void *it) { crd_embedding_destroy(it); }

static PyObject *describe_embedding(const void *it) {
  static const core_field fields[] = {
    { "name", CORE_TEXT, offsetof(crd_embedding, name), NULL },
    { "all_rows", CORE_SIZE, offsetof(crd_embedding, all_rows), NULL },
    { "classes", CORE_SIZE, offsetof(crd_embedding, classes), NULL },
    { "features", CORE_FLAG, offsetof(crd_embedding, features), NULL },
    { "perplexity", CORE_DOUBLE, offsetof(crd_embedding, perplexity), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  const crd_embedding *const e = it;
  PyObject *const dict = core_fields_dict(e, fields);
  if (dict && core_put(dict, "row", vector(CRD_I64, e->row, e->count, sizeof *e->row)) &&
      core_put(dict, "x", vector(CRD_F64, e->x, e->count, sizeof *e->x)) &&
      core_put(dict, "y", vector(CRD_F64, e->y, e->count, sizeof *e->y)) &&
      core_put(dict, "label", vector(CRD_I64, e->label, e->count, sizeof *e->label)) &&
      core_put(dict, "correct", vector(CRD_U8, e->correct, e->count, 1)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static const kind embedding_kind = { offsetof(crd_figure_data, embedding), destroy_embedding,
                                     describe_embedding, NULL };

PyObject *core_predictions_embed(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field fields[] = {
    { "rows", CORE_SIZE, offsetof(crd_embed_options, rows), NULL },
    { "perplexity", CORE_DOUBLE, offsetof(crd_embed_options, perplexity), NULL },
    { "iterations", CORE_UNSIGNED, offsetof(crd_embed_options, iterations), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  static const char *const run_names[] = { CORE_RUN_NAMES, NULL };
  const crd_predictions *const predictions = core_predictions_get(self, "self");
  crd_embed_options options = { .size = sizeof options };
  const crd_embedding *embedding = NULL;
  core_run run;
  core_call call;
  if (PyTuple_Size(unnamed) > 0) return core_raise_type("embed takes keyword arguments only");
  if (!core_fields_set(arguments, "embed", fields, &options, run_names)) return NULL;
  if (!core_run_read(arguments, &run) || !core_call_begin(&call, &run, NULL)) return NULL;
  const crd_status status = crd_embed(call.ctx, predictions, &options, &embedding);
  return wrap(&call, status, &embedding_kind, embedding);
}

/* ---- Records of training. */

static void destroy_run(void *it) { crd_run_destroy(it); }

static bool add_column(PyObject *dict, const void *self, size_t index) {
  const crd_run *const run = self;
  const crd_run_column *const column = &run->columns[index];
  return core_put(dict, column->name,
                  vector(CRD_F64, column->values, run->epochs, sizeof *column->values));
}

static bool add_setting(PyObject *dict, const void *self, size_t index) {
  const crd_run_setting *const setting = &((const crd_run *)self)->settings[index];
  return core_put(dict, setting->name, core_text(setting->value));
}

static PyObject *describe_run(const void *it) {
  static const core_field fields[] = {
    { "name", CORE_TEXT, offsetof(crd_run, name), NULL },
    { "network", CORE_TEXT, offsetof(crd_run, network), NULL },
    { "epochs", CORE_SIZE, offsetof(crd_run, epochs), NULL },
    { "kept", CORE_SIZE, offsetof(crd_run, kept), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  const crd_run *const run = it;
  PyObject *const dict = core_fields_dict(run, fields);
  if (dict && core_put(dict, "columns", core_dict_of(add_column, run, run->column_count)) &&
      core_put(dict, "settings", core_dict_of(add_setting, run, run->setting_count)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static const kind run_kind = { offsetof(crd_figure_data, run), destroy_run, describe_run, NULL };

static PyObject *source_run(PyObject *unused, PyObject *file) {
  const crd_run *run = NULL;
  const char *path;
  core_call call;
  (void)unused;
  if (!core_name_read(file, "path", &path)) return NULL;
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  const crd_status status = crd_run_load(call.ctx, path, &run);
  return wrap(&call, status, &run_kind, run);
}

/* ---- Perturbations: of a Clamp, which is kept. */

static void destroy_nothing(void *it) { (void)it; }
static const kind clamp_kind = { offsetof(crd_figure_data, perturbation), destroy_nothing, NULL,
                                 NULL };

/* perturbation(clamp, name) */
static PyObject *source_perturbation(PyObject *unused, PyObject *unnamed) {
  PyObject *clamp, *text;
  const char *name;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &clamp, &text) || !core_text_read(text, "name", &name))
    return NULL;
  const crd_clamp *const of = core_clamp_get(clamp, "clamp");
  if (!of || !core_call_begin(&call, NULL, NULL)) return NULL;
  PyObject *const self = wrap(&call, CRD_OK, &clamp_kind, of);
  if (!self) return NULL;
  const crd_clamp_summary *const summary = crd_clamp_describe(of);
  source *const s = ((core_object *)self)->it;
  s->perturbation = (crd_perturbation){ .name = name,
                                        .rank = summary->rank,
                                        .values = summary->delta,
                                        .temperature = summary->temperature };
  memcpy(s->perturbation.dims, summary->dims, sizeof summary->dims);
  s->drawn = &s->perturbation;
  ((core_object *)self)->keep = Py_NewRef(unnamed);
  return self;
}

/* ---- Calibratability. */

static void destroy_calibratability(void *it) { crd_calibratability_destroy(it); }

static crd_status write_calibratability(crd_context *ctx, const void *what, const char *form,
                                        const crd_report_options *options, crd_output *output) {
  return crd_calibratability_write(ctx, what, form, options, output);
}

static const kind calibratability_kind = { offsetof(crd_figure_data, calibratability),
                                           destroy_calibratability, NULL, write_calibratability };

/* Reads (name, test, calibrate or None). */
static bool read_run(PyObject *item, crd_trained_run *run) {
  PyObject *name, *test, *calibrate;
  if (!PyArg_ParseTuple(item, "OOO", &name, &test, &calibrate)) return false;
  if (!core_name_read(name, "the name of a run", &run->name)) return false;
  if (!(run->test = core_predictions_get(test, "a run"))) return false;
  return calibrate == Py_None || (run->calibrate = core_predictions_get(calibrate, "a run"));
}

static bool read_runs(PyObject *list, crd_trained_run *runs, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!read_run(PyList_GetItem(list, (Py_ssize_t)i), &runs[i])) return false;
  return true;
}

static bool read_sizes(PyObject *list, size_t *sizes, size_t count) {
  static const core_field field = { "sizes", CORE_SIZE, 0, NULL };
  for (size_t i = 0; i < count; i++)
    if (!core_field_set(PyList_GetItem(list, (Py_ssize_t)i), &field, &sizes[i])) return false;
  return true;
}

static PyObject *measure(PyObject *arguments, PyObject *runs, PyObject *sizes,
                         crd_calibratability_options *options) {
  const size_t count = (size_t)PyList_Size(runs);
  crd_trained_run *const trained = PyMem_Calloc(count + 1, sizeof *trained);
  size_t *const rows = PyMem_Calloc((size_t)PyList_Size(sizes) + 1, sizeof *rows);
  const crd_calibratability *results = NULL;
  PyObject *made = NULL;
  core_run run;
  core_call call;
  options->size_count = (size_t)PyList_Size(sizes);
  options->sizes = rows;
  if (!trained || !rows) core_raise(CRD_ENOMEM, "no memory for runs");
  else if (read_runs(runs, trained, count) && read_sizes(sizes, rows, options->size_count) &&
           core_run_read(arguments, &run) && core_call_begin(&call, &run, NULL)) {
    const crd_status status =
        crd_calibratability_measure(call.ctx, trained, count, options, &results);
    made = wrap(&call, status, &calibratability_kind, results);
  }
  PyMem_Free(trained);
  PyMem_Free(rows);
  return made;
}

/* calibratability(runs, sizes, baseline=None, ...) */
static PyObject *source_calibratability(PyObject *unused, PyObject *unnamed, PyObject *arguments) {
  static const core_field fields[] = {
    { "baseline", CORE_TEXT, offsetof(crd_calibratability_options, baseline), NULL },
    { "methods", CORE_TEXT, offsetof(crd_calibratability_options, methods), NULL },
    { "bins", CORE_COUNT, offsetof(crd_calibratability_options, bins), NULL },
    { "split", CORE_DOUBLE, offsetof(crd_calibratability_options, split), NULL },
    { "draws", CORE_COUNT, offsetof(crd_calibratability_options, draws), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  static const char *const run_names[] = { CORE_RUN_NAMES, NULL };
  crd_calibratability_options options = { .size = sizeof options };
  PyObject *runs, *sizes;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &runs, &sizes)) return NULL;
  if (!PyList_Check(runs) || !PyList_Check(sizes)) return core_raise_type("expected two lists");
  if (!core_fields_set(arguments, "calibratability", fields, &options, run_names)) return NULL;
  return measure(arguments, runs, sizes, &options);
}

/* ---- Learned epochs. */

static void destroy_learned(void *it) { crd_learned_destroy(it); }

static crd_status write_learned(crd_context *ctx, const void *what, const char *form,
                                const crd_report_options *options, crd_output *output) {
  return crd_learned_write(ctx, what, form, options, output);
}

static const kind learned_kind = { offsetof(crd_figure_data, learned), destroy_learned, NULL,
                                   write_learned };

/* The arrays of one run: held until they are released. */
typedef struct {
  core_array learned, max_logit;
} held_run;

/* Reads (name, learned as uint32, max_logit as float32). */
static bool read_learned(PyObject *item, crd_learned_run *run, held_run *held) {
  PyObject *name, *learned, *max_logit;
  if (!PyArg_ParseTuple(item, "OOO", &name, &learned, &max_logit) ||
      !core_name_read(name, "the name of a run", &run->name) ||
      !core_array_read_plain(learned, "learned", CRD_U32, &held->learned) ||
      !core_array_read_plain(max_logit, "max_logit", CRD_F32, &held->max_logit))
    return false;
  run->learned = held->learned.view.data;
  run->max_logit = held->max_logit.view.data;
  if (!run->learned || !run->max_logit)
    return core_raise_type("learned or max_logit are None, expected arrays") != NULL;
  run->rows = crd_array_count(&held->learned.view);
  const size_t logits = crd_array_count(&held->max_logit.view);
  if (run->rows == logits) return true;
  core_raise_usage("%s: %zu learned epochs and %zu logits, expected as many", run->name, run->rows,
                   logits);
  return false;
}

static PyObject *correlate(const crd_learned_run *runs, size_t count, unsigned bins) {
  const crd_learned *results = NULL;
  core_call call;
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  const crd_status status = crd_learned_measure(call.ctx, runs, count, bins, &results);
  return wrap(&call, status, &learned_kind, results);
}

/* learned(runs, bins) */
static PyObject *source_learned(PyObject *unused, PyObject *unnamed) {
  static const core_field field = { "bins", CORE_COUNT, 0, NULL };
  PyObject *list, *given, *made = NULL;
  unsigned bins = 0;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &list, &given) || !core_field_set(given, &field, &bins))
    return NULL;
  if (!PyList_Check(list)) return core_raise_type("runs are %R, expected a list", list);
  const size_t count = (size_t)PyList_Size(list);
  crd_learned_run *const runs = PyMem_Calloc(count + 1, sizeof *runs);
  held_run *const held = PyMem_Calloc(count + 1, sizeof *held);
  bool read = runs && held;
  if (!read) core_raise(CRD_ENOMEM, "no memory for runs");
  for (size_t i = 0; read && i < count; i++)
    read = read_learned(PyList_GetItem(list, (Py_ssize_t)i), &runs[i], &held[i]);
  if (read) made = correlate(runs, count, bins);
  for (size_t i = 0; held && i < count; i++) {
    core_array_release(&held[i].learned);
    core_array_release(&held[i].max_logit);
  }
  PyMem_Free(runs);
  PyMem_Free(held);
  return made;
}

/* Returns the arrays of a file of learned epochs. */
static PyObject *source_learned_file(PyObject *unused, PyObject *file) {
  const crd_learned_file *opened = NULL;
  PyObject *made = NULL;
  const char *path;
  core_call call;
  (void)unused;
  if (!core_name_read(file, "path", &path)) return NULL;
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  if (core_call_end(&call, crd_learned_file_open(call.ctx, path, &opened))) {
    const size_t rows = opened->rows;
    PyObject *const learned = vector(CRD_U32, opened->learned, rows, sizeof *opened->learned);
    PyObject *const logits = vector(CRD_F32, opened->max_logit, rows, sizeof *opened->max_logit);
    if (learned && logits) made = PyTuple_Pack(2, learned, logits);
    Py_XDECREF(learned);
    Py_XDECREF(logits);
  }
  crd_learned_file_destroy(opened);
  core_call_close(&call);
  return made;
}

/* ---- The type. */

static PyObject *source_describe(PyObject *self, PyObject *unused) {
  const source *const s = get(self);
  (void)unused;
  return s->kind->describe ? s->kind->describe(s->it) : PyDict_New();
}

static PyObject *source_report(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  const source *const s = get(self);
  if (!s->kind->write) return core_raise_type("this has no report");
  return core_report(unnamed, arguments, s->kind->write, s->it, NULL);
}

static PyObject *source_figure(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  const source *const s = get(self);
  core_figure_job job = { .name = NULL };
  *(const void **)(void *)((char *)&job.data + s->kind->member) = s->drawn;
  return core_figure(unnamed, arguments, &job);
}

static void source_dealloc(PyObject *self) { core_object_free(self, source_free); }

static PyMethodDef methods[] = {
  { "run", source_run, METH_O | METH_STATIC, "Read the record of a training run." },
  { "perturbation", source_perturbation, METH_VARARGS | METH_STATIC, "Of a Clamp, by its name." },
  { "calibratability", (PyCFunction)(void (*)(void))source_calibratability,
    METH_VARARGS | METH_KEYWORDS | METH_STATIC, "Compare training methods." },
  { "learned", source_learned, METH_VARARGS | METH_STATIC, "Compare learned epochs." },
  { "learned_file", source_learned_file, METH_O | METH_STATIC,
    "Return (learned, max_logit) of a file." },
  { "describe", source_describe, METH_NOARGS, "Return its data as a dict." },
  { "report", (PyCFunction)(void (*)(void))source_report, METH_VARARGS | METH_KEYWORDS,
    "Return it in a form: text, json, csv, markdown, latex." },
  { "figure", (PyCFunction)(void (*)(void))source_figure, METH_VARARGS | METH_KEYWORDS,
    "Return a figure as SVG." },
  { NULL, NULL, 0, NULL },
};

bool core_source_add(PyObject *module) {
  static const core_type type = { "credence._core.Source", "What figures are drawn from.", NULL,
                                  source_dealloc, methods };
  return core_type_make(module, &type, &core_source_type);
}
