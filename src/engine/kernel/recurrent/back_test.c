/*
 * back_test.c -- the backward pass of recurrent layers against differences of their forward pass.
 *
 * The loss is a sum of all outputs with random factors. The forward pass in float64, which
 * layer_test.c compares with plain loops, gives its derivative with respect to an input element by
 * central differences: with a step of 1e-5 they err in the tenth digit. Gradients have the same
 * bits for every number of threads.
 */
#include "engine/kernel/recurrent/layer_testing.h"

enum { PICKS = 12 };

typedef struct {
  float *of[LAYER_INPUTS];
} gradients;

static float *narrow(const double *values, size_t count) {
  float *const out = calloc(count + 1, sizeof *out);
  crd__kernel_cast(1, CRD_F64, CRD_F32, count, values, out);
  return out;
}

/* Run both passes in float32; bit i of `skip`: without an incoming gradient of output i. */
static gradients differentiate(const layer_case *l, double *const factors[LAYER_OUTPUTS],
                               unsigned skip, unsigned threads) {
  crd__kernel_recurrent k = l->k;
  float *in[LAYER_INPUTS], *dy[LAYER_OUTPUTS];
  gradients g;
  k.dtype = CRD_F32;
  for (size_t i = 0; i < LAYER_INPUTS; i++) {
    in[i] = narrow(l->in[i], l->counts[i]);
    g.of[i] = malloc((l->counts[i] + 1) * sizeof(float));
  }
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) dy[i] = narrow(factors[i], l->sizes[i]);
  float *const record = malloc(crd__kernel_recurrent_record(&k, true) + 1);
  void *const scratch = malloc(crd__kernel_recurrent_scratch(&k) + 1);
  float *const back = malloc(crd__kernel_recurrent_back_scratch(&k) + 1);
  const bool lstm = k.cell == CRD__LSTM;
  crd__kernel_recurrent_run(threads, &k, true,
                            &(crd__kernel_recurrent_arrays){ .x = in[LAYER_X],
                                                             .w = in[LAYER_W],
                                                             .r = in[LAYER_R],
                                                             .b = in[LAYER_B],
                                                             .h = in[LAYER_H],
                                                             .c = lstm ? in[LAYER_C] : NULL,
                                                             .p = k.peepholes ? in[LAYER_P] : NULL,
                                                             .lengths = l->lengths,
                                                             .record = record,
                                                             .scratch = scratch });
  crd__kernel_recurrent_back(
      threads, &k,
      &(crd__kernel_recurrent_gradients){ .x = in[LAYER_X],
                                          .w = in[LAYER_W],
                                          .r = in[LAYER_R],
                                          .p = k.peepholes ? in[LAYER_P] : NULL,
                                          .lengths = l->lengths,
                                          .dy = skip & 1 ? NULL : dy[LAYER_Y],
                                          .dy_h = skip & 2 ? NULL : dy[LAYER_Y_H],
                                          .dy_c = skip & 4 || !lstm ? NULL : dy[LAYER_Y_C],
                                          .record = record,
                                          .scratch = back,
                                          .dx = g.of[LAYER_X],
                                          .dw = g.of[LAYER_W],
                                          .dr = g.of[LAYER_R],
                                          .db = g.of[LAYER_B],
                                          .dh = g.of[LAYER_H],
                                          .dc = lstm ? g.of[LAYER_C] : NULL,
                                          .dp = k.peepholes ? g.of[LAYER_P] : NULL });
  for (size_t i = 0; i < LAYER_INPUTS; i++) free(in[i]);
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) free(dy[i]);
  free(record);
  free(scratch);
  free(back);
  return g;
}

static void release(gradients *g) {
  for (size_t i = 0; i < LAYER_INPUTS; i++) free(g->of[i]);
}

static double loss(layer_case *l, double *const factors[LAYER_OUTPUTS], unsigned skip) {
  double sum = 0;
  layer_run(l, CRD_F64, 1);
  for (size_t i = 0; i < (l->k.cell == CRD__LSTM ? 3 : 2); i++)
    for (size_t j = 0; j < l->sizes[i] && !(skip >> i & 1); j++)
      sum += factors[i][j] * l->out[i][j];
  return sum;
}

static double slope(layer_case *l, double *const factors[LAYER_OUTPUTS], unsigned skip,
                    double *at) {
  const double x = *at, h = 1e-5;
  *at = x + h;
  const double high = loss(l, factors, skip);
  *at = x - h;
  const double low = loss(l, factors, skip);
  *at = x;
  return (high - low) / (2 * h);
}

static bool has(const layer_case *l, size_t input) {
  if (input == LAYER_C) return l->k.cell == CRD__LSTM;
  return input != LAYER_P || l->k.peepholes;
}

static void check(const crd__kernel_recurrent *k, bool uneven, unsigned skip) {
  layer_case l = layer_open(k, uneven);
  double *factors[LAYER_OUTPUTS];
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) factors[i] = layer_fill(l.sizes[i], 20 + i);
  gradients g = differentiate(&l, factors, skip, 1), again = differentiate(&l, factors, skip, 3);
  for (size_t i = 0; i < LAYER_INPUTS; i++) {
    if (!has(&l, i)) continue;
    assert_memory_equal(g.of[i], again.of[i], l.counts[i] * sizeof(float));
    for (size_t pick = 0; pick < PICKS && l.counts[i]; pick++) {
      const size_t at = pick * 7919 % l.counts[i];
      const double right = slope(&l, factors, skip, &l.in[i][at]);
      assert_true(fabs((double)g.of[i][at] - right) <= 1e-5 * (1 + fabs(right)));
    }
  }
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) free(factors[i]);
  release(&g);
  release(&again);
  layer_close(&l);
}

/* The bits of `way` choose the settings; without clipping, which has kinks. */
static void gradients_agree_with_differences(void **state) {
  (void)state;
  for (unsigned way = 0; way < 3 * 32; way++) {
    crd__kernel_recurrent k = { .cell = (crd__kernel_cell)(way % 3),
                                .steps = 4,
                                .batch = 6,
                                .inputs = 3,
                                .hidden = 5,
                                .limit = (double)INFINITY };
    k.directions = way / 3 & 1 ? 2 : 1;
    k.reverse = k.directions == 1 && (way / 6 & 1);
    k.batch_first = way / 6 & 1;
    k.linear_first = k.cell == CRD__GRU && (way / 12 & 1);
    k.peepholes = k.cell == CRD__LSTM && (way / 12 & 1);
    k.coupled = k.cell == CRD__LSTM && (way / 24 & 1);
    layer_functions(&k);
    check(&k, way / 48 & 1, way % 7); /* 7: no incoming gradient at all */
  }
}

/* Long enough for several chains of a product. */
static void long_sequences_have_gradients(void **state) {
  (void)state;
  for (unsigned cell = 0; cell < 3; cell++) {
    crd__kernel_recurrent k = { .cell = (crd__kernel_cell)cell,
                                .steps = 60,
                                .batch = 9,
                                .inputs = 2,
                                .hidden = 4,
                                .directions = 1,
                                .limit = (double)INFINITY };
    layer_functions(&k);
    check(&k, true, 0);
  }
}

/* Beyond the limit the functions of gates are constants: no gradient passes them. */
static void clipped_gates_pass_nothing_on(void **state) {
  crd__kernel_recurrent k = { .cell = CRD__RNN,
                              .steps = 2,
                              .batch = 2,
                              .inputs = 2,
                              .hidden = 2,
                              .directions = 1,
                              .limit = 1e-6 };
  (void)state;
  layer_functions(&k);
  layer_case l = layer_open(&k, false);
  double *factors[LAYER_OUTPUTS];
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) factors[i] = layer_fill(l.sizes[i], 20 + i);
  gradients g = differentiate(&l, factors, 0, 1);
  for (size_t i = 0; i < LAYER_INPUTS; i++)
    for (size_t j = 0; j < l.counts[i] && has(&l, i); j++) assert_true(g.of[i][j] == 0);
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) free(factors[i]);
  release(&g);
  layer_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(gradients_agree_with_differences),
    cmocka_unit_test(long_sequences_have_gradients),
    cmocka_unit_test(clipped_gates_pass_nothing_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
