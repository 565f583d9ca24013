/*
 * survey.c -- lists a model's nodes: output shape, parameters, operations, and why a node is
 * unsupported. Nodes after an unsupported one still get their shapes if the file records them.
 *
 * A node fails by itself, or because of an earlier one: the shape of an input is unknown, or an
 * input would be a constant if the nodes before it could be run. Only the former are problems.
 */
#include "base/arena.h"
#include "base/options.h"
#include "graph/op.h"
#include "network/model.h"
#include "network/network.h"

#include <stdio.h>
#include <string.h>

/* The survey in the making, in its arena. */
typedef struct {
  crd_survey survey;
  crd_node_info *nodes;
  crd_survey_cause *causes;
  bool *counted; /* for each edge of the file: a parameter of an earlier node */
  bool *lost;    /* and: a constant, if the nodes before it could be run */
} owner;

static crd_status keep_message(crd_context *ctx, owner *o, const char **out) {
  return crd__arena_text(ctx, o, crd_context_message(ctx), out);
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
    crd__engine_tensor_set_type(tensor, edge->port.dtype);
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
    const crd_dtype dtype = constant ? crd__engine_computed(constant->dtype) : CRD_BOOL;
    if (dtype != CRD_F32 && dtype != CRD_F64) continue;
    counted[t] = true;
    count += constant->count;
  }
  return count;
}

/* ---- Failures that follow from others. */

/* Does the node fail because of earlier nodes? */
static bool is_behind(const owner *o, const crd__graph *net, const crd__graph_node *node) {
  for (size_t i = 0; i < node->input_count; i++) {
    const int t = node->inputs[i];
    if (t != CRD__NONE && (o->lost[t] || !net->engine.tensors[t].known)) return true;
  }
  return false;
}

/* Mark outputs that would be constants: of constants and such values, and shapes of any value. */
static void mark_lost(owner *o, const crd__graph *net, const crd__graph_node *node, bool failed) {
  bool any = failed, all = true;
  for (size_t i = 0; i < node->input_count; i++) {
    const int t = node->inputs[i];
    if (t == CRD__NONE) continue;
    any = any || o->lost[t];
    all = all && (o->lost[t] || net->engine.tensors[t].constant);
  }
  const bool shape = node->op && (strcmp(node->op->info.name, "Shape") == 0 ||
                                  strcmp(node->op->info.name, "Size") == 0);
  for (size_t i = 0; i < node->output_count; i++)
    if (node->outputs[i] != CRD__NONE) o->lost[node->outputs[i]] = any && (all || shape);
}

/* Infer the node's shapes; a failure goes into `info`, except of memory, and of interruption. */
static crd_status infer(crd_context *ctx, owner *o, crd__graph *net, crd__graph_node *node,
                        crd_node_info *info) {
  crd_status status = crd__graph_check(ctx, net, node);
  const bool itself = status != CRD_OK;
  if (!itself) status = crd__graph_infer(ctx, net, node);
  if (status == CRD_ENOMEM || status == CRD_EINTERRUPTED) return status;
  mark_lost(o, net, node, status != CRD_OK);
  if (status == CRD_OK) return CRD_OK;
  info->behind = !itself && is_behind(o, net, node);
  o->survey.behind_count += (size_t)info->behind;
  o->survey.problem_count += (size_t)!info->behind;
  use_recorded_shapes(net, node);
  return info->behind ? CRD_OK : keep_message(ctx, o, &info->problem);
}

/* ---- Nodes. */

static crd_status survey_node(crd_context *ctx, owner *o, crd__graph *net, size_t n) {
  crd__graph_node *const node = &net->nodes[n];
  crd_node_info *const info = &o->nodes[n];
  *info = (crd_node_info){ .name = node->name, .operation = net->file->nodes[n].op };
  CRD_TRY(infer(ctx, o, net, node, info));
  info->parameters = count_parameters(net, node, o->counted);
  o->survey.parameters += info->parameters;
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  if (!y || !y->known) return CRD_OK;
  info->known = 1;
  info->dtype = crd__engine_tensor_type(y);
  info->rank = y->rank;
  memcpy(info->dims, y->dims, sizeof info->dims);
  if (!info->problem && !info->behind && !node->gone && !node->op->view)
    info->flops = node->op->flops ? node->op->flops(net, node) : crd__engine_tensor_count(y);
  o->survey.flops += info->flops;
  return CRD_OK;
}

static crd_status survey_nodes(crd_context *ctx, owner *o, crd__graph *net) {
  const size_t edges = net->file->edge_count + 1;
  CRD_TRY(crd__arena_add(ctx, o, edges, 2 * sizeof *o->counted, "a survey", &o->counted));
  o->lost = o->counted + edges;
  for (size_t n = 0; n < net->node_count; n++) {
    CRD_TRY(crd__check_interrupt(ctx));
    CRD_TRY(survey_node(ctx, o, net, n));
  }
  return CRD_OK;
}

/* ---- Causes: equal problems of several nodes. */

enum { CAUSE_TEXT = 1024 };

/* The problem without the node's name and the advice that all unsupported operators share: "node
 * 'x' (Conv): its ..." is "Conv: its ...". */
static void cause_text(crd_context *ctx, const crd_node_info *info, char text[static CAUSE_TEXT]) {
  char prefix[80], advice[120];
  const int length = snprintf(prefix, sizeof prefix, "node '%.60s'", info->name);
  const char *rest = info->problem;
  if (strncmp(rest, prefix, (size_t)length) == 0) rest += length;
  if (strncmp(rest, ": ", 2) == 0) rest += 2;
  const char *const end = strncmp(rest, " (", 2) == 0 ? strstr(rest, "): ") : NULL;
  if (end) snprintf(text, CAUSE_TEXT, "%.*s%s", (int)(end - rest - 2), rest + 2, end + 1);
  else snprintf(text, CAUSE_TEXT, "%s", rest);
  snprintf(advice, sizeof advice, " (%s lists those that are)", crd__spell(ctx, "crd_operator_at"));
  char *const shared = strstr(text, advice);
  if (shared) *shared = '\0';
}

static crd_status add_cause(crd_context *ctx, owner *o, size_t node) {
  crd_survey *const s = &o->survey;
  char text[CAUSE_TEXT];
  cause_text(ctx, &s->nodes[node], text);
  for (size_t i = 0; i < s->cause_count; i++)
    if (strcmp(s->causes[i].problem, text) == 0) {
      o->causes[i].node_count++;
      return CRD_OK;
    }
  crd_survey_cause *const cause = &o->causes[s->cause_count];
  *cause = (crd_survey_cause){ .node_count = 1, .first = node };
  CRD_TRY(crd__arena_text(ctx, o, text, &cause->problem));
  s->cause_count++;
  return CRD_OK;
}

static crd_status gather_causes(crd_context *ctx, owner *o) {
  CRD_TRY(
      crd__arena_add(ctx, o, o->survey.problem_count, sizeof *o->causes, "a survey", &o->causes));
  o->survey.causes = o->causes;
  for (size_t n = 0; n < o->survey.node_count; n++) {
    CRD_TRY(crd__check_interrupt(ctx));
    if (o->survey.nodes[n].problem) CRD_TRY(add_cause(ctx, o, n));
  }
  return CRD_OK;
}

/* ---- Normalisation. */

static size_t count_of(const crd_survey *s, const char *operation) {
  size_t count = 0;
  for (size_t n = 0; n < s->node_count; n++) count += strcmp(s->nodes[n].operation, operation) == 0;
  return count;
}

/* Of a network with convolutions that nothing normalises. Layer norms may also be written as means
 * and square roots. */
static void note_norms(crd_survey *s) {
  static const char *const others[] = { "LayerNormalization", "GroupNormalization",
                                        "InstanceNormalization", "RMSNormalization", "Sqrt" };
  enum { FEW = 2 }; /* such as those that embed patches */
  size_t norms = s->batch_norms = count_of(s, "BatchNormalization");
  s->convolutions = count_of(s, "Conv");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) norms += count_of(s, others[i]);
  if (s->convolutions > FEW && !norms)
    s->note = "no batch norm is left to train: if the network had any, its exporter folded them "
              "into the convolutions, and training would go on without normalisation; "
              "torch.onnx.export keeps them with optimize=False, or with dynamo=False and "
              "training=TrainingMode.PRESERVE";
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
  CRD_TRY(crd__arena_add(ctx, o, file->node_count, sizeof *o->nodes, "a survey", &o->nodes));
  o->survey.nodes = o->nodes;
  CRD_TRY(crd__graph_create(ctx, file, options, &net));
  const crd__engine_tensor *const first =
      net->input_count ? &net->engine.tensors[net->inputs[0]] : NULL;
  if (first && first->rank) o->survey.batch = (size_t)first->dims[0]; /* the model may fix it */
  crd_status status = survey_nodes(ctx, o, net);
  if (status == CRD_OK) status = gather_causes(ctx, o);
  if (status == CRD_OK) note_norms(&o->survey);
  if (status == CRD_OK && !o->survey.problem_count) return try_to_compile(ctx, o, net);
  crd__graph_destroy(net);
  return status;
}

crd_status crd_survey_make(crd_context *ctx, const crd_model *model,
                           const crd_compile_options *options, const crd_survey **out) {
  crd_compile_options own;
  owner *o;
  *out = NULL;
  CRD_TRY(CRD_READ_OPTIONS(ctx, crd_compile_options, options, &own));
  CRD_TRY(crd__arena_new(ctx, sizeof *o, "a survey", &o));
  const crd_status status = survey(ctx, o, model, &own);
  if (status != CRD_OK) crd__arena_free(o);
  else *out = &o->survey;
  return status;
}

void crd_survey_destroy(const crd_survey *survey) { crd__arena_free(survey); }
