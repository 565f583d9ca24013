/* module.c -- credence._core, the extension module of the Python package. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "credence/credence.h"

#ifdef Py_GIL_DISABLED
#error "credence._core needs a CPython with the global interpreter lock"
#endif

static PyObject *version(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  return PyUnicode_FromFormat("%s, %s", crd_version(), crd_build());
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "version of the library, and the libraries behind it"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_core", NULL, 0, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
