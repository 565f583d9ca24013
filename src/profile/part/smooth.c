/*
 * smooth.c -- the smooth reliability curve: accuracy as a function of confidence, by local logistic
 * regression of correctness on the log-odds of the confidence (math/local_logistic.h).
 *
 * Confidences of networks pile up at 1. A kernel of fixed width in the confidence then spreads the
 * accuracy of the many rows at 1 to the few below: at .94 it shows that of .99. On the log-odds
 * scale the ends are far apart, and a window that contains a share
 *   min(1, 0.8 n^(-1/5)),  n = (sum w)^2 / sum w^2 the effective sample size,
 * of the rows is as narrow as the data allow. Log-odds above 16 (1 - 1e-7) are clamped to 16, where
 * a float32 softmax rounds to 1. docs/statistics.md compares it with other smoothers on data with
 * known truth.
 *
 * The band is pointwise, 1.96 standard errors on the log-odds scale: from the sandwich formula for
 * independent rows, which also holds if all rows are correct, or from the bootstrap (one Newton
 * step from the estimate for each resample) if that is larger, as for clustered rows. The density
 * of rows is a kernel estimate (cells.h).
 */
#include "math/smooth.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "math/local_logistic.h"
#include "math/logspace.h"
#include "metric/resample.h"
#include "profile/cells.h"
#include "profile/part.h"

#include <math.h>

enum { PLACES = 101, GRID = 4096 };
static const double log_odds_max = 16, least_radius = 0.25, rows_least = 30;
static const double normal_quantile = 1.959963984540054;

typedef struct {
  const crd__metric_ranking *ranking;
  double low, high; /* range of confidence */
  size_t places;
  crd__math_trials *cells; /* rows of nearly the same log-odds; weights have a mean of 1 */
  size_t cell_count;
  uint32_t *cell_of;  /* of each row of the ranking */
  double scale, span; /* factor that normalises weights; fraction of the weight in a window */
  crd__math_window *windows; /* of each place */
  crd__math_local_fit *fits; /* of each place */
  crd__math_local_term
      *terms; /* at most PLACES x GRID; those of a place begin at terms_at[place] */
  size_t *terms_at;
  uint64_t seed;
  size_t resamples;
  unsigned char *draws; /* of each worker */
  double *masses;       /* of each worker: successes, then failures, of each cell */
  double *levels;       /* places x resamples */
} curve;

static double log_odds_of(double confidence) {
  const double log_odds = log(confidence / (1 - confidence));
  return fmin(fmax(log_odds, -log_odds_max), log_odds_max);
}

static double place_at(const curve *c, size_t i) {
  const double share = c->places > 1 ? (double)i / (double)(c->places - 1) : 0;
  return i + 1 == c->places ? c->high : c->low + share * (c->high - c->low);
}

/* ---- Cells. */

static size_t grid_index(double log_odds) {
  const double at = (log_odds + log_odds_max) / (2 * log_odds_max) * GRID;
  return at < GRID ? (size_t)at : GRID - 1;
}

/* Pools rows into cells. Rows ascend in confidence, so each cell is a run of rows. Rows without
 * weight belong to the previous cell. */
static void collect(curve *c) {
  const crd__metric_ranking *const r = c->ranking;
  size_t last = SIZE_MAX;
  for (size_t i = 0; i < r->count; i++) {
    const double weight = crd__metric_ranking_weight(r, i) * c->scale;
    const double x = log_odds_of(crd__metric_ranking_confidence(r, i));
    if (weight > 0 && grid_index(x) != last) {
      last = grid_index(x);
      c->cells[c->cell_count++].x = x;
    }
    c->cell_of[i] = c->cell_count ? (uint32_t)(c->cell_count - 1) : 0;
    if (!(weight > 0)) continue;
    crd__math_trials *const cell = &c->cells[c->cell_count - 1];
    *(crd__metric_ranking_correct(r, i) ? &cell->successes : &cell->failures) += weight;
    cell->squares += weight * weight;
    cell->x += weight / (cell->successes + cell->failures) * (x - cell->x);
  }
}

/* Scales the weights to a mean of 1, and chooses the span. */
static void weigh(curve *c) {
  double total = 0, squares = 0, rows = 0;
  c->low = 1;
  for (size_t i = 0; i < c->ranking->count; i++) {
    const double weight = crd__metric_ranking_weight(c->ranking, i);
    if (!(weight > 0)) continue;
    total += weight;
    squares += weight * weight;
    rows++;
    c->low = fmin(c->low, crd__metric_ranking_confidence(c->ranking, i));
    c->high = fmax(c->high, crd__metric_ranking_confidence(c->ranking, i));
  }
  c->scale = rows / total;
  c->span = fmin(1, fmax(0.8 * pow(total * total / squares, -0.2), rows_least / rows));
  c->places = c->low < c->high ? PLACES : 1;
}

/* ---- The curve. */

static crd_status fit_places(crd_context *ctx, curve *c) {
  double total = 0;
  size_t terms = 0;
  for (size_t i = 0; i < c->cell_count; i++) total += c->cells[i].successes + c->cells[i].failures;
  CRD_TRY(crd__new(ctx, c->places, sizeof *c->windows, "a curve", &c->windows));
  CRD_TRY(crd__new(ctx, c->places, sizeof *c->fits, "a curve", &c->fits));
  CRD_TRY(crd__new(ctx, c->places, sizeof *c->terms_at, "a curve", &c->terms_at));
  for (size_t i = 0; i < c->places; i++) {
    c->windows[i] = crd__math_window_around(c->cells, c->cell_count, log_odds_of(place_at(c, i)),
                                            c->span * total, least_radius);
    c->terms_at[i] = terms;
    terms += c->windows[i].to - c->windows[i].from;
  }
  CRD_TRY(crd__new(ctx, terms, sizeof *c->terms, "a curve", &c->terms));
  for (size_t i = 0; i < c->places; i++)
    c->fits[i] = crd__math_local_logistic(c->cells, c->windows[i], c->terms + c->terms_at[i]);
  return CRD_OK;
}

/* ---- The bootstrap. */

static void draw_cells(const curve *c, const unsigned char *draws, double *masses) {
  for (size_t i = 0; i < 2 * c->cell_count; i++) masses[i] = 0;
  for (size_t row = 0; row < c->ranking->count; row++) {
    const size_t side = crd__metric_ranking_correct(c->ranking, row) ? 0 : c->cell_count;
    masses[side + c->cell_of[row]] +=
        draws[row] * crd__metric_ranking_weight(c->ranking, row) * c->scale;
  }
}

static crd_status draw_groups(crd_context *ctx, void *arg, unsigned worker, size_t from,
                              size_t to) {
  const curve *const c = arg;
  const size_t rows = c->ranking->count;
  unsigned char *const draws = c->draws + (size_t)worker * CRD__RESAMPLES_AT_ONCE * rows;
  double *const masses = c->masses + (size_t)worker * 2 * c->cell_count;
  (void)ctx;
  for (size_t first = from * CRD__RESAMPLES_AT_ONCE; first < to * CRD__RESAMPLES_AT_ONCE;
       first += CRD__RESAMPLES_AT_ONCE) {
    crd__metric_resample_draws(c->seed, first + 1, c->ranking, draws);
    for (size_t p = 0; p < CRD__RESAMPLES_AT_ONCE && first + p < c->resamples; p++) {
      draw_cells(c, draws + p * rows, masses);
      for (size_t i = 0; i < c->places; i++)
        c->levels[i * c->resamples + first + p] = crd__math_local_logistic_step(
            &c->fits[i], c->terms + c->terms_at[i], c->windows[i].to - c->windows[i].from,
            masses + c->windows[i].from, masses + c->cell_count + c->windows[i].from);
    }
  }
  return CRD_OK;
}

/* Mean squared distance of the resamples' levels from the estimate. */
static double bootstrap_variance(const curve *c, size_t place) {
  double sum = 0;
  for (size_t s = 0; s < c->resamples; s++) {
    const double distance = c->levels[place * c->resamples + s] - c->fits[place].level;
    sum += distance * distance;
  }
  return sum / (double)c->resamples;
}

static crd_status add_band(crd_context *ctx, curve *c, crd_smooth_point *points) {
  const size_t groups = (c->resamples + CRD__RESAMPLES_AT_ONCE - 1) / CRD__RESAMPLES_AT_ONCE;
  const unsigned workers = crd__parallel_workers(ctx, groups);
  if (c->resamples == 0) return CRD_OK;
  CRD_TRY(crd__new(ctx, c->ranking->count, (size_t)workers * CRD__RESAMPLES_AT_ONCE, "resampling",
                   &c->draws));
  CRD_TRY(crd__new(ctx, 2 * c->cell_count, workers * sizeof *c->masses, "resampling", &c->masses));
  CRD_TRY(crd__new(ctx, c->resamples, c->places * sizeof *c->levels, "resampling", &c->levels));
  CRD_TRY(crd__parallel_for(ctx, "resampling the curve", groups, 1, draw_groups, c));
  for (size_t i = 0; i < c->places; i++) {
    const double variance = fmax(c->fits[i].variance, bootstrap_variance(c, i));
    const double reach = normal_quantile * sqrt(variance);
    points[i].low = crd__math_sigmoid(c->fits[i].level - reach);
    points[i].high = crd__math_sigmoid(c->fits[i].level + reach);
  }
  return CRD_OK;
}

/* ---- The part. */

/* Adds the densities of correct and incorrect rows, each with its own bandwidth (densities.c). */
static crd_status add_densities(crd_context *ctx, const curve *c, crd_smooth_point *points) {
  static const double root = 2.50662827463100050242; /* of 2 pi */
  crd__profile_cells sides[2] = { { 0 }, { 0 } };
  crd_status status = crd__profile_cells_make(ctx, c->ranking, false, &sides[0]);
  if (status == CRD_OK) status = crd__profile_cells_make(ctx, c->ranking, true, &sides[1]);
  const double total = sides[0].total + sides[1].total;
  for (int side = 0; status == CRD_OK && side < 2; side++) {
    const crd__profile_cells *const cells = &sides[side];
    if (cells->count == 0) continue;
    const double width = crd__profile_cells_width(c->ranking, cells);
    for (size_t i = 0; i < c->places; i++)
      for (size_t k = 0; k < cells->count; k++)
        points[i].density +=
            cells->items[k].weight / (total * width * root) *
            crd__math_reflected_gaussian(points[i].confidence, cells->items[k].place, width, 0);
  }
  crd__profile_cells_clear(&ctx->alloc, &sides[0]);
  crd__profile_cells_clear(&ctx->alloc, &sides[1]);
  return status;
}

static crd_status draw(crd_context *ctx, curve *c, crd_profile *out) {
  const size_t rows = c->ranking->count;
  crd_smooth_point *points;
  weigh(c);
  CRD_TRY(crd__new(ctx, rows < GRID ? rows : GRID, sizeof *c->cells, "a curve", &c->cells));
  CRD_TRY(crd__new(ctx, rows, sizeof *c->cell_of, "a curve", &c->cell_of));
  collect(c);
  CRD_TRY(fit_places(ctx, c));
  CRD_TRY(crd__arena_add(ctx, out, c->places, sizeof *points, "a profile", &points));
  for (size_t i = 0; i < c->places; i++)
    points[i] = (crd_smooth_point){ .confidence = place_at(c, i),
                                    .accuracy = crd__math_sigmoid(c->fits[i].level),
                                    .low = (double)NAN,
                                    .high = (double)NAN };
  CRD_TRY(add_densities(ctx, c, points));
  CRD_TRY(add_band(ctx, c, points));
  out->smooth_bandwidth = c->span;
  out->smooth = points;
  out->smooth_count = c->places;
  return CRD_OK;
}

static void tear_down(const crd_allocator *alloc, const curve *c) {
  void *const owned[] = { c->cells,    c->cell_of, c->windows, c->fits,  c->terms,
                          c->terms_at, c->draws,   c->masses,  c->levels };
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) crd__free(alloc, owned[i]);
}

static crd_status smooth_fill(crd_context *ctx, const crd__profile_source *source,
                              crd_profile *out) {
  curve c = { .ranking = crd__profile_facts(source, 1).ranking,
              .seed = source->evidence->seed,
              .resamples = source->resamples };
  const crd_status status = draw(ctx, &c, out);
  tear_down(&ctx->alloc, &c);
  return status;
}

const crd__profile_part crd__profile_part_smooth = { .part = CRD_PROFILE_SMOOTH,
                                                     .ranked = true,
                                                     .fill = smooth_fill };
