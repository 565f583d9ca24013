/* reduce.c -- partial sums by chunk, added in order. */
#include "base/reduce.h"
#include "base/memory.h"
#include "base/parallel.h"

enum { CHUNKS_MAX = 16, CHUNK_MIN = 256 };

typedef struct {
  crd__partial_fn fn;
  void *arg;
  double *partial;
  size_t chunk, terms;
} reduction;

static crd_status add_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from, size_t to) {
  const reduction *const r = arg;
  (void)ctx;
  (void)worker;
  r->fn(r->arg, from, to, r->partial + from / r->chunk * r->terms);
  return CRD_OK;
}

crd_status crd__reduce(crd_context *ctx, size_t rows, size_t terms, crd__partial_fn fn, void *arg,
                       double *sums) {
  const size_t share = (rows + CHUNKS_MAX - 1) / CHUNKS_MAX;
  reduction r = { .fn = fn, .arg = arg, .terms = terms };
  r.chunk = share < CHUNK_MIN ? CHUNK_MIN : share;
  const size_t chunks = (rows + r.chunk - 1) / r.chunk;
  size_t cells;
  if (!crd__size_mul(chunks, terms, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof *r.partial, "sums", &r.partial));
  const crd_status status = crd__parallel_for(ctx, NULL, rows, r.chunk, add_chunk, &r);
  for (size_t t = 0; t < terms; t++) sums[t] = 0;
  for (size_t c = 0; status == CRD_OK && c < chunks; c++)
    for (size_t t = 0; t < terms; t++) sums[t] += r.partial[c * terms + t];
  crd__free(&ctx->alloc, r.partial);
  return status;
}
