/*
 * clamp_test.c -- Neural Clamping beside torch (tests/golden/make-clamp ran it, in float64):
 * gradients of the loss, steps of SGD and Adam with the settings of the paper and of its authors'
 * code, and what L-BFGS reaches.
 *
 * Called as `golden-clamp drawn`, it prints the random start and the orders of the rows, which
 * torch has to follow.
 */
#include "clamp/minibatch.h"
#include "clamp/start.h"
#include "network/model.h"
#include "onnx/graph.h"
#include "support.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHANNELS = 2, SIDE = 6, COUNT = CHANNELS * SIDE * SIDE, FILTERS = 4, CLASSES = 3 };
enum { ROWS = 40, FEATURES = FILTERS * SIDE * SIDE, EPOCHS = 10 };
/* Of the network: mini-batches are run in parts, the last of which is padded. */
enum { BATCH = 12 };

/* The network runs in float32, whose rounding (6e-8) grows over sums of 18 and of 144 products:
 * 4e-7 of the largest element was seen. Steps are compared relative to how far delta and T have
 * moved: less than 1e-6 was seen, but a ReLU may round to the other side of its kink. */
static const double gradient_tolerance = 1e-5, step_tolerance = 1e-4;

typedef struct {
  json_t *root;
  crd_model *model;
  float inputs[ROWS * COUNT];
  int64_t labels[ROWS];
  crd_dataset *data;
} fixture;

static void must(crd_context *ctx, crd_status status) {
  if (status != CRD_OK) fail_msg("%s", crd_context_message(ctx));
}

/* ---- The stored numbers. */

static double number(const json_t *list, size_t index) {
  return json_number_value(json_array_get(list, index));
}

static double member(const json_t *object, const char *name) {
  return json_number_value(json_object_get(object, name));
}

static void fill(const json_t *root, const json_t *integers, size_t count, float *out) {
  const double scale = member(root, "scale");
  assert_int_equal(json_array_size(integers), count);
  for (size_t i = 0; i < count; i++) out[i] = (float)(number(integers, i) / scale);
}

/* ---- Network and data. */

static crd__onnx_graph_value stored(crd__onnx_graph *g, const json_t *root, const char *name,
                                    const int64_t *dims, size_t rank) {
  float values[CLASSES * FEATURES];
  size_t count = 1;
  for (size_t i = 0; i < rank; i++) count *= (size_t)dims[i];
  fill(root, json_object_get(json_object_get(root, "weights"), name), count, values);
  return crd__onnx_graph_floats(g, name, values, dims, rank);
}

static void add_nodes(crd__onnx_graph *g, const json_t *root) {
  static const int64_t in[] = { -1, CHANNELS, SIDE, SIDE }, out[] = { -1, CLASSES };
  static const int64_t filters[] = { FILTERS, CHANNELS, 3, 3 }, linear[] = { CLASSES, FEATURES };
  static const int64_t pads[] = { 1, 1, 1, 1 };
  const crd__onnx_graph_attribute padded[] = {
    { "pads", .ints = pads, .count = 4, .type = CRD__ATTRIBUTE_INTS }, { 0 }
  };
  const crd__onnx_graph_attribute transposed[] = { { "transB", .i = 1 }, { 0 } };
  crd__onnx_graph_value v[3] = { crd__onnx_graph_input_of(g, "x", CRD__ONNX_FLOAT, in, 4),
                                 stored(g, root, "conv.weight", filters, 4),
                                 stored(g, root, "conv.bias", filters, 1) };
  v[0] = crd__onnx_graph_node(g, "Conv", v, 3, padded);
  v[0] = crd__onnx_graph_node(g, "Relu", v, 1, NULL);
  v[0] = crd__onnx_graph_node(g, "Flatten", v, 1, NULL);
  v[1] = stored(g, root, "linear.weight", linear, 2);
  v[2] = stored(g, root, "linear.bias", linear, 1);
  v[0] = crd__onnx_graph_node_as(g, "logits", "Gemm", v, 3, transposed);
  crd__onnx_graph_output_of(g, v[0], CRD__ONNX_FLOAT, out, 2);
}

static crd_model *make_model(crd_context *ctx, const json_t *root) {
  crd__onnx_graph g;
  crd__text bytes;
  crd_model *model;
  crd__onnx_graph_init(&g, &ctx->alloc);
  add_nodes(&g, root);
  crd__text_init(&bytes, &ctx->alloc);
  must(ctx, crd__onnx_graph_finish(ctx, &g, "clamped", "", &bytes));
  crd__onnx_graph_clear(&g);
  must(ctx, crd__network_model_adopt(ctx, "clamped.onnx", &bytes, &model));
  return model;
}

static crd_network *compile(crd_context *ctx, const crd_model *model, size_t batch) {
  const crd_compile_options how = {
    .size = sizeof how, .batch = batch, .mode = CRD_MODE_INPUT_GRADIENT, .shared_gradient = 1
  };
  crd_network *network;
  must(ctx, crd_network_compile(ctx, model, &how, &network));
  return network;
}

/* Inputs and labels stay where they are. */
static crd_dataset *wrap(crd_context *ctx, const float *inputs, const int64_t *labels) {
  const crd_dataset_arrays arrays = { .size = sizeof arrays,
                                      .inputs = { .data = inputs,
                                                  .dtype = CRD_F32,
                                                  .rank = 4,
                                                  .dims = { ROWS, CHANNELS, SIDE, SIDE } },
                                      .labels = crd_array_matrix(labels, CRD_I64, ROWS, 1),
                                      .classes = CLASSES };
  crd_dataset *data;
  must(ctx, crd_dataset_create(ctx, &arrays, &data));
  return data;
}

static void open_fixture(crd_context *ctx, fixture *f) {
  json_error_t error;
  f->root = json_load_file(CREDENCE_SOURCE "/tests/golden/clamp.json", 0, &error);
  if (!f->root) fail_msg("%s", error.text);
  fill(f->root, json_object_get(f->root, "inputs"), ROWS * COUNT, f->inputs);
  for (size_t i = 0; i < ROWS; i++)
    f->labels[i] = (int64_t)number(json_object_get(f->root, "labels"), i);
  f->model = make_model(ctx, f->root);
  f->data = wrap(ctx, f->inputs, f->labels);
}

static void close_fixture(fixture *f) {
  crd_dataset_destroy(f->data);
  crd_model_destroy(f->model);
  json_decref(f->root);
}

/* ---- Random numbers. */

/* Standard normal values, which a start multiplies by its spread. */
static void draw_start(crd_context *ctx, double *out) {
  const crd__clamp_settings settings = { .start = CRD__CLAMP_RANDOM, .spread = 1 };
  crd__clamp_pass pass = { .count = COUNT };
  double gain;
  must(ctx, crd__clamp_begin(ctx, &pass, &settings, NULL, NULL, out, &gain));
}

/* The rows of each epoch. The order does not depend on the size of batches. */
static void draw_orders(crd_context *ctx, const crd_dataset *data, size_t batch,
                        size_t out[EPOCHS][ROWS]) {
  const crd_loader_options how = {
    .size = sizeof how, .batch = batch, .shuffle = 1, .keep_last = 1, .seed = ctx->seed
  };
  crd_loader *loader;
  must(ctx, crd_loader_create(ctx, data, &how, &loader));
  for (size_t done = 0; done < (size_t)EPOCHS * ROWS;) {
    crd_batch got;
    must(ctx, crd_loader_next(ctx, loader, &got));
    memcpy(&out[0][0] + done, got.positions, got.rows * sizeof *got.positions);
    done += got.rows;
  }
  crd_loader_destroy(loader);
}

static int print_drawn(void) {
  static const float inputs[ROWS * COUNT];
  static const int64_t labels[ROWS];
  static size_t orders[EPOCHS][ROWS];
  double start[COUNT];
  crd_context *const ctx = test_context();
  crd_dataset *const data = wrap(ctx, inputs, labels);
  draw_start(ctx, start);
  draw_orders(ctx, data, ROWS, orders);
  fputs("{\"start\": [", stdout);
  for (size_t i = 0; i < COUNT; i++) printf("%s%.17g", i ? ", " : "", start[i]);
  fputs("], \"orders\": [", stdout);
  for (size_t i = 0; i < (size_t)EPOCHS * ROWS; i++)
    printf("%s%zu", i == 0 ? "[" : i % ROWS ? ", " : "], [", orders[i / ROWS][i % ROWS]);
  puts("]]}");
  crd_dataset_destroy(data);
  crd_context_destroy(ctx);
  return 0;
}

static void random_numbers_are_the_stored_ones(void **state) {
  static const size_t batches[] = { 8, 16, ROWS };
  static size_t orders[EPOCHS][ROWS];
  double start[COUNT];
  fixture f;
  open_fixture(*state, &f);
  draw_start(*state, start);
  for (size_t i = 0; i < COUNT; i++)
    assert_true(near(start[i], number(json_object_get(f.root, "start"), i), 1e-12));
  for (size_t k = 0; k < sizeof batches / sizeof *batches; k++) {
    draw_orders(*state, f.data, batches[k], orders);
    for (size_t i = 0; i < (size_t)EPOCHS * ROWS; i++)
      assert_int_equal(
          orders[i / ROWS][i % ROWS],
          (size_t)number(json_array_get(json_object_get(f.root, "orders"), i / ROWS), i % ROWS));
  }
  close_fixture(&f);
}

/* ---- Gradients. */

static crd_loss *make_loss(crd_context *ctx, double gamma) {
  const crd_loss_options options = { .size = sizeof options, .reduction = CRD_REDUCTION_SUM };
  char text[64];
  crd_loss *loss;
  snprintf(text, sizeof text, "focal(gamma=%g)", gamma);
  must(ctx, crd_loss_create(ctx, gamma > 0 ? text : "ce", &options, &loss));
  return loss;
}

static void compare(const double *ours, const json_t *theirs, double tolerance, const char *what) {
  double largest = 0;
  assert_int_equal(json_array_size(theirs), COUNT);
  for (size_t i = 0; i < COUNT; i++) largest = fmax(largest, fabs(number(theirs, i)));
  for (size_t i = 0; i < COUNT; i++)
    if (!(fabs(ours[i] - number(theirs, i)) <= tolerance * largest))
      fail_msg("%s: delta %zu: %.9g, not %.9g (of at most %.3g)", what, i, ours[i],
               number(theirs, i), largest);
}

static void compare_one(double ours, double theirs, double tolerance, const char *what) {
  if (!(fabs(ours - theirs) <= tolerance * fabs(theirs)))
    fail_msg("%s: %.9g, not %.9g", what, ours, theirs);
}

/* Of all rows in one batch, whose sums contain the derivative with respect to 1 / T. */
static void compare_batch(crd_context *ctx, const fixture *f, crd_loss *loss, const double *delta,
                          const json_t *theirs) {
  const double t = member(f->root, "temperature");
  crd_network *const network = compile(ctx, f->model, ROWS);
  crd__clamp_pass pass;
  crd__clamp_sums sums = { 0 };
  crd_batch batch;
  double gradient[COUNT] = { 0 };
  const crd__clamp_chain chain = { .network = network };
  must(ctx, crd__clamp_pass_make(ctx, &chain, f->data, loss, &pass));
  must(ctx, crd_loader_next(ctx, pass.loader, &batch));
  must(ctx, crd__clamp_pass_batch(ctx, &pass, &batch, delta, t, pass.logits, &sums, gradient));
  for (size_t i = 0; i < COUNT; i++) gradient[i] /= ROWS;
  compare_one(sums.loss / ROWS, member(theirs, "loss"), gradient_tolerance, "loss of a batch");
  compare(gradient, json_object_get(theirs, "delta"), gradient_tolerance, "gradient of a batch");
  compare_one(-sums.slope / (t * t) / ROWS, member(theirs, "temperature"), gradient_tolerance,
              "derivative with respect to T");
  crd__clamp_pass_clear(&ctx->alloc, &pass);
  crd_network_destroy(network);
}

static void compare_pass(crd_context *ctx, const fixture *f, crd_loss *loss, const double *delta,
                         const json_t *theirs) {
  crd_network *const network = compile(ctx, f->model, BATCH);
  crd__clamp_pass pass;
  double gradient[COUNT], value;
  const crd__clamp_chain chain = { .network = network };
  must(ctx, crd__clamp_pass_make(ctx, &chain, f->data, loss, &pass));
  must(ctx,
       crd__clamp_pass_run(ctx, &pass, delta, member(f->root, "temperature"), &value, gradient));
  compare_one(value, member(theirs, "loss"), gradient_tolerance, "loss");
  compare(gradient, json_object_get(theirs, "delta"), gradient_tolerance, "gradient");
  crd__clamp_pass_clear(&ctx->alloc, &pass);
  crd_network_destroy(network);
}

static void gradients_are_those_of_torch(void **state) {
  fixture f;
  double delta[COUNT];
  open_fixture(*state, &f);
  const json_t *const cases = json_object_get(f.root, "gradients");
  for (size_t i = 0; i < COUNT; i++)
    delta[i] = number(json_object_get(f.root, "point"), i) / (4 * member(f.root, "scale"));
  assert_int_equal(json_array_size(cases), 3);
  for (size_t i = 0; i < 3; i++) {
    const json_t *const theirs = json_array_get(cases, i);
    crd_loss *const loss = make_loss(*state, member(theirs, "gamma"));
    compare_batch(*state, &f, loss, delta, theirs);
    compare_pass(*state, &f, loss, delta, theirs);
    crd_loss_destroy(loss);
  }
  close_fixture(&f);
}

/* ---- Steps. */

static crd_clamp *fit(crd_context *ctx, const fixture *f, const char *recipe,
                      const char *settings) {
  const crd_clamp_options options = { .size = sizeof options,
                                      .recipe = recipe,
                                      .settings = settings };
  crd_network *const network = compile(ctx, f->model, BATCH);
  crd_clamp *clamp;
  must(ctx, crd_clamp_fit(ctx, network, f->data, &options, &clamp));
  crd_network_destroy(network);
  return clamp;
}

static void steps_follow_torch(void **state) {
  fixture f;
  open_fixture(*state, &f);
  const json_t *const cases = json_object_get(f.root, "steps");
  assert_true(json_array_size(cases) >= 9);
  for (size_t i = 0; i < json_array_size(cases); i++) {
    const json_t *const c = json_array_get(cases, i), *const theirs = json_object_get(c, "delta");
    const char *const settings = json_string_value(json_object_get(c, "settings"));
    crd_clamp *const clamp =
        fit(*state, &f, json_string_value(json_object_get(c, "recipe")), settings);
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    double moved = 0;
    for (size_t k = 0; k < COUNT; k++) {
      const double start = member(c, "start") * number(json_object_get(f.root, "start"), k);
      moved = fmax(moved, fabs(number(theirs, k) - start));
    }
    for (size_t k = 0; k < COUNT; k++)
      if (!(fabs(found->delta[k] - number(theirs, k)) <= step_tolerance * moved))
        fail_msg("%s: delta %zu is %.9g, not %.9g (moved by at most %.3g)", settings, k,
                 (double)found->delta[k], number(theirs, k), moved);
    compare_one(found->temperature - 1, member(c, "temperature") - 1, step_tolerance, settings);
    crd_clamp_destroy(clamp);
  }
  close_fixture(&f);
}

/* ---- L-BFGS. */

/* After as many evaluations the objective is at most 1 % above that of torch's L-BFGS with a strong
 * Wolfe line search; where ours converged, it is the optimum that torch reaches after many more. */
static void lbfgs_reaches_what_torch_reaches(void **state) {
  fixture f;
  open_fixture(*state, &f);
  const json_t *const cases = json_object_get(f.root, "optima");
  size_t converged = 0;
  assert_true(json_array_size(cases) >= 4);
  for (size_t i = 0; i < json_array_size(cases); i++) {
    const json_t *const c = json_array_get(cases, i);
    char settings[80];
    snprintf(settings, sizeof settings, "%s,passes=%g",
             json_string_value(json_object_get(c, "settings")), member(f.root, "evaluations"));
    crd_clamp *const clamp = fit(*state, &f, NULL, settings);
    const crd_clamp_summary *const found = crd_clamp_describe(clamp);
    compare_one(found->weight, member(c, "weight"), gradient_tolerance, "weight");
    if (!(found->objective <= 1.01 * member(c, "reached")))
      fail_msg("%s: objective %.9g, torch %.9g", settings, found->objective, member(c, "reached"));
    if (found->converged) {
      compare_one(found->objective, member(c, "optimum"), 1e-5, settings);
      converged++;
    }
    crd_clamp_destroy(clamp);
  }
  assert_true(converged >= 2);
  close_fixture(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_numbers_are_the_stored_ones),
    cmocka_unit_test(gradients_are_those_of_torch),
    cmocka_unit_test(steps_follow_torch),
    cmocka_unit_test(lbfgs_reaches_what_torch_reaches),
  };
  if (argc == 2 && strcmp(argv[1], "drawn") == 0) return print_drawn();
  return cmocka_run_group_tests(tests, open_context, close_context);
}
