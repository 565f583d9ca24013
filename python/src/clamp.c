/*
 * clamp.c -- the type Clamp: Neural Clamping of a network that is two Python functions.
 *
 * The functions get NumPy arrays that live as long as the fit, and are called again with others:
 * the library's own buffers would be freed while a function may still hold them. Copying a batch
 * costs far less than any network.
 */
#include "core.h"

#include <string.h>

static PyTypeObject *clamp_type;

static void clamp_free(void *it) { crd_clamp_destroy(it); }
static const crd_clamp *get(PyObject *self) { return ((core_object *)self)->it; }

const crd_clamp *core_clamp_get(PyObject *object, const char *what) {
  return core_object_get(object, clamp_type, what);
}

/* ---- The network. */

typedef enum { INPUT, OUTPUT, OUTPUT_GRADIENT, INPUT_GRADIENT, BUFFERS } buffer_name;

typedef struct {
  core_call *call;
  PyObject *run, *backward;  /* borrowed */
  crd_array input, output;   /* type and shape of a batch */
  PyObject *arrays[BUFFERS]; /* NumPy arrays, float32 */
  float *data[BUFFERS];
} functions;

static size_t count_of(const functions *f, buffer_name name) {
  return crd_array_count(name == INPUT || name == INPUT_GRADIENT ? &f->input : &f->output);
}

/* Calls function(from, to), which fills `to`. After Ctrl-C it is called once more: the library
 * stops after this batch, and keeps the best so far. */
static PyObject *call_function(PyObject *function, PyObject *from, PyObject *to, crd_context *ctx) {
  PyObject *const done = PyObject_CallFunctionObjArgs(function, from, to, NULL);
  if (done || !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) return done;
  PyErr_Clear();
  crd_context_interrupt(ctx);
  return PyObject_CallFunctionObjArgs(function, from, to, NULL);
}

static crd_status compute(functions *f, crd_context *ctx, PyObject *function, buffer_name from,
                          const float *values, buffer_name to, float *out) {
  core_call *const call = f->call;
  core_call_enter_python(call);
  memcpy(f->data[from], values, count_of(f, from) * sizeof *values);
  PyObject *const done = call_function(function, f->arrays[from], f->arrays[to], ctx);
  if (done) memcpy(out, f->data[to], count_of(f, to) * sizeof *out);
  else if (!call->error[0]) PyErr_Fetch(&call->error[0], &call->error[1], &call->error[2]);
  PyErr_Clear();
  Py_XDECREF(done);
  core_call_leave_python(call);
  return done ? CRD_OK : crd_context_fail(ctx, CRD_EINPUT, "a Python function failed");
}

static crd_status run(void *self, crd_context *ctx, const float *input, float *output) {
  functions *const f = self;
  return compute(f, ctx, f->run, INPUT, input, OUTPUT, output);
}

static crd_status backward(void *self, crd_context *ctx, const float *output_gradient,
                           float *input_gradient) {
  functions *const f = self;
  return compute(f, ctx, f->backward, OUTPUT_GRADIENT, output_gradient, INPUT_GRADIENT,
                 input_gradient);
}

static const crd_network_ops network_ops = { .size = sizeof network_ops,
                                             .run = run,
                                             .backward = backward };

/* Sets the shapes of a batch, and makes its arrays. */
static bool make_buffers(functions *f, const crd_array *inputs, size_t batch, size_t classes) {
  f->input = (crd_array){ .dtype = CRD_F32, .rank = inputs->rank };
  memcpy(f->input.dims, inputs->dims, sizeof inputs->dims);
  f->input.dims[0] = (int64_t)batch;
  f->output = crd_array_matrix(NULL, CRD_F32, batch, classes);
  for (size_t i = 0; i < BUFFERS; i++) {
    const crd_array *const like = i == INPUT || i == INPUT_GRADIENT ? &f->input : &f->output;
    void *data = NULL;
    f->arrays[i] = core_numpy_empty(CRD_F32, like->rank, like->dims, &data);
    f->data[i] = data;
    if (!f->arrays[i]) return false;
  }
  return true;
}

/* ---- The fit. */

typedef struct {
  functions functions;
  core_array inputs, labels, weights, groups;
  crd_dataset_arrays data;
  crd_clamp_options options;
  size_t batch, classes;
  crd_clamp *clamp;
} fit_job;

static const core_field fit_fields[] = {
  { "settings", CORE_TEXT, offsetof(fit_job, options.settings), NULL },
  { "recipe", CORE_TEXT, offsetof(fit_job, options.recipe), NULL },
  { "augment", CORE_TEXT, offsetof(fit_job, options.augment), NULL },
  { "select", CORE_TEXT, offsetof(fit_job, options.select), NULL },
  { "name", CORE_TEXT, offsetof(fit_job, options.name), NULL },
  { "batch", CORE_SIZE, offsetof(fit_job, batch), NULL },
  { "classes", CORE_SIZE, offsetof(fit_job, classes), NULL },
  { NULL, CORE_TEXT, 0, NULL },
};

static void release(fit_job *job) {
  core_array_release(&job->inputs);
  core_array_release(&job->labels);
  core_array_release(&job->weights);
  core_array_release(&job->groups);
  for (size_t i = 0; i < BUFFERS; i++) Py_CLEAR(job->functions.arrays[i]);
}

static bool read_column(PyObject *arguments, const char *name, core_array *array, crd_array *out) {
  if (!core_array_read(core_argument(arguments, name), name, array)) return false;
  core_array_column(array);
  *out = array->view;
  return true;
}

static bool read_job(PyObject *arguments, fit_job *job) {
  static const char *const others[] = { "inputs", "labels",       "weights",
                                        "groups", CORE_RUN_NAMES, NULL };
  job->options.size = sizeof job->options;
  job->data.size = sizeof job->data;
  if (!core_fields_set(arguments, "clamp", fit_fields, job, others)) return false;
  if (!core_array_read(core_argument(arguments, "inputs"), "inputs", &job->inputs)) return false;
  const crd_array *const inputs = &job->inputs.view;
  job->data.inputs = *inputs;
  if (!inputs->data || inputs->rank < 2 || crd_array_count(inputs) == 0 || !job->batch ||
      !job->classes)
    return core_raise_usage("inputs: expected at least one row, and an array for each row") != NULL;
  return read_column(arguments, "labels", &job->labels, &job->data.labels) &&
         read_column(arguments, "weights", &job->weights, &job->data.weights) &&
         read_column(arguments, "groups", &job->groups, &job->data.groups) &&
         make_buffers(&job->functions, inputs, job->batch, job->classes);
}

static crd_status fit(crd_context *ctx, fit_job *job) {
  crd_dataset *data = NULL;
  crd_network *network = NULL;
  crd_status status = crd_dataset_create(ctx, &job->data, &data);
  if (status == CRD_OK)
    status = crd_network_create(ctx, &network_ops, &job->functions, &job->functions.input,
                                &job->functions.output, &network);
  if (status == CRD_OK) status = crd_clamp_fit(ctx, network, data, &job->options, &job->clamp);
  crd_network_destroy(network);
  crd_dataset_destroy(data);
  return status;
}

/* fit(run, backward, inputs=, labels=, ...): (clamp, whether Ctrl-C ended it). run(inputs, logits)
 * and backward(gradient, out) fill their second argument. */
static PyObject *clamp_fit(PyObject *unused, PyObject *unnamed, PyObject *arguments) {
  fit_job job = { 0 };
  PyObject *result = NULL;
  core_run how;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &job.functions.run, &job.functions.backward)) return NULL;
  if (!arguments) return core_raise_type("clamp needs inputs and labels");
  job.functions.call = &call;
  if (core_run_read(arguments, &how) && read_job(arguments, &job) &&
      core_call_begin(&call, &how, NULL)) {
    const crd_status status = fit(call.ctx, &job);
    const bool stopped = status == CRD_OK && core_call_pardon(&call);
    if (core_call_end(&call, status)) {
      PyObject *const clamp = core_object_new(clamp_type, job.clamp, clamp_free, &call, NULL);
      if (clamp) result = Py_BuildValue("NN", clamp, PyBool_FromLong(stopped));
    } else {
      crd_clamp_destroy(job.clamp);
      core_call_close(&call);
    }
  }
  release(&job);
  return result;
}

/* ---- What is known of it. */

#define FIELD(type, member, kind)                                                                  \
  { #member, kind, offsetof(type, member), NULL }
#define NUMBER(member) FIELD(crd_clamp_summary, member, CORE_DOUBLE)
static const core_field summary_fields[] = {
  FIELD(crd_clamp_summary, tensor, CORE_TEXT),
  FIELD(crd_clamp_summary, settings, CORE_TEXT),
  FIELD(crd_clamp_summary, select, CORE_TEXT),
  FIELD(crd_clamp_summary, classes, CORE_SIZE),
  FIELD(crd_clamp_summary, rows, CORE_SIZE),
  FIELD(crd_clamp_summary, argmax_changes, CORE_SIZE),
  FIELD(crd_clamp_summary, passes, CORE_UNSIGNED),
  FIELD(crd_clamp_summary, converged, CORE_FLAG),
  FIELD(crd_clamp_summary, interrupted, CORE_FLAG),
  NUMBER(temperature),
  NUMBER(scaling),
  NUMBER(gamma),
  NUMBER(lambda),
  NUMBER(weight),
  NUMBER(objective),
  NUMBER(temperature_objective),
  NUMBER(delta_norm),
  NUMBER(gradient_norm),
  NUMBER(residual),
  NUMBER(predicted_gain),
  NUMBER(measured_gain),
  NUMBER(seconds),
  NUMBER(scaling_seconds),
  { NULL, CORE_TEXT, 0, NULL },
};
#undef NUMBER

#define NUMBER(member) FIELD(crd_clamp_quality, member, CORE_DOUBLE)
static const core_field quality_fields[] = {
  NUMBER(accuracy),
  NUMBER(ece),
  NUMBER(aece),
  NUMBER(sce),
  NUMBER(nll),
  NUMBER(entropy),
  { NULL, CORE_TEXT, 0, NULL },
};
#undef NUMBER

#define NUMBER(member) FIELD(crd_clamp_change, member, CORE_DOUBLE)
static const core_field change_fields[] = {
  NUMBER(value),
  NUMBER(low),
  NUMBER(high),
  { NULL, CORE_TEXT, 0, NULL },
};
#undef NUMBER

#define NUMBER(member) FIELD(crd_clamp_candidate, member, CORE_DOUBLE)
static const core_field candidate_fields[] = {
  NUMBER(lambda), NUMBER(nll), NUMBER(excess), NUMBER(error), { NULL, CORE_TEXT, 0, NULL },
};
#undef NUMBER

#define NUMBER(member) FIELD(crd_clamp_selection, member, CORE_DOUBLE)
static const core_field selection_fields[] = {
  NUMBER(gamma), NUMBER(lambda), NUMBER(ece), NUMBER(temperature_ece), { NULL, CORE_TEXT, 0, NULL },
};
#undef NUMBER
#undef FIELD

static const struct {
  const char *name;
  size_t offset;
  const core_field *fields;
} parts[] = {
  { "before", offsetof(crd_clamp_summary, before), quality_fields },
  { "scaled", offsetof(crd_clamp_summary, scaled), quality_fields },
  { "after", offsetof(crd_clamp_summary, after), quality_fields },
  { "only_delta", offsetof(crd_clamp_summary, only_delta), quality_fields },
  { "only_temperature", offsetof(crd_clamp_summary, only_temperature), quality_fields },
  { "accuracy_change", offsetof(crd_clamp_summary, accuracy_change), change_fields },
  { "ece_change", offsetof(crd_clamp_summary, ece_change), change_fields },
};

static PyObject *delta_array(const crd_clamp_summary *s) {
  crd_array delta = { .data = s->delta, .dtype = CRD_F32, .rank = s->rank };
  memcpy(delta.dims, s->dims, sizeof s->dims);
  return core_numpy_copy(&delta);
}

static bool add_parts(PyObject *dict, const crd_clamp_summary *s) {
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!core_put(dict, parts[i].name,
                  core_fields_dict((const char *)s + parts[i].offset, parts[i].fields)))
      return false;
  return core_put(dict, "candidates",
                  core_list(s->candidate_count, s->candidates, sizeof *s->candidates,
                            candidate_fields)) &&
         core_put(
             dict, "selection",
             core_list(s->selection_count, s->selection, sizeof *s->selection, selection_fields)) &&
         core_put(dict, "delta", delta_array(s));
}

static PyObject *clamp_describe(PyObject *self, PyObject *unused) {
  const crd_clamp_summary *const s = crd_clamp_describe(get(self));
  PyObject *const dict = core_fields_dict(s, summary_fields);
  (void)unused;
  if (dict && add_parts(dict, s)) return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* ---- Files. */

static crd_status save(crd_context *ctx, const void *what, crd_output *output) {
  return crd_clamp_save(ctx, what, output);
}

static PyObject *clamp_save(PyObject *self, PyObject *unused) {
  (void)unused;
  return core_written_bytes(NULL, save, get(self));
}

static PyObject *clamp_load(PyObject *unused, PyObject *unnamed) {
  crd_clamp *clamp = NULL;
  PyObject *state, *object;
  const char *bytes, *name;
  size_t length;
  core_call call;
  (void)unused;
  if (!PyArg_ParseTuple(unnamed, "OO", &state, &object) ||
      !core_bytes_read(state, "the clamp", &bytes, &length) ||
      !core_name_read(object, "name", &name) || !core_call_begin(&call, NULL, NULL))
    return NULL;
  if (core_call_end(&call, crd_clamp_load_memory(call.ctx, name, bytes, length, &clamp)))
    return core_object_new(clamp_type, clamp, clamp_free, &call, NULL);
  core_call_close(&call);
  return NULL;
}

/* into(model, tensor, logits): the Model with the clamp inside. */
static PyObject *clamp_into(PyObject *self, PyObject *unnamed) {
  PyObject *object, *texts[2];
  const char *tensor, *logits;
  crd_model *made = NULL;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "OOO", &object, &texts[0], &texts[1]) ||
      !core_text_read(texts[0], "tensor", &tensor) || !core_text_read(texts[1], "logits", &logits))
    return NULL;
  const crd_model *const model = core_model_get(object, "model");
  if (!model || !core_call_begin(&call, NULL, NULL)) return NULL;
  const crd_status status = crd_clamp_into(call.ctx, get(self), model, tensor, logits, &made);
  return core_model_new(&call, status, made);
}

static void clamp_dealloc(PyObject *self) { core_object_free(self, clamp_free); }

static PyMethodDef methods[] = {
  { "fit", (PyCFunction)(void (*)(void))clamp_fit, METH_VARARGS | METH_KEYWORDS | METH_STATIC,
    "Fit: fit(run, backward, inputs=, labels=, batch=, classes=, ...): (clamp, stopped)." },
  { "describe", clamp_describe, METH_NOARGS, "Return everything about it as a dict." },
  { "save", clamp_save, METH_NOARGS, "Return the bytes of a clamp file." },
  { "load", clamp_load, METH_VARARGS | METH_STATIC, "Read such bytes: load(bytes, name)." },
  { "into", clamp_into, METH_VARARGS, "Return a Model with it inside: (model, tensor, logits)." },
  { NULL, NULL, 0, NULL },
};

bool core_clamp_add(PyObject *module) {
  static const core_type type = { "credence._core.Clamp",
                                  "A perturbation of the inputs and a temperature.", NULL,
                                  clamp_dealloc, methods };
  return core_type_make(module, &type, &clamp_type);
}
