/*
 * confidnet_head.c -- the head of ConfidNet: fully connected layers with ReLU between them,
 *
 *   h_0 = features,  h_i = relu(W_i h_{i-1} + b_i),  v = W_n h_{n-1} + b_n.
 *
 * Weights before ReLUs are normal with variance 2 / fan-in (He et al. 2015), those of the last
 * layer uniform, |w| < 1 / sqrt(fan-in), as PyTorch draws them.
 */
#include "base/random.h"
#include "network/model.h"
#include "refine/confidnet.h"

#include <math.h>
#include <stdio.h>

size_t crd__refine_head_count(const crd__refine_head *head) {
  size_t count = 0;
  for (size_t i = 0; i < head->layers; i++) count += (head->sizes[i] + 1) * head->sizes[i + 1];
  return count;
}

void crd__refine_head_draw(const crd__refine_head *head, uint64_t seed, float *values) {
  static const uint64_t stream = 0x68656164; /* "head" */
  for (size_t i = 0; i < head->layers; i++) {
    const size_t in = head->sizes[i], out = head->sizes[i + 1];
    const bool last = i + 1 == head->layers;
    const double scale = sqrt((last ? 1 : 2) / (double)in);
    for (size_t k = 0; k < in * out; k++)
      *values++ = (float)(scale * (last ? 2 * crd__random_uniform(seed, stream + i, k) - 1
                                        : crd__random_normal(seed, stream + i, k)));
    for (size_t k = 0; k < out; k++) *values++ = 0;
  }
}

crd__onnx_graph_value crd__refine_head_add(crd__onnx_graph *graph, const crd__refine_head *head,
                                           const float *values, crd__onnx_graph_value input) {
  const crd__onnx_graph_attribute turned[] = { { .name = "transB", .i = 1 }, { .name = NULL } };
  crd__onnx_graph_value x = input;
  for (size_t i = 0; i < head->layers; i++) {
    const int64_t dims[] = { (int64_t)head->sizes[i + 1], (int64_t)head->sizes[i] };
    const size_t weights = head->sizes[i] * head->sizes[i + 1];
    char name[64];
    snprintf(name, sizeof name, "%sconfidence.fc%zu.weight", graph->prefix, i + 1);
    const crd__onnx_graph_value w = crd__onnx_graph_floats(graph, name, values, dims, 2);
    snprintf(name, sizeof name, "%sconfidence.fc%zu.bias", graph->prefix, i + 1);
    const crd__onnx_graph_value b = crd__onnx_graph_floats(graph, name, values + weights, dims, 1);
    const crd__onnx_graph_value inputs[] = { x, w, b };
    x = crd__onnx_graph_node(graph, "Gemm", inputs, 3, turned);
    if (i + 1 < head->layers) x = crd__onnx_graph_node(graph, "Relu", &x, 1, NULL);
    values += weights + head->sizes[i + 1];
  }
  return x;
}

crd_status crd__refine_head_model(crd_context *ctx, const crd__refine_head *head,
                                  const float *values, crd_model **out) {
  const int64_t dims[] = { -1, 1 };
  crd__onnx_graph graph;
  crd__text bytes;
  *out = NULL;
  crd__onnx_graph_init(&graph, &ctx->alloc);
  crd__text_init(&bytes, &ctx->alloc);
  const crd__onnx_graph_value features =
      crd__onnx_graph_input(&graph, "features", CRD__ONNX_FLOAT, head->sizes[0]);
  const crd__onnx_graph_value v = crd__refine_head_add(&graph, head, values, features);
  crd__onnx_graph_output_of(&graph, v, CRD__ONNX_FLOAT, dims, 2);
  const crd_status status =
      crd__onnx_graph_finish(ctx, &graph, "confidnet", "a head of ConfidNet", &bytes);
  crd__onnx_graph_clear(&graph);
  if (status == CRD_OK) return crd__network_model_adopt(ctx, "the head", &bytes, out);
  crd__text_clear(&bytes);
  return status;
}
