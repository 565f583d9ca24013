/*
 * clamp_tensor.c -- `credence clamp --tensor`: the model is cut at the tensor that delta is added
 * to (clamping.h). The part in front of it is run, the part behind it is run and differentiated.
 */
#include "clamping.h"

#include "net_page.h"

#include <string.h>

static const crd_model *classifier_of(const cli_clamping *c) {
  return c->classifier ? c->classifier : c->model;
}

/* ---- Parts of the model. */

/* Fails unless the tensor has rows of the same shape for every batch. */
static crd_status check_tensor(cli_session *session, const cli_clamping *c) {
  const crd_port *const port = crd_model_input(c->after, 0), *const input =
                                                                 crd_model_input(c->model, 0);
  char text[CLI_SHAPE_TEXT];
  bool fixed = port->known && port->rank > 1;
  for (size_t i = 1; fixed && i < port->rank; i++) fixed = port->dims[i] > 0;
  const bool rows = fixed && (!input->known || port->dims[0] == input->dims[0]);
  if (rows && port->dtype == CRD_F32) return CRD_OK;
  if (rows)
    snprintf(session->message, sizeof session->message,
             "%.300s: '%.60s' is %s; a perturbation needs f32", c->args->model, port->name,
             crd_dtype_name(port->dtype));
  else
    snprintf(
        session->message, sizeof session->message,
        "%.300s: '%.60s' has the shape %s; a perturbation needs one row per sample, of a fixed "
        "shape",
        c->args->model, port->name,
        port->known ? cli_net_shape(text, port->rank, port->dims, port->dim_names) : "unknown");
  return CRD_EINPUT;
}

crd_status cli_clamp_cut(cli_session *session, cli_clamping *c) {
  const crd_model *const model = classifier_of(c);
  const char *const tensor = c->args->tensor;
  crd_status status = crd_model_cut(session->ctx, model, tensor, CRD_PART_BEFORE, &c->before);
  if (status == CRD_OK)
    status = crd_model_cut(session->ctx, model, tensor, CRD_PART_AFTER, &c->after);
  return status == CRD_OK ? check_tensor(session, c) : status;
}

/* ---- Data. */

crd_status cli_clamp_read_texts(cli_session *session, cli_clamping *c) {
  if (crd_dataset_describe(c->data)->type != CRD_SAMPLES_TEXTS) return CRD_OK;
  if (!c->own || !c->own->length) {
    snprintf(session->message, sizeof session->message,
             "%.300s: the samples are texts, and %.200s has no vocabulary", c->args->data,
             c->args->model);
    return CRD_EINPUT;
  }
  crd_encoding words = *c->own;
  words.class_count = 0; /* labels: when the network's classes are known */
  return crd_dataset_encode(session->ctx, c->data, &words);
}

/* ---- Networks. */

crd_status cli_clamp_compile(cli_session *session, cli_clamping *c, size_t batch) {
  const crd_dataset_shape *const data = crd_dataset_describe(c->data);
  const crd_dtype dtype = c->before ? crd_model_input(c->model, 0)->dtype : data->dtype;
  crd_array input = { .dtype = dtype, .rank = data->rank + 1, .dims = { (int64_t)batch } };
  crd_compile_options how = { .size = sizeof how,
                              .batch = batch,
                              .inputs = &input,
                              .input_count = 1,
                              .winograd = c->args->feeding.winograd };
  memcpy(input.dims + 1, data->dims, data->rank * sizeof *data->dims);
  if (c->before) {
    const crd_status status = crd_network_compile(session->ctx, c->before, &how, &c->encoder);
    if (status != CRD_OK) return status;
    input = *crd_network_output(c->encoder, 0);
    input.data = NULL;
  }
  how.mode = CRD_MODE_INPUT_GRADIENT;
  how.shared_gradient = !strstr(c->args->settings.text, "project=yes");
  return crd_network_compile(session->ctx, c->after ? c->after : classifier_of(c), &how,
                             &c->network);
}
