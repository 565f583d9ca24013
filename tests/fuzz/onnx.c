/* onnx.c -- any bytes as an ONNX file that a network is made from or that is edited, and as a
 * single tensor. */
#include "fuzz.h"

#include "onnx/join.h"
#include "onnx/layer.h"
#include "onnx/settle.h"

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

/* ---- Edits: whatever they write can be read again. */

static void check_written(crd_context *ctx, crd_status status, crd__text *text) {
  crd__onnx_file *again;
  HOLDS(status == CRD_OK || crd_context_message(ctx)[0]);
  HOLDS(status == CRD_OK || status == CRD_EINPUT || status == CRD_EUSAGE);
  if (status == CRD_OK) {
    const crd__onnx_span all = { (const unsigned char *)text->bytes, text->length };
    HOLDS(crd__onnx_file_read(ctx, "/nowhere/edited.onnx", all, &again) == CRD_OK);
    HOLDS(walk(again) != UINT64_MAX);
    crd__onnx_file_destroy(again);
  }
  crd__text_clear(text);
}

/* Replaces the first float32 initialiser by zeros, and changes metadata. */
static void update(crd_context *ctx, const crd__onnx_file *file) {
  static const float zeros[64];
  static const crd_metadata pairs[] = { { "", "empty" }, { "author", NULL }, { "k", "v" } };
  crd_weights weights = { NULL, zeros, 0 };
  for (size_t i = 0; i < file->edge_count && !weights.name; i++) {
    const crd__onnx_tensor *const t = file->edges[i].constant;
    if (t && t->numbers && t->dtype == CRD_F32 && t->count <= 64)
      weights = (crd_weights){ file->edges[i].name, zeros, t->count };
  }
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  const crd_status status = crd__onnx_file_update(ctx, file, &weights, weights.name != NULL,
                                                  (crd__onnx_metadata_edit){ pairs, 3 }, &text);
  check_written(ctx, status, &text);
}

/* Cuts at one value, and feeds the file into itself. */
static void cut(crd_context *ctx, const crd__onnx_file *file, const char *name) {
  static const crd_port port = {
    .name = "", .dtype = CRD_F32, .known = 1, .rank = 1, .dims = { -1 }
  };
  crd__onnx_part before = { .input = CRD__ONNX_NONE }, after = before;
  crd__text text;
  int edge;
  crd__text_init(&text, &ctx->alloc);
  if (crd__onnx_part_find(ctx, file, name, &edge) != CRD_OK) return;
  crd_status status = crd__onnx_part_before(ctx, file, &edge, 1, &before);
  before.ports[0] = &port;
  if (status == CRD_OK) check_written(ctx, crd__onnx_part_write(ctx, &before, &text), &text);
  if (status == CRD_OK && file->input_count == 1)
    check_written(ctx, crd__onnx_join_write(ctx, &before, file, file->opset, &text), &text);
  status = crd__onnx_part_after(ctx, file, edge, "N", &after);
  after.port = &port;
  if (status == CRD_OK) check_written(ctx, crd__onnx_part_write(ctx, &after, &text), &text);
  crd__onnx_part_clear(&ctx->alloc, &before);
  crd__onnx_part_clear(&ctx->alloc, &after);
}

static void edit(crd_context *ctx, const crd__onnx_file *file) {
  enum { CUTS_MAX = 8 };
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  update(ctx, file);
  check_written(ctx, crd__onnx_settle_write(ctx, file, &text), &text);
  for (size_t i = 0; i < file->edge_count && i < CUTS_MAX; i++) cut(ctx, file, file->edges[i].name);
  const crd__onnx_metadata_edit none = { NULL, 0 };
  check_written(ctx, crd__onnx_layer_replace(ctx, file, 3, none, &text), &text);
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
    edit(ctx, file);
  }
  crd__onnx_file_destroy(file);
  status = crd__onnx_tensor_read(ctx, "fuzz.pb", all, &tensor);
  HOLDS(status == CRD_OK || (status == CRD_EINPUT && crd_context_message(ctx)[0] && !tensor));
  HOLDS(!tensor || sum_tensor(tensor) != UINT64_MAX);
  crd__onnx_tensor_destroy(&ctx->alloc, tensor);
  crd_context_destroy(ctx);
  return 0;
}
