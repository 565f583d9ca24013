/* predictions.c -- the type Predictions: scores with labels, from arrays or from a file. */
#include "predictions.h"

#include <string.h>

PyTypeObject *core_predictions_type;

/* ---- From arrays. */

typedef enum {
  SCORES,
  LABELS,
  PREDICTED,
  CORRECT,
  CONFIDENCE,
  WEIGHTS,
  FEATURES,
  ARRAYS
} array_name;

static const struct {
  const char *name;
  size_t offset;
} arrays[ARRAYS] = {
  [SCORES] = { "scores", offsetof(crd_predictions_parts, scores) },
  [LABELS] = { "labels", offsetof(crd_predictions_parts, labels) },
  [PREDICTED] = { "predicted", offsetof(crd_predictions_parts, predicted) },
  [CORRECT] = { "correct", offsetof(crd_predictions_parts, correct) },
  [CONFIDENCE] = { "confidence", offsetof(crd_predictions_parts, confidence) },
  [WEIGHTS] = { "weights", offsetof(crd_predictions_parts, weights) },
  [FEATURES] = { "features", offsetof(crd_predictions_parts, features) },
};

enum { COLUMNS_MAX = 16 };

/* What predictions borrow from Python: released after they are destroyed. */
typedef struct {
  crd_predictions *predictions;
  core_array arrays[ARRAYS], ids[COLUMNS_MAX];
  crd_group_column columns[COLUMNS_MAX];
  size_t column_count;
  const char **names[COLUMNS_MAX + 1]; /* of groups; the last: of classes */
  PyObject *lists; /* a list of tuples: copies of lists, which their owner may change */
} held;

static void held_free(void *it) {
  held *const h = it;
  if (!h) return;
  crd_predictions_destroy(h->predictions);
  for (size_t i = 0; i < ARRAYS; i++) core_array_release(&h->arrays[i]);
  for (size_t i = 0; i < COLUMNS_MAX; i++) core_array_release(&h->ids[i]);
  for (size_t i = 0; i <= COLUMNS_MAX; i++) PyMem_Free(h->names[i]);
  Py_XDECREF(h->lists);
  PyMem_Free(h);
}

const crd_predictions *core_predictions_get(PyObject *object, const char *what) {
  const held *const h = core_object_get(object, core_predictions_type, what);
  return h ? h->predictions : NULL;
}

static const core_field part_fields[] = {
  { "input", CORE_WORD, offsetof(crd_predictions_parts, input), CORE_INPUT_WORDS },
  { "binary", CORE_WORD, offsetof(crd_predictions_parts, binary), "top pos" },
  { "trusted", CORE_FLAG, offsetof(crd_predictions_parts, trusted), NULL },
  { "labels_optional", CORE_FLAG, offsetof(crd_predictions_parts, labels_optional), NULL },
  { "keep_ignored", CORE_FLAG, offsetof(crd_predictions_parts, keep_ignored), NULL },
  { "cluster", CORE_TEXT, offsetof(crd_predictions_parts, cluster), NULL },
  { "name", CORE_TEXT, offsetof(crd_predictions_parts, name), NULL },
  { "scores_name", CORE_TEXT, offsetof(crd_predictions_parts, scores_name), NULL },
  { "labels_name", CORE_TEXT, offsetof(crd_predictions_parts, labels_name), NULL },
  { "first_row", CORE_UINT64, offsetof(crd_predictions_parts, first_row), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* The arguments that are not fields. */
static const char *const other_names[] = { "scores",      "labels",       "predicted", "correct",
                                           "confidence",  "weights",      "features",  "groups",
                                           "class_names", CORE_RUN_NAMES, NULL };

/* Returns the elements of a list, borrowed from `held`; NULL with an exception set. */
static PyObject *hold_list(held *h, PyObject *list) {
  PyObject *const copy = PyList_AsTuple(list);
  if (copy && !h->lists) h->lists = PyList_New(0);
  const bool kept = copy && h->lists && PyList_Append(h->lists, copy) == 0;
  Py_XDECREF(copy);
  return kept ? copy : NULL;
}

/* Reads a list of str, or None, into an array of borrowed texts. */
static bool read_names(PyObject *list, const char *what, held *h, const char ***out,
                       size_t *count) {
  *count = 0;
  if (!list || list == Py_None) return true;
  if (!PyList_Check(list))
    return core_raise_type("%s is %R, expected a list of str", what, list) != NULL;
  PyObject *const names = hold_list(h, list);
  return names && core_texts_read(names, what, out, count);
}

/* Reads [(name, ids, names), ...]: group columns. */
static bool read_columns(PyObject *list, held *h, crd_predictions_parts *parts) {
  if (!list || list == Py_None) return true;
  if (!PyList_Check(list) || PyList_Size(list) > COLUMNS_MAX)
    return core_raise_usage("groups: expected a list of at most %d group columns", COLUMNS_MAX) !=
           NULL;
  PyObject *const columns = hold_list(h, list);
  if (!columns) return false;
  h->column_count = (size_t)PyTuple_Size(columns);
  for (size_t i = 0; i < h->column_count; i++) {
    crd_group_column *const column = &h->columns[i];
    PyObject *const item = PyTuple_GetItem(columns, (Py_ssize_t)i);
    PyObject *name, *ids, *names;
    if (!PyTuple_Check(item) || PyTuple_Size(item) != 3)
      return core_raise_type("groups: expected (name, ids, names), found %R", item) != NULL;
    if (!PyArg_ParseTuple(item, "OOO", &name, &ids, &names)) return false;
    if (!core_name_read(name, "the name of a group column", &column->name)) return false;
    if (ids == Py_None) return core_raise_type("the group column %R is None", name) != NULL;
    if (!core_array_read(ids, "groups", &h->ids[i])) return false;
    if (!read_names(names, "names of groups", h, &h->names[i], &column->name_count)) return false;
    core_array_column(&h->ids[i]);
    column->ids = h->ids[i].view;
    column->names = h->names[i];
  }
  parts->group_columns = h->columns;
  parts->group_column_count = h->column_count;
  return true;
}

static bool read_parts(PyObject *arguments, held *h, crd_predictions_parts *parts) {
  if (!core_fields_set(arguments, "Predictions", part_fields, parts, other_names)) return false;
  for (size_t i = 0; i < ARRAYS; i++) {
    PyObject *const given = core_argument(arguments, arrays[i].name);
    if (!core_array_read(given, arrays[i].name, &h->arrays[i])) return false;
    core_array_column(&h->arrays[i]);
    *(crd_array *)(void *)((char *)parts + arrays[i].offset) = h->arrays[i].view;
  }
  if (!read_names(core_argument(arguments, "class_names"), "class_names", h, &h->names[COLUMNS_MAX],
                  &parts->class_name_count))
    return false;
  parts->class_names = h->names[COLUMNS_MAX];
  return read_columns(core_argument(arguments, "groups"), h, parts);
}

static PyObject *predictions_new(PyTypeObject *type, PyObject *unnamed, PyObject *arguments) {
  crd_predictions_parts parts = { .size = sizeof parts };
  core_run run;
  core_call call;
  if (PyTuple_Size(unnamed) > 0 || !arguments)
    return core_raise_type("Predictions takes keyword arguments: scores, labels, ...");
  held *const h = PyMem_Calloc(1, sizeof *h);
  if (!h) return core_raise(CRD_ENOMEM, "no memory for predictions");
  if (!read_parts(arguments, h, &parts) || !core_run_read(arguments, &run) ||
      !core_call_begin(&call, &run, NULL)) {
    held_free(h);
    return NULL;
  }
  if (!core_call_end(&call, crd_predictions_create(call.ctx, &parts, &h->predictions))) {
    held_free(h);
    core_call_close(&call);
    return NULL;
  }
  Py_INCREF(arguments); /* names are borrowed from it */
  return core_object_new(type, h, held_free, &call, arguments);
}

/* ---- From a file. */

static const core_field open_fields[] = {
  { "input", CORE_WORD, offsetof(crd_open_options, input), CORE_INPUT_WORDS },
  { "binary", CORE_WORD, offsetof(crd_open_options, binary), "top pos" },
  { "trusted", CORE_FLAG, offsetof(crd_open_options, trusted), NULL },
  { "labels_optional", CORE_FLAG, offsetof(crd_open_options, labels_optional), NULL },
  { "keep_ignored", CORE_FLAG, offsetof(crd_open_options, keep_ignored), NULL },
  { "features", CORE_FLAG, offsetof(crd_open_options, features), NULL },
  { "labels", CORE_TEXT, offsetof(crd_open_options, labels), NULL },
  { "scores", CORE_TEXT, offsetof(crd_open_options, scores), NULL },
  { "label_key", CORE_TEXT, offsetof(crd_open_options, label_key), NULL },
  { "label_column", CORE_TEXT, offsetof(crd_open_options, label_column), NULL },
  { "columns", CORE_TEXT, offsetof(crd_open_options, columns), NULL },
  { "class_names", CORE_TEXT, offsetof(crd_open_options, class_names), NULL },
  { "group_by", CORE_TEXT, offsetof(crd_open_options, group_by), NULL },
  { "cluster", CORE_TEXT, offsetof(crd_open_options, cluster), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *predictions_open(PyObject *unused, PyObject *unnamed, PyObject *arguments) {
  crd_open_options options = { .size = sizeof options };
  const char *path;
  PyObject *file;
  static const char *const run_names[] = { CORE_RUN_NAMES, NULL };
  core_run run;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "O", &file) || !core_name_read(file, "path", &path)) return NULL;
  if (!core_fields_set(arguments, "open", open_fields, &options, run_names)) return NULL;
  if (!core_run_read(arguments, &run)) return NULL;
  held *const h = PyMem_Calloc(1, sizeof *h);
  if (!h) return core_raise(CRD_ENOMEM, "no memory for predictions");
  if (!core_call_begin(&call, &run, NULL)) {
    held_free(h);
    return NULL;
  }
  call.instead = "or read it in Python (numpy.load, h5py, scipy.io, pandas) and pass arrays";
  if (!core_call_end(&call, crd_predictions_open(call.ctx, path, &options, &h->predictions))) {
    held_free(h);
    core_call_close(&call);
    return NULL;
  }
  return core_object_new(core_predictions_type, h, held_free, &call, NULL);
}

/* ---- What is known of them. */

static const char *note_at(const void *self, size_t index) {
  return crd_predictions_note(self, index);
}

static PyObject *predictions_describe(PyObject *self, PyObject *unused) {
  const crd_predictions *const p = core_predictions_get(self, "self");
  PyObject *const dict = PyDict_New();
  (void)unused;
  if (dict && core_put(dict, "rows", PyLong_FromSize_t(crd_predictions_rows(p))) &&
      core_put(dict, "classes", PyLong_FromSize_t(crd_predictions_classes(p))) &&
      core_put(dict, "features", PyLong_FromSize_t(crd_predictions_features(p))) &&
      core_put(dict, "input", core_text(crd_input_name(crd_predictions_input(p)))) &&
      core_put(dict, "weighted", PyBool_FromLong(crd_predictions_has_weights(p))) &&
      core_put(dict, "cluster", core_text(crd_predictions_cluster(p))) &&
      core_put(dict, "name", core_text(crd_predictions_name(p))) &&
      core_put(dict, "first_row", PyLong_FromUnsignedLongLong(crd_predictions_first_row(p))) &&
      core_put(dict, "notes", core_texts(note_at, p)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static const char *class_name_at(const void *self, size_t index) {
  return crd_predictions_class_name(self, index);
}

/* Returns the names of the classes; None: they have none, or some have none. */
static PyObject *predictions_class_names(PyObject *self, PyObject *unused) {
  const crd_predictions *const p = core_predictions_get(self, "self");
  const size_t classes = crd_predictions_classes(p);
  (void)unused;
  for (size_t k = 0; k < classes; k++)
    if (!crd_predictions_class_name(p, k)) Py_RETURN_NONE;
  if (classes == 0) Py_RETURN_NONE;
  return core_texts(class_name_at, p);
}

static const core_field finding_fields[] = {
  { "severity", CORE_WORD, offsetof(crd_finding, severity), "problem warning note fine" },
  { "found", CORE_TEXT, offsetof(crd_finding, found), NULL },
  { "advice", CORE_TEXT, offsetof(crd_finding, advice), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* Returns what a quick diagnosis finds: faults that make metrics wrong. */
static PyObject *predictions_findings(PyObject *self, PyObject *unused) {
  const crd_predictions *const p = core_predictions_get(self, "self");
  const crd_diagnosis *diagnosis = NULL;
  PyObject *list = NULL;
  static const core_run quick = { .threads = 1 }; /* to start threads would take longer */
  core_call call;
  (void)unused;
  if (crd_predictions_input(p) == CRD_INPUT_RANKING) return PyList_New(0);
  if (!core_call_begin(&call, &quick, NULL)) return NULL;
  if (core_call_end(&call, crd_diagnose_quickly(call.ctx, p, &diagnosis)))
    list = core_list(diagnosis->finding_count, diagnosis->findings, sizeof *diagnosis->findings,
                     finding_fields);
  for (size_t i = 0; list && i < diagnosis->finding_count; i++)
    if (!core_put(PyList_GetItem(list, (Py_ssize_t)i), "name",
                  core_text(diagnosis->findings[i].info->name)))
      Py_CLEAR(list);
  crd_diagnosis_destroy(diagnosis);
  core_call_close(&call);
  return list;
}

static PyObject *predictions_split(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field fields[] = {
    { "folds", CORE_UNSIGNED, 0, NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  const crd_predictions *const p = core_predictions_get(self, "self");
  const int64_t rows = (int64_t)crd_predictions_rows(p);
  static const char *const run_names[] = { CORE_RUN_NAMES, NULL };
  unsigned folds = 2;
  const char *how;
  PyObject *word = NULL;
  core_run run;
  core_call call;
  void *fold;
  if (!PyArg_ParseTuple(unnamed, "O", &word) || !core_text_read(word, "by", &how)) return NULL;
  if (!core_run_read(arguments, &run)) return NULL;
  if (!core_fields_set(arguments, "split", fields, &folds, run_names)) return NULL;
  static const char *const kinds[] = { "rows", "classes", "groups" };
  size_t kind = 0;
  while (kind < 3 && (!how || strcmp(how, kinds[kind]) != 0)) kind++;
  if (kind == 3) return core_raise_usage("split by %R, allowed are: rows classes groups", word);
  PyObject *array = core_numpy_empty(CRD_U32, 1, &rows, &fold);
  if (array && core_call_begin(&call, &run, NULL)) {
    const crd_status status = crd_predictions_split(call.ctx, p, (crd_split)kind, folds, fold);
    if (!core_call_end(&call, status)) Py_CLEAR(array);
    core_call_close(&call);
  } else Py_CLEAR(array);
  return array;
}

static void predictions_free(PyObject *self) { core_object_free(self, held_free); }

static PyMethodDef methods[] = {
  { "describe", predictions_describe, METH_NOARGS,
    "Return rows, classes, input, notes ... as a dict." },
  { "class_names", predictions_class_names, METH_NOARGS, "Return the names of the classes." },
  { "findings", predictions_findings, METH_NOARGS, "Return what a quick diagnosis finds." },
  { "split", (PyCFunction)(void (*)(void))predictions_split, METH_VARARGS | METH_KEYWORDS,
    "Return the fold of each row: split(by, folds=2, seed=0)." },
  { "evaluate", (PyCFunction)(void (*)(void))core_predictions_evaluate,
    METH_VARARGS | METH_KEYWORDS, "Evaluate metrics; returns a Result." },
  { "gather", (PyCFunction)(void (*)(void))core_predictions_gather, METH_VARARGS | METH_KEYWORDS,
    "Gather evidence; returns an Evidence." },
  { "fit", (PyCFunction)(void (*)(void))core_predictions_fit, METH_VARARGS | METH_KEYWORDS,
    "Fit a calibrator: fit(method, settings=None, floor=0)." },
  { "compete", (PyCFunction)(void (*)(void))core_predictions_compete, METH_VARARGS | METH_KEYWORDS,
    "Compare calibration methods; returns a Contest." },
  { "diagnose", (PyCFunction)(void (*)(void))core_predictions_diagnose,
    METH_VARARGS | METH_KEYWORDS, "Look for faults; returns a Diagnosis." },
  { "embed", (PyCFunction)(void (*)(void))core_predictions_embed, METH_VARARGS | METH_KEYWORDS,
    "Embed the rows in two dimensions; returns a Source." },
  { "operate", (PyCFunction)(void (*)(void))core_predictions_operate, METH_VARARGS | METH_KEYWORDS,
    "Find operating points: operate(targets, guarantee='held-out'); returns a dict." },
  { "evaluate_shift", (PyCFunction)(void (*)(void))core_predictions_evaluate_shift,
    METH_VARARGS | METH_KEYWORDS, "Evaluate shifted sets too; returns a Result." },
  { "open", (PyCFunction)(void (*)(void))predictions_open,
    METH_VARARGS | METH_KEYWORDS | METH_STATIC, "Open FILE[#group][@from:to]." },
  { NULL, NULL, 0, NULL },
};

bool core_predictions_add(PyObject *module) {
  static const core_type type = { "credence._core.Predictions",
                                  "Scores of a classifier with their labels.", predictions_new,
                                  predictions_free, methods };
  return core_type_make(module, &type, &core_predictions_type);
}
