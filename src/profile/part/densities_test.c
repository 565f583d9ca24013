/* densities_test.c -- densities by their definition. */
#include "profile/kinds_test.h"

static double quartile(const prediction *rows, size_t count, bool right, double weight) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    if (rows[i].correct == right && (sum += rows[i].weight) >= weight) return rows[i].confidence;
  return 1;
}

static double silverman(const prediction *rows, size_t count, bool right) {
  double total = 0, squares = 0, mean = 0, variance = 0;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].correct != right) continue;
    total += rows[i].weight;
    squares += rows[i].weight * rows[i].weight;
    mean += rows[i].weight * rows[i].confidence;
  }
  mean /= total;
  for (size_t i = 0; i < count; i++)
    if (rows[i].correct == right)
      variance += rows[i].weight * pow(rows[i].confidence - mean, 2) / total;
  const double middle =
      quartile(rows, count, right, .75 * total) - quartile(rows, count, right, .25 * total);
  const double spread = middle > 0 ? fmin(sqrt(variance), middle / 1.34) : sqrt(variance);
  return fmax(0.9 * spread / pow(total * total / squares, 0.2), 0.01);
}

static void check_density(const crd_curve *c, const prediction *rows, size_t count, bool right) {
  double weight = 0, area = 0, values[201];
  for (size_t i = 0; i < count; i++) weight += rows[i].correct == right ? rows[i].weight : 0;
  assert_int_equal(c->count, weight > 0 ? 201 : 0);
  if (c->count == 0) return;
  const double width = silverman(rows, count, right);
  for (size_t j = 0; j < 201; j++) {
    values[j] = 0;
    for (size_t i = 0; i < count; i++)
      if (rows[i].correct == right)
        values[j] += rows[i].weight * kernel((double)j / 200, rows[i].confidence, width);
    area += values[j] / (j % 200 ? 200 : 400);
  }
  assert_true(near(trapezoids(c), 1, 1e-14));
  for (size_t j = 0; j < 201; j++) {
    assert_true(c->points[j].x == (double)j / 200);
    assert_true(near(c->points[j].y, values[j] / area, 1e-11));
  }
}

static void densities_are_kernel_estimates(void **state) {
  crd_context *const ctx = *state;
  for (size_t n = 0; n < KINDS; n++) {
    prediction rows[ROWS_MAX];
    kind k;
    open_kind(ctx, n, &k);
    const size_t count = sorted_rows(&k, n, rows);
    const crd_profile *const p = profile_of(
        ctx, k.predictions,
        (crd_profile_options){ .size = sizeof(crd_profile_options), .parts = CRD_PROFILE_CURVES });
    check_density(&p->density_right, rows, count, true);
    check_density(&p->density_wrong, rows, count, false);
    crd_profile_destroy(p);
    close_kind(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(densities_are_kernel_estimates),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
