/* survey.c -- surveys of models, and checks of gradients, as dicts. */
#include "network.h"

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
PyObject *core_network_check(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  static const char *const others[] = { CORE_RUN_NAMES, NULL };
  crd_check_options options = { .size = sizeof options };
  core_arrays inputs = { .count = 0 };
  PyObject *objects, *result = NULL;
  const crd_check *check = NULL;
  core_run run;
  core_call call;
  if (!PyArg_ParseTuple(unnamed, "O", &objects) || !core_run_read(arguments, &run)) return NULL;
  if (!core_fields_set(arguments, "check", check_fields, &options, others)) return NULL;
  if (!has_any(core_network_get(self, "self"), options.subject)) Py_RETURN_NONE;
  if (objects != Py_None) {
    if (!core_arrays_read(objects, "inputs", &inputs)) {
      core_arrays_release(&inputs);
      return NULL;
    }
    options.inputs = inputs.views;
    options.input_count = inputs.count;
  }
  if (core_object_runs(self) && core_call_begin(&call, &run, &((core_object *)self)->lock)) {
    const crd_status status =
        crd_network_check(call.ctx, core_network_get(self, "self"), &options, &check);
    if (core_call_end(&call, status)) result = check_dict(check);
    crd_check_destroy(check);
    core_call_close(&call);
  }
  core_arrays_release(&inputs);
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
      core_put(
          dict, "causes",
          core_list(survey->cause_count, survey->causes, sizeof *survey->causes, cause_fields)))
    return dict;
  Py_XDECREF(dict);
  return NULL;
}

PyObject *core_model_survey(PyObject *self, PyObject *unnamed, PyObject *arguments) {
  core_compilation c;
  const crd_survey *survey = NULL;
  PyObject *result = NULL;
  core_run run;
  core_call call;
  (void)unnamed;
  if (!core_compilation_read(self, arguments, &run, &c) || !core_call_begin(&call, &run, NULL))
    return NULL;
  const crd_status status =
      crd_survey_make(call.ctx, core_model_get(self, "self"), &c.options, &survey);
  if (core_call_end(&call, status)) result = survey_dict(survey);
  crd_survey_destroy(survey);
  core_call_close(&call);
  return result;
}
