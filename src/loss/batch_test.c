/* batch_test.c -- rows of confidence near 1: 1 - p keeps its precision in all results. */
#include "losses.h"

#include <math.h>

/* Two classes, 1 - p = q: H = -p log p - q log q, d(-H)/dz_0 = p q (z_0 - z_1). */
static void entropies_of_sure_rows(void **state) {
  for (int i = 0; i < 25; i++) {
    const double far = 0.5 * pow(1.3, i), z[2] = { 3 + far, 3 }, d = z[0] - z[1];
    const double p = 1 / (1 + exp(-d)), q = exp(-d) / (1 + exp(-d));
    const int64_t label = 0;
    double g[2];
    const double value =
        loss_of(*state, "entropy", NULL, (small_batch){ .rows = 1, 2, z, &label }, g);
    assert_true(fabs(value / (p * log1p(-q) + q * log(q)) - 1) < 1e-13);
    assert_true(fabs(g[0] / (p * q * d) - 1) < 1e-13);
    assert_true(g[1] == -g[0]);
  }
}

/* dca of one row that is wrong is its confidence: dc/dz_0 = p q. */
static void confidences_of_sure_rows(void **state) {
  for (int i = 0; i < 25; i++) {
    const double far = 0.5 * pow(1.3, i), z[2] = { far, 0 }, p = 1 / (1 + exp(-far)),
                 q = exp(-far) / (1 + exp(-far));
    const int64_t label = 1;
    double g[2];
    const double value = loss_of(*state, "dca", NULL, (small_batch){ .rows = 1, 2, z, &label }, g);
    assert_true(fabs(value / p - 1) < 1e-14);
    assert_true(fabs(g[0] / (p * q) - 1) < 1e-14);
    assert_true(fabs(g[1] / (p * q) + 1) < 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(entropies_of_sure_rows),
    cmocka_unit_test(confidences_of_sure_rows),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
