/* check_test.c -- allocations fail while a network of the caller's own functions is made, run and
 * checked. */
#include "fault/sweep.h"

#include "credence/network.h"

/* y = x * x */
typedef struct {
  float last[3];
  int destroyed;
} square;

static crd_status run(void *self, crd_context *ctx, const float *input, float *output) {
  square *const s = self;
  (void)ctx;
  memcpy(s->last, input, sizeof s->last);
  for (size_t i = 0; i < 3; i++) output[i] = input[i] * input[i];
  return CRD_OK;
}

static crd_status backward(void *self, crd_context *ctx, const float *output_gradient,
                           float *input_gradient) {
  const square *const s = self;
  (void)ctx;
  for (size_t i = 0; i < 3; i++) input_gradient[i] = 2 * s->last[i] * output_gradient[i];
  return CRD_OK;
}

static void destroy(void *self) { ((square *)self)->destroyed++; }

static crd_status check(crd_context *ctx, crd_network *network) {
  const crd_check_options options = { .size = sizeof options, .directions = 2 };
  const crd_check *found = (crd_check *)network;
  const crd_status status = crd_network_check(ctx, network, &options, &found);
  assert_true((status == CRD_OK) == (found != NULL));
  if (found) assert_int_equal(found->failed, 0);
  crd_check_destroy(found);
  return status;
}

static crd_status make_and_check(crd_context *ctx, const void *what) {
  const crd_array shape = { .dtype = CRD_F32, .rank = 1, .dims = { 3 } };
  square s = { 0 };
  crd_network *network = (crd_network *)(void *)&s;
  crd_status status = crd_network_create(ctx, what, &s, &shape, &shape, &network);
  if (status == CRD_OK) status = check(ctx, network);
  else assert_null(network);
  crd_network_destroy(network);
  assert_int_equal(s.destroyed, 1);
  return status;
}

static void networks_are_checked(void **state) {
  static const crd_network_ops ops = {
    .size = sizeof ops, .run = run, .backward = backward, .destroy = destroy
  };
  (void)state;
  if (!crd_operator_at(0)) {
    cannot_test_networks("checks");
    return;
  }
  sweep(make_and_check, &ops, "a network of the caller's functions");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(networks_are_checked) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
