/* network.c -- from a model to a network that runs: infer, fold, fuse, plan. */
#include "net/network.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "net/fuse.h"
#include "net/model.h"

#include <string.h>

struct crd_network {
  crd_allocator alloc;
  crd__net *net;
  crd__plan *plan;
  crd_tensor *inputs, *outputs;
};

/* Nodes that nobody reads need not run. */
static void drop_unread(crd__net *net, int *readers) {
  for (size_t i = 0; i < net->output_count; i++) readers[net->outputs[i]]++;
  for (size_t n = net->node_count; n-- > 0;) {
    crd__node *const node = &net->nodes[n];
    bool wanted = false;
    for (size_t i = 0; i < node->output_count; i++)
      wanted |= node->outputs[i] != CRD__NONE && readers[node->outputs[i]];
    node->gone |= !wanted;
    for (size_t i = 0; i < node->input_count && !node->gone; i++)
      if (node->inputs[i] != CRD__NONE) readers[node->inputs[i]]++;
  }
}

static crd_status infer_all(crd_context *ctx, crd__net *net) {
  int *readers;
  for (size_t n = 0; n < net->node_count; n++) CRD_TRY(crd__net_infer(ctx, net, &net->nodes[n]));
  CRD_TRY(
      crd__new(ctx, net->tensor_count + 1, sizeof *readers, "the readers of tensors", &readers));
  drop_unread(net, readers);
  crd__free(&ctx->alloc, readers);
  return CRD_OK;
}

static crd_status plan_all(crd_context *ctx, crd__net *net, crd__plan **out) {
  crd__plan *plan;
  CRD_TRY(crd__plan_create(ctx, net, &plan));
  crd_status status = CRD_OK;
  for (size_t i = 0; i < net->input_count && status == CRD_OK; i++) {
    int place;
    status = crd__plan_find(ctx, plan, net->inputs[i], &place);
  }
  for (size_t n = 0; n < net->node_count && status == CRD_OK; n++)
    if (!net->nodes[n].gone) status = crd__plan_node(ctx, plan, &net->nodes[n]);
  if (status == CRD_OK) status = crd__plan_want(ctx, plan, net->outputs, net->output_count);
  if (status == CRD_OK) status = crd__plan_finish(ctx, plan);
  if (status != CRD_OK) crd__plan_destroy(plan);
  else *out = plan;
  return status;
}

static crd_status describe(crd_context *ctx, crd__net *net, const int *tensors, size_t count,
                           crd_tensor **out) {
  CRD_TRY(crd__net_memory(ctx, net, count, sizeof **out, out));
  for (size_t i = 0; i < count; i++) {
    const crd__tensor *const tensor = &net->tensors[tensors[i]];
    (*out)[i].dtype = tensor->dtype;
    (*out)[i].rank = tensor->rank;
    memcpy((*out)[i].dims, tensor->dims, sizeof tensor->dims);
  }
  return CRD_OK;
}

static crd_status compile(crd_context *ctx, crd_network *network) {
  crd__net *const net = network->net;
  CRD_TRY(infer_all(ctx, net));
  CRD_TRY(crd__net_fuse(ctx, net));
  CRD_TRY(plan_all(ctx, net, &network->plan));
  CRD_TRY(describe(ctx, net, net->inputs, net->input_count, &network->inputs));
  CRD_TRY(describe(ctx, net, net->outputs, net->output_count, &network->outputs));
  for (size_t i = 0; i < net->output_count; i++)
    network->outputs[i].data = crd__plan_memory(network->plan, net->outputs[i]);
  return CRD_OK;
}

crd_status crd_network_compile(crd_context *ctx, const crd_model *model,
                               const crd_compile_options *options, crd_network **out) {
  static const crd_compile_options standard;
  crd_network *network;
  *out = NULL;
  CRD_TRY(crd__new(ctx, 1, sizeof *network, "a network", &network));
  network->alloc = ctx->alloc;
  crd_status status =
      crd__net_create(ctx, model->file, options ? options : &standard, &network->net);
  if (status == CRD_OK) {
    const unsigned before = crd__parallel_limit(network->net->threads);
    status = compile(ctx, network);
    crd__parallel_limit(before);
  }
  if (status != CRD_OK) {
    crd_network_destroy(network);
    return crd__fail_in(ctx, status, model->file->path);
  }
  *out = network;
  return CRD_OK;
}

void crd_network_destroy(crd_network *network) {
  if (!network) return;
  const crd_allocator alloc = network->alloc;
  crd__plan_destroy(network->plan);
  crd__net_destroy(network->net);
  crd__free(&alloc, network);
}

const crd_tensor *crd_network_input(const crd_network *network, size_t index) {
  return index < network->net->input_count ? &network->inputs[index] : NULL;
}

const crd_tensor *crd_network_output(const crd_network *network, size_t index) {
  return index < network->net->output_count ? &network->outputs[index] : NULL;
}

size_t crd__network_bytes(const crd_network *network) { return crd__plan_bytes(network->plan); }

static crd_status check_input(crd_context *ctx, const crd_network *network, size_t index,
                              const crd_tensor *given) {
  const crd_tensor *const wanted = &network->inputs[index];
  const char *const name = network->net->tensors[network->net->inputs[index]].name;
  if (given->dtype != wanted->dtype)
    return crd__fail(ctx, CRD_EUSAGE, "the input '%.60s' must be %s, and %s was given", name,
                     crd_dtype_name(wanted->dtype), crd_dtype_name(given->dtype));
  bool same = given->rank == wanted->rank && given->data;
  for (size_t i = 0; i < wanted->rank && same; i++) same = given->dims[i] == wanted->dims[i];
  if (!same)
    return crd__fail(ctx, CRD_EUSAGE,
                     "what was given for the input '%.60s' has not the shape that the network was "
                     "compiled for",
                     name);
  return CRD_OK;
}

crd_status crd_network_run(crd_context *ctx, crd_network *network, const crd_tensor *inputs,
                           size_t count) {
  const crd__net *const net = network->net;
  if (count != net->input_count)
    return crd__fail(ctx, CRD_EUSAGE, "the network has %zu inputs, and %zu were given",
                     net->input_count, count);
  for (size_t i = 0; i < count; i++) CRD_TRY(check_input(ctx, network, i, &inputs[i]));
  for (size_t i = 0; i < count; i++) {
    const size_t bytes = crd__tensor_bytes(&net->tensors[net->inputs[i]]);
    if (bytes) memcpy(crd__plan_memory(network->plan, net->inputs[i]), inputs[i].data, bytes);
  }
  const unsigned before = crd__parallel_limit(net->threads);
  const crd_status status = crd__plan_run(ctx, network->plan, 0, crd__plan_steps(network->plan));
  crd__parallel_limit(before);
  return status;
}
