/* network.c -- the type Network: a model compiled for fixed shapes; surveys and gradient checks. */
#include "network.h"

#include <string.h>

static PyTypeObject *network_type;

enum { PORTS_MAX = 64 };

static void network_free(void *it) { crd_network_destroy(it); }
static crd_network *get(PyObject *self) { return ((core_object *)self)->it; }

crd_network *core_network_get(PyObject *object, const char *what) {
  return core_object_get(object, network_type, what);
}

/* ---- Compiling. */

typedef struct {
  crd_compile_options options;
  crd_array inputs[PORTS_MAX];
} compilation;

static const core_field compile_fields[] = {
  { "batch", CORE_SIZE, offsetof(compilation, options.batch), NULL },
  { "winograd", CORE_FLAG, offsetof(compilation, options.winograd), NULL },
  { "mode", CORE_WORD, offsetof(compilation, options.mode), "inference input-gradient training" },
  { "shared_gradient", CORE_FLAG, offsetof(compilation, options.shared_gradient), NULL },
  { "parameters_only", CORE_FLAG, offsetof(compilation, options.parameters_only), NULL },
  { "wide_outputs", CORE_FLAG, offsetof(compilation, options.wide_outputs), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

/* In modes with gradients, inputs of 16 bits are given as float32; NumPy has no bfloat16 at all. */
static crd_dtype dtype_of(const crd_port *port, crd_mode mode) {
  const bool narrow = port->dtype == CRD_F16 && mode != CRD_MODE_INFERENCE;
  return narrow || port->dtype == CRD_BF16 ? CRD_F32 : port->dtype;
}

/* Reads [(2, 3), None, ...]: shapes of the inputs. */
static bool read_shapes(PyObject *list, const crd_model *model, compilation *c) {
  if (!list || list == Py_None) return true;
  if (!PyList_Check(list) || PyList_Size(list) > PORTS_MAX)
    return core_raise_type("shapes is %R, expected a list of at most %d tuples", list, PORTS_MAX) != NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
    const crd_port *const port = crd_model_input(model, (size_t)i);
    PyObject *const shape = PyList_GetItem(list, i);
    if (!port) return core_raise_usage("%zd shapes, but the model has %zd inputs", PyList_Size(list), i) != NULL;
    if (shape == Py_None) continue;
    c->inputs[i].dtype = dtype_of(port, c->options.mode);
    if (!core_dims_read(shape, "a shape", &c->inputs[i].rank, c->inputs[i].dims)) return false;
  }
  c->options.inputs = c->inputs;
  c->options.input_count = (size_t)PyList_Size(list);
  return true;
}

static bool read_compilation(PyObject *self, PyObject *arguments, core_run *run, compilation *c) {
  static const char *const others[] = { "shapes", CORE_RUN_NAMES, NULL };
  const crd_model *const model = core_model_get(self, "self");
  memset(c, 0, sizeof *c);
  c->options.size = sizeof c->options;
  return core_run_read(arguments, run) &&
         core_fields_set(arguments, "compile", compile_fields, c, others) &&
         read_shapes(arguments ? PyDict_GetItemString(arguments, "shapes") : NULL, model, c);
}

PyObject *core_model_compile(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  compilation c;
  crd_network *network = NULL;
  core_run run;
  core_call call;
  (void)unnamed;
  if (!read_compilation(self, arguments, &run, &c) || !core_call_begin(&call, &run, NULL)) return NULL;
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

/* Arrays of Python for one call. */
typedef struct {
  core_array held[PORTS_MAX];
  crd_array views[PORTS_MAX];
  size_t count;
} array_list;

static void release_arrays(array_list *list) {
  for (size_t i = 0; i < list->count; i++) core_array_release(&list->held[i]);
}

static bool read_arrays(PyObject *objects, const char *what, array_list *out) {
  out->count = 0;
  if (!PyList_Check(objects) || PyList_Size(objects) > PORTS_MAX)
    return core_raise_type("%s is %R, expected a list of at most %d arrays", what, objects, PORTS_MAX) !=
           NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(objects); i++) {
    if (!core_array_read(PyList_GetItem(objects, i), what, &out->held[i])) return false;
    out->views[i] = out->held[i].view;
    out->count++;
  }
  return true;
}

/* Arrays to write to: rows at the beginning of a tensor; those of padding are left out. */
typedef struct {
  Py_buffer buffers[PORTS_MAX];
  bool wanted[PORTS_MAX];
  size_t count;
} target_list;

static void release_targets(target_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->wanted[i]) PyBuffer_Release(&list->buffers[i]);
}

static bool read_targets(PyObject *objects, target_list *out) {
  out->count = 0;
  if (objects == Py_None) return true;
  if (!PyList_Check(objects) || PyList_Size(objects) > PORTS_MAX)
    return core_raise_type("expected a list of at most %d arrays, found %R", PORTS_MAX, objects) != NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(objects); i++) {
    PyObject *const target = PyList_GetItem(objects, i);
    out->wanted[i] = target != Py_None;
    if (out->wanted[i] && PyObject_GetBuffer(target, &out->buffers[i], PyBUF_CONTIG) != 0) return false;
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
  array_list inputs, gradient;
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
  if (!PyArg_ParseTuple(unnamed, "OOOO", &inputs, &outputs, &gradient, &input_gradients)) return NULL;
  pass *const p = PyMem_Calloc(1, sizeof *p);
  if (!p) return core_raise(CRD_ENOMEM, "no memory for inputs");
  if (read_arrays(inputs, "inputs", &p->inputs) && read_arrays(gradient, "output_gradient", &p->gradient) &&
      read_targets(outputs, &p->outputs) && read_targets(input_gradients, &p->input_gradients) &&
      core_call_begin(&call, NULL, ((core_object *)self)->lock)) {
    done = core_call_end(&call, run_pass(call.ctx, get(self), p));
    core_call_close(&call);
  }
  release_arrays(&p->inputs);
  release_arrays(&p->gradient);
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
    PyObject *const item = values && change ? Py_BuildValue("(sOO)", p->name, values, change) : NULL;
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

/* ---- Gradient checks. */

static const core_field check_fields[] = {
  { "subject", CORE_WORD, offsetof(crd_check_options, subject), "inputs parameters" },
  { "directions", CORE_SIZE, offsetof(crd_check_options, directions), NULL },
  { "tolerance", CORE_DOUBLE, offsetof(crd_check_options, tolerance), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field verdict_fields[] = {
  { "verdict", CORE_WORD, offsetof(crd_check, verdict), "right wrong undecided" },
  { "error", CORE_DOUBLE, offsetof(crd_check, error), NULL },
  { "limit", CORE_DOUBLE, offsetof(crd_check, limit), NULL },
  { "crossed", CORE_SIZE, offsetof(crd_check, crossed), NULL },
  { "unsure", CORE_SIZE, offsetof(crd_check, unsure), NULL },
  { "failed", CORE_SIZE, offsetof(crd_check, failed), NULL },
  { "worst", CORE_SIZE, offsetof(crd_check, worst), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field direction_fields[] = {
  { "backward", CORE_DOUBLE, offsetof(crd_check_direction, backward), NULL },
  { "difference", CORE_DOUBLE, offsetof(crd_check_direction, difference), NULL },
  { "error", CORE_DOUBLE, offsetof(crd_check_direction, error), NULL },
  { "doubt", CORE_DOUBLE, offsetof(crd_check_direction, doubt), NULL },
  { "step", CORE_DOUBLE, offsetof(crd_check_direction, step), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *check_dict(const crd_check *check) {
  PyObject *const dict = core_fields_dict(check, verdict_fields);
  if (dict && core_put(dict, "directions",
                       core_list(check->count, check->directions, sizeof *check->directions,
                                 direction_fields)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* Integer inputs have no gradient, nor has a network without parameters one of these. */
static bool has_any(const crd_network *network, crd_check_subject subject) {
  const crd_array *input;
  const crd_parameter *parameter;
  for (size_t i = 0; subject == CRD_CHECK_INPUTS && (input = crd_network_input(network, i)); i++)
    if (input->dtype == CRD_F32) return true;
  for (size_t i = 0;
       subject == CRD_CHECK_PARAMETERS && (parameter = crd_network_parameter(network, i)); i++)
    if (parameter->gradient) return true;
  return false;
}

/* check(inputs, subject=, directions=, tolerance=): a dict, or None if there is no gradient. */
static PyObject *network_check(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const char *const others[] = { CORE_RUN_NAMES, NULL };
  crd_check_options options = { .size = sizeof options };
  array_list inputs = { .count = 0 };
  PyObject *objects, *result = NULL;
  const crd_check *check = NULL;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &objects) || !core_run_read(arguments, &run)) return NULL;
  if (!core_fields_set(arguments, "check", check_fields, &options, others)) return NULL;
  if (!has_any(get(self), options.subject)) Py_RETURN_NONE;
  if (objects != Py_None) {
    if (!read_arrays(objects, "inputs", &inputs)) {
      release_arrays(&inputs);
      return NULL;
    }
    options.inputs = inputs.views;
    options.input_count = inputs.count;
  }
  if (core_call_begin(&call, &run, ((core_object *)self)->lock)) {
    const crd_status status = crd_network_check(call.ctx, get(self), &options, &check);
    if (core_call_end(&call, status)) result = check_dict(check);
    crd_check_destroy(check);
    core_call_close(&call);
  }
  release_arrays(&inputs);
  return result;
}

/* ---- Surveys. */

static const core_field survey_fields[] = {
  { "ir", CORE_UINT64, offsetof(crd_survey, ir), NULL },
  { "opset", CORE_UINT64, offsetof(crd_survey, opset), NULL },
  { "producer", CORE_TEXT, offsetof(crd_survey, producer), NULL },
  { "batch", CORE_SIZE, offsetof(crd_survey, batch), NULL },
  { "problem_count", CORE_SIZE, offsetof(crd_survey, problem_count), NULL },
  { "behind_count", CORE_SIZE, offsetof(crd_survey, behind_count), NULL },
  { "parameters", CORE_UINT64, offsetof(crd_survey, parameters), NULL },
  { "flops", CORE_UINT64, offsetof(crd_survey, flops), NULL },
  { "weight_bytes", CORE_UINT64, offsetof(crd_survey, weight_bytes), NULL },
  { "memory_bytes", CORE_UINT64, offsetof(crd_survey, memory_bytes), NULL },
  { "problem", CORE_TEXT, offsetof(crd_survey, problem), NULL },
  { "convolutions", CORE_SIZE, offsetof(crd_survey, convolutions), NULL },
  { "batch_norms", CORE_SIZE, offsetof(crd_survey, batch_norms), NULL },
  { "note", CORE_TEXT, offsetof(crd_survey, note), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field node_fields[] = {
  { "name", CORE_TEXT, offsetof(crd_node_info, name), NULL },
  { "operation", CORE_TEXT, offsetof(crd_node_info, operation), NULL },
  { "parameters", CORE_UINT64, offsetof(crd_node_info, parameters), NULL },
  { "flops", CORE_UINT64, offsetof(crd_node_info, flops), NULL },
  { "problem", CORE_TEXT, offsetof(crd_node_info, problem), NULL },
  { "behind", CORE_FLAG, offsetof(crd_node_info, behind), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static const core_field cause_fields[] = {
  { "problem", CORE_TEXT, offsetof(crd_survey_cause, problem), NULL },
  { "node_count", CORE_SIZE, offsetof(crd_survey_cause, node_count), NULL },
  { "first", CORE_SIZE, offsetof(crd_survey_cause, first), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static PyObject *node_dict(const crd_node_info *node) {
  PyObject *const dict = core_fields_dict(node, node_fields);
  if (dict &&
      core_put(dict, "shape", node->known ? core_dims(node->rank, node->dims) : core_text(NULL)) &&
      core_put(dict, "dtype", core_text(node->known ? crd_dtype_name(node->dtype) : NULL)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

static PyObject *node_list(const crd_survey *survey) {
  PyObject *const list = PyList_New(0);
  for (size_t i = 0; list && i < survey->node_count; i++)
    if (!core_append(list, node_dict(&survey->nodes[i]))) {
      Py_DECREF(list);
      return NULL;
    }
  return list;
}

static PyObject *survey_dict(const crd_survey *survey) {
  PyObject *const dict = core_fields_dict(survey, survey_fields);
  if (dict && core_put(dict, "nodes", node_list(survey)) &&
      core_put(dict, "causes",
               core_list(survey->cause_count, survey->causes, sizeof *survey->causes, cause_fields)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

PyObject *core_model_survey(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  compilation c;
  const crd_survey *survey = NULL;
  PyObject *result = NULL;
  core_run run;
  core_call call;
  (void)unnamed;
  if (!read_compilation(self, arguments, &run, &c) || !core_call_begin(&call, &run, NULL)) return NULL;
  const crd_status status =
      crd_survey_make(call.ctx, core_model_get(self, "self"), &c.options, &survey);
  if (core_call_end(&call, status)) result = survey_dict(survey);
  crd_survey_destroy(survey);
  core_call_close(&call);
  return result;
}

static void network_dealloc(PyObject *self) { core_object_free(self, network_free); }

static PyMethodDef methods[] = {
  { "run", network_run, METH_VARARGS, "Run: (inputs, outputs, gradient, input_gradients)." },
  { "shapes", network_shapes, METH_NOARGS, "Return types and shapes of inputs and outputs." },
  { "parameters", network_parameters, METH_NOARGS, "Return (name, values, gradient) of each." },
  { "clear_gradients", network_clear, METH_NOARGS, "Set gradients of parameters to 0." },
  { "check", (PyCFunction)(void (*)(void))network_check, METH_VARARGS | METH_KEYWORDS,
    "Compare gradients with finite differences." },
  { NULL, NULL, 0, NULL },
};

bool core_network_add(PyObject *module) {
  static PyType_Slot slots[] = {
    { Py_tp_doc, "A model compiled for fixed shapes." },
    { Py_tp_dealloc, (void *)network_dealloc },
    { Py_tp_methods, methods },
    { 0, NULL },
  };
  static PyType_Spec spec = {
    "credence._core.Network", sizeof(core_object), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots
  };
  network_type = core_type_add(module, &spec);
  return network_type != NULL;
}
