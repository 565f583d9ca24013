/* reduce.c -- partial sums of chunks, added in order. */
#include "base/reduce.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum { CHUNKS_MAX = 16, CHUNK_MIN = 1024 };
static const double alone = 0x1p21; /* operations that one thread performs in about a millisecond */

typedef struct {
  crd__partial_fn fn;
  void *arg;
  double *partial;
  size_t chunk, terms;
} reduction;

static size_t chunk_size(size_t rows) {
  const size_t share = (rows + CHUNKS_MAX - 1) / CHUNKS_MAX;
  return share < CHUNK_MIN ? CHUNK_MIN : share;
}

static size_t chunk_count(size_t rows) { return (rows + chunk_size(rows) - 1) / chunk_size(rows); }

size_t crd__reduce_cells(size_t rows, size_t terms) {
  size_t cells;
  return crd__size_mul(chunk_count(rows), terms, &cells) ? cells : SIZE_MAX;
}

static crd_status add_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from, size_t to) {
  const reduction *const r = arg;
  double *const sums = r->partial + from / r->chunk * r->terms;
  (void)ctx;
  (void)worker;
  memset(sums, 0, r->terms * sizeof *sums);
  r->fn(r->arg, from, to, sums);
  return CRD_OK;
}

/* Adds the same chunks sequentially. */
static crd_status add_alone(crd_context *ctx, reduction *r, size_t rows) {
  CRD_TRY(crd__check_interrupt(ctx));
  for (size_t from = 0; from < rows; from += r->chunk)
    CRD_TRY(add_chunk(ctx, r, 0, from, rows - from < r->chunk ? rows : from + r->chunk));
  return CRD_OK;
}

crd_status crd__reduce_in(crd_context *ctx, crd__load load, size_t terms, crd__partial_fn fn,
                          void *arg, double *partial, double *sums) {
  const size_t rows = load.rows;
  reduction r = {
    .fn = fn, .arg = arg, .partial = partial, .terms = terms, .chunk = chunk_size(rows)
  };
  const crd_status status = (double)rows * (double)load.work < alone
                                ? add_alone(ctx, &r, rows)
                                : crd__parallel_for(ctx, NULL, rows, r.chunk, add_chunk, &r);
  for (size_t t = 0; t < terms; t++) sums[t] = 0;
  for (size_t c = 0; status == CRD_OK && c < chunk_count(rows); c++)
    for (size_t t = 0; t < terms; t++) sums[t] += partial[c * terms + t];
  return status;
}

crd_status crd__reduce(crd_context *ctx, crd__load load, size_t terms, crd__partial_fn fn,
                       void *arg, double *sums) {
  double *partial;
  CRD_TRY(crd__new(ctx, crd__reduce_cells(load.rows, terms), sizeof *partial, "sums", &partial));
  const crd_status status = crd__reduce_in(ctx, load, terms, fn, arg, partial, sums);
  crd__free(&ctx->alloc, partial);
  return status;
}
