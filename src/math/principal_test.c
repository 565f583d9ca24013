/* principal_test.c -- known principal directions, data of rank 1 and 0. */
#include "support.h"

#include "base/random.h"
#include "math/principal.h"

#include <math.h>

enum { ROWS = 90, WIDTH = 4 };

/* Rotates the plane of two columns. */
static void rotate(double *x, size_t a, size_t b, double angle) {
  for (size_t i = 0; i < ROWS; i++) {
    double *const row = x + i * WIDTH;
    const double u = row[a], v = row[b];
    row[a] = cos(angle) * u - sin(angle) * v;
    row[b] = sin(angle) * u + cos(angle) * v;
  }
}

/* Rows +-s along each axis, then rotated: the coordinates are those from before. */
static void directions_are_found(void **state) {
  static const double spread[WIDTH] = { 1, 5, 0.2, 3 };
  double x[ROWS * WIDTH] = { 0 }, out[2 * ROWS];
  for (size_t i = 0; i < ROWS - ROWS % (2 * WIDTH); i++)
    x[i * WIDTH + i % WIDTH] = (i / WIDTH % 2 ? 1 : -1) * spread[i % WIDTH];
  rotate(x, 0, 1, 0.4);
  rotate(x, 1, 2, -0.7);
  rotate(x, 2, 3, 0.3);
  assert_int_equal(crd__math_principal_plane(*state, x, ROWS, WIDTH, out), CRD_OK);
  for (size_t i = 0; i < ROWS - ROWS % (2 * WIDTH); i++) {
    const double first = i % WIDTH == 1 ? spread[1] : 0, second = i % WIDTH == 3 ? spread[3] : 0;
    assert_true(near(fabs(out[2 * i]), first, 1e-6));
    assert_true(near(fabs(out[2 * i + 1]), second, 1e-6));
  }
}

/* A component along an axis has the sign of that axis. */
static void sign_is_fixed(void **state) {
  double x[ROWS * WIDTH] = { 0 }, out[2 * ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    x[i * WIDTH + 2] = (double)i - (ROWS - 1) / 2.0;
    x[i * WIDTH] = i % 2 ? 1 : -1;
  }
  assert_int_equal(crd__math_principal_plane(*state, x, ROWS, WIDTH, out), CRD_OK);
  for (size_t i = 0; i < ROWS; i++) {
    assert_true(fabs(out[2 * i] - x[i * WIDTH + 2]) < 0.1);
    assert_true(fabs(out[2 * i + 1] - x[i * WIDTH]) < 0.1);
  }
}

/* Data of rank 1 or 0 (one column; a line in four dimensions; zeros): missing components are 0, not
 * amplified noise. */
static void missing_directions_are_0(void **state) {
  double x[ROWS * WIDTH], out[2 * ROWS];
  for (size_t width = 1; width <= WIDTH; width += 3) {
    for (size_t i = 0; i < ROWS; i++)
      for (size_t j = 0; j < width; j++)
        x[i * width + j] = (0.3 + (double)j) * ((double)i - (ROWS - 1) / 2.0);
    assert_int_equal(crd__math_principal_plane(*state, x, ROWS, width, out), CRD_OK);
    for (size_t i = 0; i < ROWS; i++) {
      const double scale = width == 1 ? 0.3 : sqrt(0.09 + 1.69 + 5.29 + 10.89);
      assert_true(near(out[2 * i], scale * ((double)i - (ROWS - 1) / 2.0), 1e-12));
      assert_true(out[2 * i + 1] == 0);
    }
  }
  for (size_t i = 0; i < ROWS * WIDTH; i++) x[i] = 0;
  assert_int_equal(crd__math_principal_plane(*state, x, ROWS, WIDTH, out), CRD_OK);
  for (size_t i = 0; i < 2 * ROWS; i++) assert_true(out[i] == 0);
}

static void bits_do_not_depend_on_threads(void **state) {
  enum { MANY = 5000 };
  static double x[MANY * 3], out[2][2 * MANY];
  for (size_t i = 0; i < MANY * 3; i++)
    x[i] = (double)(1 + i % 3) * (crd__random_uniform(1, 0, i) - 0.5);
  for (unsigned t = 0; t < 2; t++) {
    crd_context_set_threads(*state, 1 + 2 * t);
    assert_int_equal(crd__math_principal_plane(*state, x, MANY, 3, out[t]), CRD_OK);
  }
  assert_memory_equal(out[0], out[1], sizeof out[0]);
  crd_context_set_threads(*state, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(directions_are_found),
                                      cmocka_unit_test(sign_is_fixed),
                                      cmocka_unit_test(missing_directions_are_0),
                                      cmocka_unit_test(bits_do_not_depend_on_threads) };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
