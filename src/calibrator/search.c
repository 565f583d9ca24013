/*
 * search.c -- a coarse grid over log b, b = 1/T, then the root of the derivative between the
 * neighbours of the best point.
 *
 * The root of the derivative is used rather than the minimum of the value, which is flat: rounding
 * would hide half of the digits of T. It is found by the Illinois variant of regula falsi, which
 * keeps the bracket and converges superlinearly.
 */
#include "calibrator/search.h"
#include "base/reduce.h"

#include <math.h>

enum { DECADES = 6, PER_DECADE = 10, GRID = DECADES * PER_DECADE, STEPS_MAX = 100 };
enum { VALUE, SLOPE, TERMS };

typedef struct {
  const crd__calibrator_fit_data *data;
  crd__calibrator_row_loss_fn *loss;
  double setting, b;
} point;

static void add_rows(void *arg, size_t from, size_t to, double *sums) {
  const point *const at = arg;
  const size_t classes = at->data->classes;
  for (size_t i = from; i < to; i++) {
    const crd__calibrator_row_loss row =
        at->loss(at->data->logits + i * classes, classes, at->data->labels[i], at->b, at->setting);
    sums[VALUE] += at->data->weights[i] * row.value;
    sums[SLOPE] += at->data->weights[i] * row.slope;
  }
}

/* Computes the mean loss at b = exp(u) and its derivative with respect to u. */
static crd_status look(crd_context *ctx, point *at, double u, double *sums) {
  at->b = exp(u);
  CRD_TRY(crd__reduce(ctx, (crd__load){ at->data->rows, 24 * at->data->classes }, TERMS, add_rows,
                      at, sums));
  for (size_t t = 0; t < TERMS; t++) sums[t] /= (double)at->data->rows;
  sums[SLOPE] *= at->b;
  return CRD_OK;
}

static double grid_point(size_t i) {
  return log(10) * ((double)i / PER_DECADE - (double)DECADES / 2);
}

/* Finds the root of the slope in low .. high, where it is negative and positive. */
static crd_status find_root(crd_context *ctx, point *at, double low, double high, double *u,
                            double *sums, crd_certificate *certificate) {
  double ends[TERMS], below, above, last = low;
  CRD_TRY(look(ctx, at, low, ends));
  below = ends[SLOPE];
  CRD_TRY(look(ctx, at, high, ends));
  above = ends[SLOPE];
  for (unsigned i = 0, side = 0; i < STEPS_MAX && !certificate->converged; i++) {
    const double cut = (low * above - high * below) / (above - below);
    *u = cut > low && cut < high ? cut : (low + high) / 2;
    CRD_TRY(look(ctx, at, *u, sums));
    certificate->iterations++;
    certificate->converged = fabs(*u - last) <= 1e-13 || sums[SLOPE] == 0;
    last = *u;
    if (sums[SLOPE] < 0) {
      low = *u;
      below = sums[SLOPE];
      if (side == 1) above /= 2;
      side = 1;
    } else {
      high = *u;
      above = sums[SLOPE];
      if (side == 2) below /= 2;
      side = 2;
    }
  }
  return CRD_OK;
}

/* Finds the best point of the grid; *flat: the upper end is as good as the lower, and best. */
static crd_status scan(crd_context *ctx, point *at, size_t *best, bool *flat) {
  double sums[TERMS], least = INFINITY, first = 0;
  *flat = false;
  for (size_t i = 0; i <= GRID; i++) {
    CRD_TRY(look(ctx, at, grid_point(i), sums));
    if (i == 0) first = sums[VALUE];
    if (sums[VALUE] < least || (i == GRID && sums[VALUE] <= least)) {
      least = sums[VALUE];
      *best = i;
    }
  }
  *flat = *best == GRID && !(least < first);
  return CRD_OK;
}

crd_status crd__calibrator_temperature_search(crd_context *ctx,
                                              const crd__calibrator_fit_data *data,
                                              crd__calibrator_row_loss_fn *loss, double setting,
                                              double *temperature, crd_certificate *certificate) {
  point at = { .data = data, .loss = loss, .setting = setting };
  double sums[TERMS], u = 0;
  size_t best = 0;
  bool flat;
  CRD_TRY(scan(ctx, &at, &best, &flat));
  certificate->iterations = GRID + 1;
  if (flat) {
    certificate->converged = 1;
    certificate->note = "the logits of every row are equal: any temperature is as good as 1";
  } else if (best == 0 || best == GRID) {
    u = grid_point(best);
    certificate->converged = 1;
    certificate->separable = best == GRID;
    certificate->bounds = "temperature";
    certificate->note = best ? "the loss falls as T decreases to the bound 0.001"
                             : "the loss falls as T increases to the bound 1000";
  } else
    CRD_TRY(find_root(ctx, &at, grid_point(best - 1), grid_point(best + 1), &u, sums, certificate));
  CRD_TRY(look(ctx, &at, u, sums));
  certificate->objective = sums[VALUE];
  certificate->gradient_norm = fabs(sums[SLOPE] / at.b);
  *temperature = 1 / at.b;
  return CRD_OK;
}
