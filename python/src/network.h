/* network.h -- models and networks in Python: how they are compiled, and the methods of Model and
 * Network that other files define. */
#ifndef CRD_PYTHON_NETWORK_H
#define CRD_PYTHON_NETWORK_H

#include "core.h"

enum { CORE_PORTS_MAX = 64 };

/* What a model is compiled for. */
typedef struct {
  crd_compile_options options;
  crd_array inputs[CORE_PORTS_MAX];
} core_compilation;

/* Reads the keyword arguments of a method of Model. Returns false with an exception set. */
bool core_compilation_read(PyObject *self, PyObject *arguments, core_run *run, core_compilation *c);

/* Arrays of Python for one call. */
typedef struct {
  core_array held[CORE_PORTS_MAX];
  crd_array views[CORE_PORTS_MAX];
  size_t count;
} core_arrays;

/* Reads a list of arrays; release also after a failure. Returns false with an exception set. */
bool core_arrays_read(PyObject *objects, const char *what, core_arrays *out);
void core_arrays_release(core_arrays *list);

/* How rows are fed to a network: members of crd_feed_options that are keyword arguments. */
typedef struct {
  crd_feed_options options;
  core_array scale[2];
} core_feed;
#define CORE_FEED_NAMES                                                                            \
  "batch", "winograd", "scale", "channels_last", "output", "features", "mean", "std"

/* Reads them; release also after a failure. Returns false with an exception set. */
bool core_feed_read(PyObject *arguments, core_feed *out);
void core_feed_release(core_feed *feed);

PyObject *core_model_compile(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_model_survey(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_model_predict(PyObject *self, PyObject *unnamed, PyObject *arguments);
PyObject *core_network_check(PyObject *self, PyObject *unnamed, PyObject *arguments);

#endif
