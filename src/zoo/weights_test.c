/* weights_test.c -- initial weights have the stated distributions, and depend on seed and name. */
#include "io/testing.h"

#include "network/model.h"
#include "zoo/weights.h"

#include <math.h>

enum { ROWS = 300, COLUMNS = 200, COUNT = ROWS * COLUMNS };

/* One tensor of the builder, as the file holds it. */
static float *draw(crd_context *ctx, const char *name, crd__zoo_init init) {
  const crd_architecture_shape shape = {
    .size = sizeof shape, .classes = 2, .rank = 1, .dims = { 3 }
  };
  const crd__zoo_fans fans = { COLUMNS, ROWS };
  crd__zoo_builder b;
  crd__text bytes;
  crd_model *model;
  crd__zoo_begin(&b, ctx, &shape);
  b.owner = "test";
  crd__text_init(&bytes, &ctx->alloc);
  const crd__onnx_graph_value w =
      crd__zoo_weights(&b, name, init, fans, (int64_t[]){ ROWS, COLUMNS }, 2);
  const crd__onnx_graph_value y = crd__onnx_graph_node_as(&b.graph, "y", "Relu", &w, 1, NULL);
  crd__onnx_graph_output_of(&b.graph, y, CRD__ONNX_FLOAT, (int64_t[]){ ROWS, COLUMNS }, 2);
  assert_int_equal(b.parameters, COUNT);
  WORKS(ctx, crd__zoo_status(&b));
  WORKS(ctx, crd__onnx_graph_finish(ctx, &b.graph, "net", "", &bytes));
  crd__zoo_clear(&b);
  WORKS(ctx, crd__network_model_adopt(ctx, "net", &bytes, &model));
  const crd__onnx_tensor *const t = model->file->edges[model->file->nodes[0].inputs[0]].constant;
  assert_true(t && t->count == COUNT);
  float *const values = malloc(COUNT * sizeof *values);
  assert_non_null(values);
  memcpy(values, t->bytes, COUNT * sizeof *values);
  crd_model_destroy(model);
  return values;
}

/* Mean 0, the given standard deviation, and for uniform numbers the bounds it implies. Deviations
 * of four standard errors are allowed. */
static void check(crd_context *ctx, crd__zoo_init init, double deviation, bool uniform) {
  float *const w = draw(ctx, "fc1", init);
  double sum = 0, squares = 0, most = 0;
  for (size_t i = 0; i < COUNT; i++) {
    sum += (double)w[i];
    squares += (double)w[i] * (double)w[i];
    most = fmax(most, fabs((double)w[i]));
  }
  const double found = sqrt(squares / COUNT);
  if (fabs(sum / COUNT) > 4 * deviation / sqrt(COUNT) ||
      fabs(found / deviation - 1) > 4 / sqrt(2. * COUNT))
    fail_msg("initialisation %d: mean %g, deviation %g, not %g", (int)init, sum / COUNT, found,
             deviation);
  if (uniform) assert_true(most <= sqrt(3) * deviation && most > 0.999 * sqrt(3) * deviation);
  else assert_true(most > 3.5 * deviation && most < 6 * deviation);
  free(w);
}

static void distributions_are_as_stated(void **state) {
  check(*state, CRD__ZOO_HE, sqrt(2. / COLUMNS), false);
  check(*state, CRD__ZOO_HE_OUT, sqrt(2. / ROWS), false);
  check(*state, CRD__ZOO_GLOROT, sqrt(2. / (COLUMNS + ROWS)), true);
  check(*state, CRD__ZOO_PLAIN, 1 / sqrt(3. * COLUMNS), true);
  check(*state, CRD__ZOO_LECUN, 2.4 / COLUMNS / sqrt(3), true);
}

static size_t count_same(const float *a, const float *b) {
  size_t same = 0;
  for (size_t i = 0; i < COUNT; i++) same += a[i] == b[i];
  return same;
}

static void weights_depend_on_seed_and_name(void **state) {
  float *const a = draw(*state, "fc1", CRD__ZOO_HE), *const b = draw(*state, "fc2", CRD__ZOO_HE);
  crd_context_set_seed(*state, 1);
  float *const c = draw(*state, "fc1", CRD__ZOO_HE);
  crd_context_set_seed(*state, 0);
  crd_context_set_threads(*state, 3);
  float *const d = draw(*state, "fc1", CRD__ZOO_HE);
  assert_true(count_same(a, b) < 10 && count_same(a, c) < 10);
  assert_int_equal(count_same(a, d), COUNT);
  for (size_t i = 1; i < COUNT; i++) assert_true(a[i] != a[0]);
  free(a), free(b), free(c), free(d);
}

static void statistics_are_not_counted(void **state) {
  const crd_architecture_shape shape = {
    .size = sizeof shape, .classes = 2, .rank = 1, .dims = { 3 }
  };
  crd__zoo_builder b;
  crd__zoo_begin(&b, *state, &shape);
  crd__zoo_constants(&b, "bn1", "weight", 1, 7, false);
  crd__zoo_constants(&b, "bn1", "running_var", 1, 7, true);
  WORKS(*state, crd__zoo_status(&b));
  assert_int_equal(b.parameters, 7);
  crd__zoo_clear(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(distributions_are_as_stated),
                                      TEST(weights_depend_on_seed_and_name),
                                      TEST(statistics_are_not_counted) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
