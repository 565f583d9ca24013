/* soft_ece_test.c -- compared with its definition. */
#include "loss/whole_test.h"

enum { BINS = 6 };
static const double temperature = 0.02;

static double plain_of_order(const sample *s, double order) {
  double mass[BINS] = { 0 }, gap[BINS] = { 0 }, rows = 0, sum = 0;
  for (size_t i = 0; i < s->rows; i++) rows += s->weight[i] > 0;
  for (size_t i = 0; i < s->rows; i++) {
    const seen row = see(s, i);
    double share[BINS], all = 0;
    for (size_t m = 0; m < BINS; m++)
      all += share[m] = exp(-pow(row.c - ((double)m + .5) / BINS, 2) / temperature);
    for (size_t m = 0; m < BINS; m++) {
      mass[m] += rows * row.w * share[m] / all;
      gap[m] += rows * row.w * share[m] / all * (row.c - row.a);
    }
  }
  for (size_t m = 0; m < BINS; m++)
    sum += pow(fmax(mass[m], 1e-5), 1 - order) * pow(fabs(gap[m]), order);
  return pow(sum / rows, 1 / order);
}

static double plain1(const sample *s) { return plain_of_order(s, 1); }
static double plain2(const sample *s) { return plain_of_order(s, 2); }
static double plain3(const sample *s) { return plain_of_order(s, 3.5); }

static void is_its_definition(void **state) {
  check_samples(*state, "soft-ece(bins=6,temperature=0.02,order=1)", plain1);
  check_samples(*state, "soft-ece(bins=6,temperature=0.02)", plain2);
  check_samples(*state, "soft-ece(bins=6,temperature=0.02,order=3.5)", plain3);
}

/* Error 0, and bins without mass: finite, not NaN. */
static void extremes_are_finite(void **state) {
  static const char *const expressions[] = { "soft-ece", "soft-ece(bins=1000,temperature=1e-6)",
                                             "soft-ece(order=1)", "soft-ece(bins=1,order=10)" };
  double gradient[6] = { 0 };
  sample s = {
    .rows = 2, .classes = 3, .z = { 1e4, -1e4, 0, 0, -1e4, 1e4 }, .y = { 0, 2 }, .weight = { 1, 1 }
  };
  for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++)
    for (s.y[1] = 0; s.y[1] < 3; s.y[1] += 2) {
      const double value = evaluate(*state, expressions[e], &s, gradient).value;
      assert_true(s.y[1] == 2 ? value == 0 : value > 0.4 && value < 1);
      for (size_t i = 0; i < 6; i++) assert_true(isfinite(gradient[i]));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(is_its_definition),
                                      cmocka_unit_test(extremes_are_finite) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
