/*
 * netcal.c -- netcal/scaling/AbstractLogisticRegression.py: scipy.optimize.minimize from a weight
 * 1/T of 1, with finite differences of step 1e-8, on log p with p clipped to [eps, 1 - eps].
 *
 * The weight is cast to the type of the probabilities before the loss is computed. In float32
 * 1 + 1e-8 is 1: the differences are 0 and the solver stops where it began. In float64 it
 * converges, to a derivative of 1e-5; this computes the optimum itself. If there is none above 0,
 * netcal ends at some large or negative weight, which is not reproduced. What netcal calls
 * temperature is 1/T.
 */
#include "base/memory.h"
#include "calibrator/compat.h"
#include "calibrator/temper.h"

#include <float.h>
#include <math.h>

static void clip_row(const double *z, size_t classes, double *out) {
  double top = z[0], mass = 0;
  for (size_t k = 1; k < classes; k++) top = fmax(top, z[k]);
  for (size_t k = 0; k < classes; k++) mass += exp(z[k] - top);
  for (size_t k = 0; k < classes; k++)
    out[k] = fmin(fmax(z[k] - top - log(mass), log(DBL_EPSILON)), log1p(-DBL_EPSILON));
}

/* Finds the optimum for the clipped probabilities that netcal reads. */
static crd_status solve(crd_context *ctx, const crd__calibrator_fit_data *data, double *temperature,
                        unsigned *iterations) {
  crd_certificate certificate = { 0 };
  crd__calibrator_fit_data seen = *data;
  double *logits;
  CRD_TRY(crd__new(ctx, data->rows * data->classes, sizeof *logits, "logits", &logits));
  for (size_t i = 0; i < data->rows * data->classes; i += data->classes)
    clip_row(data->logits + i, data->classes, logits + i);
  seen.stored = seen.logits = logits;
  const crd_status status = crd__calibrator_temperature_fit(ctx, &seen, temperature, &certificate);
  crd__free(&ctx->alloc, logits);
  *iterations = certificate.iterations;
  if (status == CRD_OK && certificate.bounds)
    return crd__fail(ctx, CRD_ENUMERIC,
                     "no temperature above 0 is optimal on this data, and the point where netcal "
                     "would stop is unknown");
  return status;
}

static crd_status netcal_fit(crd_context *ctx, const crd__calibrator_compat *self,
                             const crd__calibrator_method *method,
                             const crd__calibrator_fit_data *data, crd__calibrator_fitted *out) {
  double temperature = 1;
  unsigned iterations = 0;
  (void)method;
  if (!data->single) CRD_TRY(solve(ctx, data, &temperature, &iterations));
  return crd__calibrator_compat_temperature(ctx, self, data, temperature, iterations, out);
}

static const crd__calibrator_compat rows[] = {
  { .info = { .name = "netcal",
              .package = "netcal 1.4.0",
              .methods = "temperature",
              .call = "TemperatureScaling().fit(p, y)",
              .why = "derivatives are finite differences with step 1e-8, which vanish when the "
                     "weight is cast to float32 like the probabilities: T stays 1; in float64 the "
                     "solver converges, with probabilities clipped to [eps, 1 - eps]" },
    .fit = netcal_fit,
    .clips = "temperature" },
};

const crd__calibrator_compats crd__calibrator_compat_netcal = { sizeof rows / sizeof *rows, rows };
