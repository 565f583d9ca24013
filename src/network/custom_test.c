/* custom_test.c -- networks from the user's functions, through the public calls. */
#include "io/testing.h"

#include "credence/network.h"

/* y = x * x, for three elements; fails on request. */
typedef struct {
  float last[3];
  int destroyed;
  crd_status fails;
  const char *message;
} square;

static crd_status run(void *self, crd_context *ctx, const float *input, float *output) {
  square *const s = self;
  for (size_t i = 0; i < 3; i++) {
    s->last[i] = input[i];
    output[i] = input[i] * input[i];
  }
  return s->fails && s->message ? crd_context_fail(ctx, s->fails, s->message) : s->fails;
}

static crd_status backward(void *self, crd_context *ctx, const float *output_gradient,
                           float *input_gradient) {
  const square *const s = self;
  (void)ctx;
  for (size_t i = 0; i < 3; i++) input_gradient[i] = 2 * s->last[i] * output_gradient[i];
  return s->fails;
}

static void destroy(void *self) { ((square *)self)->destroyed++; }

static const crd_network_ops both = {
  .size = sizeof both, .run = run, .backward = backward, .destroy = destroy
};
static const crd_array shape = { .dtype = CRD_F32, .rank = 2, .dims = { 1, 3 } };
static const float numbers[3] = { 1, -2, 3 }, ones[3] = { 1, 1, 10 };

static crd_array with(const void *floats) {
  crd_array tensor = shape;
  tensor.data = floats;
  return tensor;
}

static void runs_and_goes_back(void **state) {
  square s = { 0 };
  crd_network *network;
  const crd_array x = with(numbers), g = with(ones);
  WORKS(*state, crd_network_create(*state, &both, &s, &shape, &shape, &network));
  assert_int_equal(crd_network_input(network, 0)->dims[1], 3);
  assert_null(crd_network_input(network, 0)->data);
  assert_null(crd_network_input(network, 1));
  assert_null(crd_network_output(network, 1));
  assert_null(crd_network_parameter(network, 0));
  crd_network_clear_gradients(network);
  FAILS(*state, CRD_EUSAGE, crd_network_backward(*state, network, &g), "run the network first");
  WORKS(*state, crd_network_run(*state, network, &x, 1));
  assert_null(crd_network_input_gradient(network, 0));
  WORKS(*state, crd_network_backward(*state, network, &g));
  FAILS(*state, CRD_EUSAGE, crd_network_backward(*state, network, &g),
        "again before each backward pass");
  const float *const y = crd_network_output(network, 0)->data;
  const float *const dx = crd_network_input_gradient(network, 0)->data;
  const float squares[3] = { 1, 4, 9 }, slopes[3] = { 2, -4, 60 };
  assert_memory_equal(y, squares, sizeof squares);
  assert_memory_equal(dx, slopes, sizeof slopes);
  assert_null(crd_network_input_gradient(network, 1));
  crd_network_destroy(network);
  assert_int_equal(s.destroyed, 1);
}

static void arguments_are_checked(void **state) {
  square s = { 0 };
  crd_network *network;
  crd_array x = with(numbers), two[2] = { x, x };
  WORKS(*state, crd_network_create(*state, &both, &s, &shape, &shape, &network));
  FAILS(*state, CRD_EUSAGE, crd_network_run(*state, network, two, 2), "has 1 inputs, found 2");
  FAILS(*state, CRD_EUSAGE, crd_network_run(*state, network, NULL, 0), "has 1 inputs, found 0");
  x.dims[1] = 4;
  FAILS(*state, CRD_EUSAGE, crd_network_run(*state, network, &x, 1),
        "the input 'input' must be f32 of 1 x 3, found f32 of 1 x 4");
  x.rank = CRD_RANK_MAX + 1;
  FAILS(*state, CRD_EUSAGE, crd_network_run(*state, network, &x, 1), "found f32 of 9 dimensions");
  x.rank = 0;
  FAILS(*state, CRD_EUSAGE, crd_network_run(*state, network, &x, 1),
        "found f32 without dimensions");
  x = with(numbers);
  x.strides[0] = x.strides[1] = sizeof(double);
  FAILS(*state, CRD_EUSAGE, crd_network_run(*state, network, &x, 1),
        "the input 'input' must be C-contiguous and in native byte order");
  x = with(NULL);
  FAILS(*state, CRD_EUSAGE, crd_network_run(*state, network, &x, 1),
        "must be f32 of 1 x 3, found no data");
  x = with(numbers);
  x.dtype = CRD_F64;
  FAILS(*state, CRD_EUSAGE, crd_network_run(*state, network, &x, 1),
        "must be f32 of 1 x 3, found f64 of 1 x 3");
  x = with(numbers);
  WORKS(*state, crd_network_run(*state, network, &x, 1));
  crd_array g = with(ones);
  g.rank = 1;
  FAILS(*state, CRD_EUSAGE, crd_network_backward(*state, network, &g),
        "the gradient with respect to the output must be f32 of 1 x 3, found f32 of 1");
  g = with(ones);
  g.swapped = 1;
  FAILS(*state, CRD_EUSAGE, crd_network_backward(*state, network, &g), "must be C-contiguous");
  g = with(NULL);
  FAILS(*state, CRD_EUSAGE, crd_network_backward(*state, network, &g), "found no data");
  crd_network_destroy(network);
}

/* A failed call leaves its own message or the frame's, and no run to differentiate. */
static void calls_may_fail(void **state) {
  square s = { .fails = CRD_ENUMERIC, .message = "100% lost" };
  crd_network *network;
  const crd_array x = with(numbers), g = with(ones);
  WORKS(*state, crd_network_create(*state, &both, &s, &shape, &shape, &network));
  FAILS(*state, CRD_ENUMERIC, crd_network_run(*state, network, &x, 1), "100% lost");
  FAILS(*state, CRD_EUSAGE, crd_network_backward(*state, network, &g), "run the network first");
  s.message = NULL;
  FAILS(*state, CRD_ENUMERIC, crd_network_run(*state, network, &x, 1),
        "the network's own run failed: no finite answer");
  s.fails = CRD_OK;
  WORKS(*state, crd_network_run(*state, network, &x, 1));
  s.fails = CRD_EINPUT;
  FAILS(*state, CRD_EINPUT, crd_network_backward(*state, network, &g),
        "the network's own backward failed");
  assert_null(crd_network_input_gradient(network, 0));
  s.fails = CRD_OK;
  WORKS(*state, crd_network_run(*state, network, &x, 1));
  s.fails = CRD_EINPUT;
  FAILS(*state, CRD_EINPUT, crd_network_run(*state, network, &x, 1), "own run failed");
  s.fails = CRD_OK; /* after a failed run, the previous run cannot be differentiated */
  FAILS(*state, CRD_EUSAGE, crd_network_backward(*state, network, &g), "run the network first");
  crd_network_destroy(network);
}

static void pieces_may_be_missing(void **state) {
  square s = { 0 };
  crd_network *network = (crd_network *)state;
  const crd_array x = with(numbers), g = with(ones);
  crd_network_ops ops = { .size = sizeof ops, .destroy = destroy };
  FAILS(*state, CRD_EUSAGE, crd_network_create(*state, &ops, &s, &shape, &shape, &network),
        "needs a run function");
  assert_null(network);
  assert_int_equal(s.destroyed, 1);
  ops = (crd_network_ops){ .size = sizeof(crd_network_ops), .run = run };
  WORKS(*state, crd_network_create(*state, &ops, &s, &shape, &shape, &network));
  WORKS(*state, crd_network_run(*state, network, &x, 1));
  FAILS(*state, CRD_EUSAGE, crd_network_backward(*state, network, &g), "has no gradients");
  assert_null(crd_network_input_gradient(network, 0));
  crd_network_destroy(network);
  assert_int_equal(s.destroyed, 1);
}

static void shapes_are_checked(void **state) {
  square s = { 0 };
  crd_network *network;
  crd_array wrong = shape;
  wrong.dtype = CRD_I64;
  FAILS(*state, CRD_EUSAGE, crd_network_create(*state, &both, &s, &wrong, &shape, &network),
        "the input of a network must be f32, found i64");
  wrong = shape;
  wrong.dims[0] = -1;
  FAILS(*state, CRD_EUSAGE, crd_network_create(*state, &both, &s, &shape, &wrong, &network),
        "the output of a network is -1 along dimension 0");
  wrong.dims[0] = wrong.dims[1] = (int64_t)1 << 62;
  FAILS(*state, CRD_EUSAGE, crd_network_create(*state, &both, &s, &wrong, &shape, &network),
        "fit into memory");
  wrong.rank = CRD_RANK_MAX + 1;
  FAILS(*state, CRD_EUSAGE, crd_network_create(*state, &both, &s, &wrong, &shape, &network),
        "has 9 dimensions; at most 8");
  assert_int_equal(s.destroyed, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(runs_and_goes_back), TEST(arguments_are_checked),
                                      TEST(calls_may_fail), TEST(pieces_may_be_missing),
                                      TEST(shapes_are_checked) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
