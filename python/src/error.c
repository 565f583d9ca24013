/* error.c -- exceptions: a class for each status, defined in credence/_errors.py. */
#include "core.h"

#include <stdarg.h>
#include <string.h>

#define X(name, exit_code, text) +1
enum { STATUSES = 0 CRD_STATUS_LIST(X) };
#undef X

static PyObject *by_status[STATUSES]; /* a class for each status but CRD_OK */
static PyObject *argument_error, *base_error;

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
  base_error = module ? PyObject_GetAttrString(module, "Error") : NULL;
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

/* Formats a message with at most 80 characters of each object (%R, %A); objects whose repr() raises
 * an exception are shown as addresses: both are pointers. */
static PyObject *formatted(const char *format, bool shown, va_list arguments) {
  char own[400];
  size_t length = 0;
  char before = '\0';
  for (; *format && length + 4 < sizeof own; before = *format++) {
    const bool object = (*format == 'R' || *format == 'A') && before == '%';
    if (object && shown) own[length++] = '.', own[length++] = '8', own[length++] = '0';
    own[length++] = *format;
    if (object && !shown) own[length - 1] = 'p';
  }
  own[length] = '\0';
  return PyUnicode_FromFormatV(own, arguments);
}

static void raise_formatted(PyObject *class, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  PyObject *text = formatted(format, true, arguments);
  if (!text && core_clear_error()) text = formatted(format, false, again);
  va_end(again);
  if (text) PyErr_SetObject(class, text);
  Py_XDECREF(text);
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

bool core_raised_ours(void) { return PyErr_ExceptionMatches(base_error); }

bool core_clear_error(void) {
  if (core_raised_ours() || !PyErr_ExceptionMatches(PyExc_Exception)) return false;
  const bool memory = PyErr_ExceptionMatches(PyExc_MemoryError);
  PyErr_Clear();
  if (memory) core_raise(CRD_ENOMEM, "no memory for the arguments or results of a call");
  return !memory;
}
