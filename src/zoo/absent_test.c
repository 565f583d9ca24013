/* absent_test.c -- in a build without oneDNN, calls for architectures exist and fail. */
#include "io/testing.h"

#include "credence/zoo.h"

static void there_are_none(void **state) {
  static const char need[] = "networks need the library oneDNN";
  const crd_architecture_shape shape = {
    .size = sizeof shape, .classes = 2, .rank = 1, .dims = { 3 }
  };
  crd_model *model = (crd_model *)state;
  uint64_t parameters = 1;
  assert_int_equal(crd_architecture_count(), 0);
  assert_null(crd_architecture_at(0));
  assert_null(crd_architecture_find("mlp"));
  FAILS(*state, CRD_EABSENT, crd_architecture_build(*state, "mlp", &shape, &model), need);
  assert_null(model);
  FAILS(*state, CRD_EABSENT, crd_architecture_parameters(*state, "mlp", &shape, &parameters), need);
  assert_int_equal(parameters, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(there_are_none) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
