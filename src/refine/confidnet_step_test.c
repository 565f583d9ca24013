/* confidnet_step_test.c -- steps on incomplete batches; the quality of confidences by hand. */
#include "refine/confidnet_testing.h"

enum { COUNT = 10 };

static const crd__refine_head head = { .layers = 2, .sizes = { HIDDEN, 6, 1 } };

/* Makes rows whose features and targets are random; release with clear. */
static void make_rows(crd_context *ctx, crd__refine_rows *rows) {
  scene s;
  open_scene(ctx, &(design){ 0 }, SOME_WRONG, &s);
  const crd__refine_source source = {
    .model = s.model, .logits = "logits", .tensor = "h", .weighting = 2
  };
  WORKS(ctx, crd__refine_rows_make(ctx, &source, s.data, rows));
  close_scene(&s);
}

/* Sets the head's weights after three steps on ten rows each, in batches of this size. */
static double train(crd_context *ctx, const crd__refine_rows *rows, size_t batch, float *values) {
  const crd__refine_settings settings = { .rate = 0.01 };
  size_t order[3 * COUNT];
  crd__refine_stage stage;
  double sum = 0;
  for (size_t i = 0; i < 3 * COUNT; i++) order[i] = (i * 37) % rows->rows;
  crd__refine_head_draw(&head, 3, values);
  WORKS(ctx, crd__refine_stage_make(ctx, &head, values, batch, &stage));
  for (size_t i = 0; i < 3; i++)
    WORKS(ctx, crd__refine_step(ctx, &stage, &settings, rows, order + i * COUNT, COUNT, &sum));
  assert_int_equal(stage.steps, 3);
  crd__train_parameters_read(&stage.parameters, values);
  crd__refine_stage_clear(&ctx->alloc, &stage);
  return sum;
}

/* Padding changes nothing: not the loss, and not the weights. */
static void test_padding(void **state) {
  enum { WEIGHTS = (HIDDEN + 1) * 6 + 7 };
  float whole[WEIGHTS], padded[WEIGHTS];
  crd__refine_rows rows;
  make_rows(*state, &rows);
  NEAR(train(*state, &rows, COUNT, whole), train(*state, &rows, 24, padded), 1e-6);
  for (size_t i = 0; i < WEIGHTS; i++) NEAR(padded[i], whole[i], 1e-5);
  crd__refine_rows_clear(&((crd_context *)*state)->alloc, &rows);
}

/* Confidences of all rows, in batches whose last one is incomplete, and their mean loss. */
static void test_confidences(void **state) {
  static float values[(HIDDEN + 1) * 6 + 7], a[ROWS], b[ROWS];
  crd_context *const ctx = *state;
  double loss[2], plain = 0;
  crd__refine_rows rows;
  make_rows(ctx, &rows);
  for (size_t i = 0; i < 2; i++) {
    crd__refine_stage stage;
    crd__refine_head_draw(&head, 3, values);
    WORKS(ctx, crd__refine_stage_make(ctx, &head, values, i ? 64 : ROWS, &stage));
    WORKS(ctx, crd__refine_confidences(ctx, &stage, &rows, i ? b : a, &loss[i]));
    crd__refine_stage_clear(&ctx->alloc, &stage);
  }
  for (size_t i = 0; i < ROWS; i++) {
    NEAR(b[i], a[i], 1e-6);
    plain += rows.factors[i] * (a[i] - rows.tcp[i]) * (a[i] - rows.tcp[i]) / ROWS;
  }
  NEAR(loss[0], plain, 1e-6);
  NEAR(loss[1], plain, 1e-6);
  crd__refine_rows_clear(&ctx->alloc, &rows);
}

/* Of four rows in the order of confidence, wrong ones are the first and the third. */
static void test_quality(void **state) {
  static const float confidences[] = { 0.1F, 0.2F, 0.3F, 0.9F };
  int64_t correct[] = { 0, 1, 0, 1 };
  double weights[] = { 1, 1, 1, 1 };
  crd_confidnet_quality q;
  const crd__refine_rows rows = { .rows = 4, .correct = correct, .weights = weights };
  WORKS(*state, crd__refine_quality(*state, &rows, confidences, &q));
  NEAR(q.aupr_error, (1 + 2.0 / 3) / 2, 1e-12);
  NEAR(q.auroc, 0.75, 1e-12);
  NEAR(q.brier_top1, (0.01 + 0.64 + 0.09 + 0.01) / 4, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_padding), TEST(test_confidences),
                                      TEST(test_quality) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
