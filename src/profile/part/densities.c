/*
 * densities.c -- densities of confidence among correct and among incorrect rows.
 *
 * Gaussian kernel estimates with Silverman's bandwidth (cells.h), reflected at 0 and 1 so that no
 * mass is lost there, and normalised to area 1 by the trapezoid rule.
 */
#include "base/memory.h"
#include "math/smooth.h"
#include "profile/cells.h"
#include "profile/part.h"

#include <math.h>

enum { PLACES = 201 };

static crd_status draw(crd_context *ctx, const crd__metric_ranking *r,
                       const crd__profile_cells *cells, crd_profile *out, crd_curve *curve) {
  crd_point *points;
  double area = 0;
  if (cells->count == 0) return CRD_OK;
  CRD_TRY(crd__arena_add(ctx, out, PLACES, sizeof *points, "a profile", &points));
  const double width = crd__profile_cells_width(r, cells);
  for (unsigned i = 0; i < PLACES; i++) {
    points[i].x = (double)i / (PLACES - 1);
    for (size_t c = 0; c < cells->count; c++)
      points[i].y += cells->items[c].weight *
                     crd__math_reflected_gaussian(points[i].x, cells->items[c].place, width, 0);
    area += points[i].y * (i == 0 || i == PLACES - 1 ? 0.5 : 1) / (PLACES - 1);
  }
  for (size_t i = 0; i < PLACES; i++) points[i].y /= area;
  *curve = (crd_curve){ .count = PLACES, .points = points };
  return CRD_OK;
}

static crd_status densities_fill(crd_context *ctx, const crd__profile_source *source,
                                 crd_profile *out) {
  const crd__metric_ranking *const ranking = source->evidence->rankings;
  for (int right = 0; right < 2; right++) {
    crd_curve *const curve = right ? &out->density_right : &out->density_wrong;
    crd__profile_cells cells;
    CRD_TRY(crd__profile_cells_make(ctx, ranking, right, &cells));
    const crd_status status = draw(ctx, ranking, &cells, out, curve);
    crd__profile_cells_clear(&ctx->alloc, &cells);
    if (status != CRD_OK) return status;
  }
  return CRD_OK;
}

const crd__profile_part crd__profile_part_densities = { .part = CRD_PROFILE_CURVES,
                                                        .ranked = true,
                                                        .fill = densities_fill };
