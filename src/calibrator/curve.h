/*
 * curve.h -- piecewise-linear curves from a probability, or its log-odds, to a calibrated one.
 *
 * A curve is points (x, y), x not falling. Between two points it is straight, before the first and
 * after the last constant. Where two points share their x it jumps just after it: at x it has the y
 * of the first, so that steps over (a, b] are curves as well. What comes out is clipped to [0, 1].
 */
#ifndef CRD_CALIBRATOR_CURVE_H
#define CRD_CALIBRATOR_CURVE_H

#include "calibrator/method.h"

/* What methods of curves learn, and how they apply it: rows of `crd__calibrator_method` point to
 * these. */
extern const crd__calibrator_learns crd__calibrator_curve_learns[]; /* over the probability */
void crd__calibrator_curve_apply(const crd__calibrator_model *model, size_t part, size_t rows,
                                 const double *log_odds, const double *probability, double *out);
/* In words of map.h: as lines; or as steps, which are half as long to write. */
crd_status crd__calibrator_curve_describe(crd_context *ctx, const crd__calibrator_model *model,
                                          size_t part, crd__calibrator_map *out);
crd_status crd__calibrator_curve_describe_steps(crd_context *ctx,
                                                const crd__calibrator_model *model, size_t part,
                                                crd__calibrator_map *out);
crd_status crd__calibrator_curve_log_odds_describe_steps(crd_context *ctx,
                                                         const crd__calibrator_model *model,
                                                         size_t part, crd__calibrator_map *out);
void crd__calibrator_curve_log_odds_apply(const crd__calibrator_model *model, size_t part,
                                          size_t rows, const double *log_odds,
                                          const double *probability, double *out);

double crd__calibrator_curve_at(const double *x, const double *y, size_t count, double at);

/* A curve that is being made. */
typedef struct {
  double *x, *y;
  size_t count, capacity;
} crd__calibrator_curve;

crd_status crd__calibrator_curve_create(crd_context *ctx, size_t capacity,
                                        crd__calibrator_curve *out);
void crd__calibrator_curve_clear(const crd_allocator *alloc, crd__calibrator_curve *curve);
/* Points come in the order of x; those inside of a level stretch are left out. */
void crd__calibrator_curve_add(crd__calibrator_curve *curve, double x, double y);
/* The value y over (from, to]: two points. */
void crd__calibrator_curve_add_step(crd__calibrator_curve *curve, double from, double to, double y);

/* One more part for what `learns` names; says in the certificate where 0 or 1 is given. */
crd_status crd__calibrator_curve_learn(crd_context *ctx, const crd__calibrator_learns *learns,
                                       const crd__calibrator_curve *curve,
                                       crd__calibrator_fitted *out);

#endif
