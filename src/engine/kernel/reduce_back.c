/* reduce_back.c -- gradients of sums, means and maxima, see reduce.h. */
#include "engine/kernel/reduce.h"

#include "engine/kernel/walk.h"

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
  const float *x, *y, *dy, *ties;
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

/* dx = 1 where x is the maximum, else 0 */
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

void crd__kernel_reduce_back(unsigned threads, const crd__kernel_reduction *r, const float *x,
                             const float *y, const float *dy, float *ties, float *dx) {
  int64_t strides[CRD_RANK_MAX];
  spreading s = { .factor = 1, .dx = dx, .x = x, .y = y, .dy = dy, .ties = ties };
  double count = 1;
  strides_of(r, strides);
  for (size_t d = 0; d < r->rank; d++)
    if (r->reduced[d]) count *= (double)r->dims[d];
  if (r->id == CRD__MEAN) s.factor = (float)(1 / count);
  const crd__kernel_walk two =
      crd__kernel_walk_make(2, r->rank, r->dims, (const int64_t *const[]){ NULL, strides });
  const crd__kernel_walk three =
      crd__kernel_walk_make(3, r->rank, r->dims, (const int64_t *const[]){ NULL, NULL, strides });
  if (r->id != CRD__MAX) {
    crd__kernel_walk_run(threads, &two, spread_row, &s);
    return;
  }
  crd__kernel_walk_run(threads, &three, mark_row, &s);
  crd__kernel_reduce_axes(threads, CRD__SUM, CRD_F32, r->rank, r->dims, r->reduced, dx, ties);
  crd__kernel_walk_run(threads, &two, share_row, &s);
}
