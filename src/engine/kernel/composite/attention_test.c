/* attention_test.c -- attention against plain loops, forward, and its gradients against finite
 * differences, with the same bits for one thread and for several. */
#include "engine/kernel/composite/attention.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 2, HEADS = 4, GROUPS = 2, QUERIES = 40, NEW = 7, PAST = 3, KEYS = 10 };
enum { SIZE = 5, WIDTH = 3, THREADS = 3 };
enum { Q = BATCH * HEADS * QUERIES * SIZE, K = BATCH * GROUPS * NEW * SIZE };
enum { V = BATCH * GROUPS * NEW * WIDTH, Y = BATCH * HEADS * QUERIES * WIDTH };
enum { PK = BATCH * GROUPS * PAST * SIZE, PV = BATCH * GROUPS * PAST * WIDTH };
enum { M = QUERIES * KEYS, WIDE = BATCH * HEADS * QUERIES * KEYS };

typedef struct {
  double q[Q], k[K], v[V], past_k[PK], past_v[PV], mask[M];
} values;
static values x;
static double dy[Y];

static crd__kernel_attention shape(crd_dtype dtype) {
  return (crd__kernel_attention){ .dtype = dtype,
                                  .batch = BATCH,
                                  .heads = HEADS,
                                  .groups = GROUPS,
                                  .queries = QUERIES,
                                  .keys = KEYS,
                                  .past = PAST,
                                  .size = SIZE,
                                  .value_size = WIDTH,
                                  .q = { QUERIES * HEADS * SIZE, SIZE, HEADS * SIZE },
                                  .k = { GROUPS * NEW * SIZE, NEW * SIZE, SIZE },
                                  .v = { NEW * GROUPS * WIDTH, WIDTH, GROUPS * WIDTH },
                                  .y = { HEADS * QUERIES * WIDTH, QUERIES * WIDTH, WIDTH },
                                  .scale = 0.4,
                                  .softcap = 1.5,
                                  .causal = true,
                                  .left = -1,
                                  .right = -1,
                                  .masked = true,
                                  .mask_keys = KEYS,
                                  .mask_steps = { 0, 0, KEYS } };
}

static void fill(void) {
  double *const all = x.q;
  for (size_t i = 0; i < sizeof x / sizeof *all; i++) all[i] = sin(1.7 * (double)i);
  for (size_t i = 0; i < Y; i++) dy[i] = cos(0.9 * (double)i);
}

static crd__kernel_attention_in given(const values *from) {
  return (crd__kernel_attention_in){ from->q,      from->k,      from->v, from->mask,
                                     from->past_k, from->past_v, NULL };
}

static void run(const crd__kernel_attention *a, unsigned threads, double *y) {
  double *const space = calloc(crd__kernel_attention_workspace(a, threads), sizeof *space);
  const crd__kernel_attention_in in = given(&x);
  crd__kernel_attention_run(threads, a, &in, y, NULL, space);
  free(space);
}

/* One element of the result, by the formula. */
static double expected(size_t b, size_t h, size_t i, size_t e) {
  const size_t group = h / (HEADS / GROUPS);
  double sum = 0, y = 0;
  for (size_t j = 0; j < KEYS && j <= i + PAST; j++) {
    const bool past = j < PAST;
    const size_t row =
        past ? (b * GROUPS + group) * PAST + j : (b * GROUPS + group) * NEW + j - PAST;
    const double *const k = (past ? x.past_k : x.k) + row * SIZE;
    const double *const v =
        past ? x.past_v + row * WIDTH : x.v + ((b * NEW + j - PAST) * GROUPS + group) * WIDTH;
    double s = 0;
    for (size_t d = 0; d < SIZE; d++) s += x.q[((b * QUERIES + i) * HEADS + h) * SIZE + d] * k[d];
    s = 1.5 * tanh(0.4 * s / 1.5) + x.mask[i * KEYS + j];
    sum += exp(s);
    y += exp(s) * v[e];
  }
  return y / sum;
}

static void agrees_with_the_formula(void **state) {
  static double got[Y], again[Y];
  const crd__kernel_attention a = shape(CRD_F64);
  (void)state;
  fill();
  run(&a, 1, got);
  for (size_t n = 0; n < Y; n++) {
    const size_t e = n % WIDTH, i = n / WIDTH % QUERIES, h = n / WIDTH / QUERIES % HEADS;
    assert_true(fabs(got[n] - expected(n / WIDTH / QUERIES / HEADS, h, i, e)) < 1e-12);
  }
  for (unsigned threads = 2; threads <= THREADS; threads++) {
    run(&a, threads, again);
    assert_memory_equal(got, again, sizeof got);
  }
}

/* The sum of dy y. */
static double loss(const crd__kernel_attention *a) {
  static double y[Y];
  double sum = 0;
  run(a, 1, y);
  for (size_t n = 0; n < Y; n++) sum += dy[n] * y[n];
  return sum;
}

typedef struct {
  float q[Q], k[K], v[V], past_k[PK], past_v[PV], mask[WIDE];
} gradients;

static void back(unsigned threads, gradients *out) {
  static float narrow[sizeof x / sizeof(double)], upstream[Y];
  const crd__kernel_attention a = shape(CRD_F32);
  const double *const all = x.q;
  double *const space = calloc(crd__kernel_attention_workspace(&a, threads), sizeof *space);
  for (size_t i = 0; i < sizeof x / sizeof(double); i++) narrow[i] = (float)all[i];
  for (size_t i = 0; i < Y; i++) upstream[i] = (float)dy[i];
  const float *const k = narrow + Q, *const v = k + K, *const pk = v + V, *const pv = pk + PK;
  const crd__kernel_attention_in in = { narrow, k, v, pv + PV, pk, pv, NULL };
  const crd__kernel_attention_out to = {
    out->q, out->k, out->v, out->past_k, out->past_v, out->mask
  };
  crd__kernel_attention_back(threads, &a, &in, upstream, &to, space);
  free(space);
}

static void check(double *at, double found) {
  const crd__kernel_attention a = shape(CRD_F64);
  const double before = *at, h = 1e-5;
  *at = before + h;
  const double high = loss(&a);
  *at = before - h;
  const double low = loss(&a);
  *at = before;
  assert_true(fabs((high - low) / (2 * h) - found) < 1e-5);
}

static void gradients_are_differences(void **state) {
  static gradients g, again;
  (void)state;
  fill();
  back(1, &g);
  for (size_t i = 0; i < Q; i += 97) check(&x.q[i], (double)g.q[i]);
  for (size_t i = 0; i < K; i += 11) check(&x.k[i], (double)g.k[i]);
  for (size_t i = 0; i < V; i += 7) check(&x.v[i], (double)g.v[i]);
  for (size_t i = 0; i < PK; i += 5) check(&x.past_k[i], (double)g.past_k[i]);
  for (size_t i = 0; i < PV; i += 5) check(&x.past_v[i], (double)g.past_v[i]);
  for (size_t i = 0; i < M; i += 37) {
    double sum = 0; /* over samples and heads */
    for (size_t n = 0; n < BATCH * HEADS; n++) sum += (double)g.mask[n * M + i];
    check(&x.mask[i], sum);
  }
  for (unsigned threads = 2; threads <= THREADS; threads++) {
    back(threads, &again);
    assert_memory_equal(&g, &again, sizeof g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(agrees_with_the_formula),
    cmocka_unit_test(gradients_are_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
