/*
 * shape.c -- infers the shape of a value inside a model.
 *
 * Free dimensions of the inputs are set to two sizes, one after the other: dimensions of the value
 * that differ between the two depend on them, and are free as well.
 */
#include "network/shape.h"

#include "base/memory.h"
#include "graph/graph.h"
#include "onnx/part.h"

#include <string.h>

/* Sizes of the free dimensions: rows, and others such as height and width. */
typedef struct {
  int64_t rows, other;
} sizes;

static const sizes guesses[][2] = { { { 2, 224 }, { 3, 256 } }, { { 2, 32 }, { 3, 64 } } };
enum { GUESSES = sizeof guesses / sizeof *guesses };

static bool is_open(const crd_model *model) {
  const crd_port *port;
  for (size_t i = 0; (port = crd_model_input(model, i)); i++)
    for (size_t d = 1; port->known && d < port->rank; d++)
      if (port->dims[d] < 0) return true;
  return false;
}

static void fill(const crd_model *model, sizes guess, crd_array *inputs) {
  const crd_port *port;
  for (size_t i = 0; (port = crd_model_input(model, i)); i++) {
    inputs[i] = (crd_array){ .dtype = port->dtype, .rank = port->known ? port->rank : 0 };
    for (size_t d = 0; d < inputs[i].rank; d++)
      inputs[i].dims[d] = port->dims[d] >= 0 ? port->dims[d] : d ? guess.other : guess.rows;
  }
}

/* Infers nodes up to the one that computes the value. */
static crd_status infer_nodes(crd_context *ctx, crd__graph *net, int edge, crd_port *out) {
  const int last = net->file->edges[edge].producer;
  for (int n = 0; n <= last; n++) {
    CRD_TRY(crd__check_interrupt(ctx));
    CRD_TRY(crd__graph_infer(ctx, net, &net->nodes[n]));
  }
  const crd__engine_tensor *const t = &net->engine.tensors[edge];
  *out = (crd_port){ .name = net->file->edges[edge].name,
                     .dtype = crd__engine_tensor_type(t),
                     .known = t->known };
  out->rank = t->rank;
  memcpy(out->dims, t->dims, sizeof out->dims);
  return CRD_OK;
}

static crd_status infer(crd_context *ctx, const crd_model *model, int edge, sizes guess,
                        crd_array *inputs, crd_port *out) {
  const crd_compile_options how = { .size = sizeof how,
                                    .inputs = inputs,
                                    .input_count = model->file->input_count };
  crd__graph *net;
  fill(model, guess, inputs);
  CRD_TRY(crd__graph_create(ctx, model->file, &how, &net));
  const crd_status status = infer_nodes(ctx, net, edge, out);
  crd__graph_destroy(net);
  return status;
}

static crd_status infer_both(crd_context *ctx, const crd_model *model, int edge,
                             const sizes guess[2], crd_array *inputs, crd_port *out) {
  const crd_port *const input = crd_model_input(model, 0);
  crd_port other;
  CRD_TRY(infer(ctx, model, edge, guess[0], inputs, out));
  CRD_TRY(infer(ctx, model, edge, guess[1], inputs, &other));
  for (size_t d = 0; d < out->rank && out->rank == other.rank; d++) {
    const bool rows = out->dims[d] == guess[0].rows && other.dims[d] == guess[1].rows;
    if (out->dims[d] == other.dims[d]) continue;
    out->dims[d] = -1;
    if (rows && input->known && input->rank)
      out->dim_names[d] = input->dim_names[0] ? input->dim_names[0] : CRD__ONNX_ROWS;
  }
  out->known = out->rank == other.rank;
  return CRD_OK;
}

crd_status crd__network_shape(crd_context *ctx, const crd_model *model, int edge, crd_port *out) {
  const crd__onnx_edge *const declared = &model->file->edges[edge];
  const size_t count = is_open(model) ? GUESSES : 1;
  crd_array *inputs;
  *out = declared->port;
  if (declared->typed && declared->port.known) return CRD_OK;
  CRD_TRY(crd__new(ctx, model->file->input_count, sizeof *inputs, "inputs", &inputs));
  crd_status status = CRD_EINPUT;
  for (size_t i = 0; i < count && (status == CRD_EINPUT || status == CRD_EUSAGE); i++)
    status = infer_both(ctx, model, edge, guesses[i], inputs, out);
  crd__free(&ctx->alloc, inputs);
  return status == CRD_OK ? CRD_OK : crd__fail_in(ctx, status, model->file->path);
}
