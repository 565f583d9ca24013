/* absent_test.c -- in a build without oneDNN, calls for training exist and fail. */
#include "io/testing.h"

#include "base/absent.h"
#include "credence/train.h"

static const char need[] = "training needs the library oneDNN" CRD__INSTALL("libdnnl-dev");

static void test_training(void **state) {
  crd_trainer *trainer = (crd_trainer *)state;
  crd_model *model = (crd_model *)state;
  crd_epoch epoch = { .epoch = 1 };
  crd_encoding *encoding = (crd_encoding *)state;
  int done;
  FAILS(*state, CRD_EABSENT, crd_train_setup(*state, NULL, NULL, 0, NULL, &encoding, &model), need);
  assert_null(encoding);
  assert_null(model);
  model = (crd_model *)state;
  FAILS(*state, CRD_EABSENT, crd_trainer_create(*state, NULL, NULL, NULL, NULL, &trainer), need);
  assert_null(trainer);
  FAILS(*state, CRD_EABSENT, crd_trainer_epoch(*state, NULL, &epoch, &done), need);
  FAILS(*state, CRD_EABSENT, crd_trainer_save(*state, NULL, "x"), need);
  FAILS(*state, CRD_EABSENT, crd_trainer_save_to(*state, NULL, "x", 1), need);
  FAILS(*state, CRD_EABSENT, crd_trainer_load(*state, NULL, "x"), need);
  FAILS(*state, CRD_EABSENT, crd_trainer_model(*state, NULL, &model), need);
  assert_null(model);
  assert_null(crd_optimiser_at(0));
  assert_null(crd_schedule_at(0));
  assert_true(!crd_trainer_done(NULL) && !crd_trainer_epochs(NULL) && !crd_trainer_best(NULL));
  assert_false(crd_trainer_record(NULL, 1, &epoch));
  assert_null(crd_trainer_learned(NULL));
  assert_null(crd_trainer_max_logits(NULL));
  assert_int_equal(crd_trainer_learned_save(*state, NULL, "l.npz"), CRD_EABSENT);
  assert_null(crd_trainer_note(NULL, 0));
  assert_int_equal(crd_trainer_threads(NULL), 0);
  assert_string_equal(crd_trainer_settings(NULL), "");
  assert_string_equal(crd_trainer_fingerprint(NULL), "");
  crd_trainer_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_training) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
