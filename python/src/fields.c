/* fields.c -- members of C structs as Python values: results out, keyword arguments in, by tables
 * of names, kinds and offsets. */
#include "core.h"

#include <string.h>

PyObject *core_text(const char *text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

PyObject *core_dims(size_t rank, const int64_t *dims) {
  PyObject *const tuple = PyTuple_New((Py_ssize_t)rank);
  for (size_t i = 0; tuple && i < rank; i++) {
    PyObject *const dim = dims[i] < 0 ? Py_None : PyLong_FromLongLong(dims[i]);
    if (!dim) {
      Py_DECREF(tuple);
      return NULL;
    }
    if (dims[i] < 0) Py_INCREF(dim);
    PyTuple_SetItem(tuple, (Py_ssize_t)i, dim);
  }
  return tuple;
}

bool core_dims_read(PyObject *tuple, const char *what, size_t *rank, int64_t *dims) {
  const Py_ssize_t count = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;
  if (count < 0 || count > CRD_RANK_MAX)
    return core_raise_type("%s is %R, expected a tuple of at most %d int", what, tuple,
                           CRD_RANK_MAX) != NULL;
  *rank = (size_t)count;
  for (Py_ssize_t i = 0; i < count; i++) {
    dims[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    if (dims[i] >= 0) continue;
    if (!PyErr_Occurred() || core_clear_error())
      core_raise_usage("%s is %R, expected numbers from 0 on", what, tuple);
    return false;
  }
  return true;
}

bool core_put(PyObject *dict, const char *name, PyObject *value) {
  const bool put = value && PyDict_SetItemString(dict, name, value) == 0;
  Py_XDECREF(value);
  return put;
}

bool core_append(PyObject *list, PyObject *item) {
  const bool done = item && PyList_Append(list, item) == 0;
  Py_XDECREF(item);
  return done;
}

PyObject *core_texts(const char *(*at)(const void *self, size_t index), const void *self) {
  PyObject *const list = PyList_New(0);
  const char *text;
  for (size_t i = 0; list && (text = at(self, i)); i++)
    if (!core_append(list, core_text(text))) {
      Py_DECREF(list);
      return NULL;
    }
  return list;
}

PyObject *core_list_of(core_item_fn item, const void *self, size_t count) {
  PyObject *const list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++) {
    PyObject *const made = item(self, i);
    if (!made) {
      Py_DECREF(list);
      return NULL;
    }
    PyList_SetItem(list, (Py_ssize_t)i, made);
  }
  return list;
}

PyObject *core_dict_of(core_add_fn add, const void *self, size_t count) {
  PyObject *const dict = PyDict_New();
  for (size_t i = 0; dict && i < count; i++)
    if (!add(dict, self, i)) {
      Py_DECREF(dict);
      return NULL;
    }
  return dict;
}

/* Sets `word` to the word at an index of a list separated by spaces, and its length. */
static bool word_at(const char *words, size_t index, const char **word, size_t *length) {
  for (; words && *words; words += *words == ' ') {
    *word = words;
    *length = strcspn(words, " ");
    words += *length;
    if (index-- == 0) return true;
  }
  return false;
}

/* ---- Out. */

static PyObject *get_field(const void *from, const core_field *field) {
  const void *const at = (const char *)from + field->offset;
  const char *word;
  size_t length;
  switch (field->kind) {
  case CORE_TEXT:
    return core_text(*(const char *const *)at);
  case CORE_DOUBLE:
    return PyFloat_FromDouble(*(const double *)at);
  case CORE_UNSIGNED:
  case CORE_COUNT:
    return PyLong_FromUnsignedLong(*(const unsigned *)at);
  case CORE_SIZE:
    return PyLong_FromSize_t(*(const size_t *)at);
  case CORE_UINT64:
    return PyLong_FromUnsignedLongLong(*(const uint64_t *)at);
  case CORE_INT:
    return PyLong_FromLong(*(const int *)at);
  case CORE_FLAG:
    return PyBool_FromLong(*(const int *)at);
  case CORE_WORD:
    if (word_at(field->words, *(const unsigned *)at, &word, &length))
      return PyUnicode_FromStringAndSize(word, (Py_ssize_t)length);
  }
  Py_RETURN_NONE;
}

bool core_fields_add(PyObject *dict, const void *from, const core_field *fields) {
  for (; fields->name; fields++)
    if (!core_put(dict, fields->name, get_field(from, fields))) return false;
  return true;
}

PyObject *core_fields_dict(const void *from, const core_field *fields) {
  PyObject *const dict = PyDict_New();
  if (dict && core_fields_add(dict, from, fields)) return dict;
  Py_XDECREF(dict);
  return NULL;
}

PyObject *core_list(size_t count, const void *items, size_t bytes, const core_field *fields) {
  PyObject *const list = PyList_New(0);
  for (size_t i = 0; list && i < count; i++)
    if (!core_append(list, core_fields_dict((const char *)items + i * bytes, fields))) {
      Py_DECREF(list);
      return NULL;
    }
  return list;
}

/* ---- In. */

bool core_text_read(PyObject *object, const char *what, const char **out) {
  Py_ssize_t length;
  *out = NULL;
  if (!object || object == Py_None) return true;
  if (!PyUnicode_Check(object)) {
    core_raise_type("%s is %R, expected a str", what, object);
    return false;
  }
  *out = PyUnicode_AsUTF8AndSize(object, &length);
  if (*out && strlen(*out) == (size_t)length) return true;
  PyErr_Clear(); /* a lone surrogate, or an embedded NUL */
  core_raise_usage("%s is %A, expected text without NUL and without lone surrogates", what, object);
  return false;
}

bool core_name_read(PyObject *object, const char *what, const char **out) {
  if (!core_text_read(object, what, out)) return false;
  return *out || core_raise_type("%s is None, expected a str", what) != NULL;
}

bool core_texts_read(PyObject *tuple, const char *what, const char ***out, size_t *count) {
  *count = 0;
  if (!tuple || tuple == Py_None) return true;
  if (!PyTuple_Check(tuple))
    return core_raise_type("%s is %R, expected a tuple of str", what, tuple) != NULL;
  *count = (size_t)PyTuple_Size(tuple);
  *out = PyMem_Calloc(*count + 1, sizeof **out);
  if (!*out) return core_raise(CRD_ENOMEM, "no memory for names") != NULL;
  for (size_t i = 0; i < *count; i++) {
    if (!core_text_read(PyTuple_GetItem(tuple, (Py_ssize_t)i), what, &(*out)[i])) return false;
    if (!(*out)[i]) return core_raise_type("%s: name %zu is None", what, i) != NULL;
  }
  return true;
}

bool core_bytes_read(PyObject *object, const char *what, const char **out, size_t *length) {
  if (!PyBytes_Check(object)) {
    core_raise_type("%s is %R, expected bytes", what, object);
    return false;
  }
  *length = (size_t)PyBytes_Size(object);
  *out = PyBytes_AsString(object);
  return true;
}

static bool read_count(PyObject *value, const char *what, uint64_t least, uint64_t most,
                       uint64_t *out) {
  PyObject *const index = PyNumber_Index(value);
  if (!index) {
    if (core_clear_error()) core_raise_type("%s is %R, expected an int", what, value);
    return false;
  }
  const unsigned long long number = PyLong_AsUnsignedLongLong(index);
  Py_DECREF(index);
  *out = number;
  if (!PyErr_Occurred() && number >= least && number <= most) return true;
  PyErr_Clear();
  core_raise_usage("%s is %R, allowed are %llu to %llu", what, value, (unsigned long long)least,
                   (unsigned long long)most);
  return false;
}

static bool read_double(PyObject *value, const char *what, double *out) {
  *out = PyFloat_AsDouble(value);
  if (!PyErr_Occurred()) return true;
  if (core_clear_error()) core_raise_type("%s is %R, expected a float", what, value);
  return false;
}

/* Reads what equals True or False: words such as "no", lists and arrays are not meant as either. */
static bool read_flag(PyObject *value, const char *what, int *out) {
  for (*out = 1; *out >= 0 && !PySequence_Check(value); --*out) {
    const int equal = PyObject_RichCompareBool(value, *out ? Py_True : Py_False, Py_EQ);
    if (equal > 0) return true;
    if (equal < 0 && !core_clear_error()) return false;
  }
  core_raise_type("%s is %R, expected a bool", what, value);
  return false;
}

static bool read_word(PyObject *value, const char *what, const char *words, unsigned *out) {
  const char *text, *word;
  size_t length;
  if (!core_text_read(value, what, &text)) return false;
  for (size_t i = 0; text && word_at(words, i, &word, &length); i++)
    if (strlen(text) == length && memcmp(text, word, length) == 0) {
      *out = (unsigned)i;
      return true;
    }
  core_raise_usage("%s is %R, allowed are: %s", what, value, words);
  return false;
}

bool core_field_set(PyObject *value, const core_field *field, void *to) {
  void *const at = (char *)to + field->offset;
  uint64_t count = 0;
  unsigned word = 0;
  if (value == Py_None) return true; /* the default */
  switch (field->kind) {
  case CORE_TEXT:
    return core_text_read(value, field->name, at);
  case CORE_DOUBLE:
    return read_double(value, field->name, at);
  case CORE_UNSIGNED:
  case CORE_COUNT:
    if (!read_count(value, field->name, field->kind == CORE_COUNT, UINT32_MAX, &count))
      return false;
    *(unsigned *)at = (unsigned)count;
    return true;
  case CORE_SIZE:
    if (!read_count(value, field->name, 0, INT64_MAX, &count)) return false;
    *(size_t *)at = (size_t)count;
    return true;
  case CORE_UINT64:
    return read_count(value, field->name, 0, UINT64_MAX, at);
  case CORE_INT:
    if (!read_count(value, field->name, 0, INT32_MAX, &count)) return false;
    *(int *)at = (int)count;
    return true;
  case CORE_FLAG:
    return read_flag(value, field->name, at);
  case CORE_WORD:
    if (!read_word(value, field->name, field->words, &word)) return false;
    *(unsigned *)at = word;
    return true;
  }
  return true;
}

static const core_field *find_field(const core_field *fields, const char *name) {
  for (; fields->name; fields++)
    if (strcmp(fields->name, name) == 0) return fields;
  return NULL;
}

/* The names of fields and other arguments, one after the other, for crd_nearest. */
typedef struct {
  const core_field *fields;
  const char *const *others;
} known_names;

static const char *name_at(const void *self, size_t index) {
  const known_names *const known = self;
  for (const core_field *f = known->fields; f->name; f++)
    if (index-- == 0) return f->name;
  for (const char *const *name = known->others; name && *name; name++)
    if (index-- == 0) return *name;
  return NULL;
}

static bool is_listed(const char *const *names, const char *name) {
  for (; names && *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

static bool refuse_name(const char *function, const char *name, const known_names *known) {
  const char *const near = crd_nearest(name, name_at, known);
  if (near) core_raise_type("%s has no argument '%s'; did you mean '%s'?", function, name, near);
  else core_raise_type("%s has no argument '%s'", function, name);
  return false;
}

bool core_fields_set(PyObject *arguments, const char *function, const core_field *fields, void *to,
                     const char *const *others) {
  const known_names known = { fields, others };
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (arguments && PyDict_Next(arguments, &at, &key, &value)) {
    const char *name;
    if (!core_text_read(key, "the name of an argument", &name)) return false;
    const core_field *const field = find_field(fields, name);
    if (field) {
      if (!core_field_set(value, field, to)) return false;
    } else if (!is_listed(others, name) && !refuse_name(function, name, &known)) return false;
  }
  return true;
}

PyObject *core_argument(PyObject *arguments, const char *name) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (arguments && PyDict_Next(arguments, &at, &key, &value))
    if (PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, name) == 0) return value;
  return NULL;
}

bool core_fields_pick(PyObject *arguments, const core_field *fields, void *to) {
  for (; arguments && fields->name; fields++) {
    PyObject *const value = core_argument(arguments, fields->name);
    if (value && !core_field_set(value, fields, to)) return false;
  }
  return true;
}

static const core_field run_fields[] = {
  { "threads", CORE_UNSIGNED, offsetof(core_run, threads), NULL },
  { "seed", CORE_UINT64, offsetof(core_run, seed), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

bool core_run_read(PyObject *arguments, core_run *run) {
  memset(run, 0, sizeof *run);
  if (!core_fields_pick(arguments, run_fields, run)) return false;
  run->progress = core_argument(arguments, "progress");
  if (!run->progress || run->progress == Py_None || PyCallable_Check(run->progress)) return true;
  core_raise_type("progress is %R, expected a function of (stage, done, total)", run->progress);
  return false;
}
