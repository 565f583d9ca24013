/*
 * curve.h -- piecewise-linear curves from a probability, or its log-odds, to a calibrated one.
 *
 * A curve is points (x, y), x nondecreasing. It is linear between two points, constant before the
 * first and after the last. Where two points have the same x it jumps just after it: at x it has
 * the y of the first, so step functions over (a, b] are curves as well. Values are clipped to [0,
 * 1].
 */
#ifndef CRD_CALIBRATOR_CURVE_H
#define CRD_CALIBRATOR_CURVE_H

#include "calibrator/method.h"

/* Parameters, apply and describe of methods that learn curves, for their table entries. */
extern const crd__calibrator_learns crd__calibrator_curve_learns[]; /* x is the probability */
void crd__calibrator_curve_apply(const crd__calibrator_model *model, size_t part, size_t rows,
                                 const double *log_odds, const double *probability, double *out);
/* Describe a curve as a map (map.h): piecewise linear, or as steps, which are half as long. */
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

/* Returns the curve's value at `at`, by binary search. */
double crd__calibrator_curve_at(const double *x, const double *y, size_t count, double at);

/* A curve under construction. */
typedef struct {
  double *x, *y;
  size_t count, capacity;
} crd__calibrator_curve;

crd_status crd__calibrator_curve_create(crd_context *ctx, size_t capacity,
                                        crd__calibrator_curve *out);
void crd__calibrator_curve_clear(const crd_allocator *alloc, crd__calibrator_curve *curve);
/* Appends a point, in the order of x; inner points of a constant stretch are dropped. */
void crd__calibrator_curve_add(crd__calibrator_curve *curve, double x, double y);
/* Appends the value y over (from, to]: two points. */
void crd__calibrator_curve_add_step(crd__calibrator_curve *curve, double from, double to, double y);

/* Learns the curve as one more part of the two arrays that `learns` names; adds a note to the
 * certificate if it contains 0 or 1. */
crd_status crd__calibrator_curve_learn(crd_context *ctx, const crd__calibrator_learns *learns,
                                       const crd__calibrator_curve *curve,
                                       crd__calibrator_fitted *out);

#endif
