/* losses_test.c -- every allocation fails once, for every loss. */
#include "fault/sweep.h"

/* Evaluates a loss alone and in a sum, on growing batches. */
static crd_status train(crd_context *ctx, const void *expression) {
  static const double counts[] = { 10, 20, 30 };
  static const crd_loss_options options = {
    .size = sizeof options, .allow_negative = 1, .classes = 3, .class_counts = counts
  };
  double gradient[40 * 3] = { -7 };
  crd_loss_value value;
  crd_loss *loss = NULL;
  assert_true(data.rows == 40 && data.classes == 3);
  crd_status status = crd_loss_create(ctx, expression, &options, &loss);
  assert_true((status == CRD_OK) == (loss != NULL));
  for (size_t rows = 20; status == CRD_OK && rows <= 40; rows += 20) {
    const crd_array logits = crd_array_matrix(data.scores, CRD_F64, rows, 3);
    const crd_targets targets = { .size = sizeof targets,
                                  .labels = crd_array_matrix(data.labels, CRD_I64, rows, 1),
                                  .weights = crd_array_matrix(data.weights, CRD_F64, rows, 1),
                                  .history = crd_array_matrix(data.weights, CRD_F64, rows, 1),
                                  .epochs = 3 };
    gradient[0] = -7;
    status = crd_loss_evaluate(ctx, loss, &logits, &targets, &value, gradient);
    assert_true((status == CRD_OK) == (gradient[0] != -7)); /* all or nothing */
  }
  crd_loss_destroy(loss);
  return status;
}

static void losses_survive(void **state) {
  (void)state;
  for (size_t i = 0; i < crd_loss_count(); i++) {
    char sum[256];
    snprintf(sum, sizeof sum, "2*(ce + -0.5*%s)", crd_loss_at(i)->name);
    sweep(train, crd_loss_at(i)->name, crd_loss_at(i)->name);
    sweep(train, sum, sum);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(losses_survive) };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
