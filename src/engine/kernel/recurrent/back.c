/*
 * back.c -- the backward pass of layer.h: first through the steps (states.c), which leaves the
 * gradients with respect to the arguments of all gates, dz, in the record; then products and sums
 * over all rows:
 *
 *   dx = dz W    dW = dz' x    dR = dz' h    db = sum dz    dpi = sum di c    dpo = sum do c'
 *
 * Of a GRU, n takes r.h in place of h; linear_first, dR and rb take dq in place of dn.
 */
#include "engine/kernel/recurrent/layer.h"

#include "base/parallel.h"
#include "engine/kernel/recurrent/panels.h"

#include <string.h>

enum { BLOCK = 256 };

size_t crd__kernel_recurrent_back_scratch(const crd__kernel_recurrent *k) {
  const crd__kernel_recurrent_shape at = crd__kernel_recurrent_shape_of(k, true);
  const size_t sizes[] = { crd__kernel_recurrent_states_scratch(k),
                           crd__kernel_panels_size(at.gates, k->inputs),
                           crd__kernel_panels_size(at.rows, k->inputs),
                           crd__kernel_panels_size(at.rows, k->hidden) };
  size_t most = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i] > most) most = sizes[i];
  return most * sizeof(float);
}

typedef struct {
  unsigned threads;
  const crd__kernel_recurrent *k;
  const crd__kernel_recurrent_gradients *a;
  crd__kernel_recurrent_shape at;
} work;

static float *dz_of(const work *w, size_t d) {
  return w->a->record + w->at.z + d * w->at.rows * w->at.gates;
}

static float *kept(const work *w, size_t offset, size_t d) {
  return w->a->record + offset + d * w->at.rows * w->k->hidden;
}

/* ---- Products. */

static void find_dx(const work *w) {
  const size_t inputs = w->k->inputs, gates = w->at.gates;
  memset(w->a->dx, 0, w->at.rows * inputs * sizeof(float));
  for (size_t d = 0; d < w->k->directions; d++) {
    const crd__kernel_panels weights = crd__kernel_panels_pack(
        w->threads, gates, inputs, w->a->w + d * gates * inputs, inputs, 1, w->a->scratch);
    crd__kernel_panels_add(w->threads, w->at.rows, &weights, dz_of(w, d), gates, 1, w->a->dx,
                           inputs);
  }
}

/* Pack an array of rows x columns. */
static crd__kernel_panels pack(const work *w, const float *x, size_t columns) {
  return crd__kernel_panels_pack(w->threads, w->at.rows, columns, x, columns, 1, w->a->scratch);
}

/* out += dz' x, for `count` of the `step` elements of a row of dz. */
static void add_outer(const work *w, const float *dz, size_t count, size_t step,
                      const crd__kernel_panels *x, float *out) {
  crd__kernel_panels_add(w->threads, count, x, dz, 1, step, out, x->columns);
}

static void find_dw(const work *w) {
  const size_t each = w->at.gates * w->k->inputs;
  const crd__kernel_panels x = pack(w, w->a->x, w->k->inputs);
  memset(w->a->dw, 0, w->k->directions * each * sizeof(float));
  for (size_t d = 0; d < w->k->directions; d++)
    add_outer(w, dz_of(w, d), w->at.gates, w->at.gates, &x, w->a->dw + d * each);
}

static void find_dr(const work *w) {
  const size_t n = w->k->hidden, gates = w->at.gates;
  const size_t joined = gates - crd__kernel_recurrent_apart(w->k);
  memset(w->a->dr, 0, w->k->directions * gates * n * sizeof(float));
  for (size_t d = 0; d < w->k->directions; d++) {
    float *const dr = w->a->dr + d * gates * n, *const extra = kept(w, w->at.extra, d);
    crd__kernel_panels h = pack(w, kept(w, w->at.h, d), n);
    add_outer(w, dz_of(w, d), joined, gates, &h, dr);
    if (w->k->cell != CRD__GRU) continue;
    if (!w->k->linear_first) h = pack(w, extra, n);
    if (w->k->linear_first) add_outer(w, extra, n, n, &h, dr + joined * n);
    else add_outer(w, dz_of(w, d) + joined, n, gates, &h, dr + joined * n);
  }
}

/* ---- Sums over rows, in float64. */

typedef struct {
  size_t rows;
  const float *x, *y; /* y: factors; NULL: none */
  size_t x_step, y_step;
  float *out;
} summing;

static void sum_columns(void *arg, size_t from, size_t to) {
  const summing *const s = arg;
  for (size_t j = from; j < to; j += BLOCK) {
    const size_t n = to - j < BLOCK ? to - j : BLOCK;
    double sums[BLOCK] = { 0 };
    for (size_t i = 0; i < s->rows; i++) {
      const float *const x = s->x + i * s->x_step + j;
      const float *const y = s->y ? s->y + i * s->y_step + j : NULL;
      for (size_t c = 0; c < n; c++) sums[c] += (double)x[c] * (y ? (double)y[c] : 1);
    }
    for (size_t c = 0; c < n; c++) s->out[j + c] = (float)sums[c];
  }
}

static void sum_rows(const work *w, size_t columns, const float *x, size_t step, const float *y,
                     float *out) {
  summing s = { w->at.rows, x, y, step, w->k->hidden, out };
  crd__parallel_spans(w->threads, columns, 1 + 65536 / (w->at.rows + 1), sum_columns, &s);
}

static void find_db(const work *w) {
  const size_t gates = w->at.gates, n = w->k->hidden;
  for (size_t d = 0; d < w->k->directions; d++) {
    float *const db = w->a->db + 2 * d * gates;
    sum_rows(w, gates, dz_of(w, d), gates, NULL, db);
    memcpy(db + gates, db, gates * sizeof *db);
    if (w->k->linear_first) sum_rows(w, n, kept(w, w->at.extra, d), n, NULL, db + 2 * gates - n);
  }
}

static void find_dp(const work *w) {
  const size_t gates = w->at.gates, n = w->k->hidden;
  for (size_t d = 0; d < w->k->directions; d++)
    for (size_t gate = 0; gate < 3; gate++) /* i, o, k */
      sum_rows(w, n, dz_of(w, d) + gate * n, gates, kept(w, gate == 1 ? w->at.extra : w->at.c, d),
               w->a->dp + (3 * d + gate) * n);
}

void crd__kernel_recurrent_back(unsigned threads, const crd__kernel_recurrent *k,
                                const crd__kernel_recurrent_gradients *a) {
  const work w = { threads, k, a, crd__kernel_recurrent_shape_of(k, true) };
  crd__kernel_recurrent_states_back(threads, k, a);
  if (a->dx) find_dx(&w);
  if (a->dw) find_dw(&w);
  if (a->dr) find_dr(&w);
  if (a->db) find_db(&w);
  if (a->dp) find_dp(&w);
}
