/* zoo_test.c -- networks of the zoo built while every allocation fails once. */
#include "sweep.h"

#include "credence/zoo.h"

typedef struct {
  const char *network;
  crd_architecture_shape shape;
} zoo_case;

static const zoo_case cases[] = {
  { "mlp(hidden=3,2,dropout=0.5)",
    { .size = sizeof(crd_architecture_shape), .classes = 2, .rank = 1, .dims = { 3 } } },
  { "cnn(width=1)",
    { .size = sizeof(crd_architecture_shape), .classes = 2, .rank = 3, .dims = { 1, 8, 8 } } },
  { "resnet8(width=1)",
    { .size = sizeof(crd_architecture_shape), .classes = 2, .rank = 3, .dims = { 1, 8, 8 } } },
  { "text-cnn(embedding=1,width=1)",
    { .size = sizeof(crd_architecture_shape),
      .classes = 2,
      .rank = 1,
      .dims = { 5 },
      .words = 3 } },
  { "head(hidden=1)",
    { .size = sizeof(crd_architecture_shape), .classes = 2, .rank = 3, .dims = { 2, 2, 2 } } },
};

static crd_status build(crd_context *ctx, const void *what) {
  const zoo_case *const c = what;
  crd_model *model = (crd_model *)(void *)ctx; /* anything but NULL */
  const crd_status status = crd_architecture_build(ctx, c->network, &c->shape, &model);
  assert_true((status == CRD_OK) == (model != NULL));
  crd_model_destroy(model);
  return status;
}

static crd_status count(crd_context *ctx, const void *what) {
  const zoo_case *const c = what;
  uint64_t parameters;
  return crd_architecture_parameters(ctx, c->network, &c->shape, &parameters);
}

static void building_survives(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    sweep(build, &cases[i], cases[i].network);
}

static void counting_survives(void **state) {
  (void)state;
  sweep(count, &cases[2], cases[2].network);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(building_survives),
                                      cmocka_unit_test(counting_survives) };
  if (!crd_operator_at(0)) {
    cannot_test_networks("building networks");
    return 0;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
