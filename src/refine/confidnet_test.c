/* confidnet_test.c -- a head learns what the classifier does not show; selection; edge cases. */
#include "refine/confidnet_testing.h"

static const char quick[] = "hidden=16,16,rate=0.01,batch=32,epochs=30,patience=0";

static void test_learns(void **state) {
  scene s;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_confidnet *const c = create(*state, &s, quick);
  const crd_confidnet_summary *const found = crd_confidnet_describe(c);
  assert_string_equal(found->tensor, "h");
  assert_string_equal(found->criterion, "aupr-error");
  assert_int_equal(found->parameters, (4 + 1) * 16 + 17 * 16 + 17);
  assert_string_equal(
      found->settings,
      "hidden=16,16,weighting=1,rate=0.01,weight-decay=0,batch=32,epochs=30,patience=0");
  train_all(*state, c);
  assert_int_equal(found->epochs, 30);
  assert_true(found->validation_errors > 20);
  assert_true(found->quality.aupr_error > found->maximum.aupr_error + 0.2);
  assert_true(found->quality.auroc > 0.9);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

/* The kept epoch is the first one with the best value, and its weights are those after it. */
static void test_selection(void **state) {
  scene s;
  crd_confidnet_epoch epoch;
  double best = -1;
  size_t kept = 0;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_confidnet *const c = create(*state, &s, quick);
  for (int done = 0; !done;) {
    WORKS(*state, crd_confidnet_train(*state, c, &epoch, &done));
    const bool better = epoch.quality.aupr_error > best;
    assert_int_equal(epoch.best, better);
    if (better) kept = epoch.epoch;
    best = fmax(best, epoch.quality.aupr_error);
  }
  assert_int_equal(crd_confidnet_describe(c)->best, kept);
  assert_true(kept < 30); /* else the following shows nothing */
  NEAR(crd_confidnet_describe(c)->quality.aupr_error, best, 0);
  crd_confidnet_quality again;
  double loss;
  crd__train_parameters_write(&c->stage.parameters, c->best);
  WORKS(*state, crd__refine_confidences(*state, &c->stage, &c->validation, c->confidences, &loss));
  WORKS(*state, crd__refine_quality(*state, &c->validation, c->confidences, &again));
  NEAR(again.aupr_error, best, 0);
  crd_confidnet *const shorter = create(*state, &s, quick);
  for (size_t i = 0; i < kept; i++) {
    int done;
    WORKS(*state, crd_confidnet_train(*state, shorter, &epoch, &done));
  }
  assert_memory_equal(c->best, shorter->best,
                      crd_confidnet_describe(c)->parameters * sizeof(float));
  crd_confidnet_destroy(shorter);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

static void test_patience(void **state) {
  scene s;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_confidnet *const c = create(*state, &s, "hidden=16,rate=0.01,batch=32,epochs=500,patience=4");
  train_all(*state, c);
  const crd_confidnet_summary *const found = crd_confidnet_describe(c);
  assert_true(found->epochs < 500);
  assert_int_equal(found->epochs, found->best + 4);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

/* Of equal epochs the first one is kept: without steps all are equal. */
static void test_ties(void **state) {
  scene s;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_confidnet *const c = create(*state, &s, "hidden=8,rate=0,epochs=9,patience=3");
  train_all(*state, c);
  assert_int_equal(crd_confidnet_describe(c)->best, 1);
  assert_int_equal(crd_confidnet_describe(c)->epochs, 4);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

/* Every epoch has all rows once, in an order of its own. */
static void test_order(void **state) {
  size_t orders[2][ROWS];
  scene s;
  crd_confidnet_epoch epoch;
  int done;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_confidnet *const c = create(*state, &s, "hidden=8");
  for (size_t i = 0; i < 2; i++) {
    bool seen[ROWS] = { false };
    WORKS(*state, crd_confidnet_train(*state, c, &epoch, &done));
    memcpy(orders[i], c->order, sizeof orders[i]);
    for (size_t k = 0; k < ROWS; k++) seen[orders[i][k]] = true;
    for (size_t k = 0; k < ROWS; k++) assert_true(seen[k]);
  }
  assert_memory_not_equal(orders[0], orders[1], sizeof orders[0]);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

static void test_seed(void **state) {
  scene s;
  float *first = NULL;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  for (unsigned i = 0; i < 3; i++) {
    crd_context_set_seed(*state, i / 2);
    crd_confidnet *const c = create(*state, &s, "hidden=8,epochs=2");
    const size_t bytes = crd_confidnet_describe(c)->parameters * sizeof(float);
    train_all(*state, c);
    if (!first) {
      first = malloc(bytes);
      assert_non_null(first);
      memcpy(first, c->best, bytes);
    }
    assert_true((memcmp(first, c->best, bytes) == 0) == (i < 2));
    crd_confidnet_destroy(c);
  }
  free(first);
  close_scene(&s);
}

/* Wrong rows of larger weight pull the confidences down. */
static void test_weighting(void **state) {
  double means[2];
  scene s;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  for (size_t i = 0; i < 2; i++) {
    crd_confidnet *const c =
        create(*state, &s,
               i ? "hidden=16,rate=0.01,epochs=10,weighting=20" : "hidden=16,rate=0.01,epochs=10");
    train_all(*state, c);
    means[i] = 0;
    for (size_t k = 0; k < c->validation.rows; k++) means[i] += c->confidences[k];
    crd_confidnet_destroy(c);
  }
  assert_true(means[1] < means[0] - 5);
  close_scene(&s);
}

/* ---- Edge cases. */

/* Without errors, or with errors only, the loss selects. */
static void check_one_sided(crd_context *ctx, errors kind) {
  scene s;
  crd_confidnet_epoch epoch;
  double least = INFINITY;
  size_t kept = 0;
  open_scene(ctx, &(design){ 0 }, kind, &s);
  crd_confidnet *const c = create(ctx, &s, "hidden=8,rate=0.05,batch=16,epochs=15,patience=0");
  const crd_confidnet_summary *const found = crd_confidnet_describe(c);
  assert_string_equal(found->criterion, "loss");
  assert_int_equal(found->errors, kind == ALL_WRONG ? ROWS : 0);
  for (int done = 0; !done;) {
    WORKS(ctx, crd_confidnet_train(ctx, c, &epoch, &done));
    assert_true(isnan(epoch.quality.auroc));
    if (epoch.validation_loss < least) kept = epoch.epoch;
    least = fmin(least, epoch.validation_loss);
  }
  assert_int_equal(found->best, kept);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

static void test_one_sided(void **state) {
  check_one_sided(*state, ALL_CORRECT);
  check_one_sided(*state, ALL_WRONG);
}

static void test_single_rows(void **state) {
  scene s;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_dataset_destroy(s.data);
  crd_dataset_destroy(s.held_out);
  s.training.rows = s.validation.rows = 1;
  s.data = make_dataset(*state, &s.training);
  s.held_out = make_dataset(*state, &s.validation);
  crd_confidnet *const c = create(*state, &s, "hidden=8,rate=0.05,epochs=200,patience=0");
  train_all(*state, c);
  crd_confidnet_epoch epoch;
  int done;
  WORKS(*state, crd_confidnet_train(*state, c, &epoch, &done));
  assert_true(epoch.loss < 1e-4); /* one row is learned by heart */
  crd_confidnet_destroy(c);
  close_scene(&s);
}

static void test_interrupt(void **state) {
  scene s;
  crd_confidnet_epoch epoch;
  crd_model *model;
  int done;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_confidnet *const c = create(*state, &s, quick);
  crd_context_interrupt(*state);
  FAILS(*state, CRD_EINTERRUPTED, crd_confidnet_train(*state, c, &epoch, &done), "interrupted");
  FAILS(*state, CRD_EUSAGE, crd_confidnet_model(*state, c, &model), "no epoch has finished");
  assert_null(model);
  WORKS(*state, crd_confidnet_train(*state, c, &epoch, &done));
  crd_context_interrupt(*state);
  FAILS(*state, CRD_EINTERRUPTED, crd_confidnet_train(*state, c, &epoch, &done), "interrupted");
  assert_int_equal(crd_confidnet_describe(c)->best, 1);
  WORKS(*state, crd_confidnet_model(*state, c, &model));
  crd_model_destroy(model);
  crd_confidnet_destroy(c);
  close_scene(&s);
}

static void test_divergence(void **state) {
  scene s;
  crd_confidnet_epoch epoch;
  int done = 0;
  crd_status status = CRD_OK;
  open_scene(*state, &(design){ 0 }, SOME_WRONG, &s);
  crd_confidnet *const c = create(*state, &s, "hidden=64,64,64,rate=1e6,patience=0");
  for (size_t i = 0; i < 20 && status == CRD_OK && !done; i++)
    status = crd_confidnet_train(*state, c, &epoch, &done);
  if (status != CRD_OK) FAILS(*state, CRD_ENUMERIC, status, "try a smaller rate");
  crd_confidnet_destroy(c);
  close_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_learns),      TEST(test_selection), TEST(test_patience),  TEST(test_ties),
    TEST(test_order),       TEST(test_seed),      TEST(test_weighting), TEST(test_one_sided),
    TEST(test_single_rows), TEST(test_interrupt), TEST(test_divergence)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
