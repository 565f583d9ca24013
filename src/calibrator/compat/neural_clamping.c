/*
 * neural_clamping.c -- 1000 steps of gradient descent on T from 1 at a rate of 0.001, over all rows
 * at once: how the paper fits what it compares itself with. It writes a sum over the rows; whether
 * the sum or the mean was descended is not said, so there are both.
 *
 * Tang, Chen, Ho: Neural Clamping: joint input perturbation and temperature scaling for neural
 * network calibration (2024).
 */
#include "calibrator/compat.h"

static const double start = 1, rate = 0.001;

static crd_status neural_clamping_fit(crd_context *ctx, const crd__calibrator_compat *self,
                                      const crd__calibrator_method *method,
                                      const crd__calibrator_fit_data *data,
                                      crd__calibrator_fitted *out) {
  const double scale = rate * (self->sum ? (double)data->rows : 1);
  double t = start;
  (void)method;
  for (unsigned step = 0; step < self->steps; step++) {
    double loss, slope;
    CRD_TRY(crd__calibrator_compat_look(ctx, data, 1 / t, &loss, &slope));
    t += scale * slope / (t * t); /* the derivative by T is -slope / T^2 */
    crd__progress(ctx, "stepping", step + 1, self->steps);
  }
  return crd__calibrator_compat_temperature(ctx, self, data, t, self->steps, out);
}

#define PACKAGE "Tang, Chen, Ho 2024, Neural Clamping: its protocol for temperature scaling"

static const crd__calibrator_compat rows[] = {
  { .info = { .name = "neural-clamping",
              .package = PACKAGE,
              .methods = "temperature",
              .call = "1000 times T -= 0.001 dL/dT from T = 1, L the mean over all rows",
              .why = "1000 steps at a rate of 0.001 are too short a way for the mean over the "
                     "rows, from T = 1" },
    .fit = neural_clamping_fit,
    .steps = 1000 },
  { .info = { .name = "neural-clamping-sum",
              .package = PACKAGE,
              .methods = "temperature",
              .call = "1000 times T -= 0.001 dL/dT from T = 1, L the sum over all rows",
              .why = "steps down the sum grow with the number of rows: where they are not too "
                     "long they arrive, else they leap to and fro over the optimum for ever" },
    .fit = neural_clamping_fit,
    .steps = 1000,
    .sum = true },
};

const crd__calibrator_compats crd__calibrator_compat_neural_clamping = { sizeof rows / sizeof *rows,
                                                                         rows };
