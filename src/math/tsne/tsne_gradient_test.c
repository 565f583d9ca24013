/* tsne_gradient_test.c -- the gradient compared with a sum over all pairs, and with finite
 * differences of the divergence. */
#include "support.h"

#include "base/context.h"
#include "base/random.h"
#include "math/tsne/tsne_gradient.h"

#include <math.h>

enum { ROWS = 200, WIDTH = 5 };

typedef struct {
  crd__math_affinities affinities;
  double y[2 * ROWS];
} map;

/* Points away from the minimum. */
static void make(crd_context *ctx, double scale, map *m) {
  double x[ROWS * WIDTH];
  for (size_t i = 0; i < ROWS * WIDTH; i++) x[i] = crd__random_uniform(1, 0, i) + (double)(i % 2);
  for (size_t i = 0; i < 2 * ROWS; i++) m->y[i] = scale * (crd__random_uniform(1, 1, i) - 0.5);
  assert_int_equal(crd__math_affinities_compute(ctx, x, ROWS, WIDTH, 12, &m->affinities), CRD_OK);
}

static double closeness(const double *y, size_t i, size_t j) {
  return 1 / (1 + pow(y[2 * i] - y[2 * j], 2) + pow(y[2 * i + 1] - y[2 * j + 1], 2));
}

static double sum_closeness(const double *y) {
  double z = 0;
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < ROWS; j++) z += i == j ? 0 : closeness(y, i, j);
  return z;
}

/* sum P log(P / Q), without the terms that do not depend on y. */
static double divergence(const map *m, double exaggeration) {
  const crd__math_affinities *const a = &m->affinities;
  double sum = log(sum_closeness(m->y));
  for (size_t i = 0; i < ROWS; i++)
    for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
      sum -= exaggeration * a->value[e] * log(closeness(m->y, i, a->column[e]));
  return sum;
}

/* The formula of the gradient, as a sum over all pairs. */
static void all_pairs(const map *m, double exaggeration, double *gradient) {
  const crd__math_affinities *const a = &m->affinities;
  const double z = sum_closeness(m->y);
  for (size_t i = 0; i < ROWS; i++)
    for (size_t c = 0; c < 2; c++) {
      double *const g = gradient + 2 * i + c;
      *g = 0;
      for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
        *g += 4 * exaggeration * a->value[e] * closeness(m->y, i, a->column[e]) *
              (m->y[2 * i + c] - m->y[2 * a->column[e] + c]);
      for (size_t j = 0; j < ROWS; j++)
        *g -= 4 * pow(closeness(m->y, i, j), 2) / z * (m->y[2 * i + c] - m->y[2 * j + c]);
    }
}

/* The relative error in the Euclidean norm. */
static double error_of(crd_context *ctx, const map *m, double angle, double exaggeration) {
  double found[2 * ROWS], expected[2 * ROWS], error = 0, length = 0;
  crd__math_tsne_forces forces;
  assert_int_equal(crd__math_tsne_forces_init(ctx, &m->affinities, angle, &forces), CRD_OK);
  assert_int_equal(crd__math_tsne_gradient(ctx, &forces, exaggeration, m->y, found), CRD_OK);
  all_pairs(m, exaggeration, expected);
  for (size_t i = 0; i < 2 * ROWS; i++) {
    error += pow(found[i] - expected[i], 2);
    length += pow(expected[i], 2);
  }
  crd__math_tsne_forces_free(&ctx->alloc, &forces);
  return sqrt(error / length);
}

static void is_that_of_all_pairs(void **state) {
  static const double scales[] = { 1e-4, 1, 30 };
  crd_context *const ctx = *state;
  for (size_t s = 0; s < 3; s++) {
    map m;
    make(ctx, scales[s], &m);
    for (size_t early = 0; early < 2; early++) {
      const double exaggeration = early ? 12 : 1;
      const double exact = error_of(ctx, &m, 0, exaggeration),
                   near_by = error_of(ctx, &m, 0.5, exaggeration);
      if (!(exact < 1e-11 && near_by > 10 * exact && near_by < 0.03))
        fail_msg("scale %g: %g at angle 0, %g at 0.5", scales[s], exact, near_by);
    }
    crd__math_affinities_free(&ctx->alloc, &m.affinities);
  }
}

static void is_the_slope_of_the_divergence(void **state) {
  const double h = 1e-5;
  double gradient[2 * ROWS];
  crd_context *const ctx = *state;
  map m;
  make(ctx, 10, &m);
  all_pairs(&m, 1, gradient);
  for (size_t i = 0; i < 2 * ROWS; i += 37) {
    const double here = m.y[i];
    m.y[i] = here + h;
    const double above = divergence(&m, 1);
    m.y[i] = here - h;
    const double below = divergence(&m, 1);
    m.y[i] = here;
    assert_true(fabs((above - below) / (2 * h) - gradient[i]) < 1e-9);
  }
  crd__math_affinities_free(&ctx->alloc, &m.affinities);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(is_that_of_all_pairs),
                                      cmocka_unit_test(is_the_slope_of_the_divergence) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
