/* attention.c -- see attention.h. */
#include "engine/kernel/composite/attention.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"
#include "engine/kernel/f32.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

enum { ROWS = 32 }; /* of a block */

/* The workspace of one worker. The backward pass needs all of it. */
typedef struct {
  double *k, *v, *dk, *dv;           /* all keys and values of a head */
  double *q, *dq, *y, *s, *ds, *cap; /* a block of rows */
  bool *empty;                       /* rows without keys */
} desk;

static size_t desk_size(const crd__kernel_attention *a) {
  return 2 * a->keys * (a->size + a->value_size) + /* k, v, dk, dv */
         ROWS * (2 * a->size + a->value_size + 3 * a->keys) + ROWS;
}

static desk desk_at(const crd__kernel_attention *a, double *workspace, size_t worker) {
  const size_t keys = a->keys;
  desk d = { .k = workspace + worker * desk_size(a) };
  d.v = d.k + keys * a->size;
  d.dk = d.v + keys * a->value_size;
  d.dv = d.dk + keys * a->size;
  d.q = d.dv + keys * a->value_size;
  d.dq = d.q + ROWS * a->size;
  d.y = d.dq + ROWS * a->size;
  d.s = d.y + ROWS * a->value_size;
  d.ds = d.s + ROWS * keys;
  d.cap = d.ds + ROWS * keys;
  d.empty = (bool *)(d.cap + ROWS * keys);
  return d;
}

static size_t workers_of(unsigned threads, size_t items) {
  return threads < 1 ? 1 : threads < items ? threads : items ? items : 1;
}

size_t crd__kernel_attention_workspace(const crd__kernel_attention *a, unsigned threads) {
  return workers_of(threads, a->batch * a->heads) * desk_size(a);
}

typedef struct {
  const crd__kernel_attention *a;
  const crd__kernel_attention_in *in;
  char *y, *scores;
  const float *dy;
  const crd__kernel_attention_out *out;
  double *workspace;
  size_t workers;
} work;

/* ---- Rows of arrays as float64. */

static void load(crd_dtype dtype, size_t n, const void *from, size_t at, double *to) {
  const size_t size = crd_dtype_size(dtype);
  for (size_t i = 0; i < n; i += CRD__BLOCK) {
    const size_t part = n - i < CRD__BLOCK ? n - i : CRD__BLOCK;
    crd__kernel_block b;
    crd__kernel_block_load(dtype, part, (const char *)from + (at + i) * size, 1, &b);
    memcpy(to + i, b.real, part * sizeof *to);
  }
}

static void store(crd_dtype dtype, size_t n, const double *from, void *to, size_t at) {
  const size_t size = crd_dtype_size(dtype);
  for (size_t i = 0; i < n; i += CRD__BLOCK) {
    const size_t part = n - i < CRD__BLOCK ? n - i : CRD__BLOCK;
    crd__kernel_block b;
    memcpy(b.real, from + i, part * sizeof *from);
    crd__kernel_block_store(dtype, part, &b, (char *)to + (at + i) * size, 1);
  }
}

/* The offset of key or value row j of a head: within the past, or after it. */
static size_t row_at(const crd__kernel_attention *a, crd__kernel_heads heads, size_t size,
                     size_t batch, size_t group, size_t j) {
  if (j < a->past) return ((batch * a->groups + group) * a->past + j) * size;
  return batch * heads.batch + group * heads.head + (j - a->past) * heads.row;
}

static void load_keys(const work *w, const desk *d, size_t batch, size_t group) {
  const crd__kernel_attention *const a = w->a;
  for (size_t j = 0; j < a->keys; j++) {
    const bool past = j < a->past;
    load(a->dtype, a->size, past ? w->in->past_k : w->in->k,
         row_at(a, a->k, a->size, batch, group, j), d->k + j * a->size);
    load(a->dtype, a->value_size, past ? w->in->past_v : w->in->v,
         row_at(a, a->v, a->value_size, batch, group, j), d->v + j * a->value_size);
  }
}

/* ---- A block of rows: scores, and softmax over them. */

typedef struct {
  size_t batch, head, first, rows;
} block;

/* The bias of a key: 0, that of the mask, or -infinity. */
static double bias_at(const work *w, const block *b, size_t row, size_t key) {
  const crd__kernel_attention *const a = w->a;
  const int64_t length = w->in->lengths ? w->in->lengths[b->batch] : (int64_t)a->keys;
  const int64_t offset = w->in->lengths ? length - (int64_t)a->queries : (int64_t)a->past;
  const int64_t position = (int64_t)row + offset, j = (int64_t)key;
  if (j >= length || (a->causal && j > position) || (a->left >= 0 && j < position - a->left) ||
      (a->right >= 0 && j > position + a->right))
    return -INFINITY;
  if (!a->masked) return 0;
  if (key >= a->mask_keys) return -INFINITY;
  const size_t at =
      b->batch * a->mask_steps[0] + b->head * a->mask_steps[1] + row * a->mask_steps[2] + key;
  double value = 0;
  if (a->mask_is_bool) return ((const bool *)w->in->mask)[at] ? 0 : -INFINITY;
  load(a->dtype, 1, w->in->mask, at, &value);
  return value;
}

/* s = exp(s - top), in float32 unless the arrays are float64. */
static void exponentiate(crd_dtype dtype, size_t n, double top, double *s) {
  crd__kernel_f32_map *const map = crd__kernel_f32_kernels_best()->unary[CRD__UNARY_EXP];
  float narrow[CRD__BLOCK];
  if (dtype == CRD_F64)
    for (size_t j = 0; j < n; j++) s[j] = exp(s[j] - top);
  for (size_t i = 0; i < n && dtype != CRD_F64; i += CRD__BLOCK) {
    const size_t part = n - i < CRD__BLOCK ? n - i : CRD__BLOCK;
    for (size_t j = 0; j < part; j++) narrow[j] = (float)(s[i + j] - top);
    map(part, narrow, narrow, 0, 0);
    for (size_t j = 0; j < part; j++) s[i + j] = (double)narrow[j];
  }
}

/* Softmax of a row in place; `empty`: it attends to no key. */
static void soften(crd_dtype dtype, size_t n, bool empty, double *s) {
  double top = -INFINITY, sum = 0;
  if (empty) {
    memset(s, 0, n * sizeof *s);
    return;
  }
  for (size_t j = 0; j < n; j++) top = s[j] > top ? s[j] : top;
  exponentiate(dtype, n, top, s);
  for (size_t j = 0; j < n; j++) sum += s[j];
  for (size_t j = 0; j < n; j++) s[j] /= sum;
}

static void emit(const work *w, const block *b, crd__kernel_scores kind, const desk *d) {
  const crd__kernel_attention *const a = w->a;
  if (!w->scores || a->kind != kind) return;
  store(a->dtype, b->rows * a->keys, d->s, w->scores,
        ((b->batch * a->heads + b->head) * a->queries + b->first) * a->keys);
}

/* Compute s = p of a block; cap holds the capped scores before the bias. */
static void make_block(const work *w, const block *b, const desk *d) {
  const crd__kernel_attention *const a = w->a;
  const crd__math_matrix q = { d->q, a->size, 1 }, k = { d->k, 1, a->size };
  for (size_t i = 0; i < b->rows; i++)
    load(a->dtype, a->size, w->in->q,
         b->batch * a->q.batch + b->head * a->q.head + (b->first + i) * a->q.row,
         d->q + i * a->size);
  memset(d->s, 0, b->rows * a->keys * sizeof *d->s);
  crd__math_product_add(b->rows, a->keys, a->size, q, k, d->s, a->keys);
  for (size_t n = 0; n < b->rows * a->keys; n++) d->s[n] *= a->scale;
  emit(w, b, CRD__SCORES_PRODUCT, d);
  for (size_t n = 0; n < b->rows * a->keys && a->softcap > 0; n++)
    d->s[n] = a->softcap * tanh(d->s[n] / a->softcap);
  emit(w, b, CRD__SCORES_CAPPED, d);
  memcpy(d->cap, d->s, b->rows * a->keys * sizeof *d->s);
  for (size_t i = 0; i < b->rows; i++) {
    const bool free = !a->masked && !a->causal && a->left < 0 && a->right < 0 && !w->in->lengths;
    d->empty[i] = !free || !a->keys;
    for (size_t j = 0; j < a->keys && !free; j++) {
      const double bias = bias_at(w, b, b->first + i, j);
      d->s[i * a->keys + j] += bias;
      d->empty[i] = d->empty[i] && bias == -INFINITY;
    }
  }
  emit(w, b, CRD__SCORES_BIASED, d);
  for (size_t i = 0; i < b->rows; i++) soften(a->dtype, a->keys, d->empty[i], d->s + i * a->keys);
  emit(w, b, CRD__SCORES_SOFTMAX, d);
}

static block block_at(const crd__kernel_attention *a, size_t batch, size_t head, size_t first) {
  return (block){ batch, head, first, a->queries - first < ROWS ? a->queries - first : ROWS };
}

/* ---- Forward pass: workers share the heads. */

static size_t y_at(const crd__kernel_attention *a, const block *b, size_t i) {
  return b->batch * a->y.batch + b->head * a->y.head + (b->first + i) * a->y.row;
}

static void run_head(const work *w, const desk *d, size_t batch, size_t head) {
  const crd__kernel_attention *const a = w->a;
  load_keys(w, d, batch, head / (a->heads / a->groups));
  for (size_t first = 0; first < a->queries; first += ROWS) {
    const block b = block_at(a, batch, head, first);
    const crd__math_matrix p = { d->s, a->keys, 1 }, v = { d->v, a->value_size, 1 };
    make_block(w, &b, d);
    memset(d->y, 0, b.rows * a->value_size * sizeof *d->y);
    crd__math_product_add(b.rows, a->value_size, a->keys, p, v, d->y, a->value_size);
    for (size_t i = 0; i < b.rows; i++)
      store(a->dtype, a->value_size, d->y + i * a->value_size, w->y, y_at(a, &b, i));
  }
}

static void run_workers(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  for (size_t worker = from; worker < to; worker++) {
    const desk d = desk_at(w->a, w->workspace, worker);
    for (size_t n = worker; n < w->a->batch * w->a->heads; n += w->workers)
      run_head(w, &d, n / w->a->heads, n % w->a->heads);
  }
}

void crd__kernel_attention_run(unsigned threads, const crd__kernel_attention *a,
                               const crd__kernel_attention_in *in, void *y, void *scores,
                               double *workspace) {
  work w = { .a = a, .in = in, .y = y, .scores = scores, .workspace = workspace };
  w.workers = workers_of(threads, a->batch * a->heads);
  crd__parallel_spans(threads, w.workers, 1, run_workers, &w);
}

void crd__kernel_attention_join(const crd__kernel_attention *a, crd__kernel_heads heads,
                                size_t size, const void *past, const void *x, void *y) {
  const size_t bytes = size * crd_dtype_size(a->dtype);
  char *to = y;
  for (size_t n = 0; n < a->batch * a->groups * a->keys; n++, to += bytes) {
    const size_t j = n % a->keys, group = n / a->keys % a->groups, batch = n / a->keys / a->groups;
    const char *const from = j < a->past ? past : x;
    memcpy(to, from + row_at(a, heads, size, batch, group, j) * crd_dtype_size(a->dtype), bytes);
  }
}

/* ---- Backward pass: workers share the heads of keys, whose gradients sum over query heads. */

/* From p and dL/dy of a block to dL/ds, before the softcap; the gradient of the bias on the way. */
static void slope_block(const work *w, const block *b, const desk *d) {
  const crd__kernel_attention *const a = w->a;
  const size_t keys = a->keys;
  for (size_t i = 0; i < b->rows; i++) {
    double *const ds = d->ds + i * keys;
    const double *const p = d->s + i * keys, *const cap = d->cap + i * keys;
    double mean = 0;
    for (size_t j = 0; j < keys; j++) mean += p[j] * ds[j];
    for (size_t j = 0; j < keys; j++) ds[j] = p[j] * (ds[j] - mean);
    if (w->out->mask)
      store(CRD_F32, a->mask_keys, ds, w->out->mask,
            ((b->batch * a->heads + b->head) * a->queries + b->first + i) * a->mask_keys);
    for (size_t j = 0; j < keys; j++) {
      const double bent = a->softcap > 0 ? cap[j] / a->softcap : 0;
      ds[j] *= a->scale * (1 - bent * bent);
    }
  }
}

static void back_block(const work *w, const block *b, const desk *d) {
  const crd__kernel_attention *const a = w->a;
  const size_t keys = a->keys, size = a->size, width = a->value_size;
  make_block(w, b, d);
  for (size_t i = 0; i < b->rows; i++) load(CRD_F32, width, w->dy, y_at(a, b, i), d->y + i * width);
  memset(d->ds, 0, b->rows * keys * sizeof *d->ds);
  memset(d->dq, 0, b->rows * size * sizeof *d->dq);
  crd__math_product_add(b->rows, keys, width, (crd__math_matrix){ d->y, width, 1 },
                        (crd__math_matrix){ d->v, 1, width }, d->ds, keys);
  crd__math_product_add(keys, width, b->rows, (crd__math_matrix){ d->s, 1, keys },
                        (crd__math_matrix){ d->y, width, 1 }, d->dv, width);
  slope_block(w, b, d);
  crd__math_product_add(b->rows, size, keys, (crd__math_matrix){ d->ds, keys, 1 },
                        (crd__math_matrix){ d->k, size, 1 }, d->dq, size);
  crd__math_product_add(keys, size, b->rows, (crd__math_matrix){ d->ds, 1, keys },
                        (crd__math_matrix){ d->q, size, 1 }, d->dk, size);
  for (size_t i = 0; i < b->rows && w->out->q; i++)
    store(CRD_F32, size, d->dq + i * size, w->out->q,
          b->batch * a->q.batch + b->head * a->q.head + (b->first + i) * a->q.row);
}

static void back_group(const work *w, const desk *d, size_t batch, size_t group) {
  const crd__kernel_attention *const a = w->a;
  const size_t share = a->heads / a->groups;
  load_keys(w, d, batch, group);
  memset(d->dk, 0, a->keys * a->size * sizeof *d->dk);
  memset(d->dv, 0, a->keys * a->value_size * sizeof *d->dv);
  for (size_t head = group * share; head < (group + 1) * share; head++)
    for (size_t first = 0; first < a->queries; first += ROWS) {
      const block b = block_at(a, batch, head, first);
      back_block(w, &b, d);
    }
  for (size_t j = 0; j < a->keys; j++) {
    float *const k = j < a->past ? w->out->past_k : w->out->k;
    float *const v = j < a->past ? w->out->past_v : w->out->v;
    if (k)
      store(CRD_F32, a->size, d->dk + j * a->size, k, row_at(a, a->k, a->size, batch, group, j));
    if (v)
      store(CRD_F32, a->value_size, d->dv + j * a->value_size, v,
            row_at(a, a->v, a->value_size, batch, group, j));
  }
}

static void back_workers(void *arg, size_t from, size_t to) {
  const work *const w = arg;
  for (size_t worker = from; worker < to; worker++) {
    const desk d = desk_at(w->a, w->workspace, worker);
    for (size_t n = worker; n < w->a->batch * w->a->groups; n += w->workers)
      back_group(w, &d, n / w->a->groups, n % w->a->groups);
  }
}

void crd__kernel_attention_back(unsigned threads, const crd__kernel_attention *a,
                                const crd__kernel_attention_in *in, const float *dy,
                                const crd__kernel_attention_out *out, double *workspace) {
  work w = { .a = a, .in = in, .dy = dy, .out = out, .workspace = workspace };
  w.workers = workers_of(threads, a->batch * a->groups);
  crd__parallel_spans(threads, w.workers, 1, back_workers, &w);
}
