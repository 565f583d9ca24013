/* avuc_test.c -- compared with its definition; batches without a correct certain or incorrect
 * uncertain row. */
#include "loss/whole_test.h"

static const double threshold = 0.9;

static double plain(const sample *s) {
  double good = 0, all = 0, rows = 0;
  for (size_t i = 0; i < s->rows; i++) rows += s->weight[i] > 0;
  for (size_t i = 0; i < s->rows; i++) {
    const seen row = see(s, i);
    const bool certain = row.h <= threshold;
    const double f = certain ? 1 - tanh(row.h) : tanh(row.h);
    const double right = row.w * row.a * row.c * f, wrong = row.w * (1 - row.a) * (1 - row.c) * f;
    all += rows * (right + wrong);
    good += rows * (certain ? right : wrong);
  }
  return log(all / good);
}

static void is_its_definition(void **state) { check_samples(*state, "avuc(threshold=0.9)", plain); }

/* Correct and uncertain; wrong and certain; wrong with entropy 0, where all sums are 0. */
static void without_good_rows(void **state) {
  double gradient[6] = { 0 };
  sample s = { .rows = 2, .classes = 3, .y = { 0, 0 }, .weight = { 3, 3 } };
  const double bad = 2 * tanh(log(3)) / 3;
  assert_true(near(evaluate(*state, "avuc", &s, gradient).value, log1p(bad / 1e-10), 1e-13));
  for (size_t i = 0; i < 6; i++) assert_true(gradient[i] == 0);
  s.z[1] = s.z[4] = 9;
  assert_true(evaluate(*state, "avuc", &s, gradient).value > 10);
  for (size_t i = 0; i < 6; i++) assert_true(gradient[i] == 0);
  s.z[1] = s.z[4] = 1e4;
  assert_true(evaluate(*state, "avuc", &s, gradient).value == 0);
  for (size_t i = 0; i < 6; i++) assert_true(gradient[i] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(is_its_definition),
                                      cmocka_unit_test(without_good_rows) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
