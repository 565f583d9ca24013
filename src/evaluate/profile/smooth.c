/*
 * smooth.c -- the smooth reliability curve: at a confidence t, the accuracy of rows around it,
 *   sum_i w_i a_i K(t, c_i) / sum_i w_i K(t, c_i),
 * with the kernel of smece (a Gaussian that is reflected at 0 and 1) in the width that smece finds,
 * which is its value, but at least 1e-3. The denominator, per unit of weight, is the density. Where
 * no row is near, the limit counts: the accuracy of the nearest ones.
 *
 * The band is that of the same curve, in the same width, in 95 % of the resamples; these are drawn
 * from seed and row number as all others are (metric/resample.h). Rows are taken together in cells,
 * so that a resample costs a draw for each row and a sum over cells for each place.
 *
 * Blasiok, Nakkiran 2023, Smooth ECE: principled reliability diagrams via kernel smoothing.
 */
#include "math/smooth.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "evaluate/interval.h"
#include "evaluate/profile/cells.h"
#include "evaluate/profile/part.h"
#include "metric/resample.h"

#include <math.h>

extern const crd__metric crd_metric_smece;

enum { PLACES = 101 };
static const double narrowest = 1e-3;

/* Rows that are wrong, and rows that are right. */
enum { WRONG, RIGHT, SIDES };

typedef struct {
  const crd__ranking *ranking;
  crd__cells cells[SIDES];
  double width, total;
  double low, high; /* the confidences between which it is drawn */
  size_t places;
  double *kernel[SIDES]; /* places x cells, each place eased by a factor of its own */
  uint64_t seed;
  size_t resamples;
  unsigned char *draws; /* of each worker */
  double *masses;       /* of each worker: what each cell weighs, wrong ones first */
  double *values;       /* places x resamples */
} curve;

/* ---- The curve. */

static double place_at(const curve *c, size_t i) {
  const double share = c->places > 1 ? (double)i / (double)(c->places - 1) : 0;
  return i + 1 == c->places ? c->high : c->low + share * (c->high - c->low);
}

/* The exponent that makes the kernel of the nearest cell 1. */
static double ease_at(const curve *c, double t) {
  double nearest = 1;
  for (int side = 0; side < SIDES; side++)
    for (size_t i = 0; i < c->cells[side].count; i++)
      nearest = fmin(nearest, fabs(t - c->cells[side].items[i].place));
  return nearest * nearest / (2 * c->width * c->width);
}

static crd_smooth_point estimate(const curve *c, size_t place) {
  static const double root = 2.50662827463100050242; /* of 2 pi */
  const double t = place_at(c, place), ease = ease_at(c, t);
  double sums[SIDES] = { 0 };
  for (int side = 0; side < SIDES; side++) {
    const crd__cells *const cells = &c->cells[side];
    double *const kernel = c->kernel[side] + place * cells->count;
    for (size_t i = 0; i < cells->count; i++) {
      kernel[i] = crd__reflected_gaussian(t, cells->items[i].place, c->width, ease);
      sums[side] += kernel[i] * cells->items[i].weight;
    }
  }
  const double weight = sums[WRONG] + sums[RIGHT];
  return (crd_smooth_point){ .confidence = t,
                             .accuracy = sums[RIGHT] / weight,
                             .low = (double)NAN,
                             .high = (double)NAN,
                             .density = weight / c->total * exp(-ease) / (c->width * root) };
}

/* ---- The band. */

/* What the cells of one side weigh in a resample. */
static void draw_cells(const curve *c, int side, const unsigned char *draws, double *masses) {
  const crd__cells *const cells = &c->cells[side];
  size_t row = 0;
  for (size_t i = 0; i < cells->count; i++)
    for (masses[i] = 0; row < cells->items[i].end; row++)
      masses[i] += draws[row] * crd__side_weight(c->ranking, row, cells->right);
}

/* NaN where nothing was drawn that is near. */
static double resampled(const curve *c, size_t place, const double *masses) {
  double sums[SIDES] = { 0 };
  for (int side = 0; side < SIDES; side++) {
    const size_t count = c->cells[side].count;
    const double *const kernel = c->kernel[side] + place * count;
    for (size_t i = 0; i < count; i++) sums[side] += kernel[i] * masses[i];
    masses += count;
  }
  return sums[RIGHT] / (sums[WRONG] + sums[RIGHT]);
}

static crd_status draw_groups(crd_context *ctx, void *arg, unsigned worker, size_t from,
                              size_t to) {
  const curve *const c = arg;
  const size_t rows = c->ranking->count, wrong = c->cells[WRONG].count;
  unsigned char *const draws = c->draws + worker * CRD__RESAMPLES_AT_ONCE * rows;
  double *const masses = c->masses + worker * (wrong + c->cells[RIGHT].count);
  (void)ctx;
  for (size_t first = from * CRD__RESAMPLES_AT_ONCE; first < to * CRD__RESAMPLES_AT_ONCE;
       first += CRD__RESAMPLES_AT_ONCE) {
    crd__resample_draws(c->seed, first + 1, c->ranking, draws);
    for (size_t p = 0; p < CRD__RESAMPLES_AT_ONCE && first + p < c->resamples; p++) {
      draw_cells(c, WRONG, draws + p * rows, masses);
      draw_cells(c, RIGHT, draws + p * rows, masses + wrong);
      for (size_t i = 0; i < c->places; i++)
        c->values[i * c->resamples + first + p] = resampled(c, i, masses);
    }
  }
  return CRD_OK;
}

static void set_band(const curve *c, size_t place, crd_smooth_point *point) {
  double *const values = c->values + place * c->resamples;
  const size_t count = crd__sort_numbers(values, c->resamples);
  if (count == 0 || count < c->resamples / 2) return;
  point->low = crd__quantile(values, count, crd__interval_tail);
  point->high = crd__quantile(values, count, 1 - crd__interval_tail);
}

static crd_status add_band(crd_context *ctx, curve *c, crd_smooth_point *points) {
  const size_t groups = (c->resamples + CRD__RESAMPLES_AT_ONCE - 1) / CRD__RESAMPLES_AT_ONCE;
  const size_t workers = crd__parallel_workers(ctx, groups);
  if (c->resamples == 0) return CRD_OK;
  CRD_TRY(
      crd__new(ctx, c->ranking->count, workers * CRD__RESAMPLES_AT_ONCE, "resampling", &c->draws));
  CRD_TRY(crd__new(ctx, workers * (c->cells[WRONG].count + c->cells[RIGHT].count),
                   sizeof *c->masses, "resampling", &c->masses));
  CRD_TRY(crd__new(ctx, c->resamples, c->places * sizeof *c->values, "resampling", &c->values));
  CRD_TRY(crd__parallel_for(ctx, "resampling the curve", groups, 1, draw_groups, c));
  for (size_t i = 0; i < c->places; i++) set_band(c, i, &points[i]);
  return CRD_OK;
}

/* ---- The part. */

static crd_status set_up(crd_context *ctx, curve *c) {
  c->low = 1;
  for (int side = 0; side < SIDES; side++) {
    crd__cells *const cells = &c->cells[side];
    CRD_TRY(crd__cells_make(ctx, c->ranking, side == RIGHT, cells));
    CRD_TRY(crd__new(ctx, PLACES * cells->count, sizeof(double), "a curve", &c->kernel[side]));
    if (cells->count == 0) continue;
    c->low = fmin(c->low, cells->low);
    c->high = fmax(c->high, cells->high);
  }
  c->places = c->low < c->high ? PLACES : 1;
  return CRD_OK;
}

static void tear_down(const crd_allocator *alloc, curve *c) {
  for (int side = 0; side < SIDES; side++) {
    crd__cells_clear(alloc, &c->cells[side]);
    crd__free(alloc, c->kernel[side]);
  }
  crd__free(alloc, c->draws);
  crd__free(alloc, c->masses);
  crd__free(alloc, c->values);
}

static crd_status draw(crd_context *ctx, curve *c, crd__profile *out) {
  crd_smooth_point *points;
  CRD_TRY(set_up(ctx, c));
  CRD_TRY(crd__profile_array(ctx, out, c->places, sizeof *points, &points));
  for (size_t i = 0; i < c->places; i++) points[i] = estimate(c, i);
  CRD_TRY(add_band(ctx, c, points));
  out->profile.smooth_bandwidth = c->width;
  out->profile.smooth = points;
  out->profile.smooth_count = c->places;
  return CRD_OK;
}

static crd_status fill(crd_context *ctx, const crd__profile_source *source, crd__profile *out) {
  const crd__facts facts = crd__profile_facts(source, 1);
  curve c = { .ranking = facts.ranking,
              .width = fmax(crd_metric_smece.finish(&facts).value, narrowest),
              .total = facts.weight,
              .seed = source->evidence->seed,
              .resamples = source->resamples };
  const crd_status status = draw(ctx, &c, out);
  tear_down(&ctx->alloc, &c);
  return status;
}

const crd__profile_part crd__profile_part_smooth = { .part = CRD_PROFILE_SMOOTH,
                                                     .ranked = true,
                                                     .fill = fill };
