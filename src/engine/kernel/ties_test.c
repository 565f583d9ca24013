/* ties_test.c -- gradients of the maximum of three broadcast arrays against plain loops. */
#include "engine/kernel/ties.h"

#include "support.h"

#include "base/random.h"

enum { ROWS = 300, COLUMNS = 70, ALL = ROWS * COLUMNS };

static float x[ALL], row[COLUMNS], column[ROWS], y[ALL], dy[ALL], dx[2][ALL];

static float small(uint64_t stream, size_t i) {
  return (float)(crd__random_bits(1, stream, i) % 4);
}

static void equal_operands_share(void **state) {
  (void)state;
  static const int64_t dims[] = { ROWS, COLUMNS }, both[] = { COLUMNS, 1 }, across[] = { 0, 1 },
                       down[] = { 1, 0 };
  for (size_t i = 0; i < ALL; i++) x[i] = small(0, i);
  for (size_t i = 0; i < COLUMNS; i++) row[i] = small(1, i);
  for (size_t i = 0; i < ROWS; i++) column[i] = small(2, i);
  for (size_t i = 0; i < ALL; i++) {
    const float a = row[i % COLUMNS], b = column[i / COLUMNS], more = a > b ? a : b;
    y[i] = x[i] > more ? x[i] : more;
    dy[i] = (float)crd__random_uniform(1, 3, i) - 0.5F;
  }
  for (unsigned t = 0; t < 2; t++) {
    crd__kernel_ties_count(t + 1, 2, dims, false, x, both, y, dx[t]);
    crd__kernel_ties_count(t + 1, 2, dims, true, row, across, y, dx[t]);
    crd__kernel_ties_count(t + 1, 2, dims, true, column, down, y, dx[t]);
    crd__kernel_ties_share(t + 1, 2, dims, row, across, y, dy, dx[t]);
  }
  assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
  for (size_t i = 0; i < ALL; i++) {
    const int ties = (x[i] == y[i]) + (row[i % COLUMNS] == y[i]) + (column[i / COLUMNS] == y[i]);
    assert_true(dx[0][i] == (row[i % COLUMNS] == y[i] ? dy[i] / (float)ties : 0));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(equal_operands_share) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
