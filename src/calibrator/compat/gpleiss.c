/*
 * gpleiss.c -- the temperature of gpleiss/temperature_scaling: torch.optim.LBFGS with lr=0.01, no
 * line search, all else by default, on T from 1.5 with the mean cross-entropy of logits / T.
 *
 * In one dimension the two-loop recursion gives d = -g s / y, with the last accepted pair (s, y) of
 * a step and the difference of derivatives g, and d = -g before there is one. The step is lr d: a
 * hundredth of a secant step. The stopping rules are torch's, in its order; its limit on
 * evaluations is never reached. Torch works in the precision of the logits, this in float64: in
 * float32 a step that no longer changes the loss stops it sooner.
 */
#include "calibrator/compat.h"

#include <math.h>

static const double start = 1.5, rate = 0.01;
static const double tolerance_gradient = 1e-7, tolerance_change = 1e-9, least_curvature = 1e-10;

typedef struct {
  double t, loss, slope; /* slope: with respect to T */
} point;

static crd_status look(crd_context *ctx, const crd__calibrator_fit_data *data, point *at) {
  const double b = 1 / at->t;
  CRD_TRY(crd__calibrator_compat_look(ctx, data, b, &at->loss, &at->slope));
  at->slope *= -b * b;
  return CRD_OK;
}

static bool ended(const point *before, const point *now) {
  return fabs(now->slope) <= tolerance_gradient || fabs(now->t - before->t) <= tolerance_change ||
         fabs(now->loss - before->loss) < tolerance_change;
}

static crd_status gpleiss_fit(crd_context *ctx, const crd__calibrator_compat *self,
                              const crd__calibrator_method *method,
                              const crd__calibrator_fit_data *data, crd__calibrator_fitted *out) {
  point before = { 0 }, now = { .t = start };
  double inverse = 1; /* estimate of 1 / curvature */
  unsigned step = 0;
  (void)method;
  CRD_TRY(look(ctx, data, &now));
  while (fabs(now.slope) > tolerance_gradient && step < self->steps) {
    const double s = now.t - before.t, y = now.slope - before.slope;
    if (step++ > 0 && y * s > least_curvature) inverse = s / y;
    const double direction = -inverse * now.slope;
    const double length = step == 1 ? fmin(1, 1 / fabs(now.slope)) * rate : rate;
    if (now.slope * direction > -tolerance_change) break;
    before = now;
    now.t += length * direction;
    crd__progress(ctx, "stepping", step, self->steps);
    if (step == self->steps) break;
    CRD_TRY(look(ctx, data, &now));
    if (ended(&before, &now)) break;
  }
  return crd__calibrator_compat_temperature(ctx, self, data, now.t, step, out);
}

#define WHY(count)                                                                                 \
  "L-BFGS with learning rate 0.01 and no line search takes a hundredth of the secant step each "   \
  "time, and stops after " count " steps from T = 1.5"
#define CALL "ModelWithTemperature(model).set_temperature(loader)"

static const crd__calibrator_compat rows[] = {
  { .info = { .name = "gpleiss50",
              .package = "gpleiss/temperature_scaling before e888e9e, torch 1.13",
              .methods = "temperature",
              .call = CALL,
              .why = WHY("50") },
    .fit = gpleiss_fit,
    .steps = 50 },
  { .info = { .name = "gpleiss200",
              .package = "gpleiss/temperature_scaling ce1154e, torch 1.13",
              .methods = "temperature",
              .call = CALL,
              .why = WHY("200") },
    .fit = gpleiss_fit,
    .steps = 200 },
};

const crd__calibrator_compats crd__calibrator_compat_gpleiss = { sizeof rows / sizeof *rows, rows };
