/*
 * arithmetic_test.c -- one value per channel combined with feature maps in a blocked layout, as a
 * convolution computes them; compared with the definition.
 */
#include "credence/network.h"

#include "support.h"

#include "base/context.h"
#include "base/text.h"
#include "onnx/graph.h"

#include <string.h>

enum { ROWS = 2, SIDE = 5, AREA = SIDE * SIDE, CHANNELS_MAX = 72 };

typedef struct {
  const char *op;
  int64_t channels, rows; /* rows of the other operand: ROWS, or 1, which is broadcast */
  bool first;             /* the other operand is the first, the feature maps the second */
} words;

static float number(size_t i) { return (float)(i * 37 % 101) / 32 - 1.5F; }

static void fill(float *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = number(i);
}

/* x -> Conv -> op with (s -> Conv) -> Conv; outputs: the result of op, and its operands. */
static void build(crd_context *ctx, const words *w, crd__text *out) {
  const int64_t maps[] = { ROWS, w->channels, SIDE, SIDE }, each[] = { w->rows, w->channels, 1, 1 };
  const int64_t weights[] = { w->channels, w->channels, 1, 1 };
  static float numbers[CHANNELS_MAX * CHANNELS_MAX];
  crd__onnx_graph graph;
  fill(numbers, (size_t)(w->channels * w->channels));
  crd__onnx_graph_init(&graph, &ctx->alloc);
  crd__text_init(out, &ctx->alloc);
  const crd__onnx_graph_value in[] = { crd__onnx_graph_input_of(&graph, "x", CRD__ONNX_FLOAT, maps,
                                                                4),
                                       crd__onnx_graph_floats(&graph, "w", numbers, weights, 4) };
  const crd__onnx_graph_value of[] = {
    crd__onnx_graph_input_of(&graph, "s", CRD__ONNX_FLOAT, each, 4), in[1]
  };
  const crd__onnx_graph_value y = crd__onnx_graph_node(&graph, "Conv", in, 2, NULL);
  const crd__onnx_graph_value s = crd__onnx_graph_node(&graph, "Conv", of, 2, NULL);
  const crd__onnx_graph_value pair[] = { w->first ? s : y, w->first ? y : s };
  const crd__onnx_graph_value made[] = { crd__onnx_graph_node(&graph, w->op, pair, 2, NULL),
                                         in[1] };
  const crd__onnx_graph_value end = crd__onnx_graph_node(&graph, "Conv", made, 2, NULL);
  crd__onnx_graph_output_of(&graph, made[0], CRD__ONNX_FLOAT, maps, 4);
  crd__onnx_graph_output_of(&graph, y, CRD__ONNX_FLOAT, maps, 4);
  crd__onnx_graph_output_of(&graph, s, CRD__ONNX_FLOAT, each, 4);
  crd__onnx_graph_output_of(&graph, end, CRD__ONNX_FLOAT, maps, 4);
  assert_int_equal(crd__onnx_graph_finish(ctx, &graph, "graph", "", out), CRD_OK);
  crd__onnx_graph_clear(&graph);
}

static float value(const words *w, float y, float s) {
  const float a = w->first ? s : y, b = w->first ? y : s;
  return *w->op == 'M' ? a * b : *w->op == 'A' ? a + b : *w->op == 'S' ? a - b : a / b;
}

static void check(crd_context *ctx, const words *w) {
  static float x[ROWS * CHANNELS_MAX * AREA], s[ROWS * CHANNELS_MAX];
  const size_t channels = (size_t)w->channels;
  crd__text bytes;
  crd_model *model;
  crd_network *network;
  fill(x, ROWS * channels * AREA);
  fill(s, (size_t)w->rows * channels);
  const crd_array given[] = {
    { .data = x, .dtype = CRD_F32, .rank = 4, .dims = { ROWS, w->channels, SIDE, SIDE } },
    { .data = s, .dtype = CRD_F32, .rank = 4, .dims = { w->rows, w->channels, 1, 1 } }
  };
  build(ctx, w, &bytes);
  assert_int_equal(crd_model_open_memory(ctx, "graph", bytes.bytes, bytes.length, &model), CRD_OK);
  assert_int_equal(crd_network_compile(ctx, model, NULL, &network), CRD_OK);
  assert_int_equal(crd_network_run(ctx, network, given, 2), CRD_OK);
  const float *const z = crd_network_output(network, 0)->data;
  const float *const y = crd_network_output(network, 1)->data;
  const float *const each = crd_network_output(network, 2)->data;
  for (size_t i = 0; i < ROWS * channels * AREA; i++) {
    const size_t row = w->rows == 1 ? 0 : i / AREA / channels;
    const float want = value(w, y[i], each[row * channels + i / AREA % channels]);
    if (z[i] != want)
      fail_msg("%s of %zu channels: %g instead of %g at %zu", w->op, channels, (double)z[i],
               (double)want, i);
  }
  crd_network_destroy(network);
  crd_model_destroy(model);
  crd__text_clear(&bytes);
}

static void channels_have_numbers(void **state) {
  static const char *const ops[] = { "Mul", "Add", "Sub", "Div" };
  static const int64_t channels[] = { 3, 16, 17, CHANNELS_MAX };
  if (!crd_operator_at(0)) return;
  for (size_t i = 0; i < 4; i++)
    for (size_t k = 0; k < 4; k++)
      for (int64_t rows = 1; rows <= ROWS; rows++)
        for (int first = 0; first < 2; first++)
          check(*state, &(words){ ops[i], channels[k], rows, first });
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(channels_have_numbers) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
