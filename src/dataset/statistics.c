/*
 * statistics.c -- mean and standard deviation (of the population) of each channel or column.
 *
 * Samples are divided into at most 64 pieces, whatever the number of threads; means and sums of
 * squared deviations of the pieces are merged in their order:
 *
 *   d = m2 - m1,  m = m1 + d n2 / n,  q = q1 + q2 + d^2 n1 n2 / n
 *
 *   Chan, Golub, LeVeque: Updating formulae and a pairwise algorithm for computing sample
 * variances. COMPSTAT 1982.
 *
 * Within a plane of an image, deviations are from its own mean (two passes). Sums over bytes are
 * exact integers. A channel whose values are all equal keeps its scale: its deviation becomes 1.
 */
#include "dataset/statistics.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>

enum { PIECES = 64, RUN = 4096 /* bytes whose squares can be added in 32 bits */ };

typedef struct {
  double count, mean, squares; /* number of values, their mean, sum of squared deviations */
  float low, high;
} cell;

typedef struct {
  const crd_dataset *dataset;
  size_t channels, area, step;
  cell *cells; /* channels of each piece */
} statistics;

size_t crd__dataset_channels(const crd_dataset *dataset) {
  const crd__dataset_store *const store = dataset->store;
  if (store->type == CRD_SAMPLES_TEXTS) return 0;
  return store->type == CRD_SAMPLES_IMAGES ? (size_t)store->dims[0]
                                           : crd__dataset_store_size(store);
}

static void merge(cell *to, const cell *from) {
  const double n = to->count + from->count;
  if (from->count == 0) return;
  if (to->count == 0) {
    *to = *from;
    return;
  }
  const double d = from->mean - to->mean;
  to->mean += d * (from->count / n);
  to->squares += from->squares + d * d * (to->count * from->count / n);
  to->count = n;
  if (from->low < to->low) to->low = from->low;
  if (from->high > to->high) to->high = from->high;
}

/* ---- One plane. */

static void add_floats(const float *values, size_t area, cell *to) {
  cell here = { .count = (double)area, .low = values[0], .high = values[0] };
  double sum = 0;
  for (size_t i = 0; i < area; i++) {
    sum += (double)values[i];
    here.low = values[i] < here.low ? values[i] : here.low;
    here.high = values[i] > here.high ? values[i] : here.high;
  }
  here.mean = area == 1 ? (double)values[0] : sum / (double)area;
  for (size_t i = 0; area > 1 && i < area; i++) {
    const double d = (double)values[i] - here.mean;
    here.squares += d * d;
  }
  merge(to, &here);
}

static void add_bytes(const unsigned char *values, size_t area, cell *to) {
  uint64_t sum = 0, squares = 0;
  unsigned char low = 255, high = 0;
  for (size_t at = 0; at < area; at += RUN) {
    const size_t end = area - at < RUN ? area : at + RUN;
    uint32_t part = 0, part_squares = 0;
    for (size_t i = at; i < end; i++) {
      part += values[i];
      part_squares += (uint32_t)values[i] * values[i];
      low = values[i] < low ? values[i] : low;
      high = values[i] > high ? values[i] : high;
    }
    sum += part;
    squares += part_squares;
  }
  const double n = (double)area, mean = (double)sum / n;
  const cell here = { .count = n,
                      .mean = mean / 255,
                      .squares = ((double)squares - (double)sum * mean) / (255.0 * 255.0),
                      .low = (float)low / 255.0F,
                      .high = (float)high / 255.0F };
  merge(to, &here);
}

/* ---- Pieces. */

typedef struct {
  float *values, *scratch;
  unsigned char *bytes;
} buffers;

static crd_status add_sample(crd_context *ctx, const statistics *s, const buffers *b, size_t row,
                             cell *cells) {
  const crd__dataset_store *const store = s->dataset->store;
  const size_t index = s->dataset->rows[row];
  const unsigned char *bytes;
  CRD_TRY(crd__dataset_store_bytes(ctx, store, index, b->bytes, &bytes));
  if (!bytes) CRD_TRY(crd__dataset_store_read(ctx, store, index, b->scratch, b->values));
  for (size_t c = 0; c < s->channels; c++) {
    if (bytes) add_bytes(bytes + c * s->area, s->area, &cells[c]);
    else add_floats(b->values + c * s->area, s->area, &cells[c]);
  }
  return CRD_OK;
}

static crd_status allocate(crd_context *ctx, const statistics *s, buffers *out) {
  const size_t size = s->channels * s->area;
  *out = (buffers){ 0 };
  CRD_TRY(crd__new(ctx, size, sizeof *out->values, "a sample", &out->values));
  CRD_TRY(crd__new(ctx, size, sizeof *out->scratch, "a sample", &out->scratch));
  return crd__new(ctx, size, 1, "a sample", &out->bytes);
}

static void clear(const crd_allocator *alloc, buffers *b) {
  crd__free(alloc, b->values);
  crd__free(alloc, b->scratch);
  crd__free(alloc, b->bytes);
}

static crd_status add_piece(crd_context *local, void *arg, unsigned worker, size_t from,
                            size_t to) {
  const statistics *const s = arg;
  buffers b;
  (void)worker;
  crd_status status = allocate(local, s, &b);
  for (size_t row = from; status == CRD_OK && row < to; row++)
    status = add_sample(local, s, &b, row, s->cells + from / s->step * s->channels);
  clear(&local->alloc, &b);
  return status;
}

/* ---- All of them. */

/* Names the first sample that holds a number that is not finite. */
static crd_status refuse(crd_context *ctx, const statistics *s) {
  char text[CRD__DATASET_ROW_TEXT];
  const size_t size = s->channels * s->area;
  buffers b;
  crd_status status = allocate(ctx, s, &b);
  for (size_t row = 0; status == CRD_OK && row < s->dataset->shape.rows; row++) {
    status =
        crd__dataset_store_read(ctx, s->dataset->store, s->dataset->rows[row], b.scratch, b.values);
    for (size_t i = 0; status == CRD_OK && i < size; i++)
      if (!isfinite(b.values[i]))
        status =
            crd__fail(ctx, CRD_EINPUT, "%s: %s, element %zu: found %s, expected a finite number",
                      crd__dataset_title(s->dataset), crd__dataset_row_text(s->dataset, row, text),
                      i, isnan(b.values[i]) ? "nan" : "an infinity");
  }
  clear(&ctx->alloc, &b);
  if (status != CRD_OK) return status;
  return crd__fail(ctx, CRD_ENUMERIC, "%s: mean and standard deviation are not finite",
                   crd__dataset_title(s->dataset));
}

static crd_status finish(crd_context *ctx, const statistics *s, double *mean, double *std) {
  for (size_t c = 0; c < s->channels; c++) {
    cell all = { 0 };
    for (size_t p = 0; p < PIECES; p++) merge(&all, &s->cells[p * s->channels + c]);
    const bool constant = all.low == all.high;
    mean[c] = constant ? (double)all.low : all.mean;
    std[c] = constant ? 1 : sqrt(all.squares / all.count);
    if (!isfinite(mean[c]) || !isfinite(std[c])) return refuse(ctx, s);
  }
  return CRD_OK;
}

crd_status crd__dataset_statistics(crd_context *ctx, const crd_dataset *dataset, double *mean,
                                   double *std) {
  const size_t rows = dataset->shape.rows;
  statistics s = { .dataset = dataset, .channels = crd__dataset_channels(dataset) };
  size_t cells;
  if (s.channels == 0 || rows == 0) return CRD_OK;
  s.area = crd__dataset_store_size(dataset->store) / s.channels;
  s.step = (rows + PIECES - 1) / PIECES;
  if (!crd__size_mul(s.channels, PIECES, &cells)) cells = SIZE_MAX;
  CRD_TRY(crd__new(ctx, cells, sizeof *s.cells, "mean and standard deviation", &s.cells));
  crd_status status = crd__parallel_for(ctx, "statistics", rows, s.step, add_piece, &s);
  if (status == CRD_OK) status = finish(ctx, &s, mean, std);
  crd__free(&ctx->alloc, s.cells);
  return status;
}
