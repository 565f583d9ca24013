/* dataset.c -- the type Dataset: labelled samples, from DATA or from arrays. */
#include "core.h"

#include <string.h>

static PyTypeObject *dataset_type;

typedef enum { INPUTS, LABELS, WEIGHTS, GROUPS, ARRAYS } array_name;

static const struct {
  const char *name;
  size_t offset;
} arrays[ARRAYS] = {
  [INPUTS] = { "inputs", offsetof(crd_dataset_arrays, inputs) },
  [LABELS] = { "labels", offsetof(crd_dataset_arrays, labels) },
  [WEIGHTS] = { "weights", offsetof(crd_dataset_arrays, weights) },
  [GROUPS] = { "groups", offsetof(crd_dataset_arrays, groups) },
};

/* A dataset, and what it borrows from Python. */
typedef struct {
  crd_dataset *data;
  core_array arrays[ARRAYS];
  const char **names;
} held;

static void held_free(void *it) {
  held *const h = it;
  if (!h) return;
  crd_dataset_destroy(h->data);
  for (size_t i = 0; i < ARRAYS; i++) core_array_release(&h->arrays[i]);
  PyMem_Free(h->names);
  PyMem_Free(h);
}

const crd_dataset *core_dataset_get(PyObject *object, const char *what) {
  const held *const h = core_object_get(object, dataset_type, what);
  return h ? h->data : NULL;
}

static const crd_dataset *get(PyObject *self) { return ((held *)((core_object *)self)->it)->data; }

static held *held_new(void) {
  held *const h = PyMem_Calloc(1, sizeof *h);
  if (!h) core_raise(CRD_ENOMEM, "no memory for a dataset");
  return h;
}

/* Ends the call that made the dataset. `keep` is borrowed. */
static PyObject *wrap(core_call *call, crd_status status, held *h, PyObject *keep) {
  if (core_call_end(call, status)) {
    Py_XINCREF(keep);
    return core_object_new(dataset_type, h, held_free, call, keep);
  }
  held_free(h);
  core_call_close(call);
  return NULL;
}

/* ---- Making. */

static bool read_arrays(PyObject *arguments, held *h, crd_dataset_arrays *out) {
  static const core_field fields[] = {
    { "classes", CORE_SIZE, offsetof(crd_dataset_arrays, classes), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  static const char *const others[] = {
    "inputs", "labels", "weights", "groups", "class_names", NULL
  };
  size_t count = 0;
  if (!core_fields_set(arguments, "Dataset", fields, out, others)) return false;
  for (size_t i = 0; i < ARRAYS; i++) {
    if (!core_array_read(core_argument(arguments, arrays[i].name), arrays[i].name, &h->arrays[i]))
      return false;
    if (i != INPUTS) core_array_column(&h->arrays[i]);
    *(crd_array *)(void *)((char *)out + arrays[i].offset) = h->arrays[i].view;
  }
  if (!core_texts_read(core_argument(arguments, "class_names"), "class_names", &h->names, &count))
    return false;
  out->class_names = h->names;
  if (h->names && !count) return core_raise_usage("class_names is empty") != NULL;
  if (h->names && out->classes && out->classes != count)
    return core_raise_usage("class_names has %zu names for %zu classes", count, out->classes) !=
           NULL;
  if (h->names) out->classes = count;
  return true;
}

static PyObject *dataset_new(PyTypeObject *type, PyObject *unnamed, PyObject *arguments) {
  crd_dataset_arrays parts = { .size = sizeof parts };
  core_call call;
  (void)type;
  if (PyTuple_Size(unnamed) > 0 || !arguments)
    return core_raise_type("Dataset takes keyword arguments: inputs, labels, ...");
  held *const h = held_new();
  if (!h) return NULL;
  if (!read_arrays(arguments, h, &parts) || !core_call_begin(&call, NULL, NULL)) {
    held_free(h);
    return NULL;
  }
  return wrap(&call, crd_dataset_create(call.ctx, &parts, &h->data), h, arguments);
}

static const core_field open_fields[] = {
  { "split_seed", CORE_UINT64, offsetof(crd_dataset_options, split_seed), NULL },
  { "height", CORE_SIZE, offsetof(crd_dataset_options, height), NULL },
  { "width", CORE_SIZE, offsetof(crd_dataset_options, width), NULL },
  { "resize", CORE_WORD, offsetof(crd_dataset_options, resize), "crop stretch" },
  { "channels", CORE_INT, offsetof(crd_dataset_options, channels), NULL },
  { "skip_corrupt", CORE_FLAG, offsetof(crd_dataset_options, skip_corrupt), NULL },
  { "label_column", CORE_TEXT, offsetof(crd_dataset_options, label_column), NULL },
  { "label_map", CORE_TEXT, offsetof(crd_dataset_options, label_map), NULL },
  { "group_pattern", CORE_TEXT, offsetof(crd_dataset_options, group_pattern), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* For files whose library is missing. */
static const char instead[] =
    "or read it in Python (numpy, pandas, PIL) and pass arrays: credence.Dataset(samples, labels)";

static bool read_data(PyObject *unnamed, const char **data) {
  PyObject *object;
  return PyArg_ParseTuple(unnamed, "O", &object) && core_name_read(object, "data", data);
}

static PyObject *dataset_open(PyObject *unused, PyObject *unnamed, PyObject *arguments) {
  crd_dataset_options options = { .size = sizeof options };
  static const char *const others[] = { CORE_RUN_NAMES, NULL };
  const char *data;
  core_run run;
  core_call call;
  (void)unused;
  if (!read_data(unnamed, &data) || !core_run_read(arguments, &run)) return NULL;
  if (!core_fields_set(arguments, "open", open_fields, &options, others)) return NULL;
  held *const h = held_new();
  if (!h || !core_call_begin(&call, &run, NULL)) {
    held_free(h);
    return NULL;
  }
  call.instead = instead;
  return wrap(&call, crd_dataset_open(call.ctx, data, &options, &h->data), h, NULL);
}

/* Is DATA the name of a file of arrays, which a model can predict without a dataset? */
static PyObject *dataset_is_file(PyObject *unused, PyObject *unnamed) {
  const char *data;
  core_call call;
  int file = 0;
  (void)unused;
  if (!read_data(unnamed, &data) || !core_call_begin(&call, NULL, NULL)) return NULL;
  const bool done = core_call_end(&call, crd_dataset_is_file(call.ctx, data, &file));
  core_call_close(&call);
  return done ? PyBool_FromLong(file) : NULL;
}

/* ---- Parts of a dataset: they borrow what the whole one borrows. */

typedef struct {
  double from, to;
  crd_split_order order;
} part_arguments;

static PyObject *dataset_part(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field fields[] = {
    { "from_", CORE_DOUBLE, offsetof(part_arguments, from), NULL },
    { "to", CORE_DOUBLE, offsetof(part_arguments, to), NULL },
    { "order", CORE_WORD, offsetof(part_arguments, order), "stratified random" },
    { NULL, CORE_TEXT, 0, NULL },
  };
  static const char *const others[] = { CORE_RUN_NAMES, NULL };
  part_arguments a = { .to = 100 };
  core_run run;
  core_call call;
  (void)unnamed;
  if (!core_run_read(arguments, &run) || !core_fields_set(arguments, "part", fields, &a, others))
    return NULL;
  held *const h = held_new();
  if (!h || !core_call_begin(&call, &run, NULL)) {
    held_free(h);
    return NULL;
  }
  const crd_status status =
      crd_dataset_part(call.ctx, get(self), a.from, a.to, a.order, run.seed, &h->data);
  return wrap(&call, status, h, self);
}

/* Reads positions of rows. */
static bool read_rows(PyObject *unnamed, core_array *out) {
  PyObject *object;
  if (!PyArg_ParseTuple(unnamed, "O", &object) ||
      !core_array_read_plain(object, "rows", CRD_I64, out))
    return false;
  if (out->view.data && out->view.rank == 1) return true;
  core_array_release(out);
  return core_raise_type("rows is %R, expected a vector of int64", object) != NULL;
}

static PyObject *dataset_take(PyObject *self, PyObject *unnamed) {
  core_array rows;
  core_call call;
  held *const h = held_new();
  if (!h || !read_rows(unnamed, &rows)) {
    held_free(h);
    return NULL;
  }
  PyObject *result = NULL;
  if (core_call_begin(&call, NULL, NULL)) {
    const crd_status status = crd_dataset_take(call.ctx, get(self), rows.view.data,
                                               crd_array_count(&rows.view), &h->data);
    result = wrap(&call, status, h, self);
  } else held_free(h);
  core_array_release(&rows);
  return result;
}

/* ---- What is known of it. */

static const core_field shape_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_dataset_shape, name), NULL },
  { "rows", CORE_SIZE, offsetof(crd_dataset_shape, rows), NULL },
  { "type", CORE_WORD, offsetof(crd_dataset_shape, type), "images vectors texts" },
  { "classes", CORE_SIZE, offsetof(crd_dataset_shape, classes), NULL },
  { "has_weights", CORE_FLAG, offsetof(crd_dataset_shape, has_weights), NULL },
  { "has_groups", CORE_FLAG, offsetof(crd_dataset_shape, has_groups), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const char *note_at(const void *self, size_t index) { return crd_dataset_note(self, index); }

static const char *class_at(const void *self, size_t index) {
  const crd_dataset_shape *const shape = self;
  return index < shape->classes ? shape->class_names[index] : NULL;
}

static PyObject *dataset_describe(PyObject *self, PyObject *unused) {
  const crd_dataset_shape *const shape = crd_dataset_describe(get(self));
  PyObject *const dict = core_fields_dict(shape, shape_fields);
  (void)unused;
  if (dict && core_put(dict, "shape", core_dims(shape->rank, shape->dims)) &&
      core_put(dict, "class_names", core_texts(class_at, shape)) &&
      core_put(dict, "notes", core_texts(note_at, get(self))))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* Rows without a group have the group None. */
static PyObject *group_list(const crd_dataset *data, size_t rows) {
  PyObject *const list = PyList_New((Py_ssize_t)rows);
  for (size_t i = 0; list && i < rows; i++) {
    PyObject *const name = core_text(crd_dataset_group(data, i));
    if (!name) {
      Py_DECREF(list);
      return NULL;
    }
    PyList_SetItem(list, (Py_ssize_t)i, name);
  }
  return list;
}

/* Returns what belongs to the rows: labels (-1: none), weights, indices of their samples, groups.
 */
static PyObject *dataset_columns(PyObject *self, PyObject *unused) {
  const crd_dataset *const data = get(self);
  const crd_dataset_shape *const shape = crd_dataset_describe(data);
  const int64_t rows = (int64_t)shape->rows;
  void *labels = NULL, *weights = NULL, *indices = NULL;
  PyObject *const dict = PyDict_New();
  (void)unused;
  if (!dict || !core_put(dict, "labels", core_numpy_empty(CRD_I64, 1, &rows, &labels)) ||
      !core_put(dict, "weights", core_numpy_empty(CRD_F64, 1, &rows, &weights)) ||
      !core_put(dict, "indices", core_numpy_empty(CRD_I64, 1, &rows, &indices)) ||
      (shape->has_groups && !core_put(dict, "groups", group_list(data, shape->rows)))) {
    Py_XDECREF(dict);
    return NULL;
  }
  for (size_t i = 0; i < shape->rows; i++) {
    ((int64_t *)labels)[i] = crd_dataset_label(data, i);
    ((double *)weights)[i] = crd_dataset_weight(data, i);
    ((int64_t *)indices)[i] = (int64_t)crd_dataset_index(data, i);
  }
  return dict;
}

/* Returns samples as read. */
static PyObject *dataset_read(PyObject *self, PyObject *unnamed) {
  const crd_dataset_shape *const shape = crd_dataset_describe(get(self));
  int64_t dims[CRD_RANK_MAX];
  core_array rows;
  core_call call;
  void *data;
  if (shape->rank >= CRD_RANK_MAX)
    return core_raise_usage("samples have %zu dimensions", shape->rank);
  if (!read_rows(unnamed, &rows)) return NULL;
  dims[0] = rows.view.dims[0];
  memcpy(dims + 1, shape->dims, shape->rank * sizeof *dims);
  PyObject *array = core_numpy_empty(shape->dtype, shape->rank + 1, dims, &data);
  if (array && core_call_begin(&call, NULL, NULL)) {
    call.instead = instead;
    const crd_status status =
        crd_dataset_read(call.ctx, get(self), rows.view.data, (size_t)dims[0], data);
    if (!core_call_end(&call, status)) Py_CLEAR(array);
    core_call_close(&call);
  } else Py_CLEAR(array);
  core_array_release(&rows);
  return array;
}

/* Returns (groups in common, the first of them, rows in common). */
static PyObject *dataset_compare(PyObject *self, PyObject *other) {
  const crd_dataset *const right = core_dataset_get(other, "other");
  crd_overlap overlap;
  core_call call;
  if (!right || !core_call_begin(&call, NULL, NULL)) return NULL;
  const bool done = core_call_end(&call, crd_dataset_compare(call.ctx, get(self), right, &overlap));
  core_call_close(&call);
  if (!done) return NULL;
  return Py_BuildValue("(nzn)", (Py_ssize_t)overlap.group_count, overlap.group,
                       (Py_ssize_t)overlap.sample_count);
}

static void dataset_dealloc(PyObject *self) { core_object_free(self, held_free); }

static PyMethodDef methods[] = {
  { "open", (PyCFunction)(void (*)(void))dataset_open, METH_VARARGS | METH_KEYWORDS | METH_STATIC,
    "Open DATA." },
  { "is_file", dataset_is_file, METH_VARARGS | METH_STATIC,
    "Return whether DATA is a file of arrays." },
  { "part", (PyCFunction)(void (*)(void))dataset_part, METH_VARARGS | METH_KEYWORDS,
    "Return the part from .. to per cent of a random order." },
  { "take", dataset_take, METH_VARARGS, "Return the rows at these positions as a dataset." },
  { "describe", dataset_describe, METH_NOARGS,
    "Return rows, shape, classes, notes ... as a dict." },
  { "columns", dataset_columns, METH_NOARGS,
    "Return labels, weights, indices and groups of the rows." },
  { "read", dataset_read, METH_VARARGS, "Return the samples at these positions." },
  { "compare", dataset_compare, METH_O, "Return what two datasets have in common." },
  { NULL, NULL, 0, NULL },
};

bool core_dataset_add(PyObject *module) {
  static const core_type type = { "credence._core.Dataset", "Labelled samples.", dataset_new,
                                  dataset_dealloc, methods };
  return core_type_make(module, &type, &dataset_type);
}
