/* build.c -- creates a network's tensors and nodes from a file; input shapes come from the user. */
#include "base/memory.h"
#include "base/parallel.h"
#include "data/array.h"
#include "engine/kernel/element.h"
#include "graph/op.h"

#include <limits.h>
#include <string.h>

crd_status crd__graph_floats(crd_context *ctx, crd__graph *net, const char *name, size_t rank,
                             const int64_t *dims, int *out, float **values) {
  crd__engine_tensor tensor = { .name = name, .known = true, .dtype = CRD_F32, .rank = rank };
  memcpy(tensor.dims, dims, rank * sizeof *dims);
  CRD_TRY(crd__engine_memory(ctx, &net->engine, crd__engine_tensor_count(&tensor), sizeof **values,
                             values));
  CRD_TRY(crd__engine_add_tensor(ctx, &net->engine, name, out));
  tensor.constant = *values;
  net->engine.tensors[*out] = tensor;
  return CRD_OK;
}

/* ---- Tensors. */

crd_status crd__graph_set_constant(crd_context *ctx, crd__graph *net, crd__engine_tensor *tensor,
                                   const void *elements) {
  const size_t count = crd__engine_tensor_count(tensor);
  float *wide;
  tensor->constant = elements;
  if (!tensor->narrow || !elements) return CRD_OK;
  CRD_TRY(crd__engine_memory(ctx, &net->engine, count + 1, sizeof *wide, &wide));
  crd__kernel_cast(net->engine.threads, tensor->stored, CRD_F32, count, elements, wide);
  tensor->constant = wide;
  return CRD_OK;
}

static crd_status check_size(crd_context *ctx, const crd__graph *net, const char *what,
                             const char *name, crd_dtype dtype, size_t rank, const int64_t *dims) {
  if (crd__engine_tensor_fits(&net->engine, dtype, rank, dims)) return CRD_OK;
  return crd__fail(
      ctx, CRD_EINPUT,
      "the %s '%.60s' would need more than the %llu MB of memory that this machine has", what, name,
      (unsigned long long)(net->engine.budget.limit >> 20));
}

static crd_status add_tensors(crd_context *ctx, crd__graph *net) {
  for (size_t i = 0; i < net->file->edge_count; i++) {
    const crd__onnx_edge *const edge = &net->file->edges[i];
    int number = 0;
    CRD_TRY(crd__engine_add_tensor(ctx, &net->engine, edge->name, &number));
    if (!edge->constant) continue;
    if (!edge->constant->numbers)
      return crd__fail(ctx, CRD_EINPUT,
                       "the constant '%.60s' has ONNX type %d, which is not supported; numbers of "
                       "8 to 64 bits and bool are",
                       edge->name, edge->constant->type);
    crd__engine_tensor *const tensor = &net->engine.tensors[number];
    tensor->known = true;
    crd__engine_tensor_set_type(tensor, edge->constant->dtype);
    tensor->strings = edge->constant->strings;
    tensor->rank = edge->constant->rank;
    CRD_TRY(check_size(ctx, net, "constant", edge->name, tensor->dtype, tensor->rank,
                       edge->constant->dims));
    memcpy(tensor->dims, edge->constant->dims, sizeof tensor->dims);
    CRD_TRY(crd__graph_set_constant(ctx, net, tensor, edge->constant->bytes));
  }
  return CRD_OK;
}

/* ---- Nodes. */

static crd_status copy_numbers(crd_context *ctx, crd__graph *net, const int *from, size_t count,
                               int **out) {
  CRD_TRY(crd__engine_memory(ctx, &net->engine, count, sizeof **out, out));
  if (count) memcpy(*out, from, count * sizeof **out);
  return CRD_OK;
}

static crd_status add_node(crd_context *ctx, crd__graph *net, const crd__onnx_node *from,
                           crd__graph_node *to) {
  const int64_t opset = crd__onnx_file_opset(net->file, from->domain);
  *to = (crd__graph_node){ .op = crd__graph_op_find(from->domain, from->op),
                           .name = from->name,
                           .opset = opset > 0 && opset < INT_MAX ? (int)opset : 0,
                           .attribute_count = from->attribute_count,
                           .attributes = from->attributes,
                           .input_count = from->input_count,
                           .output_count = from->output_count,
                           .addend = CRD__NONE };
  CRD_TRY(copy_numbers(ctx, net, from->inputs, from->input_count, &to->inputs));
  return copy_numbers(ctx, net, from->outputs, from->output_count, &to->outputs);
}

static crd_status add_nodes(crd_context *ctx, crd__graph *net) {
  CRD_TRY(crd__engine_memory(ctx, &net->engine, net->file->node_count, sizeof *net->nodes,
                             &net->nodes));
  for (; net->node_count < net->file->node_count; net->node_count++)
    CRD_TRY(add_node(ctx, net, &net->file->nodes[net->node_count], &net->nodes[net->node_count]));
  return CRD_OK;
}

/* ---- Parameters: constants of the file that training changes. They are computed in float32 and
 * not scalars; scalars are settings. */

static void mark_statistics(crd__graph *net, const crd__graph_node *node) {
  for (size_t i = 0; i < node->input_count; i++)
    if (crd__graph_has_input(node->op->statistics, i) && node->inputs[i] != CRD__NONE)
      net->engine.tensors[node->inputs[i]].statistic = true;
}

/* Settings stay constants of the network. */
static void keep_settings(crd__graph *net, const crd__graph_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    if (!crd__graph_has_input(node->op->settings, i) || node->inputs[i] == CRD__NONE) continue;
    crd__engine_tensor *const tensor = &net->engine.tensors[node->inputs[i]];
    if (tensor->initial) tensor->constant = tensor->initial;
    tensor->initial = NULL;
  }
}

/* Fail on weights of float64, which would silently stay untrained. */
static crd_status check_parameters(crd_context *ctx, const crd__graph *net,
                                   const crd__graph_node *node) {
  for (size_t i = 0; i < node->input_count && !node->op->flat; i++) {
    if (node->inputs[i] == CRD__NONE) continue;
    const crd__engine_tensor *const t = &net->engine.tensors[node->inputs[i]];
    if (t->constant && t->rank && !t->statistic && t->dtype == CRD_F64)
      return crd__graph_node_fail(ctx, node,
                                  "its input '%.60s' is f64; weights of f16, bf16 and f32 can be "
                                  "trained",
                                  t->name);
  }
  return CRD_OK;
}

static crd_status free_parameters(crd_context *ctx, crd__graph *net) {
  for (size_t t = 0; t < net->file->edge_count; t++) {
    crd__engine_tensor *const tensor = &net->engine.tensors[t];
    if (!tensor->constant || tensor->dtype != CRD_F32 || !tensor->rank) continue;
    tensor->initial = tensor->constant;
    tensor->constant = NULL;
  }
  for (size_t n = 0; n < net->node_count; n++) { /* unknown operators fail later */
    if (!net->nodes[n].op) continue;
    mark_statistics(net, &net->nodes[n]);
    keep_settings(net, &net->nodes[n]);
  }
  for (size_t n = 0; n < net->node_count; n++)
    if (net->nodes[n].op) CRD_TRY(check_parameters(ctx, net, &net->nodes[n]));
  return CRD_OK;
}

/* ---- Inputs. */

static crd_status shape_from_user(crd_context *ctx, crd__graph *net, const crd_port *port,
                                  const crd_array *given, crd__engine_tensor *tensor) {
  if (given->dtype != port->dtype && given->dtype != tensor->dtype)
    return crd__fail(ctx, CRD_EUSAGE, "the input '%.60s' must be %s, found %s", port->name,
                     crd_dtype_name(port->dtype), crd_dtype_name(given->dtype));
  if (port->known && port->rank != given->rank)
    return crd__fail(ctx, CRD_EUSAGE, "the input '%.60s' must have %zu dimensions, found %zu",
                     port->name, port->rank, given->rank);
  for (size_t i = 0; i < given->rank; i++)
    if (given->dims[i] < 0 ||
        (port->known && port->dims[i] >= 0 && port->dims[i] != given->dims[i]))
      return crd__fail(ctx, CRD_EUSAGE,
                       "dimension %zu of the input '%.60s' must be %lld, found %lld", i, port->name,
                       (long long)port->dims[i], (long long)given->dims[i]);
  if (given->data && !crd__data_array_is_contiguous(given))
    return crd__fail(ctx, CRD_EUSAGE,
                     "the value of input '%.60s' must be C-contiguous and in native byte order",
                     port->name);
  crd__engine_tensor_set_type(tensor, given->dtype);
  tensor->rank = given->rank;
  memcpy(tensor->dims, given->dims, sizeof tensor->dims);
  return crd__graph_set_constant(ctx, net, tensor, given->data);
}

static crd_status shape_from_file(crd_context *ctx, const crd_port *port, size_t batch,
                                  crd__engine_tensor *tensor) {
  if (!port->known)
    return crd__fail(ctx, CRD_EUSAGE,
                     "the file does not fix the shape of the input '%.60s': it must be given",
                     port->name);
  tensor->rank = port->rank;
  for (size_t i = 0; i < port->rank; i++) {
    tensor->dims[i] = port->dims[i] >= 0 ? port->dims[i] : (int64_t)batch;
    if (i && port->dims[i] < 0)
      return crd__fail(ctx, CRD_EUSAGE,
                       "dimension %zu of the input '%.60s' (%s) is not fixed in the file: the "
                       "input's shape must be given",
                       i, port->name, port->dim_names[i] ? port->dim_names[i] : "unnamed");
  }
  return CRD_OK;
}

static crd_status add_inputs(crd_context *ctx, crd__graph *net,
                             const crd_compile_options *options) {
  const crd__onnx_file *const file = net->file;
  const size_t batch = options->batch ? options->batch : 1;
  CRD_TRY(
      crd__engine_memory(ctx, &net->engine, file->input_count, sizeof *net->inputs, &net->inputs));
  for (size_t i = 0; i < file->input_count; i++) {
    const int number = file->inputs[i];
    const crd__onnx_edge *const edge = &file->edges[number];
    const crd_array *const given = i < options->input_count ? &options->inputs[i] : NULL;
    crd__engine_tensor *const tensor = &net->engine.tensors[number];
    if (!edge->typed)
      return crd__fail(ctx, CRD_EINPUT, "the input '%.60s' is not a tensor of a supported type",
                       edge->name);
    tensor->known = true;
    /* A small step of an optimiser, or of a finite difference, is lost when it is rounded. */
    crd__engine_tensor_set_type(tensor, net->mode == CRD_MODE_INFERENCE
                                            ? edge->port.dtype
                                            : crd__engine_computed(edge->port.dtype));
    if (given && (given->rank || given->data))
      CRD_TRY(shape_from_user(ctx, net, &edge->port, given, tensor));
    else CRD_TRY(shape_from_file(ctx, &edge->port, batch, tensor));
    CRD_TRY(check_size(ctx, net, "input", edge->name, tensor->dtype, tensor->rank, tensor->dims));
    if (!tensor->constant) net->inputs[net->input_count++] = number;
  }
  return CRD_OK;
}

crd_status crd__graph_create(crd_context *ctx, const crd__onnx_file *file,
                             const crd_compile_options *options, crd__graph **out) {
  crd__graph *net;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *net, "a network", &net));
  net->file = file;
  net->winograd = options->winograd;
  net->mode = options->mode;
  net->shared = options->mode == CRD_MODE_INPUT_GRADIENT && options->shared_gradient;
  net->wide = options->mode != CRD_MODE_INFERENCE || options->wide_outputs;
  net->frozen_input = options->mode == CRD_MODE_TRAINING && options->parameters_only;
  net->output_count = file->output_count;
  crd_status status = crd__engine_init(ctx, &net->engine);
  if (status == CRD_OK) status = add_tensors(ctx, net);
  if (status == CRD_OK) status = add_nodes(ctx, net);
  if (status == CRD_OK && net->mode == CRD_MODE_TRAINING) status = free_parameters(ctx, net);
  if (status == CRD_OK) status = add_inputs(ctx, net, options);
  if (status == CRD_OK)
    status = copy_numbers(ctx, net, file->outputs, file->output_count, &net->outputs);
  if (status != CRD_OK) crd__graph_destroy(net);
  else *out = net;
  return status;
}

void crd__graph_destroy(crd__graph *net) {
  if (!net) return;
  const crd_allocator alloc = net->engine.alloc;
  crd__engine_clear(&net->engine);
  crd__free(&alloc, net);
}
