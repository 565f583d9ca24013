/* absent_test.c -- in a build without oneDNN, calls for clamping exist and fail. */
#include "io/testing.h"

#include "base/absent.h"
#include "credence/clamp.h"

static const char need[] = "Neural Clamping needs the library oneDNN" CRD__INSTALL("libdnnl-dev");

static void test_clamping(void **state) {
  crd_clamp *clamp = (crd_clamp *)state;
  crd_model *model = (crd_model *)state;
  FAILS(*state, CRD_EABSENT, crd_clamp_fit(*state, NULL, NULL, NULL, &clamp), need);
  assert_null(clamp);
  clamp = (crd_clamp *)state;
  FAILS(*state, CRD_EABSENT, crd_clamp_load(*state, "x", &clamp), need);
  FAILS(*state, CRD_EABSENT, crd_clamp_load_memory(*state, "x", "{}", 2, &clamp), need);
  assert_null(clamp);
  FAILS(*state, CRD_EABSENT, crd_clamp_save(*state, NULL, NULL), need);
  FAILS(*state, CRD_EABSENT, crd_clamp_into(*state, NULL, NULL, NULL, NULL, &model), need);
  assert_null(model);
  FAILS(*state, CRD_EABSENT, crd_clamp_check(*state, NULL), need);
  crd_predictions *predictions = (crd_predictions *)state;
  FAILS(*state, CRD_EABSENT, crd_clamp_predict(*state, NULL, NULL, NULL, NULL, &predictions), need);
  assert_null(predictions);
  assert_null(crd_clamp_setting_at(0));
  assert_null(crd_clamp_recipe_at(0));
  assert_null(crd_clamp_logits(NULL));
  assert_int_equal(crd_clamp_describe(NULL)->count, 0);
  crd_clamp_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_clamping) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
