/*
 * scratch.c -- a pool of scratch blocks, reused from one evaluation to the next.
 *
 * Concurrent evaluations take different blocks, without a lock; a returned block is freed if no
 * slot is free.
 */
#include "base/memory.h"
#include "loss/loss.h"

static void destroy(const crd_allocator *alloc, crd__loss_scratch *scratch) {
  if (!scratch) return;
  crd__free(alloc, scratch->bytes);
  crd__free(alloc, scratch);
}

void crd__loss_pool_destroy(const crd_allocator *alloc, crd__loss_pool *pool) {
  if (!pool) return;
  for (size_t i = 0; i < CRD__LOSS_SLOTS; i++) destroy(alloc, atomic_load(&pool->slots[i]));
  crd__free(alloc, pool);
}

static crd__loss_scratch *find(crd__loss_pool *pool) {
  for (size_t i = 0; i < CRD__LOSS_SLOTS; i++) {
    crd__loss_scratch *const found = atomic_exchange(&pool->slots[i], NULL);
    if (found) return found;
  }
  return NULL;
}

void crd__loss_scratch_give(const crd_loss *loss, crd__loss_scratch *scratch) {
  for (size_t i = 0; scratch && i < CRD__LOSS_SLOTS; i++) {
    crd__loss_scratch *nobody = NULL;
    if (atomic_compare_exchange_strong(&loss->pool->slots[i], &nobody, scratch)) return;
  }
  destroy(&loss->alloc, scratch);
}

/* Divides a block into arrays; with `bytes` NULL it only computes the size needed. */
typedef struct {
  unsigned char *bytes;
  size_t at;
} cutter;

static void *cut(cutter *c, size_t count, size_t size) {
  void *const here = c->bytes ? c->bytes + c->at : NULL;
  c->at += (count * size + 63) / 64 * 64;
  return here;
}

static double *numbers(cutter *c, size_t count) { return cut(c, count, sizeof(double)); }

static size_t lay_out(const crd_loss *loss, crd__loss_scratch *s, unsigned char *bytes) {
  const size_t rows = s->rows, cells = rows * s->classes;
  cutter c = { .bytes = bytes };
  double **const whole[] = { &s->p, &s->logits, &s->target };
  double **const of_rows[] = { &s->log_sum, &s->label_log,      &s->label_rest,
                               &s->entropy, &s->confidence,     &s->correct,
                               &s->weight,  &s->slopes.label,   &s->slopes.confidence,
                               &s->squares, &s->slopes.entropy, &s->confidence_rest };
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) *whole[i] = numbers(&c, cells);
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) *of_rows[i] = numbers(&c, rows);
  s->label = cut(&c, rows, sizeof *s->label);
  s->predicted = cut(&c, rows, sizeof *s->predicted);
  s->kept = numbers(&c, rows * loss->row_numbers + s->classes * loss->class_numbers);
  s->row = numbers(&c, s->workers * s->classes);
  return c.at;
}

crd_status crd__loss_scratch_take(crd_context *ctx, const crd_loss *loss, size_t rows,
                                  size_t classes, size_t workers, crd__loss_scratch **out) {
  crd__loss_scratch *s = find(loss->pool);
  *out = NULL;
  if (!s) {
    s = crd__calloc(&loss->alloc, 1, sizeof *s);
    if (!s) return crd__fail(ctx, CRD_ENOMEM, "no memory for a batch");
  }
  s->rows = rows;
  s->classes = classes;
  s->workers = workers;
  const size_t size = lay_out(loss, s, NULL);
  if (size > s->size) {
    crd__free(&loss->alloc, s->bytes);
    s->bytes = crd__calloc(&loss->alloc, size, 1);
    s->size = s->bytes ? size : 0;
    if (!s->bytes) {
      destroy(&loss->alloc, s);
      return crd__fail(ctx, CRD_ENOMEM, "no memory for a batch of %zu rows", rows);
    }
  }
  lay_out(loss, s, s->bytes);
  *out = s;
  return CRD_OK;
}
