/* isotonic_joint_test.c -- compared with isotonic regression on all pairs of rows and classes. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 90, CLASSES = 4, CELLS = ROWS * CLASSES };

static void is_one_curve(void **state) {
  test_data data = make_data((test_recipe){ ROWS, CLASSES, 5, 2, .6, 0, true, false });
  double p[CELLS], weights[CELLS], out[CELLS];
  unsigned char correct[CELLS];
  for (size_t i = 0; i < CELLS; i++) {
    const double *const row = data.scores + i / CLASSES * CLASSES;
    double mass = 0;
    for (size_t k = 0; k < CLASSES; k++) mass += exp(row[k]);
    p[i] = exp(data.scores[i]) / mass;
    weights[i] = data.weights[i / CLASSES];
    correct[i] = (size_t)data.labels[i / CLASSES] == i % CLASSES;
  }
  crd_predictions *const predictions = data_predictions(*state, &data, 0, ROWS);
  crd_calibrator *joint = NULL;
  crd_calibrator *const curve =
      fit_pairs(*state, "isotonic", NULL, (test_pairs){ CELLS, p, correct, weights });
  assert_int_equal(crd_calibrator_fit(*state, "isotonic-joint", NULL, predictions, &joint), CRD_OK);
  assert_int_equal(crd_calibrator_apply(*state, joint, predictions, 0, ROWS, out, NULL, NULL),
                   CRD_OK);
  for (size_t i = 0; i < ROWS; i++) {
    double q[CLASSES], sum = 0;
    for (size_t k = 0; k < CLASSES; k++)
      sum += q[k] = calibrated(*state, curve, p[i * CLASSES + k]) + 1e-9 * p[i * CLASSES + k];
    for (size_t k = 0; k < CLASSES; k++)
      if (data.weights[i] > 0) assert_true(near(out[i * CLASSES + k], q[k] / sum, 1e-9));
  }
  crd_calibrator_destroy(curve);
  crd_calibrator_destroy(joint);
  crd_predictions_destroy(predictions);
  free_data(&data);
}

/* Two logits that differ in the last digit have equal probabilities: the second class stays the
 * predicted one. */
static void near_ties_keep_their_class(void **state) {
  enum { N = 4 };
  double logits[N][3] = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, 3 }, { 1, 0, 0 } };
  static const int64_t labels[N] = { 0, 1, 2, 1 };
  size_t predicted[N];
  double out[3 * N];
  crd_predictions *p = NULL;
  crd_calibrator *c = NULL;
  logits[3][1] = nextafter(1, 2);
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(logits, CRD_F64, N, 3),
                                        .labels = crd_array_matrix(labels, CRD_I64, N, 1),
                                        .input = CRD_INPUT_LOGITS };
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "isotonic-joint", NULL, p, &c), CRD_OK);
  assert_int_equal(crd_calibrator_apply(*state, c, p, 0, N, out, NULL, predicted), CRD_OK);
  for (size_t i = 0; i < N; i++) assert_int_equal(predicted[i], labels[i]);
  assert_int_equal(crd_calibrator_certificate(c)->argmax_changes, 0);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_one_curve),
    cmocka_unit_test(near_ties_keep_their_class),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
