/* dropout_test.c -- Dropout in networks: the identity in inference; in training a new draw in every
 * run, which the backward pass repeats, and which depends neither on threads nor on the
 * compilation. */
#include "credence/network.h"

#include "support.h"

#include "base/context.h"
#include "base/text.h"
#include "onnx/graph.h"

#include <math.h>
#include <string.h>

enum { ROWS = 50, COLUMNS = 40, COUNT = ROWS * COLUMNS };

/* x -> Dropout -> Dropout, the ratio given as an input. */
static void build(crd_context *ctx, crd__text *out) {
  const int64_t dims[] = { ROWS, COLUMNS };
  const float ratio = 0.25F;
  crd__onnx_graph graph;
  crd__onnx_graph_init(&graph, &ctx->alloc);
  crd__text_init(out, &ctx->alloc);
  crd__onnx_graph_value values[] = { crd__onnx_graph_input_of(&graph, "x", CRD__ONNX_FLOAT, dims,
                                                              2),
                                     crd__onnx_graph_floats(&graph, "ratio", &ratio, NULL, 0) };
  values[0] = crd__onnx_graph_node(&graph, "Dropout", values, 2, NULL);
  values[0] = crd__onnx_graph_node(&graph, "Dropout", values, 2, NULL);
  crd__onnx_graph_output_of(&graph, values[0], CRD__ONNX_FLOAT, dims, 2);
  assert_int_equal(crd__onnx_graph_finish(ctx, &graph, "graph", "", out), CRD_OK);
  crd__onnx_graph_clear(&graph);
}

typedef struct {
  float y[2][COUNT], dx[2][COUNT]; /* of two runs */
} result;

/* x is 1 everywhere, and so is the gradient. */
static void run(crd_context *ctx, const crd__text *bytes, crd_mode mode, result *out) {
  static float ones[COUNT];
  crd_model *model;
  crd_network *network;
  for (size_t i = 0; i < COUNT; i++) ones[i] = 1;
  const crd_array input = { .data = ones, .dtype = CRD_F32, .rank = 2, .dims = { ROWS, COLUMNS } };
  assert_int_equal(crd_model_open_memory(ctx, "graph", bytes->bytes, bytes->length, &model),
                   CRD_OK);
  assert_int_equal(crd_network_compile(
                       ctx, model,
                       &(crd_compile_options){ .size = sizeof(crd_compile_options), .mode = mode },
                       &network),
                   CRD_OK);
  for (size_t k = 0; k < 2; k++) {
    assert_int_equal(crd_network_run(ctx, network, &input, 1), CRD_OK);
    memcpy(out->y[k], crd_network_output(network, 0)->data, sizeof out->y[k]);
    if (mode == CRD_MODE_INFERENCE) continue;
    assert_int_equal(crd_network_backward(ctx, network, &input), CRD_OK);
    memcpy(out->dx[k], crd_network_input_gradient(network, 0)->data, sizeof out->dx[k]);
  }
  crd_network_destroy(network);
  crd_model_destroy(model);
}

/* Two dropouts pass (3/4)^2 of the values, within five standard deviations. */
static void training_drops(void **state) {
  static result first, again;
  crd__text bytes;
  build(*state, &bytes);
  run(*state, &bytes, CRD_MODE_TRAINING, &first);
  for (size_t k = 0; k < 2; k++) {
    size_t kept = 0;
    for (size_t i = 0; i < COUNT; i++) {
      const bool stays = first.y[k][i] != 0;
      assert_true(!stays || fabs((double)first.y[k][i] - 16.0 / 9) < 1e-6);
      assert_true(first.dx[k][i] == first.y[k][i]);
      kept += stays;
    }
    assert_true(fabs((double)kept - COUNT * 9.0 / 16) <= 5 * sqrt(COUNT * 9.0 / 16 * 7 / 16));
  }
  assert_memory_not_equal(first.y[0], first.y[1], sizeof first.y[0]);
  crd_context_set_threads(*state, 2);
  run(*state, &bytes, CRD_MODE_TRAINING, &again);
  assert_memory_equal(&first, &again, sizeof first);
  crd__text_clear(&bytes);
}

static void elsewhere_it_does_nothing(void **state) {
  static result r;
  crd__text bytes;
  build(*state, &bytes);
  for (int mode = CRD_MODE_INFERENCE; mode <= CRD_MODE_INPUT_GRADIENT; mode++) {
    run(*state, &bytes, (crd_mode)mode, &r);
    for (size_t i = 0; i < COUNT; i++)
      assert_true(r.y[1][i] == 1 && (mode == CRD_MODE_INFERENCE || r.dx[1][i] == 1));
  }
  crd__text_clear(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(training_drops),
    cmocka_unit_test(elsewhere_it_does_nothing),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
