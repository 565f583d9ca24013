/* reduce_back.c -- gradients of reductions, see reduce.h. */
#include "engine/kernel/reduce.h"

#include "engine/kernel/walk.h"

#include <math.h>

crd__kernel_reduce_reads crd__kernel_reduce_back_reads(crd__kernel_reduce_id id) {
  static const crd__kernel_reduce_reads reads[CRD__REDUCTIONS] = {
    [CRD__PROD] = { true, false, 2 },    [CRD__MAX] = { true, true, 1 },
    [CRD__MIN] = { true, true, 1 },      [CRD__L1] = { true, false, 0 },
    [CRD__L2] = { true, true, 0 },       [CRD__SUM_SQUARE] = { true, false, 0 },
    [CRD__LOG_SUM] = { false, true, 0 }, [CRD__LOG_SUM_EXP] = { true, true, 0 },
  };
  return reads[id];
}

/* Compute the strides of the result broadcast to the shape of x. */
static void strides_of(const crd__kernel_reduction *r, int64_t *strides) {
  int64_t step = 1;
  for (size_t d = r->rank; d-- > 0;) {
    strides[d] = r->reduced[d] ? 0 : step;
    if (!r->reduced[d]) step *= r->dims[d];
  }
}

typedef struct {
  float factor;
  float *dx;
  const float *x, *y, *dy, *ties, *product;
} spreading;

/* dx = dy factor */
static void spread_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const spreading *const s = arg;
  const ptrdiff_t step = crd__kernel_walk_step(w, 1);
  float *const dx = s->dx + at[0];
  const float *const dy = s->dy + at[1];
  if (step == 0)
    for (size_t i = 0; i < n; i++) dx[i] = *dy * s->factor;
  else
    for (size_t i = 0; i < n; i++) dx[i] = dy[(ptrdiff_t)i * step] * s->factor;
}

/* ---- Maxima and minima. */

/* dx = 1 where x is the maximum or minimum, else 0 */
static void mark_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const spreading *const s = arg;
  const ptrdiff_t step = crd__kernel_walk_step(w, 2);
  for (size_t i = 0; i < n; i++)
    s->dx[at[0] + (ptrdiff_t)i] =
        s->x[at[1] + (ptrdiff_t)i] == s->y[at[2] + (ptrdiff_t)i * step] ? 1 : 0;
}

/* dx = dx dy / ties */
static void share_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const spreading *const s = arg;
  for (size_t i = 0; i < n; i++) {
    const ptrdiff_t from = at[1] + (ptrdiff_t)i * crd__kernel_walk_step(w, 1);
    s->dx[at[0] + (ptrdiff_t)i] *= s->dy[from] / s->ties[from];
  }
}

/* ---- Products: that of the other elements is y / x, unless one of them is 0. */

/* dx = 1 where x is 0, else 0 */
static void zeros_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const spreading *const s = arg;
  (void)w;
  for (size_t i = 0; i < n; i++)
    s->dx[at[0] + (ptrdiff_t)i] = s->x[at[1] + (ptrdiff_t)i] == 0 ? 1 : 0;
}

/* dx = x, or 1 where x is 0 */
static void others_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const spreading *const s = arg;
  (void)w;
  for (size_t i = 0; i < n; i++) {
    const float x = s->x[at[1] + (ptrdiff_t)i];
    s->dx[at[0] + (ptrdiff_t)i] = x == 0 ? 1 : x;
  }
}

/* With one 0, only the gradient with respect to that element is not 0; with two, none is. */
static void quotient_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const spreading *const s = arg;
  for (size_t i = 0; i < n; i++) {
    const ptrdiff_t from = at[2] + (ptrdiff_t)i * crd__kernel_walk_step(w, 2);
    const float x = s->x[at[1] + (ptrdiff_t)i], zeros = s->ties[from];
    const float others = x == 0 ? s->product[from] : s->product[from] / x;
    s->dx[at[0] + (ptrdiff_t)i] = zeros == (x == 0 ? 1.0F : 0.0F) ? s->dy[from] * others : 0;
  }
}

/* ---- Functions of sums. */

#define FUNCTION(name, value)                                                                      \
  static void name##_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {    \
    const spreading *const s = arg;                                                                \
    for (size_t i = 0; i < n; i++) {                                                               \
      const ptrdiff_t from = at[2] + (ptrdiff_t)i * crd__kernel_walk_step(w, 2);                   \
      const float x = s->x[at[1] + (ptrdiff_t)i], y = s->y[from], g = s->dy[from];                 \
      (void)x;                                                                                     \
      (void)y;                                                                                     \
      s->dx[at[0] + (ptrdiff_t)i] = (value);                                                       \
    }                                                                                              \
  }

FUNCTION(l1, x > 0 ? g : x < 0 ? -g : 0)
FUNCTION(l2, y == 0 ? 0 : g * (x / y))
FUNCTION(sum_square, 2 * g * x)
FUNCTION(log_sum, g *expf(-y))
FUNCTION(log_sum_exp, g *expf(x - y))

static crd__kernel_walk_row *const functions[CRD__REDUCTIONS] = {
  [CRD__L1] = l1_row,
  [CRD__L2] = l2_row,
  [CRD__SUM_SQUARE] = sum_square_row,
  [CRD__LOG_SUM] = log_sum_row,
  [CRD__LOG_SUM_EXP] = log_sum_exp_row,
};

void crd__kernel_reduce_back(unsigned threads, const crd__kernel_reduction *r, const float *x,
                             const float *y, const float *dy, float *work, float *dx) {
  int64_t strides[CRD_RANK_MAX];
  /* Operands that are not needed are read nevertheless: dx and dy are passed in their place. */
  spreading s = { .factor = 1, .dx = dx, .x = x ? x : dx, .y = y ? y : dy, .dy = dy, .ties = work };
  double count = 1;
  size_t results = 1;
  strides_of(r, strides);
  for (size_t d = 0; d < r->rank; d++) {
    if (r->reduced[d]) count *= (double)r->dims[d];
    else results *= (size_t)r->dims[d];
  }
  if (r->id == CRD__MEAN) s.factor = (float)(1 / count);
  const crd__kernel_walk two =
      crd__kernel_walk_make(2, r->rank, r->dims, (const int64_t *const[]){ NULL, strides });
  const crd__kernel_walk three =
      crd__kernel_walk_make(3, r->rank, r->dims, (const int64_t *const[]){ NULL, NULL, strides });
  if (functions[r->id]) {
    crd__kernel_walk_run(threads, &three, functions[r->id], &s);
  } else if (r->id == CRD__PROD) {
    s.product = work + results;
    crd__kernel_walk_run(threads, &three, zeros_row, &s);
    crd__kernel_reduce_axes(threads, CRD__SUM, CRD_F32, r->rank, r->dims, r->reduced, dx, work);
    crd__kernel_walk_run(threads, &three, others_row, &s);
    crd__kernel_reduce_axes(threads, CRD__PROD, CRD_F32, r->rank, r->dims, r->reduced, dx,
                            work + results);
    crd__kernel_walk_run(threads, &three, quotient_row, &s);
  } else if (r->id == CRD__MAX || r->id == CRD__MIN) {
    crd__kernel_walk_run(threads, &three, mark_row, &s);
    crd__kernel_reduce_axes(threads, CRD__SUM, CRD_F32, r->rank, r->dims, r->reduced, dx, work);
    crd__kernel_walk_run(threads, &two, share_row, &s);
  } else crd__kernel_walk_run(threads, &two, spread_row, &s);
}
