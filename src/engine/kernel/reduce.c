/*
 * reduce.c -- see reduce.h.
 *
 * Neighbouring dimensions that are both kept or both reduced are merged. If the last one is then
 * reduced, each element of the result accumulates whole rows; if it is kept, a block of elements of
 * the result accumulates blocks of rows in parallel. Either way memory is read contiguously.
 *
 * Terms such as squares are computed as they are accumulated, and the function of a sum when it is
 * stored, both in the widest type. The terms of LOG_SUM_EXP are exp(x - max), so that the maxima
 * are computed first, into the result.
 */
#include "engine/kernel/reduce.h"

#include "base/parallel.h"
#include "engine/kernel/binary.h"

#include <math.h>

/* A subset of the dimensions. */
typedef struct {
  size_t rank, total, dims[CRD_RANK_MAX], steps[CRD_RANK_MAX];
} axes;

typedef struct {
  crd__kernel_reduce_id id;
  crd_dtype dtype;
  crd__kernel_carrier carrier;
  axes kept, gone; /* without the last dimension */
  size_t length;   /* length of the last dimension, */
  bool last_gone;  /* which may be reduced */
  size_t lanes;    /* elements of a block of sums in use */
  size_t count;    /* elements of x for each element of the result */
  bool shifted;    /* the result holds the maxima */
  const char *x;
  char *y;
} reducing;

static const struct {
  crd__kernel_pair_id combine;
  double start; /* initial value; clamped to the range of integers */
} kinds[CRD__REDUCTIONS] = {
  [CRD__SUM] = { CRD__PAIR_ADD, 0 },        [CRD__MEAN] = { CRD__PAIR_ADD, 0 },
  [CRD__PROD] = { CRD__PAIR_MUL, 1 },       [CRD__MAX] = { CRD__PAIR_MAX, -INFINITY },
  [CRD__MIN] = { CRD__PAIR_MIN, INFINITY }, [CRD__L1] = { CRD__PAIR_ADD, 0 },
  [CRD__L2] = { CRD__PAIR_ADD, 0 },         [CRD__SUM_SQUARE] = { CRD__PAIR_ADD, 0 },
  [CRD__LOG_SUM] = { CRD__PAIR_ADD, 0 },    [CRD__LOG_SUM_EXP] = { CRD__PAIR_ADD, 0 },
};

/* The sums of a block, and the maxima that are subtracted before exp. */
typedef struct {
  crd__kernel_block sums, shift;
} gathered;

static size_t offset_of(const axes *a, size_t index) {
  size_t offset = 0;
  for (size_t d = a->rank; d-- > 0; index /= a->dims[d]) offset += index % a->dims[d] * a->steps[d];
  return offset;
}

/* Start the sums of the result's elements from `at` on, n of them. */
static void start_block(const reducing *g, size_t n, size_t at, gathered *b) {
  const bool none = g->dtype == CRD_BOOL && g->id == CRD__MAX; /* -infinity would be true */
  for (size_t i = 0; i < g->lanes; i++) b->sums.real[i] = none ? 0 : kinds[g->id].start;
  crd__kernel_block_convert(CRD_F64, g->dtype, g->lanes, &b->sums);
  if (!g->shifted) return;
  crd__kernel_block_load(g->dtype, n, g->y + at * crd_dtype_size(g->dtype), 1, &b->shift);
  for (size_t i = 0; i < n; i++) /* infinity - infinity is NaN */
    if (isinf(b->shift.real[i])) b->shift.real[i] = 0;
}

/* Compute the terms of n elements; `step` is 0 if they share one maximum. */
static void make_terms(const reducing *g, size_t n, const gathered *b, size_t step,
                       crd__kernel_block *v) {
  if (g->id == CRD__L2 || g->id == CRD__SUM_SQUARE)
    crd__kernel_block_pair(CRD__PAIR_MUL, g->carrier, n, v, v);
  for (size_t i = 0; i < n && g->shifted; i++)
    v->real[i] = exp(v->real[i] - b->shift.real[i * step]);
  for (size_t i = 0; i < n && g->id == CRD__L1; i++) {
    if (g->carrier == CRD__REAL) v->real[i] = fabs(v->real[i]);
    else if (g->carrier == CRD__SIGNED && v->whole[i] < 0) v->natural[i] = 0 - v->natural[i];
  }
}

/* Accumulate n <= CRD__BLOCK elements, each into its own sum. */
static void gather_block(const reducing *g, size_t n, const char *from, size_t step, gathered *b) {
  crd__kernel_block more;
  if (g->dtype == CRD_F32 && (g->id == CRD__SUM || g->id == CRD__MEAN || g->id == CRD__LOG_SUM)) {
    crd__kernel_f32_kernels_best()->add_to(n, (const float *)(const void *)from, b->sums.real);
    return;
  }
  crd__kernel_block_load(g->dtype, n, from, 1, &more);
  make_terms(g, n, b, step, &more);
  crd__kernel_block_pair(kinds[g->id].combine, g->carrier, n, &b->sums, &more);
}

/* True if a kernel reduces a whole row. */
static bool has_kernel(const reducing *g) {
  return g->dtype == CRD_F32 && g->id != CRD__PROD && g->id != CRD__L1 && g->id != CRD__LOG_SUM_EXP;
}

/* Accumulate a row of any length: into one sum by a kernel, or into all sums of a block. */
static void gather_row(const reducing *g, size_t n, const char *from, gathered *b) {
  const crd__kernel_f32_kernels *const f32 = crd__kernel_f32_kernels_best();
  const float *const float32 = (const float *)(const void *)from;
  crd__kernel_block more;
  if (!has_kernel(g)) {
    const size_t size = crd_dtype_size(g->dtype);
    for (size_t k = 0; k < n; k += CRD__BLOCK)
      gather_block(g, n - k < CRD__BLOCK ? n - k : CRD__BLOCK, from + k * size, 0, b);
    return;
  }
  if (g->id == CRD__MAX) more.real[0] = (double)f32->max(n, float32);
  else if (g->id == CRD__MIN) more.real[0] = (double)f32->min(n, float32);
  else if (g->id == CRD__L2 || g->id == CRD__SUM_SQUARE) more.real[0] = f32->squares(n, float32, 0);
  else more.real[0] = f32->sum(n, float32);
  crd__kernel_block_pair(kinds[g->id].combine, CRD__REAL, 1, &b->sums, &more);
}

/* Reduce all sums of a block into its first. */
static void fold_block(const reducing *g, crd__kernel_block *sums) {
  for (size_t half = g->lanes / 2; half; half /= 2) {
    crd__kernel_block upper;
    for (size_t i = 0; i < half; i++) upper.whole[i] = sums->whole[i + half];
    crd__kernel_block_pair(kinds[g->id].combine, g->carrier, half, sums, &upper);
  }
}

static void finish(const reducing *g, size_t n, gathered *b, size_t at) {
  crd__kernel_block count;
  double *const sums = b->sums.real;
  if (g->id == CRD__MEAN) {
    for (size_t i = 0; i < n; i++) count.real[i] = (double)g->count;
    if (g->carrier != CRD__REAL)
      for (size_t i = 0; i < n; i++) count.natural[i] = g->count;
    crd__kernel_block_pair(CRD__PAIR_DIV, g->carrier, n, &b->sums, &count);
  }
  for (size_t i = 0; i < n && g->id == CRD__L2; i++) sums[i] = sqrt(sums[i]);
  for (size_t i = 0; i < n && (g->id == CRD__LOG_SUM || g->shifted); i++)
    sums[i] = log(sums[i]) + (g->shifted ? b->shift.real[i] : 0);
  crd__kernel_block_store(g->dtype, n, &b->sums, g->y + at * crd_dtype_size(g->dtype), 1);
}

static void reduce_rows(void *arg, size_t from, size_t to) {
  const reducing *const g = arg;
  const size_t size = crd_dtype_size(g->dtype);
  for (size_t o = from; o < to; o++) {
    const size_t base = offset_of(&g->kept, o);
    gathered b;
    start_block(g, 1, o, &b);
    for (size_t r = 0; r < g->gone.total && g->length; r++)
      gather_row(g, g->length, g->x + (base + offset_of(&g->gone, r)) * size, &b);
    fold_block(g, &b.sums);
    finish(g, 1, &b, o);
  }
}

static void reduce_columns(void *arg, size_t from, size_t to) {
  const reducing *const g = arg;
  const size_t size = crd_dtype_size(g->dtype), blocks = (g->length + CRD__BLOCK - 1) / CRD__BLOCK;
  for (size_t w = from; w < to; w++) {
    const size_t first = w % blocks * CRD__BLOCK;
    const size_t n = g->length - first < CRD__BLOCK ? g->length - first : CRD__BLOCK;
    const size_t base = offset_of(&g->kept, w / blocks) + first;
    gathered b;
    start_block(g, n, w / blocks * g->length + first, &b);
    for (size_t r = 0; r < g->gone.total; r++)
      gather_block(g, n, g->x + (base + offset_of(&g->gone, r)) * size, 1, &b);
    finish(g, n, &b, w / blocks * g->length + first);
  }
}

static void add_axis(axes *a, size_t length, size_t step) {
  a->dims[a->rank] = length;
  a->steps[a->rank++] = step;
  a->total *= length;
}

/* Merge and classify the dimensions, from last to first; the axes are stored in that order. */
static void arrange(reducing *g, size_t rank, const int64_t *dims, const bool *reduced) {
  size_t length = 1, step = 1, seen = 0;
  bool gone = false;
  for (size_t d = rank; d-- > 0;) {
    if (dims[d] == 1) continue;
    if (seen++ && reduced[d] != gone) {
      if (step == 1) g->length = length, g->last_gone = gone;
      else add_axis(gone ? &g->gone : &g->kept, length, step);
      step *= length;
      length = 1;
    }
    gone = reduced[d];
    length *= (size_t)dims[d];
  }
  if (step == 1) g->length = length, g->last_gone = gone;
  else add_axis(gone ? &g->gone : &g->kept, length, step);
}

static void reverse(axes *a) {
  for (size_t i = 0, j = a->rank; i + 1 < j--; i++) {
    const size_t dim = a->dims[i], step = a->steps[i];
    a->dims[i] = a->dims[j];
    a->steps[i] = a->steps[j];
    a->dims[j] = dim;
    a->steps[j] = step;
  }
}

static void reduce(unsigned threads, crd__kernel_reduce_id id, crd_dtype dtype, size_t rank,
                   const int64_t *dims, const bool *reduced, const void *x, void *y) {
  reducing g = { .id = id,
                 .dtype = dtype,
                 .carrier = crd__kernel_carrier_of(dtype),
                 .kept.total = 1,
                 .gone.total = 1,
                 .count = 1,
                 .shifted = id == CRD__LOG_SUM_EXP,
                 .x = x,
                 .y = y };
  for (size_t d = 0; d < rank; d++)
    if (reduced[d]) g.count *= (size_t)dims[d];
  arrange(&g, rank, dims, reduced);
  reverse(&g.kept);
  reverse(&g.gone);
  g.lanes = g.last_gone && has_kernel(&g) ? 1 : CRD__BLOCK;
  const size_t blocks = g.last_gone ? 1 : (g.length + CRD__BLOCK - 1) / CRD__BLOCK;
  const size_t each = g.count * (g.last_gone ? 1 : CRD__BLOCK) + 1;
  crd__parallel_spans(threads, g.kept.total * blocks, (1 << 14) / each,
                      g.last_gone ? reduce_rows : reduce_columns, &g);
}

void crd__kernel_reduce_axes(unsigned threads, crd__kernel_reduce_id id, crd_dtype dtype,
                             size_t rank, const int64_t *dims, const bool *reduced, const void *x,
                             void *y) {
  if (id == CRD__LOG_SUM_EXP) reduce(threads, CRD__MAX, dtype, rank, dims, reduced, x, y);
  reduce(threads, id, dtype, rank, dims, reduced, x, y);
}
