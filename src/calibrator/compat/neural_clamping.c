/*
 * neural_clamping.c -- 1000 steps of full-batch gradient descent on T from 1, learning rate 0.001:
 * the temperature scaling baseline of the paper. Its formula is a sum over the rows; it does not
 * say whether the sum or the mean was minimised, so both are here.
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
    t += scale * slope / (t * t); /* dL/dT is -slope / T^2 */
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
              .why = "1000 steps with learning rate 0.001 on the mean over the rows do not get far "
                     "from T = 1" },
    .fit = neural_clamping_fit,
    .steps = 1000 },
  { .info = { .name = "neural-clamping-sum",
              .package = PACKAGE,
              .methods = "temperature",
              .call = "1000 times T -= 0.001 dL/dT from T = 1, L the sum over all rows",
              .why = "gradient steps on the sum grow with the number of rows: they converge unless "
                     "they are too long, and then oscillate around the optimum for ever" },
    .fit = neural_clamping_fit,
    .steps = 1000,
    .sum = true },
};

const crd__calibrator_compats crd__calibrator_compat_neural_clamping = { sizeof rows / sizeof *rows,
                                                                         rows };
