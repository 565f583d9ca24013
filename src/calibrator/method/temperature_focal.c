/*
 * temperature_focal.c -- temperature scaling by the focal loss: mean of -q^gamma log p, p the
 * probability of the true class and q = 1 - p.
 *
 * Well-classified rows count less, so T comes out larger than by likelihood. The loss is not convex
 * in 1/T. With m = z_y - E_p[z] the derivative of log p with respect to b = 1/T, that of the loss
 * is m q^gamma (gamma p log p / q - 1), and log p / q tends to -1 as q vanishes.
 *
 * Mukhoti, Kulharia, Sanyal, Golodetz, Torr, Dokania: Calibrating deep neural networks using focal
 * loss (2020).
 */
#include "calibrator/search.h"
#include "calibrator/temper.h"

#include <math.h>

static const crd_setting_info settings[] = {
  { .name = "gamma",
    .help = "focusing parameter: down-weights well-classified rows; 0 is the likelihood",
    .standard = "1",
    .low = 0,
    .high = 100 },
};

static crd__calibrator_row_loss row_loss(const double *z, size_t classes, size_t label, double b,
                                         double gamma) {
  double top = z[0], mass = 0, mean = 0, others = 0;
  for (size_t k = 1; k < classes; k++) top = fmax(top, z[k]);
  for (size_t k = 0; k < classes; k++) {
    const double d = z[k] - top, e = exp(b * d); /* d <= 0: it cannot overflow */
    mass += e;
    mean += e * d;
    if (k != label) others += e;
  }
  const double q = others / mass; /* not 1 - p, which cancels near 0 */
  const double log_p = q < 0.5 ? log1p(-q) : b * (z[label] - top) - log(mass);
  const double m = z[label] - top - mean / mass, weight = pow(q, gamma);
  const double ratio = q > 0 ? log_p / q : -1;
  return (crd__calibrator_row_loss){ .value = -weight * log_p,
                                     .slope = weight * m * (gamma * exp(log_p) * ratio - 1) };
}

static crd_status temperature_focal_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                        crd__calibrator_fitted *out) {
  double temperature;
  CRD_TRY(crd__calibrator_temperature_search(ctx, data, row_loss, data->settings[0], &temperature,
                                             &out->certificate));
  return crd__calibrator_learn(ctx, &out->learnt, "temperature", &temperature, 1);
}

const crd__calibrator_method crd__calibrator_method_temperature_focal = {
  .info = { .name = "temperature-focal",
            .summary = "temperature scaling fitted by the focal loss",
            .meaning = "Like temperature, but rows of high probability for the true class count "
                       "less: T comes out larger, confidences lower. No prediction changes.",
            .reference = "Mukhoti et al. 2020, Calibrating deep neural networks using focal loss",
            .keeps_argmax = 1,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .learns = crd__calibrator_temper_learns,
  .fit = temperature_focal_fit,
  .apply = crd__calibrator_temper_apply,
  .describe = crd__calibrator_temper_describe,
};
