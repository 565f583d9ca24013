/* quantize_linear_test.c -- the backward pass of y = x + dequantised(quantised(x)): it stops at the
 * steps of the quantisation, scales are not trained, and a scale that depends on an input is an
 * error. */
#include "credence/network.h"

#include "support.h"

#include "base/context.h"
#include "base/text.h"
#include "onnx/graph.h"

#include <string.h>

enum { ROWS = 2, COLUMNS = 3, COUNT = ROWS * COLUMNS };

static void build(crd_context *ctx, bool given, crd__text *out) {
  const int64_t dims[] = { ROWS, COLUMNS }, columns = COLUMNS;
  const float scales[] = { 0.5F, 0.25F, 2 };
  crd__onnx_graph graph;
  crd__onnx_graph_init(&graph, &ctx->alloc);
  crd__text_init(out, &ctx->alloc);
  const crd__onnx_graph_value x = crd__onnx_graph_input_of(&graph, "x", CRD__ONNX_FLOAT, dims, 2);
  const crd__onnx_graph_value scale =
      given ? crd__onnx_graph_input_of(&graph, "scale", CRD__ONNX_FLOAT, &columns, 1)
            : crd__onnx_graph_floats(&graph, "scale", scales, &columns, 1);
  const crd__onnx_graph_value whole = crd__onnx_graph_node(
      &graph, "QuantizeLinear", (crd__onnx_graph_value[]){ x, scale }, 2, NULL);
  const crd__onnx_graph_value back = crd__onnx_graph_node(
      &graph, "DequantizeLinear", (crd__onnx_graph_value[]){ whole, scale }, 2, NULL);
  const crd__onnx_graph_value y =
      crd__onnx_graph_node(&graph, "Add", (crd__onnx_graph_value[]){ x, back }, 2, NULL);
  crd__onnx_graph_output_of(&graph, y, CRD__ONNX_FLOAT, dims, 2);
  assert_int_equal(crd__onnx_graph_finish(ctx, &graph, "graph", "", out), CRD_OK);
  crd__onnx_graph_clear(&graph);
}

static void gradient_stops_at_steps(void **state) {
  const float x[COUNT] = { 1.3F, 0.3F, 3.1F, 0.8F, 7, -4 };
  const float want[COUNT] = { 2.8F, 0.55F, 7.1F, 1.8F, 14, -4 }; /* x + a multiple of the scale */
  const crd_array input = { .data = x, .dtype = CRD_F32, .rank = 2, .dims = { ROWS, COLUMNS } };
  const crd_mode modes[] = { CRD_MODE_INPUT_GRADIENT, CRD_MODE_TRAINING };
  crd_model *model;
  crd_network *network;
  crd__text bytes;
  build(*state, false, &bytes);
  assert_int_equal(crd_model_open_memory(*state, "graph", bytes.bytes, bytes.length, &model),
                   CRD_OK);
  for (size_t m = 0; m < 2; m++) {
    const crd_compile_options how = { .size = sizeof how, .mode = modes[m] };
    assert_int_equal(crd_network_compile(*state, model, &how, &network), CRD_OK);
    assert_int_equal(crd_network_run(*state, network, &input, 1), CRD_OK);
    const float *const y = crd_network_output(network, 0)->data;
    for (size_t i = 0; i < COUNT; i++) assert_true(near((double)y[i], (double)want[i], 1e-6));
    assert_int_equal(crd_network_backward(*state, network, &input), CRD_OK);
    assert_memory_equal(crd_network_input_gradient(network, 0)->data, x, sizeof x);
    assert_null(crd_network_parameter(network, 0));
    crd_network_destroy(network);
  }
  crd_model_destroy(model);
  crd__text_clear(&bytes);
}

static void given_scale_has_no_gradient(void **state) {
  const crd_compile_options how = { .size = sizeof how, .mode = CRD_MODE_INPUT_GRADIENT };
  crd_model *model;
  crd_network *network;
  crd__text bytes;
  build(*state, true, &bytes);
  assert_int_equal(crd_model_open_memory(*state, "graph", bytes.bytes, bytes.length, &model),
                   CRD_OK);
  assert_int_equal(crd_network_compile(*state, model, &how, &network), CRD_EINPUT);
  assert_non_null(strstr(crd_context_message(*state), "(DequantizeLinear): this operator has no"));
  crd_model_destroy(model);
  crd__text_clear(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(gradient_stops_at_steps),
                                      cmocka_unit_test(given_scale_has_no_gradient) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
