/* product_test.c -- every kernel against three loops, bit for bit, for sizes around the tiles'. */
#include "support.h"

#include "base/random.h"
#include "math/product.h"
#include "math/rows.h"

#include <math.h>
#include <string.h>

enum { MOST = 300 };

static double left[MOST * MOST], right[MOST * MOST];

static void plain(size_t rows, size_t columns, size_t depth, crd__math_matrix a, crd__math_matrix b,
                  double *c, size_t step) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      for (size_t k = 0; k < depth; k++)
        c[i * step + j] =
            fma(a.at[i * a.row + k * a.column], b.at[k * b.row + j * b.column], c[i * step + j]);
}

static bool usable(const char *name) {
  for (size_t i = 0; crd__math_row_kernels_at(i); i++)
    if (strcmp(crd__math_row_kernels_at(i)->name, name) == 0)
      return crd__math_row_kernels_at(i)->usable();
  return false;
}

static void check(crd__math_product_fn *add, const char *name, size_t rows, size_t columns,
                  size_t depth, bool transposed) {
  static double c[40 * 40], d[40 * 40];
  const size_t step = columns + 2; /* the memory between rows must stay unchanged */
  const crd__math_matrix a =
      transposed ? (crd__math_matrix){ left, 1, rows } : (crd__math_matrix){ left, depth, 1 };
  const crd__math_matrix b =
      transposed ? (crd__math_matrix){ right, 1, depth } : (crd__math_matrix){ right, columns, 1 };
  for (size_t i = 0; i < rows * step; i++) c[i] = d[i] = (double)i / 7;
  add(rows, columns, depth, a, b, c, step);
  plain(rows, columns, depth, a, b, d, step);
  if (memcmp(c, d, rows * step * sizeof *c) != 0)
    fail_msg("%s: %zu x %zu, depth %zu differs", name, rows, columns, depth);
}

static void kernels_give_the_bits_of_loops(void **state) {
  static const size_t sizes[] = { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33 };
  static const size_t depths[] = { 0, 1, 128, 130 };
  (void)state;
  for (size_t i = 0; i < MOST * MOST; i++) {
    left[i] = crd__random_uniform(1, 2, i) - .5;
    right[i] = crd__random_uniform(1, 3, i) - .5;
  }
  for (size_t n = 0; crd__math_product_kernel_at(n); n++) {
    const crd__math_product_kernel *const kernel = crd__math_product_kernel_at(n);
    if (!usable(kernel->name)) continue;
    for (size_t t = 0; t < sizeof sizes / sizeof *sizes * (sizeof sizes / sizeof *sizes) * 8; t++)
      check(kernel->add, kernel->name, sizes[t % 13], sizes[t / 13 % 13], depths[t / 169 % 4],
            t / 169 / 4);
  }
  check(crd__math_product_add, "best", 33, 17, 129, true);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(kernels_give_the_bits_of_loops) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
