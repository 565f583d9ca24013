/* network.c -- the type Network: a model compiled for fixed shapes. */
#include "network.h"

#include <string.h>

static PyTypeObject *network_type;

static void network_free(void *it) { crd_network_destroy(it); }
static crd_network *get(PyObject *self) { return ((core_object *)self)->it; }

crd_network *core_network_get(PyObject *object, const char *what) {
  return core_object_get(object, network_type, what);
}

/* ---- Compiling. */

static const core_field compile_fields[] = {
  { "batch", CORE_SIZE, offsetof(core_compilation, options.batch), NULL },
  { "winograd", CORE_FLAG, offsetof(core_compilation, options.winograd), NULL },
  { "mode", CORE_WORD, offsetof(core_compilation, options.mode),
    "inference input-gradient training" },
  { "shared_gradient", CORE_FLAG, offsetof(core_compilation, options.shared_gradient), NULL },
  { "parameters_only", CORE_FLAG, offsetof(core_compilation, options.parameters_only), NULL },
  { "wide_outputs", CORE_FLAG, offsetof(core_compilation, options.wide_outputs), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* In modes with gradients, inputs of 16 bits are given as float32; NumPy has no bfloat16 at all. */
static crd_dtype dtype_of(const crd_port *port, crd_mode mode) {
  const bool narrow = port->dtype == CRD_F16 && mode != CRD_MODE_INFERENCE;
  return narrow || port->dtype == CRD_BF16 ? CRD_F32 : port->dtype;
}

/* Reads [(2, 3), None, ...]: shapes of the inputs. */
static bool read_shapes(PyObject *list, const crd_model *model, core_compilation *c) {
  if (!list || list == Py_None) return true;
  if (!PyList_Check(list) || PyList_Size(list) > CORE_PORTS_MAX)
    return core_raise_type("shapes is %R, expected a list of at most %d tuples", list,
                           CORE_PORTS_MAX) != NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
    const crd_port *const port = crd_model_input(model, (size_t)i);
    PyObject *const shape = PyList_GetItem(list, i);
    if (!port)
      return core_raise_usage("%zd shapes, but the model has %zd inputs", PyList_Size(list), i) !=
             NULL;
    if (shape == Py_None) continue;
    c->inputs[i].dtype = dtype_of(port, c->options.mode);
    if (!core_dims_read(shape, "a shape", &c->inputs[i].rank, c->inputs[i].dims)) return false;
  }
  c->options.inputs = c->inputs;
  c->options.input_count = (size_t)PyList_Size(list);
  return true;
}

bool core_compilation_read(PyObject *self, PyObject *arguments, core_run *run,
                           core_compilation *c) {
  static const char *const others[] = { "shapes", CORE_RUN_NAMES, NULL };
  const crd_model *const model = core_model_get(self, "self");
  memset(c, 0, sizeof *c);
  c->options.size = sizeof c->options;
  return core_run_read(arguments, run) &&
         core_fields_set(arguments, "compile", compile_fields, c, others) &&
         read_shapes(core_argument(arguments, "shapes"), model, c);
}

PyObject *core_model_compile(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  core_compilation c;
  crd_network *network = NULL;
  core_run run;
  core_call call;
  (void)unnamed;
  if (!core_compilation_read(self, arguments, &run, &c) || !core_call_begin(&call, &run, NULL))
    return NULL;
  const crd_status status =
      crd_network_compile(call.ctx, core_model_get(self, "self"), &c.options, &network);
  if (core_call_end(&call, status)) {
    Py_INCREF(self);
    return core_object_new(network_type, network, network_free, &call, self);
  }
  core_call_close(&call);
  return NULL;
}

/* ---- Running. */

void core_arrays_release(core_arrays *list) {
  for (size_t i = 0; i < list->count; i++) core_array_release(&list->held[i]);
}

bool core_arrays_read(PyObject *objects, const char *what, core_arrays *out) {
  out->count = 0;
  if (!PyList_Check(objects) || PyList_Size(objects) > CORE_PORTS_MAX)
    return core_raise_type("%s is %R, expected a list of at most %d arrays", what, objects,
                           CORE_PORTS_MAX) != NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(objects); i++) {
    if (!core_array_read(PyList_GetItem(objects, i), what, &out->held[i])) return false;
    out->views[i] = out->held[i].view;
    out->count++;
  }
  return true;
}

/* Arrays to write to: rows at the beginning of a tensor; those of padding are left out. */
typedef struct {
  Py_buffer buffers[CORE_PORTS_MAX];
  bool wanted[CORE_PORTS_MAX];
  size_t count;
} target_list;

static void release_targets(target_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->wanted[i]) PyBuffer_Release(&list->buffers[i]);
}

static bool read_targets(PyObject *objects, target_list *out) {
  out->count = 0;
  if (objects == Py_None) return true;
  if (!PyList_Check(objects) || PyList_Size(objects) > CORE_PORTS_MAX)
    return core_raise_type("expected a list of at most %d arrays, found %R", CORE_PORTS_MAX,
                           objects) != NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(objects); i++) {
    PyObject *const target = PyList_GetItem(objects, i);
    out->wanted[i] = target != Py_None;
    if (out->wanted[i] && PyObject_GetBuffer(target, &out->buffers[i], PyBUF_CONTIG) != 0)
      return false;
    out->count++;
  }
  return true;
}

typedef const crd_array *(*tensor_fn)(const crd_network *network, size_t index);

static void copy_to(const target_list *targets, tensor_fn tensor, const crd_network *network) {
  for (size_t i = 0; i < targets->count; i++) {
    const crd_array *const from = tensor(network, i);
    if (!targets->wanted[i] || !from) continue;
    const size_t bytes = crd_array_count(from) * crd_dtype_size(from->dtype);
    const size_t room = (size_t)targets->buffers[i].len;
    memcpy(targets->buffers[i].buf, from->data, bytes < room ? bytes : room);
  }
}

typedef struct {
  core_arrays inputs, gradient;
  target_list outputs, input_gradients;
} pass;

static crd_status run_pass(crd_context *ctx, crd_network *network, const pass *p) {
  crd_status status = CRD_OK;
  if (p->inputs.count) {
    status = crd_network_run(ctx, network, p->inputs.views, p->inputs.count);
    if (status == CRD_OK) copy_to(&p->outputs, crd_network_output, network);
  }
  if (status == CRD_OK && p->gradient.count) {
    status = crd_network_backward(ctx, network, p->gradient.views);
    if (status == CRD_OK) copy_to(&p->input_gradients, crd_network_input_gradient, network);
  }
  return status;
}

/* run(inputs, outputs, gradient, input_gradients): a forward pass, if there are inputs, then a
 * backward pass, if there is a gradient: lists of arrays; in those that are written, None is left
 * out. Nobody else runs the network in between. */
static PyObject *network_run(PyObject *self, PyObject *unnamed) {
  PyObject *inputs, *outputs, *gradient, *input_gradients;
  bool done = false;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "OOOO", &inputs, &outputs, &gradient, &input_gradients))
    return NULL;
  pass *const p = PyMem_Calloc(1, sizeof *p);
  if (!p) return core_raise(CRD_ENOMEM, "no memory for inputs");
  if (core_arrays_read(inputs, "inputs", &p->inputs) &&
      core_arrays_read(gradient, "output_gradient", &p->gradient) &&
      read_targets(outputs, &p->outputs) && read_targets(input_gradients, &p->input_gradients) &&
      core_object_runs(self) && core_call_begin(&call, NULL, ((core_object *)self)->lock)) {
    done = core_call_end(&call, run_pass(call.ctx, get(self), p));
    core_call_close(&call);
  }
  core_arrays_release(&p->inputs);
  core_arrays_release(&p->gradient);
  release_targets(&p->outputs);
  release_targets(&p->input_gradients);
  PyMem_Free(p);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

/* ---- What is known of it. */

static PyObject *tensor_list(tensor_fn tensor, const crd_network *network) {
  PyObject *const list = PyList_New(0);
  const crd_array *at;
  for (size_t i = 0; list && (at = tensor(network, i)); i++) {
    PyObject *const dims = core_dims(at->rank, at->dims);
    PyObject *const item = dims ? Py_BuildValue("(sN)", crd_dtype_name(at->dtype), dims) : NULL;
    if (!core_append(list, item)) {
      Py_DECREF(list);
      return NULL;
    }
  }
  return list;
}

/* Returns ([(dtype, shape), ...] of the inputs, the same of the outputs). */
static PyObject *network_shapes(PyObject *self, PyObject *unused) {
  (void)unused;
  PyObject *const inputs = tensor_list(crd_network_input, get(self));
  PyObject *const outputs = inputs ? tensor_list(crd_network_output, get(self)) : NULL;
  if (outputs) return Py_BuildValue("(NN)", inputs, outputs);
  Py_XDECREF(inputs);
  return NULL;
}

/* Returns [(name, values, gradient or None), ...]: arrays over the network's own memory. */
static PyObject *network_parameters(PyObject *self, PyObject *unused) {
  PyObject *const list = PyList_New(0);
  const crd_parameter *p;
  (void)unused;
  for (size_t i = 0; list && (p = crd_network_parameter(get(self), i)); i++) {
    crd_array gradient = p->shape;
    gradient.data = p->gradient;
    PyObject *const values = core_numpy_view(self, &p->shape, true);
    PyObject *const change = p->gradient ? core_numpy_view(self, &gradient, true) : core_text(NULL);
    PyObject *const item =
        values && change ? Py_BuildValue("(sOO)", p->name, values, change) : NULL;
    Py_XDECREF(values);
    Py_XDECREF(change);
    if (!core_append(list, item)) {
      Py_DECREF(list);
      return NULL;
    }
  }
  return list;
}

static PyObject *network_clear(PyObject *self, PyObject *unused) {
  core_call call;
  (void)unused;
  if (!core_call_begin(&call, NULL, ((core_object *)self)->lock)) return NULL;
  crd_network_clear_gradients(get(self));
  const bool done = core_call_end(&call, CRD_OK);
  core_call_close(&call);
  if (!done) return NULL;
  Py_RETURN_NONE;
}

static void network_dealloc(PyObject *self) { core_object_free(self, network_free); }

static PyMethodDef methods[] = {
  { "run", network_run, METH_VARARGS, "Run: (inputs, outputs, gradient, input_gradients)." },
  { "shapes", network_shapes, METH_NOARGS, "Return types and shapes of inputs and outputs." },
  { "parameters", network_parameters, METH_NOARGS, "Return (name, values, gradient) of each." },
  { "clear_gradients", network_clear, METH_NOARGS, "Set gradients of parameters to 0." },
  { "check", (PyCFunction)(void (*)(void))core_network_check, METH_VARARGS | METH_KEYWORDS,
    "Compare gradients with finite differences." },
  { NULL, NULL, 0, NULL },
};

bool core_network_add(PyObject *module) {
  static const core_type type = { "credence._core.Network", "A model compiled for fixed shapes.",
                                  NULL, network_dealloc, methods };
  return core_type_make(module, &type, &network_type);
}
