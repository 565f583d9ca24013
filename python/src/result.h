/* result.h -- results in Python, and how reports, figures and pages are written from Python. */
#ifndef CRD_PYTHON_RESULT_H
#define CRD_PYTHON_RESULT_H

#include "core.h"

/* Creates a Result that owns `values`, the tables, and the context of the call, which has ended. On
 * failure destroys them. */
PyObject *core_result_new(const crd_result *values, const crd_result_parts *tables,
                          core_call *call);
/* Creates a Result of values that belong to `owner`; NULL: returns None. */
PyObject *core_result_borrow(const crd_result *values, PyObject *owner);
/* Returns the shifted sets of a Result (shift.c). */
PyObject *core_result_shift(PyObject *self, PyObject *unused);
/* Returns the values of another package as a dict by metric (compat.c). */
PyObject *core_result_compat(PyObject *self, PyObject *unused);
/* Returns differences as a dict by metric; None for NULL. */
PyObject *core_comparison(const crd_comparison *comparison);
/* Returns the result of an object, with its tables; NULL with an exception set. */
const crd_result *core_result_get(PyObject *object, const char *what);

/* The fields of crd_report_options and of crd_figure_options. */
extern const core_field core_report_fields[], core_figure_fields[];

/* Something to write in a form. */
typedef crd_status (*core_report_fn)(crd_context *ctx, const void *what, const char *form,
                                     const crd_report_options *options, crd_output *output);
typedef struct {
  core_report_fn write;
  const void *what;
  PyThread_type_lock lock; /* NULL: none */
  const char *form;
  crd_report_options options;
} core_report_job;
/* Writes it in this form, with options from keyword arguments. Returns str. */
PyObject *core_report_as(PyObject *form, PyObject *arguments, core_report_job *job);
/* The same; the name of the form is the only unnamed argument. */
PyObject *core_report(PyObject *unnamed, PyObject *arguments, core_report_fn write,
                      const void *what, PyThread_type_lock lock);

/* A figure of some data: the name is the only unnamed argument. Returns SVG as str. */
typedef struct {
  const char *name;
  crd_figure_data data;
  crd_figure_options options;
} core_figure_job;
PyObject *core_figure(PyObject *unnamed, PyObject *arguments, core_figure_job *job);

#endif
