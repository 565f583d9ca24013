/*
 * layer_body.h -- the forward pass of layer.h, included once for each type. The including file
 * defines `real`, the names RUN and SCRATCH, `factor` (a matrix of weights, prepared for products),
 * factor_size, prepare, multiply (c += a times the transposed weights), and activate.
 */
#include "engine/kernel/recurrent/layer.h"

#include "base/parallel.h"

#include <string.h>

enum { BLOCK_ROWS = 64 };

/* The weights of the recurrence: of a GRU, n is computed apart from z and r. */
typedef struct {
  const crd__kernel_recurrent *k;
  const crd__kernel_recurrent_arrays *a;
  crd__kernel_recurrent_shape at;
  bool kept;
  real *record;
  real *h, *c, *gates; /* states, and the gates of a step and one more array: of each row of the
                          batch */
  factor w[2], r[2], rn[2];
} work;

size_t SCRATCH(const crd__kernel_recurrent *k) {
  const crd__kernel_recurrent_shape at = crd__kernel_recurrent_shape_of(k, false);
  return k->directions * (factor_size(k->inputs, at.gates) +
                          factor_size(k->hidden, at.gates - crd__kernel_recurrent_apart(k)) +
                          factor_size(k->hidden, crd__kernel_recurrent_apart(k)) +
                          k->batch * (3 * k->hidden + at.gates));
}

static work open_work(unsigned threads, const crd__kernel_recurrent *k, bool kept,
                      const crd__kernel_recurrent_arrays *a) {
  const size_t hidden = k->hidden;
  work w = { .k = k, .a = a, .kept = kept, .record = a->record };
  real *next = a->scratch;
  w.at = crd__kernel_recurrent_shape_of(k, kept);
  w.h = next;
  w.c = w.h + k->directions * k->batch * hidden;
  w.gates = w.c + k->directions * k->batch * hidden;
  next = w.gates + k->directions * k->batch * (w.at.gates + hidden);
  for (size_t d = 0; d < k->directions; d++) {
    const size_t joined = w.at.gates - crd__kernel_recurrent_apart(k);
    const real *const r = (const real *)a->r + d * w.at.gates * hidden;
    w.w[d] = prepare(threads, w.at.gates, k->inputs,
                     (const real *)a->w + d * w.at.gates * k->inputs, &next);
    w.r[d] = prepare(threads, joined, hidden, r, &next);
    w.rn[d] = prepare(threads, crd__kernel_recurrent_apart(k), hidden, r + joined * hidden, &next);
  }
  return w;
}

static real *z_at(const work *w, size_t d, size_t t, size_t b) {
  const size_t row = t * w->at.by_step + b * w->at.by_batch;
  return w->record + w->at.z + (d * w->at.rows + row) * w->at.gates;
}

/* Return where an array of the record keeps the state of a row. */
static real *kept_at(const work *w, size_t offset, size_t d, size_t t, size_t b) {
  const size_t row = t * w->at.by_step + b * w->at.by_batch;
  return w->record + offset + (d * w->at.rows + row) * w->k->hidden;
}

static real *gates_at(const work *w, size_t d, size_t b) {
  return w->gates + (d * w->k->batch + b) * (w->at.gates + w->k->hidden);
}

static const crd__kernel_activation *function(const work *w, size_t d, size_t which) {
  return &w->k->functions[d][which];
}

/* ---- The inputs of all steps. */

/* Begin with the biases; that of h Rn' stays apart. */
static void add_biases(const work *w, size_t d, real *z) {
  const size_t gates = w->at.gates;
  const real *const b = w->a->b ? (const real *)w->a->b + 2 * d * gates : NULL;
  const size_t both = w->k->linear_first ? gates - w->k->hidden : gates;
  for (size_t j = 0; j < gates; j++) z[j] = !b ? 0 : j < both ? b[j] + b[gates + j] : b[j];
}

static void run_inputs(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  const size_t inputs = w->k->inputs, gates = w->at.gates;
  for (size_t i = from; i < to;) {
    const size_t d = i / w->at.rows, row = i % w->at.rows;
    size_t count = w->at.rows - row < to - i ? w->at.rows - row : to - i;
    if (count > BLOCK_ROWS) count = BLOCK_ROWS;
    real *const z = w->record + w->at.z + i * gates;
    for (size_t n = 0; n < count; n++) add_biases(w, d, z + n * gates);
    multiply(count, &w->w[d], (const real *)w->a->x + row * inputs, inputs, z, gates);
    i += count;
  }
}

/* ---- One step of the rows from .. to of the batch. */

typedef struct {
  size_t d, t, from, to;
} step;

static bool lives(const work *w, const step *s, size_t b) {
  return crd__kernel_recurrent_lives(w->a->lengths, s->t, b);
}

static real *h_at(const work *w, const step *s, size_t b) {
  return w->h + (s->d * w->k->batch + b) * w->k->hidden;
}

/* Add the product of the states with the weights of a recurrence to the gates of its rows. */
static void multiply_states(const work *w, const step *s, const factor *r) {
  multiply(s->to - s->from, r, h_at(w, s, s->from), w->k->hidden, z_at(w, s->d, s->t, s->from),
           w->at.by_batch * w->at.gates);
}

static void add_peephole(size_t n, const real *p, const real *c, real *z) {
  for (size_t j = 0; j < n; j++) z[j] += p[j] * c[j];
}

static void lstm_row(const work *w, const step *s, size_t b) {
  const size_t n = w->k->hidden;
  const double limit = w->k->limit;
  const real *const p = w->k->peepholes ? (const real *)w->a->p + 3 * s->d * n : NULL;
  real *const z = z_at(w, s->d, s->t, b), *const h = h_at(w, s, b);
  real *const c = w->c + (s->d * w->k->batch + b) * n;
  real *const i = gates_at(w, s->d, b), *const o = i + n, *const k = o + n, *const g = k + n;
  if (p) add_peephole(n, p, c, z);
  if (p) add_peephole(n, p + 2 * n, c, z + 2 * n);
  activate(function(w, s->d, 0), limit, n, z, i);
  activate(function(w, s->d, 0), limit, n, z + 2 * n, k);
  activate(function(w, s->d, 1), limit, n, z + 3 * n, g);
  for (size_t j = 0; j < n && w->k->coupled; j++) k[j] = 1 - i[j];
  for (size_t j = 0; j < n; j++) c[j] = k[j] * c[j] + i[j] * g[j];
  if (p) add_peephole(n, p + n, c, z + n);
  activate(function(w, s->d, 0), limit, n, z + n, o);
  activate(function(w, s->d, 2), (double)INFINITY, n, c, h);
  for (size_t j = 0; j < n; j++) h[j] *= o[j];
}

static void lstm_step(const work *w, const step *s) {
  multiply_states(w, s, &w->r[s->d]);
  for (size_t b = s->from; b < s->to; b++)
    if (lives(w, s, b)) lstm_row(w, s, b);
}

/* Compute z and r, and what n takes from the state: r.h, still to be multiplied, or h Rn' + rbn. */
static void gru_reset(const work *w, const step *s, size_t b) {
  const size_t n = w->k->hidden;
  const bool linear = w->k->linear_first, ends = !lives(w, s, b);
  real *const z = z_at(w, s->d, s->t, b), *const h = h_at(w, s, b);
  real *const u = gates_at(w, s->d, b), *const r = u + n, *const extra = u + 3 * n;
  activate(function(w, s->d, 0), w->k->limit, 2 * n, z, u);
  for (size_t j = 0; j < n; j++) {
    if (linear) z[2 * n + j] += r[j] * extra[j];
    else extra[j] = ends ? 0 : r[j] * h[j];
  }
  if (w->kept) memcpy(kept_at(w, w->at.extra, s->d, s->t, b), extra, n * sizeof *extra);
}

static void gru_step(const work *w, const step *s) {
  const size_t n = w->k->hidden, count = s->to - s->from, gates = w->at.gates;
  real *const first = gates_at(w, s->d, s->from) + 3 * n;
  const real *const bias = w->a->b ? (const real *)w->a->b + (2 * s->d + 1) * gates + 2 * n : NULL;
  multiply_states(w, s, &w->r[s->d]);
  for (size_t b = s->from; b < s->to && w->k->linear_first; b++)
    for (size_t j = 0; j < n; j++) gates_at(w, s->d, b)[3 * n + j] = bias ? bias[j] : 0;
  if (w->k->linear_first) multiply(count, &w->rn[s->d], h_at(w, s, s->from), n, first, gates + n);
  for (size_t b = s->from; b < s->to; b++) gru_reset(w, s, b);
  if (!w->k->linear_first)
    multiply(count, &w->rn[s->d], first, gates + n, z_at(w, s->d, s->t, s->from) + 2 * n,
             w->at.by_batch * gates);
  for (size_t b = s->from; b < s->to; b++) {
    real *const h = h_at(w, s, b), *const u = gates_at(w, s->d, b), *const g = u + 2 * n;
    if (!lives(w, s, b)) continue;
    activate(function(w, s->d, 1), w->k->limit, n, z_at(w, s->d, s->t, b) + 2 * n, g);
    for (size_t j = 0; j < n; j++) h[j] = (1 - u[j]) * g[j] + u[j] * h[j];
  }
}

static void rnn_step(const work *w, const step *s) {
  multiply_states(w, s, &w->r[s->d]);
  for (size_t b = s->from; b < s->to; b++)
    if (lives(w, s, b))
      activate(function(w, s->d, 0), w->k->limit, w->k->hidden, z_at(w, s->d, s->t, b),
               h_at(w, s, b));
}

static void (*const cells[])(const work *, const step *) = {
  [CRD__LSTM] = lstm_step,
  [CRD__GRU] = gru_step,
  [CRD__RNN] = rnn_step,
};

/* ---- All steps. */

static void begin_state(const work *w, size_t d, size_t b, const real *given, real *state) {
  const size_t n = w->k->hidden;
  real *const to = state + (d * w->k->batch + b) * n;
  if (given) memcpy(to, given + crd__kernel_recurrent_state(w->k, d, b), n * sizeof *to);
  else memset(to, 0, n * sizeof *to);
}

static void end_state(const work *w, size_t d, size_t b, const real *state, real *out) {
  const size_t n = w->k->hidden;
  if (!out) return;
  real *const to = out + crd__kernel_recurrent_state(w->k, d, b);
  const bool lived = w->k->steps && crd__kernel_recurrent_lives(w->a->lengths, 0, b);
  if (lived) memcpy(to, state + (d * w->k->batch + b) * n, n * sizeof *to);
  else memset(to, 0, n * sizeof *to);
}

static void keep_states(const work *w, const step *s) {
  const size_t n = w->k->hidden;
  for (size_t b = s->from; b < s->to; b++) {
    memcpy(kept_at(w, w->at.h, s->d, s->t, b), h_at(w, s, b), n * sizeof(real));
    if (w->k->cell == CRD__LSTM)
      memcpy(kept_at(w, w->at.c, s->d, s->t, b), w->c + (s->d * w->k->batch + b) * n,
             n * sizeof(real));
  }
}

static void put_outputs(const work *w, const step *s) {
  const size_t n = w->k->hidden;
  for (size_t b = s->from; b < s->to; b++) {
    real *const y = (real *)w->a->y + crd__kernel_recurrent_y(w->k, s->d, s->t, b);
    if (lives(w, s, b)) memcpy(y, h_at(w, s, b), n * sizeof *y);
    else memset(y, 0, n * sizeof *y);
  }
}

static void run_direction(const void *arg, size_t d, size_t from, size_t to) {
  const work *const w = arg;
  const bool lstm = w->k->cell == CRD__LSTM;
  for (size_t b = from; b < to; b++) {
    begin_state(w, d, b, w->a->h, w->h);
    if (lstm) begin_state(w, d, b, w->a->c, w->c);
  }
  for (size_t i = 0; i < w->k->steps; i++) {
    const step s = { d, crd__kernel_recurrent_time(w->k, d, i), from, to };
    if (w->kept) keep_states(w, &s);
    cells[w->k->cell](w, &s);
    if (w->a->y) put_outputs(w, &s);
  }
  for (size_t b = from; b < to; b++) {
    end_state(w, d, b, w->h, w->a->y_h);
    if (lstm) end_state(w, d, b, w->c, w->a->y_c);
  }
}

void RUN(unsigned threads, const crd__kernel_recurrent *k, bool kept,
         const crd__kernel_recurrent_arrays *a) {
  work w = open_work(threads, k, kept, a);
  crd__parallel_spans(threads, k->directions * w.at.rows, 1 + 65536 / (k->inputs * w.at.gates + 1),
                      run_inputs, &w);
  crd__kernel_recurrent_divide(threads, k, run_direction, &w);
}
