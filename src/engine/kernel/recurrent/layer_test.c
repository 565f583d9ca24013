/* layer_test.c -- recurrent layers of every type against plain loops, for several numbers of
 * threads. */
#include "engine/kernel/recurrent/layer_testing.h"

enum { HIDDEN_MAX = 64 };

/* ---- Plain loops: one row of the batch after the other, one unit after the other. */

static double apply(const crd__kernel_activation *f, double limit, double x) {
  const double u = f->in * fmax(-limit, fmin(limit, x));
  double y = 0;
  if (f->id == CRD__UNARY_SIGMOID) y = 1 / (1 + exp(-u));
  if (f->id == CRD__UNARY_TANH) y = tanh(u);
  if (f->id == CRD__UNARY_SOFTSIGN) y = u / (1 + fabs(u));
  if (f->id == CRD__UNARY_SOFTPLUS) y = log1p(exp(u));
  return f->out * y + f->shift;
}

/* Of W or R: the product of a row with n values, and the bias. */
static double linear(const layer_case *l, size_t which, size_t d, size_t row, size_t n,
                     const double *x) {
  const size_t gates = crd__kernel_recurrent_gates(l->k.cell) * l->k.hidden;
  double sum = l->in[LAYER_B][(2 * d + (which == LAYER_R)) * gates + row];
  for (size_t k = 0; k < n; k++) sum += l->in[which][(d * gates + row) * n + k] * x[k];
  return sum;
}

static void step(const layer_case *l, size_t d, const double *x, double *h, double *c) {
  const crd__kernel_recurrent *const k = &l->k;
  const crd__kernel_activation *const f = k->functions[d];
  const size_t n = k->hidden;
  double z[4 * HIDDEN_MAX], q[HIDDEN_MAX], rh[HIDDEN_MAX], next[HIDDEN_MAX];
  const size_t gates = crd__kernel_recurrent_gates(k->cell);
  for (size_t j = 0; j < gates * n; j++) {
    z[j] = linear(l, LAYER_W, d, j, k->inputs, x);
    if (k->cell == CRD__GRU && j >= 2 * n) q[j - 2 * n] = linear(l, LAYER_R, d, j, n, h);
    else z[j] += linear(l, LAYER_R, d, j, n, h);
  }
  for (size_t j = 0; j < n && k->cell == CRD__GRU; j++)
    rh[j] = apply(&f[0], k->limit, z[n + j]) * h[j];
  for (size_t j = 0; j < n; j++) {
    if (k->cell == CRD__RNN) next[j] = apply(&f[0], k->limit, z[j]);
    if (k->cell == CRD__GRU) {
      const double u = apply(&f[0], k->limit, z[j]), r = apply(&f[0], k->limit, z[n + j]);
      const double add = k->linear_first ? r * q[j] : linear(l, LAYER_R, d, 2 * n + j, n, rh);
      next[j] = (1 - u) * apply(&f[1], k->limit, z[2 * n + j] + add) + u * h[j];
    }
    if (k->cell != CRD__LSTM) continue;
    const double *const p = l->in[LAYER_P] + 3 * d * n;
    const double with = k->peepholes ? 1 : 0, old = c[j];
    const double i = apply(&f[0], k->limit, z[j] + with * p[j] * old);
    const double forget = apply(&f[0], k->limit, z[2 * n + j] + with * p[2 * n + j] * old);
    c[j] = (k->coupled ? 1 - i : forget) * old + i * apply(&f[1], k->limit, z[3 * n + j]);
    next[j] = apply(&f[0], k->limit, z[n + j] + with * p[n + j] * c[j]) *
              apply(&f[2], (double)INFINITY, c[j]);
  }
  memcpy(h, next, n * sizeof *h);
}

/* Compute one row of the batch in one direction into y, y_h and y_c. */
static void run_row(const layer_case *l, size_t d, size_t b, double *const out[LAYER_OUTPUTS]) {
  const crd__kernel_recurrent *const k = &l->k;
  const size_t length = l->lengths ? (size_t)l->lengths[b] : k->steps, n = k->hidden;
  const size_t state = k->batch_first ? b * k->directions + d : d * k->batch + b;
  double h[HIDDEN_MAX], c[HIDDEN_MAX];
  memcpy(h, l->in[LAYER_H] + state * n, n * sizeof *h);
  memcpy(c, l->in[LAYER_C] + state * n, n * sizeof *c);
  for (size_t s = 0; s < length; s++) {
    const size_t t = k->reverse || d ? length - 1 - s : s;
    const size_t row = k->batch_first ? b * k->steps + t : t * k->batch + b;
    const size_t to =
        k->batch_first ? row * k->directions + d : (t * k->directions + d) * k->batch + b;
    step(l, d, l->in[LAYER_X] + row * k->inputs, h, c);
    memcpy(out[LAYER_Y] + to * n, h, n * sizeof *h);
  }
  if (length) memcpy(out[LAYER_Y_H] + state * n, h, n * sizeof *h);
  if (length) memcpy(out[LAYER_Y_C] + state * n, c, n * sizeof *c);
}

/* ---- The comparison. */

static void check(const crd__kernel_recurrent *k, bool uneven) {
  static const crd_dtype types[] = { CRD_F64, CRD_F32, CRD_F16 };
  static const double close_to[] = { 1e-12, 2e-5, 3e-2 };
  layer_case l = layer_open(k, uneven);
  const size_t outputs = k->cell == CRD__LSTM ? 3 : 2;
  double *right[LAYER_OUTPUTS], *before[LAYER_OUTPUTS];
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) {
    right[i] = calloc(l.sizes[i] + 1, sizeof(double));
    before[i] = calloc(l.sizes[i] + 1, sizeof(double));
  }
  for (size_t d = 0; d < k->directions; d++)
    for (size_t b = 0; b < k->batch; b++) run_row(&l, d, b, right);
  for (size_t t = 0; t < 3; t++)
    for (unsigned threads = 1; threads <= 3; threads++) {
      layer_run(&l, types[t], threads);
      for (size_t i = 0; i < outputs; i++) {
        if (threads > 1) assert_memory_equal(l.out[i], before[i], l.sizes[i] * sizeof(double));
        memcpy(before[i], l.out[i], l.sizes[i] * sizeof(double));
        for (size_t j = 0; j < l.sizes[i]; j++)
          assert_true(fabs(l.out[i][j] - right[i][j]) <= close_to[t] * (1 + fabs(right[i][j])));
      }
    }
  for (size_t i = 0; i < LAYER_OUTPUTS; i++) {
    free(right[i]);
    free(before[i]);
  }
  layer_close(&l);
}

/* Every cell with every setting: the bits of `way` choose. */
static void layers_agree_with_loops(void **state) {
  (void)state;
  for (unsigned way = 0; way < 3 * 64; way++) {
    crd__kernel_recurrent k = { .cell = (crd__kernel_cell)(way % 3),
                                .steps = 5,
                                .batch = 7,
                                .inputs = 3,
                                .hidden = 9,
                                .limit = way / 3 & 1 ? 0.4 : (double)INFINITY };
    k.directions = way / 6 & 1 ? 2 : 1;
    k.reverse = k.directions == 1 && (way / 12 & 1);
    k.batch_first = way / 12 & 1;
    k.linear_first = k.cell == CRD__GRU && (way / 24 & 1);
    k.peepholes = k.cell == CRD__LSTM && (way / 24 & 1);
    k.coupled = k.cell == CRD__LSTM && (way / 48 & 1);
    layer_functions(&k);
    check(&k, way / 96 & 1);
  }
}

static void sizes_do_not_matter(void **state) {
  static const size_t sizes[][4] = { { 1, 1, 1, 1 },  { 0, 2, 3, 4 },    { 3, 0, 3, 4 },
                                     { 3, 2, 0, 4 },  { 2, 70, 40, 17 }, { 3, 1, 300, 60 },
                                     { 40, 3, 2, 33 } };
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (unsigned cell = 0; cell < 3; cell++) {
      crd__kernel_recurrent k = { .cell = (crd__kernel_cell)cell,
                                  .steps = sizes[i][0],
                                  .batch = sizes[i][1],
                                  .inputs = sizes[i][2],
                                  .hidden = sizes[i][3],
                                  .directions = 2,
                                  .limit = (double)INFINITY };
      layer_functions(&k);
      check(&k, false);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(layers_agree_with_loops),
    cmocka_unit_test(sizes_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
