/* panels_test.c -- packed products against plain loops, for every instruction set and number of
 * threads. */
#include "engine/kernel/recurrent/panels.h"

#include "support.h"

#include "base/random.h"
#include "math/rows.h"

#include <math.h>
#include <string.h>

enum { MOST = 200000 };
static float a[MOST], b[MOST], c[MOST], start[MOST], again[MOST], packed[MOST];

static bool is_usable(const char *name) {
  const crd__math_row_kernels *rows = NULL;
  for (size_t i = 0; (rows = crd__math_row_kernels_at(i)) && strcmp(rows->name, name) != 0;) i++;
  return rows && rows->usable();
}

static void fill(uint64_t stream, float *values) {
  for (size_t i = 0; i < MOST; i++) values[i] = (float)(crd__random_uniform(3, stream, i) * 2 - 1);
}

/* Rows of c are longer than its columns: what is beside them must stay. */
static void check(size_t rows, size_t columns, size_t depth, bool turned) {
  const size_t step = columns + 3, row = turned ? 1 : depth, column = turned ? rows : 1;
  assert_true(crd__kernel_panels_size(depth, columns) <= MOST);
  const crd__kernel_panels p = crd__kernel_panels_pack(2, depth, columns, b, turned ? 1 : columns,
                                                       turned ? depth : 1, packed);
  memcpy(c, start, sizeof c);
  crd__kernel_panels_add(1, rows, &p, a, row, column, c, step);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < step; j++) {
      double sum = (double)start[i * step + j], size = fabs(sum);
      for (size_t k = 0; k < depth && j < columns; k++) {
        const double x = (double)a[i * row + k * column];
        const double y = (double)b[turned ? k + j * depth : k * columns + j];
        sum += x * y;
        size += fabs(x * y);
      }
      assert_true(fabs((double)c[i * step + j] - sum) <= 6e-8 * (20 + sqrt((double)depth)) * size);
    }
  for (unsigned threads = 2; threads <= 4; threads++) {
    memcpy(again, start, sizeof again);
    crd__kernel_panels_add(threads, rows, &p, a, row, column, again, step);
    assert_memory_equal(c, again, sizeof c);
  }
  const crd__kernel_f32_kernels *set;
  for (size_t i = 0; (set = crd__kernel_f32_kernels_at(i)); i++) {
    if (!is_usable(set->name)) continue;
    memcpy(again, start, sizeof again);
    set->product(rows, columns, depth, a, row, column, p.at, again, step);
    assert_memory_equal(c, again, sizeof c);
  }
}

static void products_agree_with_loops(void **state) {
  (void)state;
  fill(0, a);
  fill(1, b);
  fill(2, start);
  for (size_t turned = 0; turned < 2; turned++) {
    for (size_t rows = 1; rows < 20; rows++) check(rows, 7 * rows, 13, turned != 0);
    check(130, 70, 3, turned != 0);
    check(5, 33, 600, turned != 0); /* deeper than one chain */
    check(70, 64, 257, turned != 0);
    check(3, 40, 0, turned != 0);
    check(0, 40, 5, turned != 0);
    check(4, 0, 5, turned != 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(products_agree_with_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
