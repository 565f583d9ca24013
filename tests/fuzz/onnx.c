/* onnx.c -- any bytes as an ONNX file that a network is made from, and as a single tensor. */
#include "fuzz.h"

#include "onnx/file.h"

#include <string.h>

static uint64_t sum_tensor(const crd__onnx_tensor *t) {
  uint64_t sum = strlen(t->name);
  HOLDS(t->rank <= CRD_RANK_MAX && (t->numbers || !t->bytes));
  if (!t->numbers) return sum;
  HOLDS(t->bytes != NULL);
  for (size_t i = 0; i < t->count * crd_dtype_size(t->dtype); i++) sum += t->bytes[i];
  return sum;
}

static uint64_t sum_attribute(const crd__onnx_attribute *a) {
  uint64_t sum = strlen(a->name);
  for (size_t i = 0; i < a->s.length; i++) sum += a->s.bytes[i];
  for (size_t i = 0; i < a->count && a->type == CRD__ATTRIBUTE_INTS; i++) sum += a->ints[i] > 0;
  for (size_t i = 0; i < a->count && a->type == CRD__ATTRIBUTE_FLOATS; i++) sum += a->floats[i] > 0;
  HOLDS((a->type == CRD__ATTRIBUTE_TENSOR) == (a->t != NULL));
  return sum + (a->t ? sum_tensor(a->t) : 0);
}

/* A node reads inputs, initializers, or outputs of earlier nodes. */
static uint64_t sum_node(const crd__onnx_file *f, int n) {
  const crd__onnx_node *const node = &f->nodes[n];
  uint64_t sum = strlen(node->name) + strlen(node->op) + strlen(node->domain);
  for (size_t i = 0; i < node->input_count; i++) {
    const int edge = node->inputs[i];
    HOLDS(edge == CRD__ONNX_NONE || (size_t)edge < f->edge_count);
    HOLDS(edge == CRD__ONNX_NONE || f->edges[edge].producer < n);
  }
  for (size_t i = 0; i < node->output_count; i++)
    HOLDS(node->outputs[i] == CRD__ONNX_NONE || f->edges[node->outputs[i]].producer == n);
  for (size_t i = 0; i < node->attribute_count; i++) sum += sum_attribute(&node->attributes[i]);
  return sum;
}

static uint64_t sum_edge(const crd__onnx_edge *edge) {
  uint64_t sum = strlen(edge->name);
  HOLDS(edge->port.rank <= CRD_RANK_MAX && edge->port.name == edge->name);
  for (size_t i = 0; i < edge->port.rank; i++) {
    HOLDS(edge->port.dims[i] >= -1);
    if (edge->port.dim_names[i]) sum += strlen(edge->port.dim_names[i]);
  }
  return sum + (edge->constant ? sum_tensor(edge->constant) : 0);
}

static uint64_t walk(const crd__onnx_file *f) {
  uint64_t sum = strlen(f->producer);
  for (size_t i = 0; i < f->edge_count; i++) sum += sum_edge(&f->edges[i]);
  for (size_t i = 0; i < f->node_count; i++) sum += sum_node(f, (int)i);
  for (size_t i = 0; i < f->input_count; i++)
    HOLDS(f->edges[f->inputs[i]].producer == CRD__ONNX_NONE && !f->edges[f->inputs[i]].constant);
  for (size_t i = 0; i < f->output_count; i++) HOLDS((size_t)f->outputs[i] < f->edge_count);
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  crd_context *ctx;
  crd__onnx_file *file;
  crd__onnx_tensor *tensor;
  const crd__onnx_span all = { bytes, length };
  HOLDS(crd_context_create(NULL, &ctx) == CRD_OK);
  crd_status status = crd__onnx_file_read(ctx, "/nowhere/fuzz.onnx", all, &file);
  HOLDS(status == CRD_OK || (status == CRD_EINPUT && crd_context_message(ctx)[0] && !file));
  if (file) {
    HOLDS(walk(file) != UINT64_MAX); /* keeps the compiler from removing the sum */
    status = crd__onnx_file_save(ctx, file, "/dev/null");
    HOLDS(status == CRD_OK || status == CRD_EINPUT);
  }
  crd__onnx_file_destroy(file);
  status = crd__onnx_tensor_read(ctx, "fuzz.pb", all, &tensor);
  HOLDS(status == CRD_OK || (status == CRD_EINPUT && crd_context_message(ctx)[0] && !tensor));
  HOLDS(!tensor || sum_tensor(tensor) != UINT64_MAX);
  crd__onnx_tensor_destroy(&ctx->alloc, tensor);
  crd_context_destroy(ctx);
  return 0;
}
