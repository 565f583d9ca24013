/*
 * states.c -- the backward pass of layer.h through the steps, the last one first: from the gradient
 * with respect to the state after a step to those with respect to the arguments of its gates, which
 * replace them in the record, and to the state before it.
 *
 * With g the gradient with respect to h', and dz, ... those with respect to the arguments of gates:
 *
 *   RNN   dz = g f'                        dh = dz R
 *   GRU   dn = g (1 - z) g'                dz = g (h - n) f'
 *         dr = (dn Rn).h f', linear_first: dr = dn (h Rn' + rbn) f', dq = dn r
 *         dh = g z + (dn Rn).r + dz Rz + dr Rr, linear_first: g z + dq Rn + dz Rz + dr Rr
 *   LSTM  do = g a(c') f'                  dc' += g o a' + po do
 *         di = dc' n f'                    dk = dc' c f'        dn = dc' i g'
 *         dc = dc' k + pi di + pk dk       dh = di Ri + do Ro + dk Rk + dn Rn
 */
#include "engine/kernel/recurrent/layer.h"

#include "engine/kernel/recurrent/panels.h"

#include <math.h>
#include <string.h>

enum { TEMPORARY = 7 }; /* arrays of each row of the batch */

typedef struct {
  const crd__kernel_recurrent *k;
  const crd__kernel_recurrent_gradients *a;
  crd__kernel_recurrent_shape at;
  float *dh, *dc, *temporary;
  crd__kernel_panels r[2], rn[2]; /* of a GRU, n apart from z and r */
} work;

typedef struct {
  size_t d, t, from, to;
} step;

size_t crd__kernel_recurrent_states_scratch(const crd__kernel_recurrent *k) {
  const size_t gates = crd__kernel_recurrent_gates(k->cell) * k->hidden;
  return k->directions *
         (crd__kernel_panels_size(gates - crd__kernel_recurrent_apart(k), k->hidden) +
          crd__kernel_panels_size(crd__kernel_recurrent_apart(k), k->hidden) +
          (2 + TEMPORARY) * k->batch * k->hidden);
}

static work open_work(unsigned threads, const crd__kernel_recurrent *k,
                      const crd__kernel_recurrent_gradients *a) {
  const size_t n = k->hidden, states = k->directions * k->batch * n;
  work w = { .k = k, .a = a, .at = crd__kernel_recurrent_shape_of(k, true), .dh = a->scratch };
  const size_t joined = w.at.gates - crd__kernel_recurrent_apart(k);
  w.dc = w.dh + states;
  w.temporary = w.dc + states;
  float *next = w.temporary + TEMPORARY * states;
  for (size_t d = 0; d < k->directions; d++) {
    const float *const r = a->r + d * w.at.gates * n;
    w.r[d] = crd__kernel_panels_pack(threads, joined, n, r, n, 1, next);
    next += crd__kernel_panels_size(joined, n);
    w.rn[d] = crd__kernel_panels_pack(threads, crd__kernel_recurrent_apart(k), n, r + joined * n, n,
                                      1, next);
    next += crd__kernel_panels_size(crd__kernel_recurrent_apart(k), n);
  }
  return w;
}

static size_t row_of(const work *w, const step *s, size_t b) {
  return s->d * w->at.rows + s->t * w->at.by_step + b * w->at.by_batch;
}

static float *z_at(const work *w, const step *s, size_t b) {
  return w->a->record + w->at.z + row_of(w, s, b) * w->at.gates;
}

static float *kept_at(const work *w, size_t offset, const step *s, size_t b) {
  return w->a->record + offset + row_of(w, s, b) * w->k->hidden;
}

/* Return an array of one row of the batch: dh, dc, or one of the temporary ones. */
static float *of_row(const work *w, float *arrays, size_t count, size_t d, size_t b) {
  return arrays + (d * w->k->batch + b) * count * w->k->hidden;
}

static bool lives(const work *w, const step *s, size_t b) {
  return crd__kernel_recurrent_lives(w->a->lengths, s->t, b);
}

static const crd__kernel_activation *function(const work *w, const step *s, size_t which) {
  return &w->k->functions[s->d][which];
}

/* Replace the arguments x of gates by the gradient with respect to them. */
static void turn(const work *w, const step *s, size_t which, const float *dy, float *x) {
  crd__kernel_activation_slope(function(w, s, which), w->k->limit, w->k->hidden, x, dy, x);
}

/* ---- One step of one row. */

/* Compute gates and c' again. */
static void lstm_gates(const work *w, const step *s, size_t b, float *i) {
  const size_t n = w->k->hidden;
  const double limit = w->k->limit;
  const float *const z = z_at(w, s, b), *const c = kept_at(w, w->at.c, s, b);
  float *const o = i + n, *const k = o + n, *const g = k + n, *const after = g + n;
  crd__kernel_activation_f32(function(w, s, 0), limit, 3 * n, z, i);
  crd__kernel_activation_f32(function(w, s, 1), limit, n, z + 3 * n, g);
  for (size_t j = 0; j < n && w->k->coupled; j++) k[j] = 1 - i[j];
  for (size_t j = 0; j < n; j++) after[j] = k[j] * c[j] + i[j] * g[j];
  crd__kernel_activation_f32(function(w, s, 2), (double)INFINITY, n, after, after + n);
  if (w->k->peepholes) memcpy(kept_at(w, w->at.extra, s, b), after, n * sizeof *after);
}

static void lstm_row(const work *w, const step *s, size_t b) {
  const size_t n = w->k->hidden;
  const float *const p = w->k->peepholes ? w->a->p + 3 * s->d * n : NULL;
  const float *const c = kept_at(w, w->at.c, s, b);
  float *const z = z_at(w, s, b);
  float *const dh = of_row(w, w->dh, 1, s->d, b), *const dc = of_row(w, w->dc, 1, s->d, b);
  float *const i = of_row(w, w->temporary, TEMPORARY, s->d, b), *const o = i + n;
  float *const k = o + n, *const g = k + n, *const after = g + n, *const a = after + n;
  float *const dy = a + n;
  lstm_gates(w, s, b, i);
  for (size_t j = 0; j < n; j++) dy[j] = dh[j] * a[j];
  turn(w, s, 0, dy, z + n);
  for (size_t j = 0; j < n; j++) dy[j] = dh[j] * o[j];
  crd__kernel_activation_slope(function(w, s, 2), (double)INFINITY, n, after, dy, dy);
  for (size_t j = 0; j < n; j++) dc[j] += dy[j] + (p ? p[n + j] * z[n + j] : 0);
  for (size_t j = 0; j < n; j++) dy[j] = dc[j] * (w->k->coupled ? g[j] - c[j] : g[j]);
  turn(w, s, 0, dy, z);
  for (size_t j = 0; j < n; j++) dy[j] = w->k->coupled ? 0 : dc[j] * c[j];
  turn(w, s, 0, dy, z + 2 * n);
  for (size_t j = 0; j < n; j++) dy[j] = dc[j] * i[j];
  turn(w, s, 1, dy, z + 3 * n);
  for (size_t j = 0; j < n; j++) dc[j] *= k[j];
  for (size_t j = 0; j < n && p; j++) dc[j] += p[j] * z[j] + p[2 * n + j] * z[2 * n + j];
  memset(dh, 0, n * sizeof *dh);
}

static void rnn_row(const work *w, const step *s, size_t b) {
  float *const dh = of_row(w, w->dh, 1, s->d, b);
  turn(w, s, 0, dh, z_at(w, s, b));
  memset(dh, 0, w->k->hidden * sizeof *dh);
}

/* The arrays of a row of a GRU. */
typedef struct {
  float *u, *r, *g, *du, *dr; /* dr: with respect to r or, unless linear_first, first to r.h */
} gru;

static gru gru_of(const work *w, const step *s, size_t b) {
  const size_t n = w->k->hidden;
  float *const u = of_row(w, w->temporary, TEMPORARY, s->d, b);
  return (gru){ u, u + n, u + 2 * n, u + 3 * n, u + 4 * n };
}

/* From the state to the arguments of n, and of z. */
static void gru_begin(const work *w, const step *s, size_t b) {
  const size_t n = w->k->hidden;
  const float *const h = kept_at(w, w->at.h, s, b);
  float *const z = z_at(w, s, b), *const dn = z + 2 * n, *const dh = of_row(w, w->dh, 1, s->d, b);
  float *const extra = kept_at(w, w->at.extra, s, b);
  const gru g = gru_of(w, s, b);
  crd__kernel_activation_f32(function(w, s, 0), w->k->limit, 2 * n, z, g.u);
  crd__kernel_activation_f32(function(w, s, 1), w->k->limit, n, dn, g.g);
  for (size_t j = 0; j < n; j++) {
    g.du[j] = dh[j] * (h[j] - g.g[j]);
    g.dr[j] = dh[j] * (1 - g.u[j]);
    dh[j] *= g.u[j];
  }
  turn(w, s, 1, g.dr, dn);
  for (size_t j = 0; j < n; j++) {
    g.dr[j] = w->k->linear_first ? dn[j] * extra[j] : 0;
    if (w->k->linear_first) extra[j] = dn[j] * g.r[j];
  }
}

static void gru_end(const work *w, const step *s, size_t b) {
  const size_t n = w->k->hidden;
  const float *const h = kept_at(w, w->at.h, s, b);
  float *const z = z_at(w, s, b), *const dh = of_row(w, w->dh, 1, s->d, b);
  const gru g = gru_of(w, s, b);
  for (size_t j = 0; j < n && !w->k->linear_first; j++) {
    dh[j] += g.dr[j] * g.r[j];
    g.dr[j] *= h[j];
  }
  turn(w, s, 0, g.du, z);
  turn(w, s, 0, g.dr, z + n);
}

/* ---- One step. */

/* A row that has ended passes its gradient on unchanged. */
static void end_row(const work *w, const step *s, size_t b) {
  const size_t n = w->k->hidden;
  const bool gated = w->k->cell == CRD__GRU;
  memset(z_at(w, s, b), 0, w->at.gates * sizeof(float));
  if (gated) memset(gru_of(w, s, b).dr, 0, n * sizeof(float));
  if (gated || w->k->peepholes) memset(kept_at(w, w->at.extra, s, b), 0, n * sizeof(float));
}

/* Add the incoming gradient of the step's output. */
static void add_incoming(const work *w, const step *s, size_t b) {
  const float *const dy = w->a->dy + crd__kernel_recurrent_y(w->k, s->d, s->t, b);
  float *const dh = of_row(w, w->dh, 1, s->d, b);
  for (size_t j = 0; j < w->k->hidden; j++) dh[j] += dy[j];
}

static void gru_middle(const work *w, const step *s) {
  const size_t n = w->k->hidden, count = s->to - s->from;
  if (w->k->linear_first)
    crd__kernel_panels_add(1, count, &w->rn[s->d], kept_at(w, w->at.extra, s, s->from),
                           w->at.by_batch * n, 1, of_row(w, w->dh, 1, s->d, s->from), n);
  else
    crd__kernel_panels_add(1, count, &w->rn[s->d], z_at(w, s, s->from) + 2 * n,
                           w->at.by_batch * w->at.gates, 1, gru_of(w, s, s->from).dr,
                           TEMPORARY * n);
  for (size_t b = s->from; b < s->to; b++)
    if (lives(w, s, b)) gru_end(w, s, b);
}

typedef void row_fn(const work *w, const step *s, size_t b);

static void run_step(const work *w, const step *s) {
  static row_fn *const rows[] = {
    [CRD__LSTM] = lstm_row, [CRD__GRU] = gru_begin, [CRD__RNN] = rnn_row
  };
  for (size_t b = s->from; b < s->to; b++) {
    const bool alive = lives(w, s, b);
    if (alive && w->a->dy) add_incoming(w, s, b);
    if (alive) rows[w->k->cell](w, s, b);
    else end_row(w, s, b);
  }
  if (w->k->cell == CRD__GRU) gru_middle(w, s);
  crd__kernel_panels_add(1, s->to - s->from, &w->r[s->d], z_at(w, s, s->from),
                         w->at.by_batch * w->at.gates, 1, of_row(w, w->dh, 1, s->d, s->from),
                         w->k->hidden);
}

/* ---- All steps. */

/* The state of a row of length 0 counts as 0 at the end: it has no gradient. */
static void begin(const work *w, size_t d, size_t b, const float *dy, float *states) {
  const size_t n = w->k->hidden;
  float *const to = of_row(w, states, 1, d, b);
  const bool lived = w->k->steps && crd__kernel_recurrent_lives(w->a->lengths, 0, b);
  if (dy && lived) memcpy(to, dy + crd__kernel_recurrent_state(w->k, d, b), n * sizeof *to);
  else memset(to, 0, n * sizeof *to);
}

static void end(const work *w, size_t d, size_t b, float *states, float *out) {
  if (out)
    memcpy(out + crd__kernel_recurrent_state(w->k, d, b), of_row(w, states, 1, d, b),
           w->k->hidden * sizeof *out);
}

static void run_direction(const void *arg, size_t d, size_t from, size_t to) {
  const work *const w = arg;
  for (size_t b = from; b < to; b++) {
    begin(w, d, b, w->a->dy_h, w->dh);
    begin(w, d, b, w->a->dy_c, w->dc);
  }
  for (size_t i = w->k->steps; i-- > 0;)
    run_step(w, &(step){ d, crd__kernel_recurrent_time(w->k, d, i), from, to });
  for (size_t b = from; b < to; b++) {
    end(w, d, b, w->dh, w->a->dh);
    end(w, d, b, w->dc, w->a->dc);
  }
}

void crd__kernel_recurrent_states_back(unsigned threads, const crd__kernel_recurrent *k,
                                       const crd__kernel_recurrent_gradients *a) {
  const work w = open_work(threads, k, a);
  crd__kernel_recurrent_divide(threads, k, run_direction, &w);
}
