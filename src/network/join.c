/*
 * join.c -- feeds one model into another: checks that types, shapes and versions of operators fit.
 *
 * A model has one version of the standard operators: the later one of the two. Nodes of the other
 * model must mean the same there; `changes` has those that do not. (ONNX, Operators.md,
 * "Versions".)
 */
#include "onnx/join.h"
#include "credence/edit.h"
#include "graph/op.h"
#include "network/encoding.h"
#include "network/shape.h"

#include "base/memory.h"

#include <string.h>

/* ---- Versions of operators. */

enum { OPSET_MIN = 9 }; /* earlier ones broadcast in other ways */

/* From this version on, a node means something else, or is invalid, if it has this attribute (NULL:
 * always) or more outputs (0: any number). */
static const struct {
  const char *op;
  int since;
  const char *attribute;
  size_t outputs;
} changes[] = {
  { "BatchNormalization", 14, NULL, 1 },
  { "BatchNormalization", 9, "spatial", 0 },
  { "Clip", 11, "min", 0 },
  { "Clip", 11, "max", 0 },
  { "Dropout", 12, "ratio", 0 },
  { "LogSoftmax", 13, NULL, 0 },
  { "Pad", 11, "pads", 0 },
  { "ReduceMax", 18, "axes", 0 },
  { "ReduceMean", 18, "axes", 0 },
  { "ReduceSum", 13, "axes", 0 },
  { "Slice", 10, "starts", 0 },
  { "Softmax", 13, NULL, 0 },
  { "Split", 13, "split", 0 },
  { "Split", 18, NULL, 0 },
  { "Squeeze", 13, "axes", 0 },
  { "Unsqueeze", 13, "axes", 0 },
};

static bool means_the_same(const crd__onnx_node *node, int64_t from, int64_t to) {
  if (node->domain[0]) return true;
  if (!crd__graph_op_find("", node->op)) return false;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    if (strcmp(changes[i].op, node->op) == 0 && from < changes[i].since && changes[i].since <= to &&
        (!changes[i].attribute || crd__onnx_attribute_find(node, changes[i].attribute)) &&
        (!changes[i].outputs || node->output_count > changes[i].outputs))
      return false;
  return true;
}

static crd_status check_opset(crd_context *ctx, const crd__onnx_file *file, int64_t opset) {
  if (file->opset == opset) return CRD_OK;
  for (size_t n = 0; n < file->node_count; n++)
    if (file->opset < OPSET_MIN || !means_the_same(&file->nodes[n], file->opset, opset))
      return crd__fail(ctx, CRD_EINPUT,
                       "%s: node '%.60s' (%.60s) of operator set %lld may mean something else in "
                       "operator set %lld of the other model; export both with the same one",
                       file->path, file->nodes[n].name, file->nodes[n].op, (long long)file->opset,
                       (long long)opset);
  return CRD_OK;
}

/* ---- Shapes. */

static void add_port(crd__text *text, const char *what, const crd__onnx_file *file,
                     const crd_port *port) {
  crd__text_addf(text, "%s '%.60s' of %s is %s", what, port->name, file->path,
                 crd_dtype_name(port->dtype));
  for (size_t i = 0; port->known && i < port->rank; i++) {
    crd__text_add(text, i ? " x " : " of ");
    if (port->dims[i] < 0) crd__text_add(text, "any");
    else crd__text_addf(text, "%lld", (long long)port->dims[i]);
  }
}

static bool fits(const crd_port *from, const crd_port *to) {
  if (from->dtype != to->dtype) return false;
  if (!from->known || !to->known) return true;
  bool same = from->rank == to->rank;
  for (size_t i = 0; same && i < to->rank; i++)
    same = from->dims[i] < 0 || to->dims[i] < 0 || from->dims[i] == to->dims[i];
  return same;
}

static crd_status check_shapes(crd_context *ctx, const crd_model *first, const crd_model *second) {
  const crd__onnx_edge *const to = &second->file->edges[second->file->inputs[0]];
  crd_port from;
  const crd_status known = crd__network_shape(ctx, first, first->file->outputs[0], &from);
  if (known == CRD_ENOMEM || known == CRD_EINTERRUPTED) return known;
  if (known != CRD_OK || !to->typed || fits(&from, &to->port)) return CRD_OK;
  crd__text text;
  crd__text_init(&text, &ctx->alloc);
  add_port(&text, "output", first->file, &from);
  crd__text_add(&text, ", but ");
  add_port(&text, "input", second->file, &to->port);
  crd_status status = crd__text_status(ctx, &text);
  if (status == CRD_OK) status = crd__fail(ctx, CRD_EINPUT, "%s", text.bytes);
  crd__text_clear(&text);
  return status;
}

/* ---- Joining. */

static bool is_of_input(const char *key) {
  for (size_t i = 0; i < crd__network_no_inputs.count; i++)
    if (strcmp(key, crd__network_no_inputs.items[i].key) == 0) return true;
  return false;
}

/* Classes come from the second model, how the input is read from the first; of all other keys the
 * second one's values count. */
static crd_status merge_metadata(crd_context *ctx, const crd__onnx_file *second, crd_metadata **out,
                                 size_t *count) {
  crd_metadata *pairs;
  CRD_TRY(crd__new(ctx, second->metadata_count + 1, sizeof *pairs, "metadata", &pairs));
  pairs[(*count)++] = (crd_metadata){ CRD__KEY_CLASSES, NULL };
  for (size_t i = 0; i < second->metadata_count; i++)
    if (!is_of_input(second->metadata[i].key)) pairs[(*count)++] = second->metadata[i];
  *out = pairs;
  return CRD_OK;
}

static crd_status check(crd_context *ctx, const crd_model *first, const crd_model *second,
                        int64_t opset) {
  if (first->file->output_count == 0)
    return crd__fail(ctx, CRD_EINPUT, "%s: the graph has no output", first->file->path);
  if (second->file->input_count != 1)
    return crd__fail(ctx, CRD_EINPUT, "%s: the model has %zu inputs, expected one",
                     second->file->path, second->file->input_count);
  CRD_TRY(check_opset(ctx, first->file, opset));
  CRD_TRY(check_opset(ctx, second->file, opset));
  return check_shapes(ctx, first, second);
}

static crd_status write_both(crd_context *ctx, const crd_model *first, const crd_model *second,
                             crd__text *bytes) {
  const int64_t a = first->file->opset, b = second->file->opset, opset = a < b ? b : a;
  crd_metadata *pairs = NULL;
  crd__onnx_part part = { .input = CRD__ONNX_NONE };
  size_t count = 0;
  CRD_TRY(check(ctx, first, second, opset));
  CRD_TRY(merge_metadata(ctx, second->file, &pairs, &count));
  crd_status status = crd__onnx_part_before(ctx, first->file, first->file->outputs, 1, &part);
  part.metadata = (crd__onnx_metadata_edit){ pairs, count };
  if (status == CRD_OK) status = crd__onnx_join_write(ctx, &part, second->file, opset, bytes);
  crd__onnx_part_clear(&ctx->alloc, &part);
  crd__free(&ctx->alloc, pairs);
  return status;
}

crd_status crd_model_join(crd_context *ctx, const crd_model *first, const crd_model *second,
                          crd_model **out) {
  crd__text bytes;
  crd__text_init(&bytes, &ctx->alloc);
  const crd_status status = write_both(ctx, first, second, &bytes);
  return crd__network_model_finish(ctx, status, first, &bytes, out);
}
