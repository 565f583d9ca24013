/* einsum_test.c -- sums of products against plain loops, with one thread and with several. */
#include "engine/kernel/composite/einsum.h"

#include "support.h"

enum { B = 3, I = 5, J = 300, K = 7, THREADS = 3 };

static float a[B * I * K], b[B * J * K];

static void fill(void) {
  for (size_t i = 0; i < sizeof a / sizeof *a; i++) a[i] = (float)(i * 7919 % 97) / 8 - 5;
  for (size_t i = 0; i < sizeof b / sizeof *b; i++) b[i] = (float)(i * 104729 % 89) / 16 - 2;
}

/* bik,bjk->bij, with more columns than a block. */
static void products(void **state) {
  static float got[B * I * J];
  const crd__kernel_einsum e = { .dtype = CRD_F32,
                                 .factors = 2,
                                 .kept = 3,
                                 .indices = 4,
                                 .size = { B, I, J, K },
                                 .stride = { { I * K, K, 0, 1 }, { J * K, 0, K, 1 } },
                                 .result = { I * J, J, 1 } };
  (void)state;
  fill();
  for (unsigned threads = 1; threads <= THREADS; threads++) {
    crd__kernel_einsum_run(threads, &e, (const void *[]){ a, b, NULL }, got);
    for (size_t n = 0; n < B * I * J; n++) {
      const size_t batch = n / (I * J), i = n / J % I, j = n % J;
      double sum = 0;
      for (size_t k = 0; k < K; k++)
        sum += (double)a[(batch * I + i) * K + k] * (double)b[(batch * J + j) * K + k];
      assert_true(got[n] == (float)sum);
    }
  }
}

/* bik->: one element. bik->kb: transposed, and summed over i. */
static void one_factor(void **state) {
  const crd__kernel_einsum all = {
    .dtype = CRD_F32, .factors = 1, .indices = 3, .size = { B, I, K }, .stride = { { I * K, K, 1 } }
  };
  const crd__kernel_einsum some = { .dtype = CRD_F32,
                                    .factors = 1,
                                    .kept = 2,
                                    .indices = 3,
                                    .size = { K, B, I },
                                    .stride = { { 1, I * K, K } },
                                    .result = { B, 1 } };
  float got[K * B];
  double sum = 0;
  (void)state;
  fill();
  for (size_t i = 0; i < B * I * K; i++) sum += (double)a[i];
  crd__kernel_einsum_run(2, &all, (const void *[]){ a, NULL, NULL }, got);
  assert_true(got[0] == (float)sum);
  crd__kernel_einsum_run(2, &some, (const void *[]){ a, NULL, NULL }, got);
  for (size_t n = 0; n < K * B; n++) {
    sum = 0;
    for (size_t i = 0; i < I; i++) sum += (double)a[(n % B * I + i) * K + n / B];
    assert_true(got[n] == (float)sum);
  }
}

static void nothing_to_sum(void **state) {
  const crd__kernel_einsum e = { .dtype = CRD_F32,
                                 .factors = 1,
                                 .kept = 1,
                                 .indices = 2,
                                 .size = { 2, 0 },
                                 .stride = { { 0, 1 } },
                                 .result = { 1 } };
  float got[2] = { 5, 5 };
  (void)state;
  crd__kernel_einsum_run(1, &e, (const void *[]){ a, NULL, NULL }, got);
  assert_true(got[0] == 0 && got[1] == 0);
}

/* i->ii: the other elements are 0. */
static void diagonal(void **state) {
  const crd__kernel_einsum e = { .dtype = CRD_F32,
                                 .factors = 1,
                                 .kept = 1,
                                 .indices = 1,
                                 .size = { 2 },
                                 .stride = { { 1 } },
                                 .result = { 3 },
                                 .zeros = 4 };
  float got[4] = { 5, 5, 5, 5 };
  (void)state;
  crd__kernel_einsum_run(1, &e, (const void *[]){ (float[]){ 1, 2 }, NULL, NULL }, got);
  assert_true(got[0] == 1 && got[1] == 0 && got[2] == 0 && got[3] == 2);
}

static void integers_wrap(void **state) {
  const int32_t x[] = { INT32_MAX, 1 }, y[] = { 2, 3 };
  const crd__kernel_einsum e = {
    .dtype = CRD_I32, .factors = 2, .indices = 1, .size = { 2 }, .stride = { { 1 }, { 1 } }
  };
  int32_t got;
  (void)state;
  crd__kernel_einsum_run(1, &e, (const void *[]){ x, y, NULL }, &got);
  assert_int_equal(got, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(products), cmocka_unit_test(one_factor),
                                      cmocka_unit_test(nothing_to_sum), cmocka_unit_test(diagonal),
                                      cmocka_unit_test(integers_wrap) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
