/* dropout.c -- see dropout.h. */
#include "engine/kernel/dropout.h"

#include "base/parallel.h"
#include "base/random.h"

#include <math.h>

enum { EACH = 4 };

typedef struct {
  const crd__kernel_dropout *d;
  size_t n;
  uint64_t threshold; /* out of 2^32: an element is dropped if its random number is below */
  const float *x;
  float *y, scale;
  unsigned char *mask;
} dropping;

static void draw(const dropping *g, size_t block, uint32_t bits[EACH]) {
  const uint32_t key[2] = { (uint32_t)g->d->seed, (uint32_t)(g->d->seed >> 32) };
  bits[0] = (uint32_t)block;
  bits[1] = (uint32_t)((uint64_t)block >> 32);
  bits[2] = g->d->node;
  bits[3] = g->d->run;
  crd__philox(bits, key);
}

static void drop_blocks(void *arg, size_t from, size_t to) {
  const dropping *const g = arg;
  for (size_t b = from; b < to; b++) {
    uint32_t bits[EACH];
    draw(g, b, bits);
    for (size_t i = 0; i < EACH && b * EACH + i < g->n; i++) {
      const bool stays = bits[i] >= g->threshold;
      if (g->mask) g->mask[b * EACH + i] = stays;
      else g->y[b * EACH + i] = stays ? g->x[b * EACH + i] * g->scale : 0;
    }
  }
}

static void drop(unsigned threads, dropping *g) {
  g->threshold = (uint64_t)llround(g->d->ratio * 0x1p32);
  crd__parallel_spans(threads, (g->n + EACH - 1) / EACH, 1 << 9, drop_blocks, g);
}

void crd__kernel_dropout_run(unsigned threads, const crd__kernel_dropout *d, size_t n,
                             const float *x, float *y) {
  dropping g = { .d = d, .n = n, .x = x, .y = y, .scale = (float)(1 / (1 - d->ratio)) };
  drop(threads, &g);
}

void crd__kernel_dropout_mask(unsigned threads, const crd__kernel_dropout *d, size_t n,
                              unsigned char *mask) {
  dropping g = { .d = d, .n = n, .mask = mask };
  drop(threads, &g);
}
