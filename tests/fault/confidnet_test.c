/*
 * confidnet_test.c -- confidence networks trained, put into models and used for predictions while
 * every allocation fails once.
 */
#include "sweep.h"

#include "credence/confidnet.h"
#include "onnx/graph.h"

enum { ROWS = 6, INPUTS = 2, CLASSES = 2 };

static char model_bytes[1 << 12];
static size_t model_length;
static char scratch[256];

/* logits = -x W */
static int make_model(void **state) {
  static const int64_t in[] = { -1, INPUTS }, out[] = { -1, CLASSES }, dims[] = { INPUTS, CLASSES };
  static const float weights[] = { 1, -1, 0.5, 2 };
  crd_context *const ctx = test_context();
  crd__onnx_graph g;
  crd__text bytes;
  (void)state;
  crd__onnx_graph_init(&g, &ctx->alloc);
  crd__onnx_graph_value x = crd__onnx_graph_input_of(&g, "x", CRD__ONNX_FLOAT, in, 2);
  const crd__onnx_graph_value w = crd__onnx_graph_floats(&g, "w", weights, dims, 2);
  x = crd__onnx_graph_node_as(&g, "h", "Neg", &x, 1, NULL);
  x = crd__onnx_graph_node_as(&g, "logits", "MatMul", (const crd__onnx_graph_value[]){ x, w }, 2,
                              NULL);
  crd__onnx_graph_output_of(&g, x, CRD__ONNX_FLOAT, out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  assert_int_equal(crd__onnx_graph_finish(ctx, &g, "linear", "", &bytes), CRD_OK);
  assert_true(bytes.length < sizeof model_bytes);
  memcpy(model_bytes, bytes.bytes, bytes.length);
  model_length = bytes.length;
  crd__text_clear(&bytes);
  crd__onnx_graph_clear(&g);
  crd_context_destroy(ctx);
  temporary_path(scratch, "scratch.npz");
  return 0;
}

static int remove_file(void **state) {
  (void)state;
  unlink(scratch);
  return 0;
}

/* ---- Work. */

typedef struct {
  crd_model *model;
  crd_dataset *rows;
  crd_confidnet *confidnet;
} scene;

static void close_scene(const scene *s) {
  crd_confidnet_destroy(s->confidnet);
  crd_dataset_destroy(s->rows);
  crd_model_destroy(s->model);
}

/* Trains one epoch. Release with close_scene, also after failure. */
static crd_status train(crd_context *ctx, scene *s) {
  static const float inputs[ROWS * INPUTS] = { 1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1 };
  static const int64_t labels[ROWS] = { 0, 1, 0, 1, 1, 0 };
  static const double weights[ROWS] = { 1, 2, 1, 2, 1, 2 };
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, INPUTS),
                                      .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                      .weights = crd_array_matrix(weights, CRD_F64, ROWS, 1) };
  const crd_confidnet_options how = { .size = sizeof how, .settings = "hidden=3,batch=4,epochs=1" };
  crd_confidnet_epoch epoch;
  int done;
  *s = (scene){ 0 };
  CRD_TRY(crd_model_open_memory(ctx, "m.onnx", model_bytes, model_length, &s->model));
  CRD_TRY(crd_dataset_create(ctx, &arrays, &s->rows));
  s->confidnet = (crd_confidnet *)s; /* to be replaced */
  const crd_status status =
      crd_confidnet_create(ctx, s->model, s->rows, s->rows, &how, &s->confidnet);
  assert_true((status == CRD_OK) == (s->confidnet != NULL));
  CRD_TRY(status);
  return crd_confidnet_train(ctx, s->confidnet, &epoch, &done);
}

static crd_status train_only(crd_context *ctx, const void *what) {
  scene s;
  (void)what;
  const crd_status status = train(ctx, &s);
  close_scene(&s);
  return status;
}

static crd_status put_and_predict(crd_context *ctx, const void *what) {
  const crd_feed_options how = { .size = sizeof how, .features = what };
  scene s;
  crd_model *model = NULL;
  crd_feed_summary summary;
  crd_status status = train(ctx, &s);
  if (status == CRD_OK) status = crd_confidnet_model(ctx, s.confidnet, &model);
  if (status == CRD_OK)
    status = crd_dataset_predict_to(ctx, model, s.rows, &how, scratch, &summary);
  if (status == CRD_OK) assert_true(summary.confidence);
  crd_model_destroy(model);
  close_scene(&s);
  return status;
}

static void heads(void **state) {
  (void)state;
  sweep(train_only, NULL, "a head");
}

static void models(void **state) {
  (void)state;
  sweep(put_and_predict, NULL, "predictions");
  sweep(put_and_predict, "h", "predictions with features");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(heads), cmocka_unit_test(models) };
  return cmocka_run_group_tests(tests, make_model, remove_file);
}
