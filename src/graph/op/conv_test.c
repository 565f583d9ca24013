/* conv_test.c -- convolutions by Winograd's transform against direct ones: the logits and the
 * gradient with respect to the input of a residual network with 16, 32 and 64 channels. Where
 * oneDNN has no such convolution, both are the same. */
#include "io/testing.h"

#include "credence/zoo.h"

#include <math.h>

enum { ROWS = 2, CLASSES = 10, SIDE = 32, IMAGE = 3 * SIDE * SIDE };

typedef struct {
  float logits[ROWS * CLASSES], gradient[ROWS * IMAGE];
} passes;

static void run(crd_context *ctx, const crd_model *model, int winograd, passes *out) {
  static float images[ROWS * IMAGE], seeds[ROWS * CLASSES];
  const crd_compile_options options = {
    .size = sizeof options, .batch = ROWS, .mode = CRD_MODE_INPUT_GRADIENT, .winograd = winograd
  };
  crd_network *network;
  WORKS(ctx, crd_network_compile(ctx, model, &options, &network));
  for (size_t i = 0; i < ROWS * IMAGE; i++) images[i] = (float)sin(0.37 * (double)i);
  for (size_t i = 0; i < ROWS * CLASSES; i++) seeds[i] = (float)cos((double)i);
  crd_array input = *crd_network_input(network, 0), seed = *crd_network_output(network, 0);
  input.data = images;
  seed.data = seeds;
  WORKS(ctx, crd_network_run(ctx, network, &input, 1));
  memcpy(out->logits, crd_network_output(network, 0)->data, sizeof out->logits);
  WORKS(ctx, crd_network_backward(ctx, network, &seed));
  memcpy(out->gradient, crd_network_input_gradient(network, 0)->data, sizeof out->gradient);
  crd_network_destroy(network);
}

/* The largest difference relative to the largest value. */
static double difference(const float *a, const float *b, size_t count) {
  double largest = 0, apart = 0;
  for (size_t i = 0; i < count; i++) {
    largest = fmax(largest, fabs((double)a[i]));
    apart = fmax(apart, fabs((double)a[i] - (double)b[i]));
  }
  assert_true(largest > 0);
  return apart / largest;
}

static void agrees_with_direct(void **state) {
  static passes direct, winograd;
  const crd_architecture_shape shape = {
    .size = sizeof shape, .classes = CLASSES, .rank = 3, .dims = { 3, SIDE, SIDE }
  };
  crd_model *model;
  WORKS(*state, crd_architecture_build(*state, "resnet8", &shape, &model));
  run(*state, model, 0, &direct);
  run(*state, model, 1, &winograd);
  crd_model_destroy(model);
  assert_true(difference(direct.logits, winograd.logits, ROWS * CLASSES) < 1e-5);
  assert_true(difference(direct.gradient, winograd.gradient, ROWS * IMAGE) < 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(agrees_with_direct) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
