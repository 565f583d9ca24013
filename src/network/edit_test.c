/* edit_test.c -- models with other weights, and with another last layer. */
#include "network/runs_test.h"

static crd_status update_somewhere(crd_context *ctx, const void *path) {
  static const float numbers[3] = { 1, 2, 3 };
  const crd_weights weights = { "B2", numbers, 3 };
  const crd_metadata pair = { "key", "value" };
  crd_model *model = NULL, *updated = NULL;
  crd_status status = crd_model_open(ctx, path, &model);
  if (status == CRD_OK) status = crd_model_update(ctx, model, &weights, 1, &pair, 1, &updated);
  if (status == CRD_OK) assert_string_equal(crd_model_metadata(updated, "key"), "value");
  crd_model_destroy(updated);
  crd_model_destroy(model);
  return status;
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  fail_each_allocation(update_somewhere, CREDENCE_SOURCE "/tests/cli/data/net.onnx");
}

/* A new last layer, and what it computes. */
static void a_new_last_layer(void **state) {
  static const float x[] = { 1, 2, -1, .5F };
  const crd_array rows = { .data = x, .dtype = CRD_F32, .rank = 2, .dims = { 1, 4 } };
  crd_model *const model = open_model(*state, DATA_FILE("image.onnx"));
  crd_model *const last = cut(*state, model, "flat", CRD_PART_AFTER);
  crd_model *wide;
  WORKS(*state, crd_model_set_classes(*state, last, 5, &wide));
  crd_network *network;
  const crd_compile_options how = { .size = sizeof how, .mode = CRD_MODE_TRAINING };
  WORKS(*state, crd_network_compile(*state, wide, &how, &network));
  const float *w = NULL, *b = NULL;
  const crd_parameter *p;
  for (size_t i = 0; (p = crd_network_parameter(network, i)); i++) {
    if (strcmp(p->name, "W") == 0) w = p->values;
    if (strcmp(p->name, "C") == 0) b = p->values;
  }
  if (!w || !b) fail_msg("the layer has no weights");
  crd_array y = run_once(*state, wide, &rows);
  assert_int_equal(y.dims[1], 5);
  for (size_t k = 0; k < 5; k++) {
    float sum = b[k];
    for (size_t i = 0; i < 4; i++) sum += x[i] * w[i * 5 + k];
    assert_true(fabsf(sum - ((const float *)y.data)[k]) < 1e-6F);
  }
  drop(*state, &y);
  crd_network_destroy(network);
  crd_model *const all[] = { model, last, wide };
  for (size_t i = 0; i < 3; i++) crd_model_destroy(all[i]);
}

static void names_of_other_models_are_refused(void **state) {
  crd_model *const model = open_model(*state, DATA_FILE("net.onnx"));
  crd_model *updated = model;
  const float one = 1;
  const crd_weights wrong = { "W22", &one, 1 };
  FAILS(*state, CRD_EUSAGE, crd_model_update(*state, model, &wrong, 1, NULL, 0, &updated),
        "net.onnx: no initialiser is called 'W22'; did you mean 'W2'?");
  assert_null(updated);
  crd_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(a_new_last_layer),
                                      TEST(names_of_other_models_are_refused),
                                      TEST(survives_lack_of_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
