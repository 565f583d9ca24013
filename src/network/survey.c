/*
 * survey.c -- lists a model's nodes: output shape, parameters, operations, and why a node is
 * unsupported. Nodes after an unsupported one still get their shapes if the file records them.
 */
#include "base/memory.h"
#include "graph/op.h"
#include "network/model.h"
#include "network/network.h"

#include <string.h>

typedef struct {
  crd_survey survey; /* first: the user holds its address */
  crd_allocator alloc;
  crd__engine_arena blocks;
} owner;

/* Copy the context's error message. */
static crd_status keep_message(crd_context *ctx, owner *o, const char **out) {
  const char *const text = crd_context_message(ctx);
  const size_t bytes = strlen(text) + 1;
  char *copy;
  CRD_TRY(crd__engine_arena_add(ctx, &o->alloc, &o->blocks, bytes, &copy));
  memcpy(copy, text, bytes);
  *out = copy;
  return CRD_OK;
}

/* Use the shapes that the file records for the node's outputs, if any. */
static void use_recorded_shapes(crd__graph *net, const crd__graph_node *node) {
  for (size_t i = 0; i < node->output_count; i++) {
    if (node->outputs[i] == CRD__NONE) continue;
    crd__engine_tensor *const tensor = &net->engine.tensors[node->outputs[i]];
    const crd__onnx_edge *const edge = &net->file->edges[node->outputs[i]];
    bool closed = edge->typed && edge->port.known;
    for (size_t d = 0; d < edge->port.rank && closed; d++) closed = edge->port.dims[d] >= 0;
    if (tensor->known || !closed ||
        !crd__engine_tensor_fits(&net->engine, edge->port.dtype, edge->port.rank, edge->port.dims))
      continue;
    tensor->known = true;
    tensor->dtype = edge->port.dtype;
    tensor->rank = edge->port.rank;
    memcpy(tensor->dims, edge->port.dims, sizeof tensor->dims);
  }
}

/* Count the node's parameters. Shared ones count at their first reader. */
static uint64_t count_parameters(const crd__graph *net, const crd__graph_node *node,
                                 bool *counted) {
  uint64_t count = 0;
  for (size_t i = 0; i < node->input_count; i++) {
    const int t = node->inputs[i];
    if (t == CRD__NONE || (size_t)t >= net->file->edge_count || counted[t]) continue;
    const crd__onnx_tensor *const constant = net->file->edges[t].constant;
    if (!constant ||
        (constant->dtype != CRD_F32 && constant->dtype != CRD_F64 && constant->dtype != CRD_F16))
      continue;
    counted[t] = true;
    count += constant->count;
  }
  return count;
}

static crd_status survey_node(crd_context *ctx, owner *o, crd__graph *net, size_t n,
                              bool *counted) {
  crd__graph_node *const node = &net->nodes[n];
  crd_node_info *const info = &o->survey.nodes[n];
  *info = (crd_node_info){ .name = node->name, .operation = net->file->nodes[n].op };
  const crd_status status = crd__graph_infer(ctx, net, node);
  if (status == CRD_ENOMEM || status == CRD_EINTERRUPTED) return status;
  if (status != CRD_OK) {
    CRD_TRY(keep_message(ctx, o, &info->problem));
    o->survey.problem_count++;
    use_recorded_shapes(net, node);
  }
  info->parameters = count_parameters(net, node, counted);
  o->survey.parameters += info->parameters;
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  if (!y || !y->known) return CRD_OK;
  info->known = 1;
  info->dtype = y->dtype;
  info->rank = y->rank;
  memcpy(info->dims, y->dims, sizeof info->dims);
  if (status == CRD_OK && !node->gone && !node->op->view)
    info->flops = node->op->flops ? node->op->flops(net, node) : crd__engine_tensor_count(y);
  o->survey.flops += info->flops;
  return CRD_OK;
}

static crd_status survey_nodes(crd_context *ctx, owner *o, crd__graph *net) {
  bool *counted;
  CRD_TRY(crd__new(ctx, net->file->edge_count + 1, sizeof *counted, "marks", &counted));
  crd_status status = CRD_OK;
  for (size_t n = 0; n < net->node_count && status == CRD_OK; n++) {
    status = crd__check_interrupt(ctx);
    if (status == CRD_OK) status = survey_node(ctx, o, net, n, counted);
  }
  crd__free(&ctx->alloc, counted);
  return status;
}

/* Compile, for the memory it takes; on failure, record why. Takes ownership of the graph. */
static crd_status try_to_compile(crd_context *ctx, owner *o, crd__graph *net) {
  crd_network *network;
  const crd_status status = crd__network_compile(ctx, net, &network);
  if (status == CRD_ENOMEM || status == CRD_EINTERRUPTED) return status;
  if (status != CRD_OK) return keep_message(ctx, o, &o->survey.problem);
  o->survey.memory_bytes = crd__network_bytes(network);
  crd_network_destroy(network);
  return CRD_OK;
}

static crd_status survey(crd_context *ctx, owner *o, const crd_model *model,
                         const crd_compile_options *options) {
  const crd__onnx_file *const file = model->file;
  crd__graph *net;
  o->survey = (crd_survey){ .ir = file->ir,
                            .opset = file->opset,
                            .producer = file->producer,
                            .batch = options->batch ? options->batch : 1,
                            .node_count = file->node_count,
                            .weight_bytes = file->weight_bytes };
  CRD_TRY(crd__engine_arena_add(ctx, &o->alloc, &o->blocks,
                                (file->node_count + 1) * sizeof *o->survey.nodes,
                                &o->survey.nodes));
  memset(o->survey.nodes, 0, file->node_count * sizeof *o->survey.nodes);
  CRD_TRY(crd__graph_create(ctx, file, options, &net));
  const crd__engine_tensor *const first =
      net->input_count ? &net->engine.tensors[net->inputs[0]] : NULL;
  if (first && first->rank) o->survey.batch = (size_t)first->dims[0]; /* the model may fix it */
  const crd_status status = survey_nodes(ctx, o, net);
  if (status == CRD_OK && !o->survey.problem_count) return try_to_compile(ctx, o, net);
  crd__graph_destroy(net);
  return status;
}

crd_status crd_survey_make(crd_context *ctx, const crd_model *model,
                           const crd_compile_options *options, crd_survey **out) {
  static const crd_compile_options defaults;
  owner *o;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *o, "a survey", &o));
  o->alloc = ctx->alloc;
  const crd_status status = survey(ctx, o, model, options ? options : &defaults);
  if (status != CRD_OK) crd_survey_destroy(&o->survey);
  else *out = &o->survey;
  return status;
}

void crd_survey_destroy(crd_survey *survey) {
  if (!survey) return;
  owner *const o = (owner *)(void *)survey;
  const crd_allocator alloc = o->alloc;
  crd__engine_arena_clear(&alloc, &o->blocks);
  crd__free(&alloc, o);
}
