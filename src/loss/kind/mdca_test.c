/* mdca_test.c -- compared with its definition. */
#include "loss/whole_test.h"

static double plain(const sample *s) {
  double sum = 0;
  for (size_t k = 0; k < s->classes; k++) {
    double gap = 0;
    for (size_t i = 0; i < s->rows; i++) {
      const seen row = see(s, i);
      gap += row.w * (row.p[k] - row.t[k]);
    }
    sum += fabs(gap);
  }
  return sum / (double)s->classes;
}

static void is_its_definition(void **state) { check_samples(*state, "mdca", plain); }

/* A batch that is correct with confidence 1 has value 0 and gradient 0. */
static void sure_rows_rest(void **state) {
  double gradient[6] = { 0 };
  const sample s = {
    .rows = 2, .classes = 3, .z = { 1e4, -1e4, 0, 0, -1e4, 1e4 }, .y = { 0, 2 }, .weight = { 1, 2 }
  };
  assert_true(evaluate(*state, "mdca", &s, gradient).value == 0);
  for (size_t i = 0; i < 6; i++) assert_true(gradient[i] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(is_its_definition),
                                      cmocka_unit_test(sure_rows_rest) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
