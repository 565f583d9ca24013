/* layer_testing.h -- recurrent layers with random arrays, for tests. */
#ifndef CRD_ENGINE_KERNEL_RECURRENT_LAYER_TESTING_H
#define CRD_ENGINE_KERNEL_RECURRENT_LAYER_TESTING_H

#include "engine/kernel/recurrent/layer.h"

#include "support.h"

#include "base/random.h"
#include "engine/kernel/element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAYER_X, LAYER_W, LAYER_R, LAYER_B, LAYER_H, LAYER_C, LAYER_P, LAYER_INPUTS };
enum { LAYER_Y, LAYER_Y_H, LAYER_Y_C, LAYER_OUTPUTS };

/* Arrays in float64; `counts` has their numbers of elements. */
typedef struct {
  crd__kernel_recurrent k;
  size_t counts[LAYER_INPUTS], sizes[LAYER_OUTPUTS];
  double *in[LAYER_INPUTS], *out[LAYER_OUTPUTS];
  int32_t *lengths; /* NULL: all steps */
} layer_case;

/* Rotate through the functions of gates, so that no two are alike. */
static inline void layer_functions(crd__kernel_recurrent *k) {
  static const crd__kernel_activation list[] = {
    { CRD__UNARY_SIGMOID, 0, 0, 1, 1, 0 },  { CRD__UNARY_TANH, 0, 0, 1, 1, 0 },
    { CRD__UNARY_SOFTSIGN, 0, 0, 1, 1, 0 }, { CRD__UNARY_SIGMOID, 0, 0, 0.75, 1.25, -0.125 },
    { CRD__UNARY_TANH, 0, 0, 0.5, 1.5, 0 }, { CRD__UNARY_SOFTPLUS, 0, 0, 1, 1, 0 },
  };
  for (size_t i = 0; i < 6; i++) k->functions[i / 3][i % 3] = list[i];
}

static inline double *layer_fill(size_t count, uint64_t stream) {
  double *const values = calloc(count + 1, sizeof *values);
  assert_non_null(values);
  for (size_t i = 0; i < count; i++)
    values[i] = (double)(float)((crd__random_uniform(5, stream, i) * 2 - 1) * 0.5);
  return values;
}

/* Random arrays of the sizes of k; lengths of rows 0, 1, ... steps, 0, ... if `uneven`. */
static inline layer_case layer_open(const crd__kernel_recurrent *k, bool uneven) {
  const size_t gates = crd__kernel_recurrent_gates(k->cell) * k->hidden, d = k->directions;
  const size_t state = d * k->batch * k->hidden, rows = k->steps * k->batch;
  layer_case l = { .k = *k,
                   .counts = { rows * k->inputs, d * gates * k->inputs, d * gates * k->hidden,
                               2 * d * gates, state, state, 3 * d * k->hidden },
                   .sizes = { d * rows * k->hidden, state, state } };
  for (size_t i = 0; i < LAYER_INPUTS; i++) l.in[i] = layer_fill(l.counts[i], i);
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) l.out[i] = layer_fill(l.sizes[i], 9);
  l.lengths = uneven ? calloc(k->batch + 1, sizeof *l.lengths) : NULL;
  for (size_t b = 0; b < k->batch && uneven; b++) l.lengths[b] = (int32_t)(b % (k->steps + 1));
  return l;
}

static inline void layer_close(layer_case *l) {
  for (size_t i = 0; i < LAYER_INPUTS; i++) free(l->in[i]);
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) free(l->out[i]);
  free(l->lengths);
}

/* Run the kernel in a type; outputs are converted to float64. */
static inline void layer_run(layer_case *l, crd_dtype dtype, unsigned threads) {
  void *in[LAYER_INPUTS], *out[LAYER_OUTPUTS];
  const bool lstm = l->k.cell == CRD__LSTM;
  crd__kernel_recurrent k = l->k;
  k.dtype = dtype;
  for (size_t i = 0; i < LAYER_INPUTS; i++) {
    in[i] = calloc(l->counts[i] + 1, sizeof(double));
    crd__kernel_cast(1, CRD_F64, dtype, l->counts[i], l->in[i], in[i]);
  }
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) out[i] = calloc(l->sizes[i] + 1, sizeof(double));
  void *const record = malloc(crd__kernel_recurrent_record(&k, false) + 1);
  void *const scratch = malloc(crd__kernel_recurrent_scratch(&k) + 1);
  const crd__kernel_recurrent_arrays a = { .x = in[LAYER_X],
                                           .w = in[LAYER_W],
                                           .r = in[LAYER_R],
                                           .b = in[LAYER_B],
                                           .h = in[LAYER_H],
                                           .c = lstm ? in[LAYER_C] : NULL,
                                           .p = k.peepholes ? in[LAYER_P] : NULL,
                                           .lengths = l->lengths,
                                           .y = out[LAYER_Y],
                                           .y_h = out[LAYER_Y_H],
                                           .y_c = lstm ? out[LAYER_Y_C] : NULL,
                                           .record = record,
                                           .scratch = scratch };
  crd__kernel_recurrent_run(threads, &k, false, &a);
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) {
    crd__kernel_cast(1, dtype, CRD_F64, l->sizes[i], out[i], l->out[i]);
    free(out[i]);
  }
  for (size_t i = 0; i < LAYER_INPUTS; i++) free(in[i]);
  free(record);
  free(scratch);
}

#endif
