/* confidnet_head_test.c -- the head by plain loops, and its gradients by finite differences. */
#include "refine/confidnet_testing.h"

static const crd__refine_head head = { .layers = 3, .sizes = { 3, 5, 4, 1 } };
enum { COUNT = 3 * 5 + 5 + 5 * 4 + 4 + 4 + 1, BATCH = 7 };

static double plain(const float *values, const float *x) {
  double from[8], to[8];
  for (size_t i = 0; i < head.sizes[0]; i++) from[i] = x[i];
  for (size_t l = 0; l < head.layers; l++) {
    const size_t in = head.sizes[l], out = head.sizes[l + 1];
    for (size_t o = 0; o < out; o++) {
      to[o] = values[in * out + o];
      for (size_t i = 0; i < in; i++) to[o] += values[o * in + i] * from[i];
      if (l + 1 < head.layers && to[o] < 0) to[o] = 0;
    }
    memcpy(from, to, sizeof from);
    values += (in + 1) * out;
  }
  return from[0];
}

static crd_network *compile(crd_context *ctx, const float *values) {
  const crd_compile_options how = { .size = sizeof how, .batch = BATCH, .mode = CRD_MODE_TRAINING };
  crd_model *model;
  crd_network *network;
  WORKS(ctx, crd__refine_head_model(ctx, &head, values, &model));
  WORKS(ctx, crd_network_compile(ctx, model, &how, &network));
  crd_model_destroy(model);
  return network;
}

static void test_values(void **state) {
  float values[COUNT], x[BATCH * 3];
  assert_int_equal(crd__refine_head_count(&head), COUNT);
  crd__refine_head_draw(&head, 5, values);
  for (size_t i = 0; i < COUNT; i++) values[i] += 0.05F; /* biases too */
  for (size_t i = 0; i < BATCH * 3; i++) x[i] = (float)crd__random_normal(2, 0, i);
  crd_network *const network = compile(*state, values);
  const crd_array input = crd_array_matrix(x, CRD_F32, BATCH, 3);
  WORKS(*state, crd_network_run(*state, network, &input, 1));
  const float *const v = crd_network_output(network, 0)->data;
  for (size_t i = 0; i < BATCH; i++) NEAR(v[i], plain(values, x + 3 * i), 1e-5);
  crd_network_destroy(network);
}

/* The order of parameters is that of the values: training reads them in this order. */
static void test_order(void **state) {
  float values[COUNT];
  size_t at = 0;
  const crd_parameter *p;
  crd__refine_head_draw(&head, 6, values);
  crd_network *const network = compile(*state, values);
  for (size_t i = 0; (p = crd_network_parameter(network, i)); at += p->count, i++)
    assert_memory_equal(p->values, values + at, p->count * sizeof(float));
  assert_int_equal(at, COUNT);
  crd_network_destroy(network);
}

static void test_gradients(void **state) {
  const crd_check_options how = { .size = sizeof how, .subject = CRD_CHECK_PARAMETERS };
  float values[COUNT];
  const crd_check *check;
  crd__refine_head_draw(&head, 7, values);
  crd_network *const network = compile(*state, values);
  WORKS(*state, crd_network_check(*state, network, &how, &check));
  assert_int_equal(check->failed, 0);
  crd_check_destroy(check);
  crd_network_destroy(network);
}

/* Another seed gives other weights, of the variance that He et al. give. */
static void test_draw(void **state) {
  static const crd__refine_head wide = { .layers = 2, .sizes = { 200, 100, 1 } };
  enum { MANY = 200 * 100 + 100 + 100 + 1 };
  static float a[MANY], b[MANY];
  double sum = 0;
  (void)state;
  assert_int_equal(crd__refine_head_count(&wide), MANY);
  crd__refine_head_draw(&wide, 1, a);
  crd__refine_head_draw(&wide, 2, b);
  assert_memory_not_equal(a, b, sizeof a);
  for (size_t i = 0; i < 20000; i++) sum += (double)a[i] * a[i];
  NEAR(sum / 20000, 2.0 / 200, 0.0005);
  for (size_t i = 20000; i < 20100; i++) assert_true(a[i] == 0);
  for (size_t i = 20100; i < 20200; i++) assert_true(fabsf(a[i]) < 0.1F);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_values), TEST(test_order), TEST(test_gradients),
                                      TEST(test_draw) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
