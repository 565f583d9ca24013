/* confidnet_absent_test.c -- in a build without oneDNN, calls for ConfidNet exist and fail. */
#include "io/testing.h"

#include "base/absent.h"
#include "credence/confidnet.h"

static const char need[] = "ConfidNet needs the library oneDNN" CRD__INSTALL("libdnnl-dev");

static void test_confidnet(void **state) {
  crd_confidnet *c = (crd_confidnet *)state;
  crd_model *model = (crd_model *)state;
  crd_confidnet_epoch epoch;
  int done;
  FAILS(*state, CRD_EABSENT, crd_confidnet_create(*state, NULL, NULL, NULL, NULL, &c), need);
  assert_null(c);
  FAILS(*state, CRD_EABSENT, crd_confidnet_train(*state, NULL, &epoch, &done), need);
  FAILS(*state, CRD_EABSENT, crd_confidnet_model(*state, NULL, &model), need);
  assert_null(model);
  FAILS(*state, CRD_EABSENT, crd_confidnet_check(*state, NULL), need);
  assert_null(crd_confidnet_setting_at(0));
  assert_null(crd_confidnet_tensor(NULL, NULL));
  assert_int_equal(crd_confidnet_describe(NULL)->rows, 0);
  crd_confidnet_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_confidnet) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
