/* network.h -- models and networks in Python: the methods of Model that network.c defines. */
#ifndef CRD_PYTHON_NETWORK_H
#define CRD_PYTHON_NETWORK_H

#include "core.h"

PyObject *core_model_compile(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_model_survey(PyObject *self, PyObject *unnamed, PyObject *arguments);

#endif
