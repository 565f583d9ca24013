/*
 * trust_filter.c -- density filtering of TrustScore: per class, the rows with the largest k-NN
 * radii are left out (Jiang et al. 2018, algorithm 1).
 *
 * The radius of a row is the distance to its k-th nearest row of the class, itself included. Of n
 * rows, n - floor(alpha n) are kept, and with them all whose radius equals the largest kept one, so
 * that the order of the rows does not matter.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "math/neighbours.h"
#include "refine/trust.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 32 };

typedef struct {
  const crd_trust *trust;
  const size_t *starts; /* of each class, and the end */
  double *squares;      /* CHUNK x k for each worker */
  double *radii;        /* squared, of each row */
} measuring;

static size_t wanted_of(const measuring *m, size_t class) {
  const size_t k = (size_t)m->trust->set[CRD__TRUST_K];
  return m->trust->counts[class] < k ? m->trust->counts[class] : k;
}

static crd_status measure_chunk(crd_context *ctx, void *arg, unsigned worker, size_t from,
                                size_t to) {
  const measuring *const m = arg;
  const size_t width = m->trust->summary.width;
  double *const squares = m->squares + (size_t)worker * CHUNK * (size_t)m->trust->set[CRD__TRUST_K];
  (void)ctx;
  for (size_t c = 0; from < to; c++) {
    if (m->starts[c + 1] <= from) continue;
    const size_t end = m->starts[c + 1] < to ? m->starts[c + 1] : to, wanted = wanted_of(m, c);
    crd__math_neighbours(m->trust->features + from * width, end - from,
                         m->trust->features + m->starts[c] * width, m->trust->counts[c], width,
                         wanted, squares, NULL);
    for (size_t i = 0; i < end - from; i++) m->radii[from + i] = squares[i * wanted + wanted - 1];
    from = end;
  }
  return CRD_OK;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Moves the kept rows of all classes to the front. `sorted` is a scratch buffer. */
static void keep_rows(crd_trust *t, const measuring *m, double *sorted) {
  const size_t width = t->summary.width;
  size_t kept = 0;
  for (size_t c = 0; c < t->summary.classes; c++) {
    const size_t first = m->starts[c], count = t->counts[c];
    const size_t most = count - (size_t)(t->set[CRD__TRUST_ALPHA] * (double)count + 1e-9);
    if (count == 0) continue;
    memcpy(sorted, m->radii + first, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    t->counts[c] = 0;
    for (size_t i = first; i < first + count; i++) {
      if (m->radii[i] > sorted[most - 1]) continue;
      memmove(t->features + kept++ * width, t->features + i * width, width * sizeof *t->features);
      t->counts[c]++;
    }
  }
  t->summary.kept = kept;
}

crd_status crd__refine_trust_filter(crd_context *ctx, crd_trust *trust) {
  const size_t rows = trust->summary.rows, classes = trust->summary.classes;
  const unsigned workers = crd__parallel_workers(ctx, rows / CHUNK + 1);
  size_t *starts = NULL;
  double *sorted = NULL;
  measuring m = { .trust = trust };
  const size_t block = CHUNK * (size_t)trust->set[CRD__TRUST_K];
  crd_status status = crd__new(ctx, classes + 1, sizeof *starts, "classes", &starts);
  if (status == CRD_OK)
    status = crd__new(ctx, (size_t)workers * block, sizeof(double), "neighbours", &m.squares);
  if (status == CRD_OK) status = crd__new(ctx, rows, sizeof(double), "radii", &m.radii);
  if (status == CRD_OK) status = crd__new(ctx, rows, sizeof *sorted, "radii", &sorted);
  if (status == CRD_OK) {
    for (size_t c = 0; c < classes; c++) starts[c + 1] = starts[c] + trust->counts[c];
    m.starts = starts;
    status = crd__parallel_for(ctx, "filtering", rows, CHUNK, measure_chunk, &m);
  }
  if (status == CRD_OK) keep_rows(trust, &m, sorted);
  crd__free(&ctx->alloc, starts);
  crd__free(&ctx->alloc, m.squares);
  crd__free(&ctx->alloc, m.radii);
  crd__free(&ctx->alloc, sorted);
  return status;
}
