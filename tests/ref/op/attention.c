/*
 * attention.c -- Attention: y = sum of softmax(softcap(scale q . k) + bias) v; RotaryEmbedding:
 * pairs of elements of a row, rotated.
 */
#include "ref/op.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDINGS = 8 };

/* A tensor of heads: (batch, head, row, element), or (batch, row, head and element). */
typedef struct {
  const ref_tensor *t;
  int64_t heads, rows, size;
} heads;

static heads heads_of(const ref_node *node, size_t input, const char *attribute) {
  const ref_tensor *const t = node->inputs[input];
  if (t->rank == 4) return (heads){ t, t->dims[1], t->dims[2], t->dims[3] };
  const int64_t count = ref_int(node, attribute, 1);
  return (heads){ t, count, t->dims[1], t->dims[2] / count };
}

static size_t place(const heads *h, int64_t b, int64_t head, int64_t row, int64_t e) {
  return h->t->rank == 4 ? ref_place(h->t, (int64_t[]){ b, head, row, e })
                         : ref_place(h->t, (int64_t[]){ b, row, head * h->size + e });
}

/* An element of keys or values: of the past ones, which come first, or of the new. */
static double element(const heads *h, const ref_tensor *past, int64_t b, int64_t head, int64_t row,
                      int64_t e) {
  const int64_t before = past ? past->dims[2] : 0;
  if (row < before) return past->values[ref_place(past, (int64_t[]){ b, head, row, e })];
  return h->t->values[place(h, b, head, row - before, e)];
}

/* The bias of a key: -infinity for one that may not be attended to. */
static double bias(const ref_node *node, int64_t b, int64_t head, int64_t i, int64_t j,
                   int64_t queries) {
  const ref_tensor *const mask = ref_input(node, 3), *const past = ref_input(node, 4);
  const ref_tensor *const lengths = ref_input(node, 6);
  const int64_t left = ref_int(node, "left_window_size", -1);
  const int64_t right = ref_int(node, "right_window_size", -1);
  int64_t at = i + (past ? past->dims[2] : 0);
  if (lengths) at = i + (int64_t)lengths->values[b] - queries;
  if (lengths && j >= (int64_t)lengths->values[b]) return -INFINITY;
  if (ref_int(node, "is_causal", 0) && j > at) return -INFINITY;
  if ((left >= 0 && j < at - left) || (right >= 0 && j > at + right)) return -INFINITY;
  if (!mask) return 0;
  const int64_t all[] = { b, head, i, j };
  if (j >= mask->dims[mask->rank - 1]) return -INFINITY;
  int64_t own[4];
  for (size_t k = 0; k < mask->rank; k++)
    own[k] = k + 1 < mask->rank && mask->dims[k] == 1 ? 0 : all[4 - mask->rank + k];
  const double value = mask->values[ref_place(mask, own)];
  return mask->dtype != CRD_BOOL ? value : value != 0 ? 0 : -INFINITY;
}

/* Softmax in place; a row without keys is 0. */
static void soften(double *p, int64_t keys, bool empty) {
  double top = -INFINITY, sum = 0;
  for (int64_t j = 0; j < keys; j++) top = fmax(top, p[j]);
  for (int64_t j = 0; j < keys; j++) sum += exp(p[j] - top);
  for (int64_t j = 0; j < keys; j++) p[j] = empty ? 0 : exp(p[j] - top) / sum;
}

static void keep(ref_tensor *scores, size_t from, const double *p, int64_t keys) {
  for (int64_t j = 0; j < keys; j++) {
    scores->values[from + (size_t)j] = p[j];
    scores->slack[from + (size_t)j] = ROUNDINGS * (isfinite(p[j]) ? fabs(p[j]) + 8 : 0);
  }
}

/* The weights of one query; stores the scores that the fourth output has. */
static void weigh(const ref_node *node, const heads *q, const heads *k, int64_t b, int64_t head,
                  int64_t i, int64_t keys, ref_tensor *scores, double *p) {
  const double scale = ref_number(node, "scale", 1 / sqrt((double)q->size));
  const double cap = ref_number(node, "softcap", 0);
  const int64_t mode = ref_int(node, "qk_matmul_output_mode", 0);
  const size_t from = (size_t)(((b * q->heads + head) * q->rows + i) * keys);
  bool empty = true;
  for (int64_t j = 0; j < keys; j++) {
    p[j] = 0;
    for (int64_t e = 0; e < q->size; e++)
      p[j] += q->t->values[place(q, b, head, i, e)] *
              element(k, ref_input(node, 4), b, head / (q->heads / k->heads), j, e);
    p[j] *= scale;
  }
  if (mode == 0) keep(scores, from, p, keys);
  for (int64_t j = 0; j < keys && cap > 0; j++) p[j] = cap * tanh(p[j] / cap);
  if (mode == 1) keep(scores, from, p, keys);
  for (int64_t j = 0; j < keys; j++) {
    const double added = bias(node, b, head, i, j, q->rows);
    p[j] += added;
    empty = empty && added == -INFINITY;
  }
  if (mode == 2) keep(scores, from, p, keys);
  soften(p, keys, empty);
  if (mode == 3) keep(scores, from, p, keys);
}

static void join(ref_node *node, size_t output, const heads *h, const ref_tensor *past,
                 int64_t keys) {
  const int64_t dims[] = { h->t->dims[0], h->heads, keys, h->size };
  ref_tensor *const y = ref_make(node, output, h->t->dtype, 4, dims, false);
  int64_t at[4];
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    y->values[n] = element(h, past, at[0], at[1], at[2], at[3]);
  }
}

void ref_Attention(ref_node *node) {
  const heads q = heads_of(node, 0, "q_num_heads"), k = heads_of(node, 1, "kv_num_heads");
  const heads v = heads_of(node, 2, "kv_num_heads");
  const ref_tensor *const past = ref_input(node, 5);
  const int64_t batch = q.t->dims[0], keys = k.rows + (past ? past->dims[2] : 0);
  const int64_t deep[] = { batch, q.heads, q.rows, v.size };
  const int64_t flat[] = { batch, q.rows, q.heads * v.size };
  const int64_t square[] = { batch, q.heads, q.rows, keys };
  ref_tensor *const y =
      ref_make(node, 0, q.t->dtype, q.t->rank, q.t->rank == 4 ? deep : flat, true);
  join(node, 1, &k, ref_input(node, 4), keys);
  join(node, 2, &v, past, keys);
  ref_tensor *const scores = ref_make(node, 3, q.t->dtype, 4, square, true);
  const heads out = { y, q.heads, q.rows, v.size };
  double *const p = calloc((size_t)keys + 1, sizeof *p);
  for (int64_t n = 0; n < batch * q.heads * q.rows; n++) {
    const int64_t i = n % q.rows, head = n / q.rows % q.heads, b = n / q.rows / q.heads;
    weigh(node, &q, &k, b, head, i, keys, scores, p);
    for (int64_t e = 0; e < v.size; e++) {
      const size_t at = place(&out, b, head, i, e);
      for (int64_t j = 0; j < keys; j++) {
        const double term = p[j] * element(&v, past, b, head / (q.heads / k.heads), j, e);
        y->values[at] += term;
        y->slack[at] += ROUNDINGS * fabs(term);
      }
    }
  }
  free(p);
}

void ref_RotaryEmbedding(ref_node *node) {
  const heads x = heads_of(node, 0, "num_heads");
  const ref_tensor *const cosines = node->inputs[1], *const sines = node->inputs[2];
  const ref_tensor *const positions = ref_input(node, 3);
  const int64_t given = ref_int(node, "rotary_embedding_dim", 0), rotated = given ? given : x.size;
  const bool near = ref_int(node, "interleaved", 0) != 0;
  ref_tensor *const y = ref_make(node, 0, x.t->dtype, x.t->rank, x.t->dims, true);
  for (size_t n = 0; n < ref_count(y); n++) y->values[n] = x.t->values[n];
  for (int64_t n = 0; n < x.t->dims[0] * x.heads * x.rows; n++) {
    const int64_t row = n % x.rows, head = n / x.rows % x.heads, b = n / x.rows / x.heads;
    const int64_t sample = b * x.rows + row;
    const int64_t angle = (positions ? (int64_t)positions->values[sample] : sample) * rotated / 2;
    for (int64_t i = 0; i < rotated / 2; i++) {
      const size_t one = place(&x, b, head, row, near ? 2 * i : i);
      const size_t two = place(&x, b, head, row, near ? 2 * i + 1 : i + rotated / 2);
      const double c = cosines->values[angle + i], s = sines->values[angle + i];
      y->values[one] = c * x.t->values[one] - s * x.t->values[two];
      y->values[two] = s * x.t->values[one] + c * x.t->values[two];
      y->slack[one] = y->slack[two] =
          4 * (fabs(c) + fabs(s)) * (fabs(x.t->values[one]) + fabs(x.t->values[two]));
    }
  }
}
