/* affinity.c -- nearest neighbours, a precision for each row, symmetrisation. */
#include "math/tsne/affinity.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "math/neighbours.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 64, HALVINGS_MAX = 80 };
static const double log_precision_max = 100, entropy_slack = 1e-10;

/* ---- One row. */

/* The nearest is at distance 0, so the sum is at least 1. */
static double entropy_at(const double *squares, size_t count, double precision) {
  double sum = 0, mean = 0;
  for (size_t k = 0; k < count; k++) {
    const double p = exp(-precision * squares[k]);
    sum += p;
    mean += p * squares[k];
  }
  return log(sum) + precision * mean / sum;
}

/* Entropy decreases with precision over orders of magnitude: binary search of its logarithm. */
static double find_precision(const double *squares, size_t count, double entropy) {
  double low = -log_precision_max, high = log_precision_max, middle = 0;
  for (size_t t = 0; t < HALVINGS_MAX; t++) {
    const double excess = entropy_at(squares, count, exp(middle)) - entropy;
    if (fabs(excess) <= entropy_slack) break;
    if (excess > 0) low = middle;
    else high = middle;
    middle = (low + high) / 2;
  }
  return exp(middle);
}

void crd__math_affinity_row(double *squares, size_t count, double perplexity) {
  const double nearest = squares[0];
  double mean = 0, sum = 0;
  for (size_t k = 0; k < count; k++) {
    squares[k] -= nearest;
    mean += squares[k] / (double)count;
  }
  for (size_t k = 0; k < count && mean > 0; k++) squares[k] /= mean; /* units do not matter */
  const double precision = find_precision(squares, count, log(perplexity));
  for (size_t k = 0; k < count; k++) {
    squares[k] = exp(-precision * squares[k]);
    sum += squares[k];
  }
  for (size_t k = 0; k < count; k++) squares[k] /= sum;
}

/* ---- All rows: each keeps `count` neighbours of the `count` + 1 found, which include itself. */

typedef struct {
  const double *x;
  size_t rows, width, count;
  double perplexity;
  double *chance; /* rows x (count + 1); the last column is unused once a row is done */
  size_t *which;
} choice;

/* A row is at distance 0 from itself, but after earlier duplicates of it, or not in the list. */
static void leave_out(size_t row, double *squares, size_t *which, size_t count) {
  size_t place = 0;
  while (place < count && which[place] != row) place++;
  memmove(squares + place, squares + place + 1, (count - place) * sizeof *squares);
  memmove(which + place, which + place + 1, (count - place) * sizeof *which);
}

static crd_status choose_rows(crd_context *ctx, void *arg, unsigned worker, size_t from,
                              size_t to) {
  const choice *const c = arg;
  const size_t step = c->count + 1;
  (void)ctx;
  (void)worker;
  crd__math_neighbours(c->x + from * c->width, to - from, c->x, c->rows, c->width, step,
                       c->chance + from * step, c->which + from * step);
  for (size_t i = from; i < to; i++) {
    leave_out(i, c->chance + i * step, c->which + i * step, c->count);
    crd__math_affinity_row(c->chance + i * step, c->count, c->perplexity);
  }
  return CRD_OK;
}

/* ---- Symmetrisation. */

/* Stores every p(j|i) twice, in row i and in row j. */
static void lay_out(const choice *c, crd__math_affinities *out, size_t *cursor) {
  for (size_t i = 0; i < c->rows; i++)
    for (size_t k = 0; k < c->count; k++) {
      out->start[i + 1]++;
      out->start[c->which[i * (c->count + 1) + k] + 1]++;
    }
  for (size_t i = 0; i < c->rows; i++) {
    out->start[i + 1] += out->start[i];
    cursor[i] = out->start[i];
  }
  for (size_t i = 0; i < c->rows; i++)
    for (size_t k = 0; k < c->count; k++) {
      const size_t at = i * (c->count + 1) + k, j = c->which[at];
      const double share = c->chance[at] / (2 * (double)c->rows);
      out->column[cursor[i]] = j;
      out->value[cursor[i]++] = share;
      out->column[cursor[j]] = i;
      out->value[cursor[j]++] = share;
    }
}

/* Merges the two elements of pairs that chose each other. seen[j]: 1 + the index of the last
 * element of column j, which counts if it is in this row. */
static void merge_pairs(crd__math_affinities *a, size_t *seen) {
  size_t end = 0;
  memset(seen, 0, a->rows * sizeof *seen);
  for (size_t i = 0, from = 0; i < a->rows; i++) {
    const size_t to = a->start[i + 1], first = end;
    for (size_t e = from; e < to; e++) {
      const size_t j = a->column[e];
      if (seen[j] > first) a->value[seen[j] - 1] += a->value[e];
      else {
        a->column[end] = j;
        a->value[end++] = a->value[e];
        seen[j] = end;
      }
    }
    from = to;
    a->start[i + 1] = end;
  }
}

static crd_status add_directions(crd_context *ctx, const choice *c, crd__math_affinities *out) {
  const size_t elements = 2 * c->rows * c->count; /* cannot overflow: c->chance is larger */
  size_t *scratch;
  out->rows = c->rows;
  CRD_TRY(crd__new(ctx, c->rows + 1, sizeof *out->start, "neighbours", &out->start));
  CRD_TRY(crd__new(ctx, elements, sizeof *out->column, "neighbours", &out->column));
  CRD_TRY(crd__new(ctx, elements, sizeof *out->value, "neighbours", &out->value));
  CRD_TRY(crd__new(ctx, c->rows, sizeof *scratch, "neighbours", &scratch));
  lay_out(c, out, scratch);
  merge_pairs(out, scratch);
  crd__free(&ctx->alloc, scratch);
  return CRD_OK;
}

crd_status crd__math_affinities_compute(crd_context *ctx, const double *x, size_t rows,
                                        size_t width, double perplexity,
                                        crd__math_affinities *out) {
  const double most = (double)(rows - 1);
  choice c = { .x = x,
               .rows = rows,
               .width = width,
               .count = (size_t)fmin(3 * perplexity, most),
               .perplexity = perplexity };
  size_t cells;
  *out = (crd__math_affinities){ 0 };
  if (!crd__size_mul(rows, c.count + 1, &cells)) cells = SIZE_MAX;
  crd_status status = crd__new(ctx, cells, sizeof *c.chance, "neighbours", &c.chance);
  if (status == CRD_OK) status = crd__new(ctx, cells, sizeof *c.which, "neighbours", &c.which);
  if (status == CRD_OK)
    status = crd__parallel_for(ctx, "finding neighbours", rows, CHUNK, choose_rows, &c);
  if (status == CRD_OK) status = add_directions(ctx, &c, out);
  crd__free(&ctx->alloc, c.chance);
  crd__free(&ctx->alloc, c.which);
  if (status != CRD_OK) crd__math_affinities_free(&ctx->alloc, out);
  return status;
}

void crd__math_affinities_free(const crd_allocator *alloc, crd__math_affinities *affinities) {
  crd__free(alloc, affinities->start);
  crd__free(alloc, affinities->column);
  crd__free(alloc, affinities->value);
  *affinities = (crd__math_affinities){ 0 };
}
