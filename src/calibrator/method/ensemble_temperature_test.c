/* ensemble_temperature_test.c -- weights against a fine grid on the simplex, and degenerate data.
 */
#include "support.h"

#include <math.h>

enum { ROWS = 200, CLASSES = 4, CELLS = 100 };

static double weight_of(const test_data *data, size_t row) {
  return data->weights ? data->weights[row] : 1;
}

/* softmax(b z) of a row. */
static void soften(const double *z, double b, double *p) {
  double top = z[0], mass = 0;
  for (size_t k = 1; k < CLASSES; k++) top = fmax(top, z[k]);
  for (size_t k = 0; k < CLASSES; k++) mass += p[k] = exp(b * (z[k] - top));
  for (size_t k = 0; k < CLASSES; k++) p[k] /= mass;
}

static double loss(const test_data *data, double temperature, const double *w, bool squares) {
  double sum = 0, total = 0;
  for (size_t i = 0; i < ROWS; i++) {
    double soft[CLASSES], plain[CLASSES], error = 0;
    soften(data->scores + i * CLASSES, 1 / temperature, soft);
    soften(data->scores + i * CLASSES, 1, plain);
    for (size_t k = 0; k < CLASSES; k++) {
      const double q = w[0] * soft[k] + w[1] * plain[k] + w[2] / CLASSES;
      const bool own = k == (size_t)data->labels[i];
      error += squares ? (q - own) * (q - own) : own ? -log(q) : 0;
    }
    sum += weight_of(data, i) * error;
    total += weight_of(data, i);
  }
  return sum / total;
}

static crd_calibrator *fit(crd_context *ctx, const test_data *data, bool squares) {
  crd_predictions *const p = data_predictions(ctx, data, 0, ROWS);
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, "ensemble-temperature", squares ? "loss=mse" : NULL, p, &c) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  crd_predictions_destroy(p);
  return c;
}

static void weights_are_the_best_of_a_grid(void **state) {
  for (unsigned n = 0; n < 24; n++) {
    test_data data = make_data((test_recipe){ .rows = ROWS,
                                              .classes = CLASSES,
                                              .seed = n,
                                              .spread = .5 + n % 5,
                                              .accuracy = .3 + .1 * (n % 7),
                                              .weighted = n % 3 == 0 });
    const bool squares = n % 2;
    crd_calibrator *const c = fit(*state, &data, squares);
    const crd_certificate *const certificate = crd_calibrator_certificate(c);
    const double t = crd_calibrator_learnt(c, 0)->values[0];
    const double *const w = crd_calibrator_learnt(c, 1)->values;
    assert_true(certificate->converged);
    assert_true(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && near(w[0] + w[1] + w[2], 1, 1e-15));
    assert_true(near(certificate->objective, loss(&data, t, w, squares), 1e-12));
    /* If uniform probabilities are optimal, the weight stays below 1 to keep the order within
     * rows. */
    const double cost = w[2] > 1 - 2e-9 ? 1e-8 : 1e-12;
    for (size_t i = 0; i <= CELLS; i += 4)
      for (size_t j = 0; i + j <= CELLS; j += 4) {
        const double other[] = { (double)i / CELLS, (double)j / CELLS,
                                 (double)(CELLS - i - j) / CELLS };
        assert_true(loss(&data, t, other, squares) > certificate->objective - cost);
      }
    crd_calibrator_destroy(c);
    free_data(&data);
  }
}

static void hopeless_data_keep_predictions(void **state) {
  for (unsigned n = 0; n < 8; n++) {
    test_data data = make_data(
        (test_recipe){ .rows = ROWS, .classes = CLASSES, .seed = 3, .spread = 2, .accuracy = 1 });
    for (size_t i = 0; i < ROWS; i++) {
      if (n / 2 == 1) data.labels[i] = (data.labels[i] + 1 + (int64_t)(i % 3)) % CLASSES;
      if (n / 2 == 2) data.labels[i] = 1;
      for (size_t k = 0; n / 2 == 3 && k < CLASSES; k++) data.scores[i * CLASSES + k] *= 1e4;
    }
    crd_calibrator *const c = fit(*state, &data, n % 2);
    const crd_certificate *const certificate = crd_calibrator_certificate(c);
    assert_true(certificate->converged && isfinite(certificate->objective));
    assert_int_equal(certificate->argmax_changes, 0);
    crd_calibrator_destroy(c);
    free_data(&data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(weights_are_the_best_of_a_grid),
    cmocka_unit_test(hopeless_data_keep_predictions),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
