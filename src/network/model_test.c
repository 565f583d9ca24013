/* model_test.c -- models that own their bytes. */
#include "io/testing.h"

#include "network/model.h"
#include "onnx/graph.h"

/* The bytes of a model y = Relu(x). */
static crd_status make_bytes(crd_context *ctx, crd__text *out) {
  static const int64_t dims[] = { -1, 3 };
  crd__onnx_graph g;
  crd__onnx_graph_init(&g, &ctx->alloc);
  const crd__onnx_graph_value x = crd__onnx_graph_input_of(&g, "x", CRD__ONNX_FLOAT, dims, 2);
  const crd__onnx_graph_value y = crd__onnx_graph_node_as(&g, "y", "Relu", &x, 1, NULL);
  crd__onnx_graph_output_of(&g, y, CRD__ONNX_FLOAT, dims, 2);
  crd__text_init(out, &ctx->alloc);
  const crd_status status = crd__onnx_graph_finish(ctx, &g, "relu", "", out);
  crd__onnx_graph_clear(&g);
  return status;
}

static void test_adopt(void **state) {
  crd__text bytes;
  crd_model *model;
  WORKS(*state, make_bytes(*state, &bytes));
  WORKS(*state, crd__network_model_adopt(*state, "made", &bytes, &model));
  assert_null(bytes.bytes);
  assert_int_equal(bytes.length, 0);
  assert_string_equal(crd_model_input(model, 0)->name, "x");
  assert_string_equal(crd_model_output(model, 0)->name, "y");
  crd_model_destroy(model);
}

static void test_invalid(void **state) {
  crd__text bytes;
  crd_model *model;
  crd__text_init(&bytes, &((crd_context *)*state)->alloc);
  FAILS(*state, CRD_EINPUT, crd__network_model_adopt(*state, "made", &bytes, &model), "made: ");
  assert_null(model);
  crd__text_add(&bytes, "not a model");
  FAILS(*state, CRD_EINPUT, crd__network_model_adopt(*state, "made", &bytes, &model), "made: ");
  assert_null(model);
  assert_null(bytes.bytes);
}

static crd_status adopt_somewhere(crd_context *ctx, const void *unused) {
  crd__text bytes;
  crd_model *model = NULL;
  (void)unused;
  crd_status status = make_bytes(ctx, &bytes);
  if (status == CRD_OK) status = crd__network_model_adopt(ctx, "made", &bytes, &model);
  else crd__text_clear(&bytes);
  crd_model_destroy(model);
  return status;
}

static void test_memory(void **state) {
  (void)state;
  fail_each_allocation(adopt_somewhere, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_adopt), TEST(test_invalid), TEST(test_memory) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
