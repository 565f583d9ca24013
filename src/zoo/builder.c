/* builder.c -- layers as nodes of ONNX, with the shapes of their results. */
#include "zoo/builder.h"
#include "zoo/weights.h"

#include <stdio.h>

void crd__zoo_begin(crd__zoo_builder *b, crd_context *ctx, const crd_architecture_shape *shape) {
  *b = (crd__zoo_builder){ .ctx = ctx, .shape = shape };
  crd__onnx_graph_init(&b->graph, &ctx->alloc);
}

void crd__zoo_clear(crd__zoo_builder *b) { crd__onnx_graph_clear(&b->graph); }

crd_status crd__zoo_status(const crd__zoo_builder *b) { return b->status; }

void crd__zoo_name_next(crd__zoo_builder *b, const char *name) { b->as = name; }

/* Adds a node, called as crd__zoo_name_next says, else `name`; NULL: generated. */
static crd__onnx_graph_value add_node(crd__zoo_builder *b, const char *name, const char *op,
                                      const crd__onnx_graph_value *inputs, size_t count,
                                      const crd__onnx_graph_attribute *attributes) {
  const char *const chosen = b->as ? b->as : name;
  b->as = NULL;
  return chosen ? crd__onnx_graph_node_as(&b->graph, chosen, op, inputs, count, attributes)
                : crd__onnx_graph_node(&b->graph, op, inputs, count, attributes);
}

static crd__onnx_graph_attribute ints(const char *name, const int64_t *values, size_t count) {
  return (crd__onnx_graph_attribute){
    .name = name, .type = CRD__ATTRIBUTE_INTS, .ints = values, .count = count
  };
}

static crd__onnx_graph_attribute real(const char *name, float value) {
  return (crd__onnx_graph_attribute){ .name = name, .type = CRD__ATTRIBUTE_FLOAT, .f = value };
}

crd__zoo_tensor crd__zoo_input(crd__zoo_builder *b, crd_sample_type type) {
  crd__zoo_tensor x = { .rank = b->shape->rank };
  int64_t dims[CRD_RANK_MAX] = { -1 };
  for (size_t i = 0; i < x.rank; i++) x.dims[i] = dims[i + 1] = b->shape->dims[i];
  x.value = crd__onnx_graph_input_of(&b->graph, "input",
                                     type == CRD_SAMPLES_TEXTS ? CRD__ONNX_INT64 : CRD__ONNX_FLOAT,
                                     dims, x.rank + 1);
  return x;
}

/* ---- Layers with parameters. */

crd__zoo_tensor crd__zoo_conv(crd__zoo_builder *b, crd__zoo_tensor x,
                              const crd__zoo_convolution *how) {
  const size_t spatial = x.rank - 1;
  const int64_t stride = how->stride ? how->stride : 1;
  int64_t dims[CRD_RANK_MAX] = { how->channels, x.dims[0] };
  int64_t kernel[CRD_RANK_MAX], strides[CRD_RANK_MAX], pads[2 * CRD_RANK_MAX];
  crd__zoo_fans fans = { (double)x.dims[0], (double)how->channels };
  crd__onnx_graph_value inputs[3] = { x.value };
  for (size_t i = 0; i < spatial; i++) {
    kernel[i] = dims[2 + i] = how->kernel;
    strides[i] = stride;
    pads[i] = pads[spatial + i] = how->padding;
    fans.in *= (double)how->kernel;
    fans.out *= (double)how->kernel;
    x.dims[1 + i] = (x.dims[1 + i] + 2 * how->padding - how->kernel) / stride + 1;
  }
  const crd__onnx_graph_attribute attributes[] = { ints("kernel_shape", kernel, spatial),
                                                   ints("strides", strides, spatial),
                                                   ints("pads", pads, 2 * spatial),
                                                   { .name = NULL } };
  inputs[1] = crd__zoo_weights(b, how->name, how->init, fans, dims, 2 + spatial);
  if (how->bias) inputs[2] = crd__zoo_constants(b, how->name, "bias", 0, how->channels, false);
  x.dims[0] = how->channels;
  x.value = add_node(b, how->name, "Conv", inputs, how->bias ? 3 : 2, attributes);
  return x;
}

crd__zoo_tensor crd__zoo_norm(crd__zoo_builder *b, crd__zoo_tensor x, const char *name) {
  const crd__onnx_graph_attribute attributes[] = { real("epsilon", 1e-5F),
                                                   real("momentum", .9F),
                                                   { .name = NULL } };
  const crd__onnx_graph_value inputs[] = {
    x.value,
    crd__zoo_constants(b, name, "weight", 1, x.dims[0], false),
    crd__zoo_constants(b, name, "bias", 0, x.dims[0], false),
    crd__zoo_constants(b, name, "running_mean", 0, x.dims[0], true),
    crd__zoo_constants(b, name, "running_var", 1, x.dims[0], true),
  };
  x.value = add_node(b, name, "BatchNormalization", inputs, 5, attributes);
  return x;
}

crd__zoo_tensor crd__zoo_linear(crd__zoo_builder *b, crd__zoo_tensor x, const char *name,
                                int64_t outputs, crd__zoo_init init) {
  static const crd__onnx_graph_attribute attributes[] = { { .name = "transB", .i = 1 },
                                                          { .name = NULL } };
  const int64_t dims[] = { outputs, x.dims[0] };
  const crd__onnx_graph_value inputs[] = {
    x.value,
    crd__zoo_weights(b, name, init, (crd__zoo_fans){ (double)x.dims[0], (double)outputs }, dims, 2),
    crd__zoo_constants(b, name, "bias", 0, outputs, false),
  };
  x.dims[0] = outputs;
  x.value = add_node(b, name, "Gemm", inputs, 3, attributes);
  return x;
}

crd__zoo_tensor crd__zoo_embed(crd__zoo_builder *b, crd__zoo_tensor x, const char *name,
                               int64_t words, int64_t width) {
  static const int64_t order[] = { 0, 2, 1 };
  const crd__onnx_graph_attribute attributes[] = { ints("perm", order, 3), { .name = NULL } };
  const int64_t dims[] = { words, width };
  const crd__zoo_fans fans = { (double)words, (double)width };
  const crd__onnx_graph_value inputs[] = { crd__zoo_weights(b, name, CRD__ZOO_SMALL, fans, dims, 2),
                                           x.value };
  const crd__onnx_graph_value rows = add_node(b, name, "Gather", inputs, 2, NULL);
  const crd__onnx_graph_value value = add_node(b, NULL, "Transpose", &rows, 1, attributes);
  return (crd__zoo_tensor){ .value = value, .rank = 2, .dims = { width, x.dims[0] } };
}

void crd__zoo_classify(crd__zoo_builder *b, crd__zoo_tensor x, const char *name,
                       crd__zoo_init init) {
  const int64_t classes = (int64_t)b->shape->classes;
  crd__zoo_name_next(b, "logits");
  x = crd__zoo_linear(b, x, name, classes, init);
  crd__onnx_graph_output_of(&b->graph, x.value, CRD__ONNX_FLOAT, (int64_t[]){ -1, classes }, 2);
}

/* ---- Layers without parameters. */

crd__zoo_tensor crd__zoo_apply(crd__zoo_builder *b, crd__zoo_tensor x, const char *op) {
  x.value = add_node(b, NULL, op, &x.value, 1, NULL);
  return x;
}

crd__zoo_tensor crd__zoo_add(crd__zoo_builder *b, crd__zoo_tensor x, crd__zoo_tensor y) {
  x.value = add_node(b, NULL, "Add", (crd__onnx_graph_value[]){ x.value, y.value }, 2, NULL);
  return x;
}

crd__zoo_tensor crd__zoo_pool(crd__zoo_builder *b, crd__zoo_tensor x, const char *op, int64_t size,
                              int64_t stride) {
  const size_t spatial = x.rank - 1;
  int64_t kernel[CRD_RANK_MAX], strides[CRD_RANK_MAX];
  for (size_t i = 0; i < spatial; i++) {
    kernel[i] = size < x.dims[1 + i] ? size : x.dims[1 + i];
    strides[i] = stride;
    x.dims[1 + i] = (x.dims[1 + i] - kernel[i]) / stride + 1;
  }
  const crd__onnx_graph_attribute attributes[] = { ints("kernel_shape", kernel, spatial),
                                                   ints("strides", strides, spatial),
                                                   { .name = NULL } };
  x.value = add_node(b, NULL, op, &x.value, 1, attributes);
  return x;
}

crd__zoo_tensor crd__zoo_flatten(crd__zoo_builder *b, crd__zoo_tensor x) {
  int64_t count = 1;
  if (x.rank == 1) return x;
  for (size_t i = 0; i < x.rank; i++) count *= x.dims[i];
  x.value = add_node(b, NULL, "Flatten", &x.value, 1, NULL);
  x.rank = 1;
  x.dims[0] = count;
  return x;
}

crd__zoo_tensor crd__zoo_pool_all(crd__zoo_builder *b, crd__zoo_tensor x, const char *op) {
  const char *const as = b->as;
  b->as = NULL;
  x.value = add_node(b, NULL, op, &x.value, 1, NULL);
  for (size_t i = 1; i < x.rank; i++) x.dims[i] = 1;
  b->as = as;
  return crd__zoo_flatten(b, x);
}

/* A ratio of rank 0 is a setting for the engine, not a parameter. */
crd__zoo_tensor crd__zoo_dropout(crd__zoo_builder *b, crd__zoo_tensor x, double ratio) {
  const float value = (float)ratio;
  char name[80];
  if (ratio <= 0) return x;
  snprintf(name, sizeof name, "%.70s.ratio", x.value.name);
  const crd__onnx_graph_value inputs[] = { x.value, crd__onnx_graph_floats(&b->graph, name, &value,
                                                                           NULL, 0) };
  x.value = add_node(b, NULL, "Dropout", inputs, 2, NULL);
  return x;
}
