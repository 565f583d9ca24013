/*
 * clamp_test.c -- clamps fitted, saved, loaded and put into models while every allocation fails
 * once.
 *
 * The threads of loaders allocate too, at moments that vary: which allocation fails may differ from
 * run to run, what must hold does not.
 */
#include "sweep.h"

#include "credence/clamp.h"
#include "onnx/graph.h"

enum { ROWS = 6, INPUTS = 2, CLASSES = 2 };

static char model_bytes[1 << 12];
static size_t model_length;
static char path[256], scratch[256];

/* logits = x W, of x + b, so that there is a tensor behind the input */
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
  x = crd__onnx_graph_node_as(&g, "y", "Softmax", &x, 1, NULL);
  crd__onnx_graph_output_of(&g, x, CRD__ONNX_FLOAT, out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  assert_int_equal(crd__onnx_graph_finish(ctx, &g, "linear", "", &bytes), CRD_OK);
  assert_true(bytes.length < sizeof model_bytes);
  memcpy(model_bytes, bytes.bytes, bytes.length);
  model_length = bytes.length;
  crd__text_clear(&bytes);
  crd__onnx_graph_clear(&g);
  crd_context_destroy(ctx);
  temporary_path(path, "clamp.json");
  temporary_path(scratch, "scratch.json");
  return 0;
}

static int remove_file(void **state) {
  (void)state;
  unlink(path);
  unlink(scratch);
  return 0;
}

/* ---- A fit: logits = (x0, x1), rows one at a time. */

static size_t runs, interrupt_at; /* 0: never */

static crd_status run(void *self, crd_context *ctx, const float *input, float *output) {
  (void)self;
  if (++runs == interrupt_at) crd_context_interrupt(ctx);
  memcpy(output, input, 2 * INPUTS * sizeof *input);
  return CRD_OK;
}

static crd_status backward(void *self, crd_context *ctx, const float *output_gradient,
                           float *input_gradient) {
  (void)self, (void)ctx;
  memcpy(input_gradient, output_gradient, 2 * INPUTS * sizeof *input_gradient);
  return CRD_OK;
}

/* What a fit and predictions need. */
typedef struct {
  crd_network *network, *encoder;
  crd_dataset *rows;
  crd_encoding *encoding;
} scene;

static void close_scene(const scene *s) {
  crd_encoding_destroy(s->encoding);
  crd_dataset_destroy(s->rows);
  crd_network_destroy(s->encoder);
  crd_network_destroy(s->network);
}

/* `inside`: delta is behind an encoder. Release with close_scene, also after failure. */
static crd_status open_scene(crd_context *ctx, bool inside, scene *s) {
  static const float inputs[ROWS * INPUTS] = { 1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1 };
  static const int64_t labels[ROWS] = { 0, 1, 0, 1, 1, 0 }, groups[ROWS] = { 0, 1, 2, 3, 4, 5 };
  static const double weights[ROWS] = { 1, 2, 1, 2, 1, 2 };
  static const crd_network_ops ops = { .size = sizeof ops, .run = run, .backward = backward };
  const crd_array shape = crd_array_matrix(NULL, CRD_F32, 2, INPUTS);
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = crd_array_matrix(inputs, CRD_F32, ROWS, INPUTS),
                                      .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                      .groups = crd_array_matrix(groups, CRD_I64, ROWS, 1),
                                      .weights = crd_array_matrix(weights, CRD_F64, ROWS, 1) };
  *s = (scene){ 0 };
  CRD_TRY(crd_network_create(ctx, &ops, NULL, &shape, &shape, &s->network));
  if (inside) CRD_TRY(crd_network_create(ctx, &ops, NULL, &shape, &shape, &s->encoder));
  CRD_TRY(crd_dataset_create(ctx, &arrays, &s->rows));
  return crd_encoding_learn(ctx, s->rows, NULL, &s->encoding);
}

/* With '+' in front of the settings, delta is behind an encoder. */
static crd_status fit(crd_context *ctx, const char *settings, const char *select, crd_clamp **out) {
  const bool inside = settings[0] == '+';
  scene s;
  *out = NULL;
  crd_status status = open_scene(ctx, inside, &s);
  const crd_clamp_options options = { .size = sizeof options,
                                      .settings = settings + inside,
                                      .select = select,
                                      .encoding = s.encoding,
                                      .encoder = s.encoder,
                                      .tensor = inside ? "h" : NULL };
  runs = 0;
  if (status == CRD_OK) {
    status = crd_clamp_fit(ctx, s.network, s.rows, &options, out);
    assert_true((status == CRD_OK) == (*out != NULL));
  }
  close_scene(&s);
  return status;
}

/* Predicts with the stored clamp, so that the sweep has no fit in it. */
static crd_status predict(crd_context *ctx, const void *what) {
  crd_clamp *clamp = NULL;
  crd_predictions *predictions = NULL;
  scene s;
  (void)what;
  crd_status status = open_scene(ctx, true, &s);
  if (status == CRD_OK) status = crd_clamp_load(ctx, path, &clamp);
  if (status == CRD_OK) {
    const crd_clamp_options how = { .size = sizeof how,
                                    .encoding = s.encoding,
                                    .encoder = s.encoder };
    status = crd_clamp_predict(ctx, clamp, s.network, s.rows, &how, &predictions);
    assert_true((status == CRD_OK) == (predictions != NULL));
  }
  crd_predictions_destroy(predictions);
  crd_clamp_destroy(clamp);
  close_scene(&s);
  return status;
}

static crd_status fit_only(crd_context *ctx, const void *what) {
  crd_clamp *clamp;
  const crd_status status = fit(ctx, what, NULL, &clamp);
  crd_clamp_destroy(clamp);
  return status;
}

static crd_status save(crd_context *ctx, const crd_clamp *clamp, const char *to) {
  crd_output *output;
  CRD_TRY(crd_output_open(ctx, to, &output));
  const crd_status status = crd_clamp_save(ctx, clamp, output);
  return crd_output_finish(ctx, output, status);
}

/* Saves what was loaded, so that the sweep has no fit in it. */
static crd_status load_and_save(crd_context *ctx, const void *what) {
  crd_clamp *clamp;
  crd_status status = crd_clamp_load(ctx, path, &clamp);
  (void)what;
  assert_true((status == CRD_OK) == (clamp != NULL));
  if (status == CRD_OK) status = save(ctx, clamp, scratch);
  crd_clamp_destroy(clamp);
  return status;
}

static crd_status into(crd_context *ctx, const void *what) {
  crd_clamp *clamp = NULL;
  crd_model *model = NULL, *copy = NULL;
  crd_status status = crd_clamp_load(ctx, path, &clamp);
  if (status == CRD_OK)
    status = crd_model_open_memory(ctx, "m.onnx", model_bytes, model_length, &model);
  if (status == CRD_OK) {
    copy = model;
    status = crd_clamp_into(ctx, clamp, model, what, NULL, &copy);
    assert_true((status == CRD_OK) == (copy != NULL));
  }
  crd_model_destroy(copy);
  crd_model_destroy(model);
  crd_clamp_destroy(clamp);
  return status;
}

static void fits(void **state) {
  (void)state;
  sweep(fit_only, "lambda=0.1,passes=3", "a fit");
  sweep(fit_only, "start=entropy,fit=temperature,gamma=1", "a start");
  sweep(fit_only, "lambda=0.1,optimiser=adam,epochs=1,batch=3,start=logits", "mini-batches");
  sweep(fit_only, "+lambda=0.1,passes=2", "a fit inside a network");
}

static void a_choice(void **state) {
  (void)state;
  sweep(fit_only, "passes=2", "a choice");
}

/* An interrupt ends it after one gamma. */
static crd_status select_gamma(crd_context *ctx, const void *rule) {
  crd_clamp *clamp;
  interrupt_at = strcmp(rule, "in-sample") == 0 ? 20 : 90;
  const crd_status status = fit(ctx, "lambda=0.1,passes=2", rule, &clamp);
  if (status == CRD_OK) {
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    assert_true(found->selection_count > 0 && found->selection_count < 21 && found->interrupted);
  }
  interrupt_at = 0;
  crd_clamp_destroy(clamp);
  return status;
}

static void selections(void **state) {
  (void)state;
  sweep(select_gamma, "held-out", "a selection");
  sweep(select_gamma, "in-sample", "a selection");
}

static void files_and_models(void **state) {
  crd_context *const ctx = test_context();
  crd_clamp *clamp;
  (void)state;
  assert_int_equal(fit(ctx, "+start=random,fit=temperature,project=yes", NULL, &clamp), CRD_OK);
  assert_int_equal(save(ctx, clamp, path), CRD_OK);
  crd_clamp_destroy(clamp);
  crd_context_destroy(ctx);
  sweep(load_and_save, NULL, "a file");
  sweep(predict, NULL, "predictions");
  sweep(into, "x", "a model");
  sweep(into, NULL, "the tensor of the clamp");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fits),
    cmocka_unit_test(a_choice),
    cmocka_unit_test(selections),
    cmocka_unit_test(files_and_models),
  };
  return cmocka_run_group_tests(tests, make_model, remove_file);
}
