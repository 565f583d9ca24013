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

/* Loads a calibrator and compiles a model; raises RuntimeError. */
static PyObject *check(PyObject *module, PyObject *arguments) {
  const char *calibrator_path = NULL, *model_path = NULL;
  crd_context *ctx = NULL;
  crd_calibrator *calibrator = NULL;
  crd_model *model = NULL;
  crd_network *network = NULL;
  (void)module;
  if (!PyArg_ParseTuple(arguments, "ss", &calibrator_path, &model_path)) return NULL;
  if (crd_context_create(NULL, &ctx) != CRD_OK) return PyErr_NoMemory();
  crd_status status = crd_calibrator_load(ctx, calibrator_path, &calibrator);
  if (status == CRD_OK) status = crd_model_open(ctx, model_path, &model);
  if (status == CRD_OK) status = crd_network_compile(ctx, model, NULL, &network);
  if (status != CRD_OK) PyErr_SetString(PyExc_RuntimeError, crd_context_message(ctx));
  crd_network_destroy(network);
  crd_model_destroy(model);
  crd_calibrator_destroy(calibrator);
  crd_context_destroy(ctx);
  return status == CRD_OK ? PyBool_FromLong(1) : NULL;
}

static PyMethodDef functions[] = {
  { "version", version, METH_NOARGS, "version of the library, and the libraries behind it" },
  { "check", check, METH_VARARGS, "check(calibrator, model): load one, compile the other" },
  { NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = {
  PyModuleDef_HEAD_INIT, "_core", NULL, 0, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
