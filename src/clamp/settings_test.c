/* settings_test.c -- settings, recipes, networks and data for which a fit fails, with messages. */
#include "clamp/testing.h"

#include "network/model.h"
#include "onnx/graph.h"

static void refuse(crd_context *ctx, const scene *s, crd_network *network, const crd_dataset *data,
                   const crd_clamp_options *options, crd_status status, const char *words) {
  crd_clamp *clamp = (crd_clamp *)ctx;
  FAILS(ctx, status,
        crd_clamp_fit(ctx, network ? network : s->network, data ? data : s->data, options, &clamp),
        words);
  assert_null(clamp);
}

static void wrong_settings(void **state) {
  static const struct {
    const char *settings, *words;
  } bad[] = {
    { "gama=1", "clamp has no setting 'gama'; it has gamma, lambda" },
    { "gamma=-1", "clamp: gamma=-1, allowed are numbers from 0 to 100" },
    { "gamma", "clamp: 'gamma' needs a value: gamma=0" },
    { "lambda=big", "clamp: lambda=big, allowed are numbers from 0 to" },
    { "lambda=big", ", and: auto infinite" },
    { "lambda=nan", "clamp: lambda=nan, allowed" },
    { "lambda=-1", "clamp: lambda=-1, allowed" },
    { "penalty=cube", "clamp: penalty=cube, allowed are: square norm" },
    { "start=one", "clamp: start=one, allowed are: zero random entropy logits" },
    { "passes=0", "clamp: passes=0, allowed are integers from 1 to" },
    { "passes=1.5", "clamp: passes=1.5, allowed are integers from 1 to" },
    { "optimiser=adagrad,lambda=1", "clamp: optimiser=adagrad, allowed are: lbfgs sgd adam" },
    { "optimiser=sgd", "lambda=auto needs optimiser=lbfgs, unit=loss and reduction=mean; give" },
    { "optimiser=adam", "lambda=auto needs optimiser=lbfgs" },
    { "unit=one", "lambda=auto needs optimiser=lbfgs" },
    { "reduction=sum", "lambda=auto needs optimiser=lbfgs" },
    { "low=1,high=1", "the range of valid inputs is empty: low must be below high" },
    { "low=2", "the range of valid inputs is empty: low must be below high" },
  };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 1, .rows = 40 }, &s);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const crd_clamp_options options = { .size = sizeof options, .settings = bad[i].settings };
    refuse(*state, &s, NULL, NULL, &options, CRD_EUSAGE, bad[i].words);
    FAILS(*state, CRD_EUSAGE, crd_clamp_check(*state, &options), bad[i].words);
  }
  assert_int_equal(s.net.runs, 0);
  assert_int_equal(crd_clamp_check(*state, &(crd_clamp_options){ .size = sizeof(crd_clamp_options),
                                                                 .recipe = "paper" }),
                   CRD_OK);
  /* Without a choice, nothing depends on lambda. */
  crd_clamp_destroy(fit_with(*state, &s, "optimiser=sgd,fit=temperature"));
  close_scene(&s);
}

static void wrong_recipes(void **state) {
  static const struct {
    const char *recipe, *words;
  } bad[] = {
    { "papr", "recipe is 'papr', allowed are paper and reference; did you mean 'paper'?" },
    { "referense", "did you mean 'reference'?" },
    { "", "recipe is '', allowed are paper and reference" },
    { "something else", "recipe is 'something else', allowed are paper and reference" },
  };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 1, .rows = 40 }, &s);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const crd_clamp_options options = { .size = sizeof options, .recipe = bad[i].recipe };
    refuse(*state, &s, NULL, NULL, &options, CRD_EUSAGE, bad[i].words);
  }
  close_scene(&s);
}

static void images_of_mini_batches_alone_are_transformed(void **state) {
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 1, .rows = 40 }, &s);
  const crd_clamp_options options = { .size = sizeof options, .augment = "flip" };
  refuse(*state, &s, NULL, NULL, &options, CRD_EUSAGE,
         "augment transforms the images of mini-batches: it needs optimiser=sgd or adam");
  close_scene(&s);
}

/* ---- Data. */

static void refuse_data(crd_context *ctx, const scene *s, const crd_dataset_arrays *arrays,
                        const char *words) {
  crd_dataset *data;
  WORKS(ctx, crd_dataset_create(ctx, arrays, &data));
  refuse(ctx, s, NULL, data, NULL, CRD_EINPUT, words);
  crd_dataset_destroy(data);
}

static void data_that_does_not_fit(void **state) {
  static scene s;
  static const int64_t many[40] = { 0, 1, 3 };
  open_scene(*state, &(plan){ .sharpness = 1, .rows = 40 }, &s);
  const crd_array inputs = crd_array_matrix(s.samples.inputs, CRD_F32, 40, INPUTS);
  const crd_array labels = crd_array_matrix(s.samples.labels, CRD_I64, 40, 1);
  refuse_data(*state, &s,
              &(crd_dataset_arrays){ .size = sizeof(crd_dataset_arrays), .inputs = inputs },
              "the data has no labels");
  refuse_data(*state, &s,
              &(crd_dataset_arrays){ .size = sizeof(crd_dataset_arrays),
                                     .inputs = inputs,
                                     .labels = crd_array_matrix(many, CRD_I64, 40, 1) },
              "the data has 4 classes ('3', ...), the network has 3 and no names for them");
  refuse_data(
      *state, &s,
      &(crd_dataset_arrays){ .size = sizeof(crd_dataset_arrays),
                             .inputs = crd_array_matrix(s.samples.inputs, CRD_F32, 40, INPUTS - 1),
                             .labels = labels },
      "the samples of the data do not have the shape of the network's input");
  refuse_data(
      *state, &s,
      &(crd_dataset_arrays){
          .size = sizeof(crd_dataset_arrays),
          .inputs = { .data = s.samples.inputs, .dtype = CRD_F32, .rank = 3, .dims = { 40, 2, 3 } },
          .labels = labels },
      "the samples of the data do not have the shape of the network's input");
  close_scene(&s);
}

/* ---- Networks. */

static void no_backward(void **state) {
  static const crd_network_ops ops = { .size = sizeof ops, .run = net_run };
  const crd_array in = crd_array_matrix(NULL, CRD_F32, BATCH, INPUTS);
  const crd_array out = crd_array_matrix(NULL, CRD_F32, BATCH, CLASSES);
  static scene s;
  crd_network *network;
  crd_clamp *clamp;
  open_scene(*state, &(plan){ .sharpness = 1, .rows = 40 }, &s);
  WORKS(*state, crd_network_create(*state, &ops, &s.net, &in, &out, &network));
  refuse(*state, &s, network, NULL, NULL, CRD_EUSAGE,
         "this network has no gradients: its backward function is missing");
  /* Temperature scaling needs no gradients. */
  const crd_clamp_options options = { .size = sizeof options, .settings = "lambda=infinite" };
  WORKS(*state, crd_clamp_fit(*state, network, s.data, &options, &clamp));
  crd_clamp_destroy(clamp);
  crd_network_destroy(network);
  close_scene(&s);
}

static void outputs_that_are_no_logits(void **state) {
  static const crd_network_ops ops = { .size = sizeof ops,
                                       .run = net_run,
                                       .backward = net_backward };
  static const crd_array outputs[] = {
    { .dtype = CRD_F32, .rank = 1, .dims = { BATCH * CLASSES } },
    { .dtype = CRD_F32, .rank = 2, .dims = { 1, BATCH * CLASSES } },
    { .dtype = CRD_F32, .rank = 3, .dims = { BATCH, CLASSES, 1 } },
  };
  const crd_array in = crd_array_matrix(NULL, CRD_F32, BATCH, INPUTS);
  static scene s;
  crd_network *network;
  open_scene(*state, &(plan){ .sharpness = 1, .rows = 40 }, &s);
  for (size_t i = 0; i < 3; i++) {
    WORKS(*state, crd_network_create(*state, &ops, &s.net, &in, &outputs[i], &network));
    refuse(*state, &s, network, NULL, NULL, CRD_EINPUT,
           "the network's output is not one row of f32 logits per sample");
    crd_network_destroy(network);
  }
  close_scene(&s);
}

/* ---- Compiled networks: logits = x W, of one type or of the sum of two inputs. */

static crd_network *compile(crd_context *ctx, int type, bool second, bool shared) {
  static const int64_t in[] = { -1, INPUTS }, out[] = { -1, CLASSES }, dims[] = { INPUTS, CLASSES };
  static float weights[INPUTS * CLASSES];
  const crd_compile_options options = { .size = sizeof options,
                                        .batch = BATCH,
                                        .mode = CRD_MODE_INPUT_GRADIENT,
                                        .shared_gradient = shared };
  crd__onnx_graph g;
  crd__text bytes;
  crd_model *model;
  crd_network *network;
  for (size_t i = 0; i < INPUTS * CLASSES; i++) weights[i] = (float)crd__random_normal(1, 0, i);
  crd__onnx_graph_init(&g, &ctx->alloc);
  crd__onnx_graph_value x = crd__onnx_graph_input_of(&g, "x", type, in, 2);
  const crd__onnx_graph_value w = crd__onnx_graph_floats(&g, "w", weights, dims, 2);
  if (second)
    x = crd__onnx_graph_node(
        &g, "Add", (crd__onnx_graph_value[]){ x, crd__onnx_graph_input_of(&g, "y", type, in, 2) },
        2, NULL);
  if (type != CRD__ONNX_FLOAT)
    x = crd__onnx_graph_node(
        &g, "Cast", &x, 1,
        (crd__onnx_graph_attribute[]){ { .name = "to", .i = CRD__ONNX_FLOAT }, { 0 } });
  x = crd__onnx_graph_node(&g, "MatMul", (crd__onnx_graph_value[]){ x, w }, 2, NULL);
  crd__onnx_graph_output_of(&g, x, CRD__ONNX_FLOAT, out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  WORKS(ctx, crd__onnx_graph_finish(ctx, &g, "linear", "", &bytes));
  crd__onnx_graph_clear(&g);
  WORKS(ctx, crd__network_model_adopt(ctx, "linear.onnx", &bytes, &model));
  WORKS(ctx, crd_network_compile(ctx, model, &options, &network));
  crd_model_destroy(model);
  return network;
}

static void inputs_of_other_kinds(void **state) {
  static const struct {
    int type;
    bool second;
    const char *words;
  } bad[] = {
    { CRD__ONNX_INT64, false,
      "the network's input is i64 and the data is f32; a perturbation needs" },
    { CRD__ONNX_FLOAT, true, "the network has several inputs; a perturbation needs exactly one" },
  };
  static scene s;
  open_scene(*state, &(plan){ .sharpness = 1, .rows = 40 }, &s);
  for (size_t i = 0; i < 2; i++) {
    crd_network *const network = compile(*state, bad[i].type, bad[i].second, false);
    refuse(*state, &s, network, NULL, NULL, CRD_EINPUT, bad[i].words);
    crd_network_destroy(network);
  }
  close_scene(&s);
}

/* The sum of the gradient over the batch is enough, unless inputs are projected. */
static void shared_gradients(void **state) {
  static const crd_clamp_options plain = { .size = sizeof plain, .settings = "lambda=0.1" },
                                 project = { .size = sizeof project,
                                             .settings = "lambda=0.1,project=yes" };
  static scene s;
  crd_clamp *clamps[2];
  open_scene(*state, &(plan){ .sharpness = 0.4, .rows = 100 }, &s);
  for (size_t i = 0; i < 2; i++) {
    crd_network *const network = compile(*state, CRD__ONNX_FLOAT, false, i);
    WORKS(*state, crd_clamp_fit(*state, network, s.data, &plain, &clamps[i]));
    if (i)
      refuse(*state, &s, network, NULL, &project, CRD_EUSAGE,
             "a projection needs the gradient of every row of the batch");
    crd_network_destroy(network);
  }
  const crd_clamp_summary *const a = crd_clamp_describe(clamps[0]);
  const crd_clamp_summary *const b = crd_clamp_describe(clamps[1]);
  assert_true(a->delta_norm > 0 && near(a->objective, b->objective, 1e-5));
  for (size_t k = 0; k < INPUTS; k++) assert_true(fabsf(a->delta[k] - b->delta[k]) < 1e-2F);
  crd_clamp_destroy(clamps[0]);
  crd_clamp_destroy(clamps[1]);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(wrong_settings),
                                      TEST(wrong_recipes),
                                      TEST(images_of_mini_batches_alone_are_transformed),
                                      TEST(data_that_does_not_fit),
                                      TEST(no_backward),
                                      TEST(outputs_that_are_no_logits),
                                      TEST(inputs_of_other_kinds),
                                      TEST(shared_gradients) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
