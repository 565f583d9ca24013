/* page.h -- functions of the module about several results. */
#ifndef CRD_PYTHON_PAGE_H
#define CRD_PYTHON_PAGE_H

#include "core.h"

/* page(parts, title=None): HTML of (result, contest, series, diagnosis) and of paths. */
PyObject *core_page_of(PyObject *self, PyObject *unnamed, PyObject *arguments);
/* table(models, form, ...): text of (name, result, p). */
PyObject *core_table_of(PyObject *self, PyObject *unnamed, PyObject *arguments);
/* rank(models): (p, paired) of (predictions, evidence, result). */
PyObject *core_rank(PyObject *self, PyObject *list);

#endif
