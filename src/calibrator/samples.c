/* samples.c -- sorts and groups an event's rows, ties in row order, so that sums are reproducible.
 */
#include "calibrator/samples.h"
#include "base/memory.h"
#include "math/sort.h"

#include <math.h>

enum { CHECKED = 1 << 16 }; /* rows between looks for interrupts */

static crd_status allocate(crd_context *ctx, size_t rows, crd__calibrator_samples *s) {
  CRD_TRY(crd__new(ctx, rows, sizeof *s->x, "samples", &s->x));
  CRD_TRY(crd__new(ctx, rows, sizeof *s->weight, "samples", &s->weight));
  CRD_TRY(crd__new(ctx, rows, sizeof *s->hits, "samples", &s->hits));
  CRD_TRY(crd__new(ctx, rows, sizeof *s->order, "samples", &s->order));
  return crd__new(ctx, rows, sizeof *s->ties, "samples", &s->ties);
}

/* Copies rows of positive weight to `records` (key, row); returns their number. */
static size_t take_rows(const crd__calibrator_event_data *data, const double *scores,
                        uint64_t *records) {
  size_t count = 0;
  for (size_t i = 0; i < data->rows; i++) {
    if (!(data->weights[i] > 0)) continue;
    records[2 * count] = crd__math_sort_signed_key(scores[i]);
    records[2 * count++ + 1] = i;
  }
  return count;
}

/* Returns whether a score is a probability of 0, read as 1e-300: all of these are equal, although
 * normalising and the logarithm changed their last digits. */
static bool is_zero(const crd__calibrator_samples *s, double score) {
  return s->unit == 0 && score > 0 && score < 1e-290;
}

static double slack_of(const crd__calibrator_samples *s, double score) {
  if (is_zero(s, score)) return score;
  return s->slack * fmax(s->unit, fabs(score));
}

static crd_status pool(crd_context *ctx, const crd__calibrator_event_data *data,
                       const double *scores, const uint64_t *records, crd__calibrator_samples *s) {
  /* The frame's weights sum to the number of all rows; the scale is 1 if none is 0. */
  const double scale = (double)s->rows / (double)data->rows;
  double low = 0; /* the first score of the sample */
  for (size_t r = 0; r < s->rows; r++) {
    if (r % CHECKED == 0) CRD_TRY(crd__check_interrupt(ctx));
    const size_t row = (size_t)records[2 * r + 1];
    const double score = scores[row];
    const bool same = r > 0 && records[2 * r] == records[2 * r - 2];
    const bool near = r > 0 && (data->grain >= s->slack || is_zero(s, score)) &&
                      score - low <= slack_of(s, score);
    if (!same && !near) s->x[s->count++] = low = score;
    else if (!same) s->x[s->count - 1] = low + (score - low) / 2;
    const double weight = data->weights[row] * scale;
    s->weight[s->count - 1] += weight;
    s->hits[s->count - 1] += data->happened[row] ? weight : 0;
    s->ties[s->count - 1]++;
    s->order[r] = row;
  }
  return CRD_OK;
}

crd_status crd__calibrator_samples_make(crd_context *ctx, const crd__calibrator_event_data *data,
                                        const double *scores, crd__calibrator_samples *out) {
  uint64_t *records;
  *out = (crd__calibrator_samples){ .unit = scores == data->log_odds,
                                    .slack = fmax(data->grain, 0x1p-46) };
  CRD_TRY(allocate(ctx, data->rows, out));
  CRD_TRY(crd__new(ctx, data->rows, 2 * sizeof *records, "samples", &records));
  out->rows = take_rows(data, scores, records);
  crd_status status = crd__math_sort_many(ctx, records, out->rows, 2);
  if (status == CRD_OK) status = pool(ctx, data, scores, records, out);
  crd__free(&ctx->alloc, records);
  return status;
}

void crd__calibrator_samples_clear(const crd_allocator *alloc, crd__calibrator_samples *samples) {
  crd__free(alloc, samples->x);
  crd__free(alloc, samples->weight);
  crd__free(alloc, samples->hits);
  crd__free(alloc, samples->ties);
  crd__free(alloc, samples->order);
  *samples = (crd__calibrator_samples){ 0 };
}

size_t crd__calibrator_samples_cut(const crd__calibrator_samples *s, size_t bins, size_t *ends) {
  static const double slack = 1e-9; /* equal weights sum to integers up to rounding */
  if (bins > s->rows) bins = s->rows;
  const size_t size = s->rows / bins, longer = s->rows % bins;
  size_t made = 0, next = 1;
  double mass = 0;
  for (size_t i = 0; i + 1 < s->count; i++) {
    mass += s->weight[i];
    size_t end = 0;
    for (; next < bins; next++) {
      const double cut = (double)(next * size + (next < longer ? next : longer));
      if (cut > mass + slack) break;
      if (!end) end = cut < mass - slack ? 2 * i + 1 : 2 * i + 2;
    }
    if (end) ends[made++] = end;
  }
  ends[made++] = 2 * s->count;
  return made;
}

double crd__calibrator_samples_above(const crd__calibrator_samples *s, size_t i) {
  const double above = s->x[i] + slack_of(s, s->x[i]);
  return i + 1 < s->count ? fmin(above, crd__calibrator_samples_edge(s, 2 * i + 2)) : above;
}

double crd__calibrator_samples_below(const crd__calibrator_samples *s, size_t i) {
  const double below = fmin(s->x[i] - slack_of(s, s->x[i]), nextafter(s->x[i], -INFINITY));
  return i > 0 ? fmax(below, crd__calibrator_samples_edge(s, 2 * i)) : below;
}

double crd__calibrator_samples_edge(const crd__calibrator_samples *s, size_t place) {
  if (place % 2) return crd__calibrator_samples_above(s, place / 2);
  const double low = s->x[place / 2 - 1], high = s->x[place / 2], middle = (low + high) / 2;
  return middle < high ? middle : low;
}

crd__calibrator_tally crd__calibrator_samples_sum(const crd__calibrator_samples *s, size_t from,
                                                  size_t to) {
  crd__calibrator_tally sum = { 0, 0 };
  for (size_t i = crd__calibrator_samples_before(from); i < crd__calibrator_samples_before(to);
       i++) {
    sum.weight += s->weight[i];
    sum.hits += s->hits[i];
  }
  return sum;
}
