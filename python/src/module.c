/* module.c -- the module credence._core. */
#include "core.h"

static PyObject *version(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  return core_text(crd_version());
}

static PyObject *build(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  return core_text(crd_build());
}

static const char *name_at(const void *self, size_t index) {
  PyObject *const list = *(PyObject *const *)self;
  const char *name;
  if (index >= (size_t)PyList_Size(list)) return NULL;
  return core_text_read(PyList_GetItem(list, (Py_ssize_t)index), "a name", &name) ? name : NULL;
}

static PyObject *nearest(PyObject *self, PyObject *unnamed) {
  const char *word;
  PyObject *object, *list;
  (void)self;
  if (!PyArg_ParseTuple(unnamed, "OO", &object, &list)) return NULL;
  if (!PyList_Check(list)) return core_raise_type("names are %R, expected a list of str", list);
  if (!core_text_read(object, "the word", &word)) return NULL;
  const char *const near = word ? crd_nearest(word, name_at, &list) : NULL;
  return PyErr_Occurred() ? NULL : core_text(near);
}

static PyMethodDef functions[] = {
  { "version", version, METH_NOARGS, "Return the version of the library." },
  { "build", build, METH_NOARGS, "Return the compiler and the libraries of this build." },
  { "tables", core_tables, METH_NOARGS, "Return the library's tables as lists of dicts." },
  { "nearest", nearest, METH_VARARGS, "Return the nearest of some names, or None." },
  { "after_fork", core_after_fork, METH_NOARGS, "In a child process: use one thread from now on." },
  { NULL, NULL, 0, NULL },
};

typedef bool (*add_fn)(PyObject *module);

static int execute(PyObject *module) {
  static const add_fn types[] = {
#define TYPE(noun) core_##noun##_add,
#include "list.h"
#undef TYPE
  };
  if (!core_errors_import()) return -1;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!types[i](module)) return -1;
  return 0;
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
  static PyModuleDef_Slot slots[] = { { Py_mod_exec, (void *)execute }, { 0, NULL } };
  static PyModuleDef definition = { PyModuleDef_HEAD_INIT,
                                    "credence._core",
                                    "The C library, for the package credence.",
                                    0,
                                    functions,
                                    slots,
                                    NULL,
                                    NULL,
                                    NULL };
  return PyModuleDef_Init(&definition);
}
