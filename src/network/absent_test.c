/* absent_test.c -- in a build without oneDNN, calls for networks exist and fail. */
#include "io/testing.h"

#include "base/absent.h"
#include "credence/edit.h"

static const char need[] = "networks need the library oneDNN" CRD__INSTALL("libdnnl-dev");

static void test_models(void **state) {
  crd_model *model = (crd_model *)state;
  FAILS(*state, CRD_EABSENT, crd_model_open(*state, "x.onnx", &model), need);
  assert_null(model);
  assert_string_equal(crd_context_message(*state),
                      "x.onnx: networks need the library oneDNN" CRD__INSTALL("libdnnl-dev"));
  model = (crd_model *)state;
  FAILS(*state, CRD_EABSENT, crd_model_open_memory(*state, "x.onnx", "", 0, &model), need);
  assert_null(model);
  FAILS(*state, CRD_EABSENT, crd_model_save(*state, NULL, "y.onnx"), need);
  assert_null(crd_model_input(NULL, 0));
  assert_null(crd_model_output(NULL, 0));
  crd_model_destroy(NULL);
}

static void count(void *self) { ++*(int *)self; }

static void test_gradients(void **state) {
  crd_network *network = (crd_network *)state;
  int destroyed = 0;
  FAILS(*state, CRD_EABSENT,
        crd_network_create(*state,
                           &(crd_network_ops){ .size = sizeof(crd_network_ops), .destroy = count },
                           &destroyed, NULL, NULL, &network),
        need);
  assert_null(network);
  assert_int_equal(destroyed, 1);
  FAILS(*state, CRD_EABSENT, crd_network_backward(*state, NULL, NULL), need);
  const crd_check *check = (crd_check *)state;
  FAILS(*state, CRD_EABSENT, crd_network_check(*state, NULL, NULL, &check), need);
  assert_null(check);
  crd_check_destroy(NULL);
  assert_null(crd_network_input_gradient(NULL, 0));
  assert_null(crd_network_parameter(NULL, 0));
  crd_network_clear_gradients(NULL);
}

static void test_networks(void **state) {
  crd_network *network = (crd_network *)state;
  const crd_survey *survey = (crd_survey *)state;
  FAILS(*state, CRD_EABSENT, crd_network_compile(*state, NULL, NULL, &network), need);
  assert_null(network);
  FAILS(*state, CRD_EABSENT, crd_network_run(*state, NULL, NULL, 0), need);
  FAILS(*state, CRD_EABSENT, crd_survey_make(*state, NULL, NULL, &survey), need);
  assert_null(survey);
  size_t batch = 1;
  FAILS(*state, CRD_EABSENT, crd_survey_batch(*state, NULL, NULL, 1, &batch), need);
  assert_null(crd_network_input(NULL, 0));
  assert_null(crd_network_output(NULL, 0));
  assert_null(crd_operator_at(0));
  crd_network_destroy(NULL);
  crd_survey_destroy(NULL);
}

static void test_edits(void **state) {
  crd_model *out = (crd_model *)state;
  crd_encoding *encoding = (crd_encoding *)state;
  assert_null(crd_model_metadata(NULL, "key"));
  assert_null(crd_model_metadata_at(NULL, 0));
  FAILS(*state, CRD_EABSENT, crd_model_update(*state, NULL, NULL, 0, NULL, 0, &out), need);
  assert_null(out);
  FAILS(*state, CRD_EABSENT, crd_model_cut(*state, NULL, "x", CRD_PART_AFTER, &out), need);
  FAILS(*state, CRD_EABSENT, crd_model_join(*state, NULL, NULL, &out), need);
  FAILS(*state, CRD_EABSENT, crd_model_set_classes(*state, NULL, 2, &out), need);
  FAILS(*state, CRD_EABSENT, crd_model_settle(*state, NULL, &out), need);
  FAILS(*state, CRD_EABSENT, crd_model_set_encoding(*state, NULL, NULL, &out), need);
  FAILS(*state, CRD_EABSENT, crd_model_encoding(*state, NULL, &encoding), need);
  assert_null(encoding);
  FAILS(*state, CRD_EABSENT, crd_dataset_predict_to(*state, NULL, NULL, NULL, "y.npz", NULL), need);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_models), TEST(test_networks), TEST(test_gradients),
                                      TEST(test_edits) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
