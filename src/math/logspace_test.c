/* logspace_test.c -- log-odds compared with sums over the other classes in long double, one class
 * at a time. */
#include "math/logspace.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_close(double found, long double expected) {
  if (!(fabsl(found - expected) <= 4e-15L * fabsl(expected)))
    fail_msg("found %.17g, expected %.20Lg", found, expected);
}

/* log sum exp over all classes but one. */
static long double lse_without(const double *z, size_t classes, size_t skip) {
  long double top = -INFINITY, sum = 0;
  for (size_t k = 0; k < classes; k++)
    if (k != skip) top = fmaxl(top, z[k]);
  for (size_t k = 0; k < classes; k++)
    if (k != skip) sum += expl(z[k] - top);
  return top + logl(sum);
}

static void check(const double *z, size_t classes) {
  double odds[64], complement[64], same[64];
  crd__math_log_odds(z, classes, odds);
  crd__math_log_complement(z, classes, complement);
  for (size_t k = 0; k < classes; k++) same[k] = z[k];
  crd__math_log_odds(same, classes, same);
  for (size_t k = 0; k < classes; k++) {
    const long double s = z[k] - lse_without(z, classes, k);
    assert_true(fabsl(odds[k] - s) <= 4e-15L * (1 + fabsl(s))); /* a difference of two logs */
    /* log(1 - p) = -log(1 + exp(s)) */
    const long double expected = -(fmaxl(s, 0) + log1pl(expl(-fabsl(s))));
    if (expected < -1e-300L) assert_close(complement[k], expected);
    else assert_true(complement[k] <= 0 && complement[k] > -1e-299);
    assert_true(same[k] == odds[k]);
  }
}

static void rows(void **unused) {
  (void)unused;
  check((const double[]){ 1.5, -2.25 }, 2);
  check((const double[]){ 0, 0 }, 2);
  check((const double[]){ 1e4, -1e4 }, 2);
  check((const double[]){ 1e4, -1e4, 0, 1e4 }, 4);
  check((const double[]){ 3, 3, 3, 3, 3 }, 5);
  check((const double[]){ -1e4, -1e4 + 30, -1e4 - 700 }, 3);
  srand(5);
  for (size_t n = 0; n < 2000; n++) {
    double z[64];
    const size_t classes = 2 + n % 63;
    for (size_t k = 0; k < classes; k++) z[k] = (rand() % 4001 - 2000) / (n % 2 ? 16.0 : 256.0);
    check(z, classes);
  }
}

static void single_class(void **unused) {
  (void)unused;
  double out;
  crd__math_log_odds((const double[]){ 2 }, 1, &out);
  assert_true(out == INFINITY);
  crd__math_log_complement((const double[]){ 2 }, 1, &out);
  assert_true(out == -INFINITY);
}

static void scalars(void **unused) {
  (void)unused;
  for (int i = 0; i <= 4054; i++) {
    const double x = -750 + 0.37 * i;
    const long double e = expl(-(long double)x);
    if (x > -700) assert_close(crd__math_sigmoid(x), 1 / (1 + e));
    if (x > -700) assert_close(crd__math_softplus(x), x > 0 ? x + log1pl(e) : log1pl(1 / e));
  }
  assert_true(crd__math_sigmoid(0) == 0.5 && crd__math_sigmoid(-1e4) == 0 &&
              crd__math_sigmoid(1e4) == 1);
  assert_true(crd__math_softplus(1e4) == 1e4 && crd__math_softplus(-1e4) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(rows), cmocka_unit_test(single_class),
                                      cmocka_unit_test(scalars) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
