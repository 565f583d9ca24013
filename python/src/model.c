/* model.c -- the type Model: an ONNX model as stored. */
#include "network.h"

#include <string.h>

static PyTypeObject *model_type;

static void model_free(void *it) { crd_model_destroy(it); }
static const crd_model *get(PyObject *self) { return ((core_object *)self)->it; }

const crd_model *core_model_get(PyObject *object, const char *what) {
  return core_object_get(object, model_type, what);
}

/* Ends the call that made the model, which is behind a pointer since arguments have no order.
 * `keep` is borrowed. */
static PyObject *wrap(core_call *call, crd_status status, crd_model *const *model, PyObject *keep) {
  if (core_call_end(call, status)) {
    Py_XINCREF(keep);
    return core_object_new(model_type, *model, model_free, call, keep);
  }
  crd_model_destroy(*model);
  core_call_close(call);
  return NULL;
}

PyObject *core_model_new(core_call *call, crd_status status, crd_model *model) {
  return wrap(call, status, &model, NULL);
}

/* ---- Opening and making. */

static PyObject *model_open(PyObject *unused, PyObject *unnamed) {
  crd_model *model = NULL;
  const char *path;
  PyObject *object;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "O", &object) || !core_text_read(object, "path", &path))
    return NULL;
  if (!path) return core_raise_type("path is None, expected a str");
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  return wrap(&call, crd_model_open(call.ctx, path, &model), &model, NULL);
}

/* The model borrows the bytes, which cannot change. */
static PyObject *model_open_memory(PyObject *unused, PyObject *unnamed) {
  crd_model *model = NULL;
  const char *name, *data;
  Py_ssize_t length;
  PyObject *bytes, *object;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "SO", &bytes, &object) || !core_text_read(object, "name", &name))
    return NULL;
  if (PyBytes_AsStringAndSize(bytes, (char **)(uintptr_t)&data, &length) != 0) return NULL;
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  const crd_status status =
      crd_model_open_memory(call.ctx, name ? name : "the model", data, (size_t)length, &model);
  return wrap(&call, status, &model, bytes);
}

/* build(expression, shape, classes=, words=, seed=): a network of the zoo. */
static PyObject *model_build(PyObject *unused, PyObject *unnamed, PyObject *arguments) {
  static const core_field fields[] = {
    { "classes", CORE_SIZE, offsetof(crd_architecture_shape, classes), NULL },
    { "words", CORE_SIZE, offsetof(crd_architecture_shape, words), NULL },
    { NULL, CORE_TEXT, 0, NULL },
  };
  static const char *const others[] = { CORE_RUN_NAMES, NULL };
  crd_architecture_shape shape = { .size = sizeof shape };
  crd_model *model = NULL;
  PyObject *text, *dims;
  const char *expression;
  core_run run;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &text, &dims) || !core_run_read(arguments, &run))
    return NULL;
  if (!core_text_read(text, "network", &expression) ||
      !core_fields_set(arguments, "build", fields, &shape, others) ||
      !core_dims_read(dims, "shape", &shape.rank, shape.dims))
    return NULL;
  if (!expression) return core_raise_type("network is None, expected a str");
  if (!core_call_begin(&call, &run, NULL)) return NULL;
  return wrap(&call, crd_architecture_build(call.ctx, expression, &shape, &model), &model, NULL);
}

/* cut(tensor, part): the part of the network before or after a tensor. */
static PyObject *model_cut(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const core_field field = { "part", CORE_WORD, 0, "before after" };
  unsigned part = CRD_PART_BEFORE;
  crd_model *model = NULL;
  PyObject *text, *word;
  const char *tensor;
  core_call call;
  (void)arguments;
  if (!PyArg_ParseTuple(unnamed, "OO", &text, &word) || !core_text_read(text, "tensor", &tensor) ||
      !core_field_set(word, &field, &part))
    return NULL;
  if (!tensor) return core_raise_type("tensor is None, expected a str");
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  return wrap(&call, crd_model_cut(call.ctx, get(self), tensor, (crd_model_part)part, &model),
              &model, NULL);
}

/* ---- With other weights and metadata. */

typedef struct {
  crd_weights *weights;
  core_array *arrays;
  crd_metadata *metadata;
  size_t weight_count, metadata_count;
} changes;

static void release_changes(changes *c) {
  for (size_t i = 0; i < c->weight_count; i++) core_array_release(&c->arrays[i]);
  PyMem_Free(c->weights);
  PyMem_Free(c->arrays);
  PyMem_Free(c->metadata);
}

/* Reads a key of a dict, which must be a str. */
static bool read_key(PyObject *key, const char *what, const char **out) {
  if (!core_text_read(key, what, out)) return false;
  return *out || core_raise_type("%s is None, expected a str", what) != NULL;
}

static bool read_weights(PyObject *dict, changes *c) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict, &at, &key, &value)) {
    crd_weights *const w = &c->weights[c->weight_count];
    core_array *const array = &c->arrays[c->weight_count];
    if (!read_key(key, "the name of a parameter", &w->name) ||
        !core_array_read_plain(value, w->name, CRD_F32, array))
      return false;
    c->weight_count++;
    if (!array->view.data) return core_raise_type("%s is None, expected an array", w->name) != NULL;
    w->values = array->view.data;
    w->count = crd_array_count(&array->view);
  }
  return true;
}

static bool read_metadata(PyObject *dict, changes *c) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict, &at, &key, &value)) {
    crd_metadata *const entry = &c->metadata[c->metadata_count++];
    if (!read_key(key, "a key of the metadata", &entry->key) ||
        !core_text_read(value, entry->key, &entry->value))
      return false;
  }
  return true;
}

/* update(weights, metadata): a copy; metadata None removes a key. */
static PyObject *model_update(PyObject *self, PyObject *unnamed) {
  PyObject *weights, *metadata, *result = NULL;
  crd_model *model = NULL;
  changes c = { NULL, NULL, NULL, 0, 0 };
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O!O!", &PyDict_Type, &weights, &PyDict_Type, &metadata))
    return NULL;
  c.weights = PyMem_Calloc((size_t)PyDict_Size(weights) + 1, sizeof *c.weights);
  c.arrays = PyMem_Calloc((size_t)PyDict_Size(weights) + 1, sizeof *c.arrays);
  c.metadata = PyMem_Calloc((size_t)PyDict_Size(metadata) + 1, sizeof *c.metadata);
  if (!c.weights || !c.arrays || !c.metadata) core_raise(CRD_ENOMEM, "no memory for weights");
  else if (read_weights(weights, &c) && read_metadata(metadata, &c) &&
           core_call_begin(&call, NULL, NULL)) {
    const crd_status status = crd_model_update(call.ctx, get(self), c.weights, c.weight_count,
                                               c.metadata, c.metadata_count, &model);
    result = wrap(&call, status, &model, NULL);
  }
  release_changes(&c);
  return result;
}

/* ---- What is known of it. */

static PyObject *port_dict(const crd_port *port) {
  PyObject *const dict = PyDict_New();
  if (dict && core_put(dict, "name", core_text(port->name)) &&
      core_put(dict, "dtype", core_text(crd_dtype_name(port->dtype))) &&
      core_put(dict, "shape", port->known ? core_dims(port->rank, port->dims) : core_text(NULL)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static PyObject *port_list(const crd_port *(*at)(const crd_model *model, size_t index),
                           const crd_model *model) {
  PyObject *const list = PyList_New(0);
  const crd_port *port;
  for (size_t i = 0; list && (port = at(model, i)); i++)
    if (!core_append(list, port_dict(port))) {
      Py_DECREF(list);
      return NULL;
    }
  return list;
}

static PyObject *metadata_dict(const crd_model *model) {
  PyObject *const dict = PyDict_New();
  const crd_metadata *entry;
  for (size_t i = 0; dict && (entry = crd_model_metadata_at(model, i)); i++)
    if (!core_put(dict, entry->key, core_text(entry->value))) {
      Py_DECREF(dict);
      return NULL;
    }
  return dict;
}

static PyObject *model_describe(PyObject *self, PyObject *unused) {
  PyObject *const dict = PyDict_New();
  (void)unused;
  if (dict && core_put(dict, "inputs", port_list(crd_model_input, get(self))) &&
      core_put(dict, "outputs", port_list(crd_model_output, get(self))) &&
      core_put(dict, "metadata", metadata_dict(get(self))))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static const char *class_at(const void *self, size_t index) {
  const crd_encoding *const e = self;
  return index < e->class_count ? e->class_names[index] : NULL;
}

static PyObject *numbers(const double *values, size_t count) {
  const int64_t dims = (int64_t)count;
  void *data;
  PyObject *const array = core_numpy_empty(CRD_F64, 1, &dims, &data);
  if (array && count) memcpy(data, values, count * sizeof *values);
  return array;
}

static PyObject *encoding_dict(const crd_encoding *e) {
  PyObject *const dict = PyDict_New();
  if (dict && core_put(dict, "class_names", core_texts(class_at, e)) &&
      core_put(dict, "mean", numbers(e->mean, e->channels)) &&
      core_put(dict, "std", numbers(e->std, e->channels)) &&
      core_put(dict, "words", PyLong_FromSize_t(e->word_count)) &&
      core_put(dict, "length", PyLong_FromSize_t(e->length)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* Returns how its training data were read, or None. */
static PyObject *model_encoding(PyObject *self, PyObject *unused) {
  crd_encoding *encoding = NULL;
  PyObject *result = NULL;
  core_call call;
  (void)unused;
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  if (core_call_end(&call, crd_model_encoding(call.ctx, get(self), &encoding)))
    result = encoding ? encoding_dict(encoding) : core_text(NULL);
  crd_encoding_destroy(encoding);
  core_call_close(&call);
  return result;
}

static PyObject *model_save(PyObject *self, PyObject *unnamed) {
  PyObject *object;
  const char *path;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &object) || !core_text_read(object, "path", &path))
    return NULL;
  if (!path) return core_raise_type("path is None, expected a str");
  if (!core_call_begin(&call, NULL, NULL)) return NULL;
  const bool done = core_call_end(&call, crd_model_save(call.ctx, get(self), path));
  core_call_close(&call);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

static void model_dealloc(PyObject *self) { core_object_free(self, model_free); }

static PyMethodDef methods[] = {
  { "open", model_open, METH_VARARGS | METH_STATIC, "Open an .onnx file." },
  { "open_memory", model_open_memory, METH_VARARGS | METH_STATIC,
    "Open its bytes: (bytes, name)." },
  { "build", (PyCFunction)(void (*)(void))model_build, METH_VARARGS | METH_KEYWORDS | METH_STATIC,
    "Build a network of the zoo." },
  { "describe", model_describe, METH_NOARGS, "Return inputs, outputs and metadata as a dict." },
  { "encoding", model_encoding, METH_NOARGS, "Return how training data were read, or None." },
  { "cut", (PyCFunction)(void (*)(void))model_cut, METH_VARARGS | METH_KEYWORDS,
    "Return the part before or after a tensor." },
  { "update", model_update, METH_VARARGS, "Return a copy with other weights and metadata." },
  { "save", model_save, METH_VARARGS, "Write an .onnx file." },
  { "predict", (PyCFunction)(void (*)(void))core_model_predict, METH_VARARGS | METH_KEYWORDS,
    "Predict, and write a file; return a summary." },
  { "compile", (PyCFunction)(void (*)(void))core_model_compile, METH_VARARGS | METH_KEYWORDS,
    "Return a Network for fixed shapes." },
  { "survey", (PyCFunction)(void (*)(void))core_model_survey, METH_VARARGS | METH_KEYWORDS,
    "Return structure and requirements as a dict." },
  { NULL, NULL, 0, NULL },
};

bool core_model_add(PyObject *module) {
  static PyType_Slot slots[] = {
    { Py_tp_doc, CORE_DOC("An ONNX model.") },
    { Py_tp_dealloc, (void *)model_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
  };
  static PyType_Spec spec = { "credence._core.Model", sizeof(core_object), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                  Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              slots };
  model_type = core_type_add(module, &spec);
  return model_type != NULL;
}
