/*
 * temperature_test.c -- the temperature methods against losses in plain loops, and on data without
 * a finite optimum.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>

enum { ROWS = 400, CLASSES = 5 };

typedef double loss_fn(const test_data *data, double temperature, double setting);

/* softmax(z / T) of a row. */
static void soften(const test_data *data, size_t row, double temperature, double *p) {
  const double *const z = data->scores + row * data->classes;
  double top = z[0], mass = 0;
  for (size_t k = 1; k < data->classes; k++) top = fmax(top, z[k]);
  for (size_t k = 0; k < data->classes; k++) mass += p[k] = exp((z[k] - top) / temperature);
  for (size_t k = 0; k < data->classes; k++) p[k] /= mass;
}

static double weight_of(const test_data *data, size_t row) {
  return data->weights ? data->weights[row] : 1;
}

static double focal(const test_data *data, double temperature, double gamma) {
  double sum = 0, total = 0, p[CLASSES];
  for (size_t i = 0; i < data->rows; i++) {
    soften(data, i, temperature, p);
    const double own = p[data->labels[i]];
    sum -= weight_of(data, i) * pow(1 - own, gamma) * log(own);
    total += weight_of(data, i);
  }
  return sum / total;
}

/* Ten bins (a, b]. */
static double ece(const test_data *data, double temperature, double bins) {
  double gap[32] = { 0 }, total = 0, error = 0, p[CLASSES] = { 0 };
  for (size_t i = 0; i < data->rows; i++) {
    size_t top = 0, bin = 0;
    soften(data, i, temperature, p);
    for (size_t k = 1; k < data->classes; k++)
      if (p[k] > p[top]) top = k;
    while (p[top] > (double)(bin + 1) / bins) bin++;
    gap[bin] += weight_of(data, i) * (p[top] - ((size_t)data->labels[i] == top));
    total += weight_of(data, i);
  }
  for (size_t m = 0; m < 32; m++) error += fabs(gap[m]);
  return error / total;
}

static double fit(crd_context *ctx, const test_data *data, const char *method, const char *settings,
                  crd_certificate *certificate) {
  crd_predictions *const p = data_predictions(ctx, data, 0, data->rows);
  crd_calibrator *c = NULL;
  if (crd_calibrator_fit(ctx, method, settings, p, &c) != CRD_OK)
    fail_msg("%s", crd_context_message(ctx));
  const double temperature = crd_calibrator_learnt(c, 0)->values[0];
  *certificate = *crd_calibrator_certificate(c);
  certificate->note = certificate->bounds = NULL; /* freed with the calibrator */
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  return temperature;
}

static test_data sample(bool weighted) {
  return make_data((test_recipe){ .rows = ROWS,
                                  .classes = CLASSES,
                                  .seed = 5,
                                  .spread = 3,
                                  .accuracy = .7,
                                  .weighted = weighted });
}

static void focal_has_the_least_loss(void **state) {
  static const struct {
    const char *settings;
    double gamma;
  } cases[] = { { NULL, 1 }, { "gamma=0", 0 }, { "gamma=0.5", .5 }, { "gamma=3", 3 } };
  for (size_t c = 0; c < 8; c++) {
    test_data data = sample(c % 2);
    crd_certificate certificate;
    const double gamma = cases[c / 2].gamma;
    const double t = fit(*state, &data, "temperature-focal", cases[c / 2].settings, &certificate);
    assert_true(certificate.converged && certificate.gradient_norm < 1e-12);
    assert_true(near(certificate.objective, focal(&data, t, gamma), 1e-12));
    /* The derivative is 0 there, up to the error of a central difference. */
    const double slope =
        (focal(&data, t * (1 + 1e-5), gamma) - focal(&data, t * (1 - 1e-5), gamma)) / 2e-5;
    assert_true(fabs(slope) < 1e-9);
    for (int i = 0; i < 63; i++)
      assert_true(focal(&data, .05 * pow(1.1, i), gamma) >= certificate.objective);
    free_data(&data);
  }
}

static void focal_without_gamma_is_likelihood(void **state) {
  test_data data = sample(true);
  crd_certificate certificate;
  const double a = fit(*state, &data, "temperature-focal", "gamma=0", &certificate);
  const double b = fit(*state, &data, "temperature", NULL, &certificate);
  assert_true(near(a, b, 1e-10));
  free_data(&data);
}

static void ece_is_the_least_of_the_grid(void **state) {
  for (int weighted = 0; weighted < 2; weighted++) {
    test_data data = sample(weighted);
    crd_certificate certificate;
    size_t best = 1;
    for (size_t g = 2; g <= 1000; g++)
      if (ece(&data, (double)g / 100, 10) < ece(&data, (double)best / 100, 10)) best = g;
    const double t = fit(*state, &data, "temperature-ece", "bins=10", &certificate);
    assert_true(near(t, (double)best / 100, 1e-12));
    assert_true(near(certificate.objective, ece(&data, t, 10), 1e-12));
    free_data(&data);
  }
}

/* Every row correct with confidence 1: the error is 0 at many temperatures; the lowest is chosen.
 */
static void ece_takes_the_lowest_of_ties(void **state) {
  test_data data = sample(false);
  crd_certificate certificate;
  for (size_t i = 0; i < ROWS * CLASSES; i++)
    data.scores[i] = i % CLASSES == (size_t)data.labels[i / CLASSES] ? 1000 : 0;
  assert_true(fit(*state, &data, "temperature-ece", NULL, &certificate) == .01);
  assert_true(certificate.objective == 0);
  free_data(&data);
}

/* For pairs too, the minimised error equals the one measured afterwards. */
static void ece_of_pairs_is_that_of_confidences(void **state) {
  double confidence[ROWS];
  unsigned char correct[ROWS];
  crd_predictions *p = NULL, *calibrated = NULL;
  crd_calibrator *c = NULL;
  const crd_result *result = NULL;
  for (size_t i = 0; i < ROWS; i++) {
    confidence[i] = (double)(i * 7919 % 397 + 1) / 399;
    correct[i] = i * 31 % 100 < 100 * confidence[i] * confidence[i];
  }
  const crd_predictions_parts parts = { .size = sizeof parts,
                                        .scores = crd_array_matrix(confidence, CRD_F64, ROWS, 1),
                                        .correct = crd_array_matrix(correct, CRD_U8, ROWS, 1),
                                        .input = CRD_INPUT_PAIRS };
  assert_int_equal(crd_predictions_create(*state, &parts, &p), CRD_OK);
  assert_int_equal(crd_calibrator_fit(*state, "temperature-ece", NULL, p, &c), CRD_OK);
  assert_int_equal(crd_calibrator_calibrate(*state, c, p, &calibrated), CRD_OK);
  assert_int_equal(crd_evaluate(*state, calibrated, NULL, &result), CRD_OK);
  assert_true(near(value_of(result, "ece"), crd_calibrator_certificate(c)->objective, 1e-12));
  crd_result_destroy(result);
  crd_predictions_destroy(calibrated);
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
}

static void fixed_is_what_was_set(void **state) {
  test_data data = sample(false);
  crd_certificate certificate;
  assert_true(fit(*state, &data, "temperature-fixed", NULL, &certificate) == 1.5);
  assert_true(fit(*state, &data, "temperature-fixed", "temperature=1.1", &certificate) == 1.1);
  assert_true(certificate.converged && isnan(certificate.objective));
  free_data(&data);
}

/* The mean entropy of the calibrated probabilities. */
static double entropy(crd_context *ctx, const test_data *data, double temperature) {
  crd_predictions *const p = data_predictions(ctx, data, 0, ROWS);
  crd_calibrator *c = NULL;
  char settings[64];
  double out[ROWS * CLASSES], sum = 0;
  snprintf(settings, sizeof settings, "temperature=%.17g", temperature);
  assert_int_equal(crd_calibrator_fit(ctx, "temperature-fixed", settings, p, &c), CRD_OK);
  assert_int_equal(crd_calibrator_apply(ctx, c, p, 0, ROWS, out, NULL, NULL), CRD_OK);
  for (size_t i = 0; i < ROWS * CLASSES; i++) sum -= out[i] > 0 ? out[i] * log(out[i]) : 0;
  crd_calibrator_destroy(c);
  crd_predictions_destroy(p);
  return sum / ROWS;
}

/* From one-hot to uniform. The derivative with respect to T is a variance: never negative. */
static void entropy_grows_with_temperature(void **state) {
  test_data data = sample(false);
  double last = 0;
  for (int i = 0; i < 205; i++) {
    const double here = entropy(*state, &data, 1e-3 * pow(1.07, i));
    assert_true(here >= last - 1e-14); /* equal but for rounding, at both ends */
    last = here;
  }
  assert_true(near(last, log(CLASSES), 1e-4));
  assert_true(entropy(*state, &data, 1e-3) < 1e-2);
  free_data(&data);
}

/* All correct, all wrong, all logits equal, huge logits: the result is always finite. */
static void hopeless_data_have_an_answer(void **state) {
  static const char *const methods[] = { "temperature", "temperature-focal", "temperature-ece" };
  for (size_t c = 0; c < 5; c++)
    for (size_t m = 0; m < 3; m++) {
      test_data data = sample(false);
      crd_certificate certificate;
      for (size_t i = 0; i < ROWS; i++) {
        double *const z = data.scores + i * CLASSES;
        size_t top = 0;
        for (size_t k = 0; k < CLASSES; k++) {
          if (c == 2) z[k] = 1;
          if (c == 3) z[k] *= 1e4;
          if (z[k] > z[top]) top = k;
        }
        if (c < 2) data.labels[i] = (int64_t)(c == 0 ? top : (top + 1) % CLASSES);
        if (c == 4) data.labels[i] = 2; /* one class only */
      }
      const double t = fit(*state, &data, methods[m], NULL, &certificate);
      assert_true(certificate.converged && isfinite(certificate.objective));
      assert_true(t >= 1e-3 * (1 - 1e-12) && t <= 1e3 * (1 + 1e-12));
      if (c == 0 && m < 2) assert_true(certificate.separable && near(t, 1e-3, 1e-12));
      if (c == 2 && m < 2) assert_true(t == 1);
      free_data(&data);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(focal_has_the_least_loss),
    cmocka_unit_test(focal_without_gamma_is_likelihood),
    cmocka_unit_test(ece_is_the_least_of_the_grid),
    cmocka_unit_test(ece_takes_the_lowest_of_ties),
    cmocka_unit_test(ece_of_pairs_is_that_of_confidences),
    cmocka_unit_test(fixed_is_what_was_set),
    cmocka_unit_test(entropy_grows_with_temperature),
    cmocka_unit_test(hopeless_data_have_an_answer),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
