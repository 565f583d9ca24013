/* rotary_test.c -- rotations against plain loops, and there and back again. */
#include "engine/kernel/composite/rotary.h"

#include "support.h"

#include <math.h>
#include <string.h>

enum { BATCH = 2, HEADS = 3, ROWS = 5, SIZE = 9, ROTATED = 6, HALF = 3, TABLE = 8, THREADS = 3 };
enum { ALL = BATCH * HEADS * ROWS * SIZE };

static float x[ALL], y[ALL], back[ALL], cosines[TABLE * HALF], sines[TABLE * HALF];
static int64_t positions[BATCH * ROWS];

static crd__kernel_rotary shape(bool interleaved) {
  return (crd__kernel_rotary){ .dtype = CRD_F32,
                               .batch = BATCH,
                               .heads = HEADS,
                               .rows = ROWS,
                               .size = SIZE,
                               .rotated = ROTATED,
                               .steps = { ROWS * HEADS * SIZE, SIZE, HEADS * SIZE },
                               .interleaved = interleaved };
}

static void fill(void) {
  for (size_t i = 0; i < ALL; i++) x[i] = (float)sin(1.3 * (double)i);
  for (size_t i = 0; i < TABLE * HALF; i++) {
    cosines[i] = (float)cos(0.7 * (double)i);
    sines[i] = (float)sin(0.7 * (double)i);
  }
  for (size_t i = 0; i < BATCH * ROWS; i++) positions[i] = (int64_t)(i * 5 % TABLE);
}

static void pairs_are_rotated(void **state) {
  (void)state;
  fill();
  for (int near = 0; near < 2; near++)
    for (unsigned threads = 1; threads <= THREADS; threads++) {
      const crd__kernel_rotary r = shape(near);
      crd__kernel_rotary_run(threads, &r, false, x, cosines, sines, positions, y);
      for (size_t n = 0; n < BATCH * ROWS * HEADS; n++) {
        const float *const from = x + n * SIZE, *const to = y + n * SIZE;
        for (size_t i = 0; i < HALF; i++) {
          const size_t one = near ? 2 * i : i, two = near ? 2 * i + 1 : i + HALF;
          const double angle = 0.7 * (double)((size_t)positions[n / HEADS] * HALF + i);
          const double a = (double)from[one], b = (double)from[two];
          assert_true(fabs((double)to[one] - (cos(angle) * a - sin(angle) * b)) < 1e-6);
          assert_true(fabs((double)to[two] - (sin(angle) * a + cos(angle) * b)) < 1e-6);
        }
        assert_memory_equal(from + ROTATED, to + ROTATED, (SIZE - ROTATED) * sizeof *to);
      }
      crd__kernel_rotary_run(threads, &r, true, y, cosines, sines, positions, back);
      for (size_t i = 0; i < ALL; i++) assert_true(fabs((double)(back[i] - x[i])) < 1e-6);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(pairs_are_rotated) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
