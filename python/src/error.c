/* error.c -- exceptions: a class for each status, defined in credence/_errors.py. */
#include "core.h"

#include <stdarg.h>

#define X(name, exit_code, text) +1
enum { STATUSES = 0 CRD_STATUS_LIST(X) };
#undef X

static PyObject *by_status[STATUSES]; /* a class for each status but CRD_OK */
static PyObject *argument_error;

bool core_errors_import(void) {
  static const char *const names[] = {
#define X(name, exit_code, text) [CRD_##name] = #name,
    CRD_STATUS_LIST(X)
#undef X
  };
  PyObject *const module = PyImport_ImportModule("credence._errors");
  PyObject *const table = module ? PyObject_GetAttrString(module, "BY_STATUS") : NULL;
  for (size_t i = 1; table && i < STATUSES; i++) {
    by_status[i] = PyMapping_GetItemString(table, names[i]);
    if (!by_status[i]) break;
  }
  argument_error = module ? PyObject_GetAttrString(module, "ArgumentError") : NULL;
  Py_XDECREF(table);
  Py_XDECREF(module);
  return !PyErr_Occurred();
}

PyObject *core_raise(crd_status status, const char *message) {
  /* Names of files may hold any bytes. */
  PyObject *const text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
  if (text) PyErr_SetObject(by_status[status], text);
  Py_XDECREF(text);
  return NULL;
}

static PyObject *raise_formatted(PyObject *class, const char *format, va_list arguments) {
  PyObject *const text = PyUnicode_FromFormatV(format, arguments);
  if (text) PyErr_SetObject(class, text);
  Py_XDECREF(text);
  return NULL;
}

PyObject *core_raise_type(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  raise_formatted(argument_error, format, arguments);
  va_end(arguments);
  return NULL;
}

PyObject *core_raise_usage(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  raise_formatted(by_status[CRD_EUSAGE], format, arguments);
  va_end(arguments);
  return NULL;
}
