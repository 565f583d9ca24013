/* confidnet_loss_test.c -- the loss by its definition, its gradient by finite differences. */
#include "refine/confidnet_testing.h"

enum { N = 40 };

static double plain(const double *v, const float *p, const double *f) {
  double sum = 0;
  for (size_t i = 0; i < N; i++) {
    const double c = 1 / (1 + exp(-v[i]));
    sum += f[i] * (c - p[i]) * (c - p[i]);
  }
  return sum;
}

static void test_gradient(void **state) {
  static const double h = 1e-6;
  float v[N], p[N], gradient[N];
  double f[N], at[N];
  (void)state;
  for (size_t i = 0; i < N; i++) {
    at[i] = v[i] = (float)(3 * crd__random_normal(1, 0, i));
    p[i] = (float)crd__random_uniform(1, 1, i);
    f[i] = i % 3 ? 1 : 4.5;
  }
  NEAR(crd__refine_loss(v, p, f, N, gradient), plain(at, p, f), 1e-12);
  for (size_t i = 0; i < N; i++) {
    const double middle = at[i];
    at[i] = middle + h;
    const double above = plain(at, p, f);
    at[i] = middle - h;
    const double below = plain(at, p, f);
    at[i] = middle;
    NEAR(gradient[i], (above - below) / (2 * h) / N, 1e-8);
  }
}

/* Far out nothing overflows, and the gradient is 0, not NaN. */
static void test_far_out(void **state) {
  const float v[] = { 1e30F, -1e30F, 200, -200 }, p[] = { 0, 1, 1, 0 };
  const double f[] = { 1, 1, 1, 1 };
  float gradient[4];
  (void)state;
  NEAR(crd__refine_loss(v, p, f, 4, gradient), 2, 1e-15);
  for (size_t i = 0; i < 4; i++) assert_true(fabsf(gradient[i]) < 1e-30F);
  NEAR(crd__refine_sigmoid(0), 0.5, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_gradient), TEST(test_far_out) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
