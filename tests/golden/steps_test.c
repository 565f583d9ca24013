/*
 * steps_test.c -- a trainer follows torch: losses of twelve steps, and logits after them, of an MLP
 * with a batch norm from the same weights (tests/golden/make-steps ran torch).
 *
 * Every epoch is one batch of all rows, so that the order of the rows does not matter.
 */
#include "network/model.h"
#include "network/stream.h"
#include "onnx/graph.h"
#include "support.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 24, INPUTS = 3, HIDDEN = 5, CLASSES = 3 };
static const double tolerance = 1e-5;

static json_t *fixtures(void) {
  json_error_t error;
  json_t *const root = json_load_file(CREDENCE_SOURCE "/tests/golden/steps.json", 0, &error);
  if (!root) fail_msg("%s", error.text);
  return root;
}

static void must(crd_context *ctx, crd_status status) {
  if (status != CRD_OK) fail_msg("%s", crd_context_message(ctx));
}

static double number(const json_t *list, size_t index) {
  return json_number_value(json_array_get(list, index));
}

/* Integers over the scale. */
static void fill(const json_t *root, const json_t *integers, float *out) {
  const double scale = json_number_value(json_object_get(root, "scale"));
  for (size_t i = 0; i < json_array_size(integers); i++)
    out[i] = (float)(number(integers, i) / scale);
}

/* ---- The network. */

static crd__onnx_graph_value stored(crd__onnx_graph *g, const json_t *root, const char *name,
                                    const int64_t *dims, size_t rank) {
  float values[64];
  fill(root, json_object_get(json_object_get(root, "weights"), name), values);
  return crd__onnx_graph_floats(g, name, values, dims, rank);
}

static crd__onnx_graph_value filled(crd__onnx_graph *g, const char *name, float value) {
  static const int64_t dims[] = { HIDDEN };
  float values[HIDDEN];
  for (size_t i = 0; i < HIDDEN; i++) values[i] = value;
  return crd__onnx_graph_floats(g, name, values, dims, 1);
}

static crd__onnx_graph_value node(crd__onnx_graph *g, const char *op, size_t count,
                                  const crd__onnx_graph_value *inputs) {
  return crd__onnx_graph_node(g, op, inputs, count, NULL);
}

static crd_model *make_model(crd_context *ctx, const json_t *root) {
  static const int64_t in[] = { -1, INPUTS }, out[] = { -1, CLASSES };
  static const int64_t first[] = { INPUTS, HIDDEN }, second[] = { HIDDEN, CLASSES };
  static const int64_t classes[] = { CLASSES };
  crd__onnx_graph g;
  crd__text bytes;
  crd_model *model;
  crd__onnx_graph_init(&g, &ctx->alloc);
  crd__onnx_graph_value v[5] = { crd__onnx_graph_input_of(&g, "x", CRD__ONNX_FLOAT, in, 2),
                                 stored(&g, root, "first.weight", first, 2) };
  v[0] = node(&g, "MatMul", 2, v);
  v[1] = filled(&g, "bn.weight", 1);
  v[2] = filled(&g, "bn.bias", 0);
  v[3] = filled(&g, "bn.mean", 0);
  v[4] = filled(&g, "bn.var", 1);
  v[0] = node(&g, "BatchNormalization", 5, v);
  v[0] = node(&g, "Relu", 1, v);
  v[1] = stored(&g, root, "second.weight", second, 2);
  v[2] = stored(&g, root, "second.bias", classes, 1);
  v[0] = crd__onnx_graph_node_as(&g, "logits", "Gemm", v, 3, NULL);
  crd__onnx_graph_output_of(&g, v[0], CRD__ONNX_FLOAT, out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  must(ctx, crd__onnx_graph_finish(ctx, &g, "mlp", "", &bytes));
  crd__onnx_graph_clear(&g);
  must(ctx, crd__network_model_adopt(ctx, "mlp.onnx", &bytes, &model));
  return model;
}

/* ---- The cases. */

static void compare_logits(crd_context *ctx, const crd_trainer *trainer, const crd_dataset *data,
                           const json_t *theirs) {
  const crd_encoding plain = { .class_count = CLASSES };
  float logits[ROWS * CLASSES];
  crd_model *trained;
  must(ctx, crd_trainer_model(ctx, trainer, &trained));
  must(ctx, crd__network_logits(ctx, trained, data, &plain, ROWS, logits));
  for (size_t i = 0; i < ROWS * CLASSES; i++)
    if (!near((double)logits[i], number(theirs, i), 10 * tolerance))
      fail_msg("logit %zu is %.9g, not %.9g", i, (double)logits[i], number(theirs, i));
  crd_model_destroy(trained);
}

static void run_case(crd_context *ctx, const crd_model *model, const crd_dataset *data,
                     const json_t *c) {
  const json_t *const losses = json_object_get(c, "losses");
  const bool all = strcmp(json_string_value(json_object_get(c, "decay")), "all") == 0;
  const crd_train_options options = { .size = sizeof options,
                                      .optimiser =
                                          json_string_value(json_object_get(c, "optimiser")),
                                      .schedule = json_string_value(json_object_get(c, "schedule")),
                                      .clip = json_number_value(json_object_get(c, "clip")),
                                      .decay = all ? CRD_DECAY_ALL : CRD_DECAY_WEIGHTS,
                                      .epochs = json_array_size(losses),
                                      .batch = ROWS };
  crd_trainer *trainer;
  must(ctx, crd_trainer_create(ctx, model, data, NULL, &options, &trainer));
  for (size_t i = 0; i < options.epochs; i++) {
    crd_epoch epoch;
    int done;
    must(ctx, crd_trainer_epoch(ctx, trainer, &epoch, &done));
    if (!near(epoch.values[0].value, number(losses, i), tolerance))
      fail_msg("%s: the loss of step %zu is %.9g, not %.9g", options.optimiser, i + 1,
               epoch.values[0].value, number(losses, i));
  }
  compare_logits(ctx, trainer, data, json_object_get(c, "logits"));
  crd_trainer_destroy(trainer);
}

static void training_follows_torch(void **state) {
  json_t *const root = fixtures();
  const json_t *const cases = json_object_get(root, "cases"), *const labels =
                                                                  json_object_get(root, "labels");
  float inputs[ROWS * INPUTS];
  int64_t classes[ROWS];
  crd_dataset *data;
  fill(root, json_object_get(root, "inputs"), inputs);
  for (size_t i = 0; i < ROWS; i++) classes[i] = (int64_t)number(labels, i);
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, INPUTS),
                                      .labels = crd_array_matrix(classes, CRD_I64, ROWS, 1) };
  crd_model *const model = make_model(*state, root);
  must(*state, crd_dataset_create(*state, &arrays, &data));
  assert_true(json_array_size(cases) >= 3);
  for (size_t i = 0; i < json_array_size(cases); i++)
    run_case(*state, model, data, json_array_get(cases, i));
  crd_dataset_destroy(data);
  crd_model_destroy(model);
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(training_follows_torch) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
