/* ties.c -- see ties.h. */
#include "engine/kernel/ties.h"

#include "engine/kernel/walk.h"

enum { OUT, LEFT, BEST, INCOMING };

typedef struct {
  bool add;
  float *out;
  const float *x, *y, *dy;
} tying;

static void count_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const tying *const t = arg;
  const ptrdiff_t step = crd__kernel_walk_step(w, LEFT);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++) {
    const float one = t->x[at[LEFT] + i * step] == t->y[at[BEST] + i] ? 1 : 0;
    t->out[at[OUT] + i] = one + (t->add ? t->out[at[OUT] + i] : 0);
  }
}

static void share_row(void *arg, const crd__kernel_walk *w, size_t n, const ptrdiff_t *at) {
  const tying *const t = arg;
  const ptrdiff_t step = crd__kernel_walk_step(w, LEFT);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)n; i++) {
    const bool tie = t->x[at[LEFT] + i * step] == t->y[at[BEST] + i];
    t->out[at[OUT] + i] = tie ? t->dy[at[INCOMING] + i] / t->out[at[OUT] + i] : 0;
  }
}

void crd__kernel_ties_count(unsigned threads, size_t rank, const int64_t *dims, bool add,
                            const float *x, const int64_t *x_strides, const float *y, float *ties) {
  const crd__kernel_walk w =
      crd__kernel_walk_make(3, rank, dims, (const int64_t *const[]){ NULL, x_strides, NULL });
  tying t = { .add = add, .out = ties, .x = x, .y = y };
  crd__kernel_walk_run(threads, &w, count_row, &t);
}

void crd__kernel_ties_share(unsigned threads, size_t rank, const int64_t *dims, const float *x,
                            const int64_t *x_strides, const float *y, const float *dy,
                            float *ties) {
  const crd__kernel_walk w =
      crd__kernel_walk_make(4, rank, dims, (const int64_t *const[]){ NULL, x_strides, NULL, NULL });
  tying t = { .out = ties, .x = x, .y = y, .dy = dy };
  crd__kernel_walk_run(threads, &w, share_row, &t);
}
