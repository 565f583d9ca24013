/*
 * layer.h -- recurrent layers: LSTM, GRU and the simple recurrence (RNN), as ONNX defines them.
 *
 * With x_t the input, h the state before step t, ' after the step, and . elementwise products:
 *
 *   RNN   h' = f(x_t W' + h R' + b)
 *   GRU   z = f(x_t Wz' + h Rz' + bz)         r = f(x_t Wr' + h Rr' + br)
 *         n = g(x_t Wn' + (r.h) Rn' + bn)     or, linear_first, g(x_t Wn' + wbn + r.(h Rn' + rbn))
 *         h' = (1 - z).n + z.h
 *   LSTM  i = f(x_t Wi' + h Ri' + pi.c + bi)  k = f(x_t Wk' + h Rk' + pk.c + bk), coupled: 1 - i
 *         n = g(x_t Wn' + h Rn' + bn)         c' = k.c + i.n
 *         o = f(x_t Wo' + h Ro' + po.c' + bo) h' = o.a(c')
 *
 * b is the sum of both biases. Gates are stored as ONNX orders them: i, o, k (forget), n in an
 * LSTM, z, r, n in a GRU. `clip` bounds the arguments of f and g, not that of a, as ONNX Runtime
 * does. A row of the batch ends at its length: beyond it the state stays, and y is 0; the reverse
 * direction begins at its last element. The state of a row of length 0 counts as 0 at the end, as
 * in ONNX Runtime.
 *
 * Hochreiter and Schmidhuber (1997), Long short-term memory; Gers et al. (2002), Learning precise
 * timing with LSTM recurrent networks (peepholes); Cho et al. (2014), arXiv:1406.1078.
 *
 * The product of all steps with W is one matrix product; that with R is one per step, of the rows
 * of the batch, which threads divide among them: no thread ever waits for another. The result has
 * the same bits for every number of threads (panels.h).
 *
 * For the backward pass the forward pass leaves a record: the arguments of all gates and the states
 * before each step. Gates are then computed again from their arguments, which is cheap, unlike the
 * products, and so every activation function has an exact derivative.
 */
#ifndef CRD_ENGINE_KERNEL_RECURRENT_LAYER_H
#define CRD_ENGINE_KERNEL_RECURRENT_LAYER_H

#include "credence/array.h"
#include "engine/kernel/recurrent/activation.h"

typedef enum { CRD__LSTM, CRD__GRU, CRD__RNN } crd__kernel_cell;

typedef struct {
  crd_dtype dtype; /* F16 (computed in float32), F32, F64 */
  crd__kernel_cell cell;
  size_t steps, batch, inputs, hidden, directions;
  bool reverse;      /* the only direction; of two, the second is */
  bool batch_first;  /* x is batch x steps x inputs, y batch x steps x directions x hidden, and
                        states batch x directions x hidden; else steps x batch x inputs, steps x
                        directions x batch x hidden, and directions x batch x hidden */
  bool coupled;      /* LSTM: k = 1 - i */
  bool linear_first; /* GRU */
  bool peepholes;    /* LSTM */
  double limit;      /* of clip; INFINITY: none */
  crd__kernel_activation functions[2][3]; /* f, g and a of each direction */
} crd__kernel_recurrent;

/* Arrays in C order, of the layer's type, with one part for each direction. NULL: left out. */
typedef struct {
  const void *x, *w, *r, *b; /* w: gates x inputs, r: gates x hidden, b: both biases of the gates */
  const void *h, *c, *p;     /* initial states; weights of the peepholes of i, o and k */
  const int32_t *lengths;    /* of each row of the batch, 0 to steps */
  void *y, *y_h, *y_c;       /* the states after each step, and the last ones */
  void *record, *scratch;
} crd__kernel_recurrent_arrays;

/* Return the number of gates. */
size_t crd__kernel_recurrent_gates(crd__kernel_cell cell);
/* Return the sizes of record and scratch buffer in bytes. A record that is not `kept` is smaller:
 * it is none for the backward pass. */
size_t crd__kernel_recurrent_record(const crd__kernel_recurrent *k, bool kept);
size_t crd__kernel_recurrent_scratch(const crd__kernel_recurrent *k);
void crd__kernel_recurrent_run(unsigned threads, const crd__kernel_recurrent *k, bool kept,
                               const crd__kernel_recurrent_arrays *a);

/* The backward pass, in float32. Gradients with respect to outputs that are NULL count as 0; those
 * with respect to inputs are computed unless NULL. Changes the record. */
typedef struct {
  const float *x, *w, *r, *p;
  const int32_t *lengths;
  const float *dy, *dy_h, *dy_c;
  float *record, *scratch;
  float *dx, *dw, *dr, *db, *dh, *dc, *dp;
} crd__kernel_recurrent_gradients;

size_t crd__kernel_recurrent_back_scratch(const crd__kernel_recurrent *k);
void crd__kernel_recurrent_back(unsigned threads, const crd__kernel_recurrent *k,
                                const crd__kernel_recurrent_gradients *a);

/* ---- For the files of this kernel: where things are. A row is one element of the batch at one
 * step, in the order of x. */

typedef struct {
  size_t rows, gates;       /* of one direction; gates: times `hidden` */
  size_t by_step, by_batch; /* from a row to the next */
  size_t z, h, c, extra;    /* offsets in the record, of `record` elements */
  size_t record;
} crd__kernel_recurrent_shape;

/* The record has z, the arguments of gates (rows x gates), and, if it is kept, h and c, the states
 * before each step (rows x hidden), and extra (rows x hidden): of a GRU r.h or, linear_first, h Rn'
 * + rbn; of an LSTM with peepholes c' (written by the backward pass). */
crd__kernel_recurrent_shape crd__kernel_recurrent_shape_of(const crd__kernel_recurrent *k,
                                                           bool kept);
/* Return the time of step s in a direction. */
static inline size_t crd__kernel_recurrent_time(const crd__kernel_recurrent *k, size_t direction,
                                                size_t s) {
  return k->reverse || direction ? k->steps - 1 - s : s;
}
/* Return the offsets of an element of y and of a state. */
static inline size_t crd__kernel_recurrent_y(const crd__kernel_recurrent *k, size_t direction,
                                             size_t t, size_t b) {
  return k->hidden * (k->batch_first ? (b * k->steps + t) * k->directions + direction
                                     : (t * k->directions + direction) * k->batch + b);
}
static inline size_t crd__kernel_recurrent_state(const crd__kernel_recurrent *k, size_t direction,
                                                 size_t b) {
  return k->hidden * (k->batch_first ? b * k->directions + direction : direction * k->batch + b);
}
/* True if row b of the batch has an element at time t. */
static inline bool crd__kernel_recurrent_lives(const int32_t *lengths, size_t t, size_t b) {
  return !lengths || (int64_t)t < (int64_t)lengths[b];
}

/* Return the gates' elements whose product with R stays apart: n of a GRU. */
static inline size_t crd__kernel_recurrent_apart(const crd__kernel_recurrent *k) {
  return k->cell == CRD__GRU ? k->hidden : 0;
}
/* Divide the rows of the batch of all directions among threads: run(work, direction, from, to). */
void crd__kernel_recurrent_divide(unsigned threads, const crd__kernel_recurrent *k,
                                  void (*run)(const void *work, size_t direction, size_t from,
                                              size_t to),
                                  const void *work);

typedef void crd__kernel_recurrent_fn(unsigned threads, const crd__kernel_recurrent *k, bool kept,
                                      const crd__kernel_recurrent_arrays *a);
crd__kernel_recurrent_fn crd__kernel_recurrent_f32, crd__kernel_recurrent_f64;
/* Return the number of elements of their scratch buffers. */
size_t crd__kernel_recurrent_f32_scratch(const crd__kernel_recurrent *k);
size_t crd__kernel_recurrent_f64_scratch(const crd__kernel_recurrent *k);
/* The backward pass through the steps: leaves the gradients with respect to the arguments of gates
 * in the record, in place of z; linear_first, dq in place of extra. Computes dh and dc. */
void crd__kernel_recurrent_states_back(unsigned threads, const crd__kernel_recurrent *k,
                                       const crd__kernel_recurrent_gradients *a);
size_t crd__kernel_recurrent_states_scratch(const crd__kernel_recurrent *k);

#endif
