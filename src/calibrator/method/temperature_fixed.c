/*
 * temperature_fixed.c -- temperature scaling with a given temperature.
 *
 * Studies that compare training losses use one constant for all (1.5 for CIFAR, 1.1 for ImageNet);
 * it also serves to try a temperature found elsewhere.
 */
#include "calibrator/temper.h"

#include <math.h>

static const crd_setting_info settings[] = {
  { .name = "temperature",
    .help = "the temperature T: logits are divided by it",
    .standard = "1.5",
    .low = 1e-3,
    .high = 1e3 },
};

static crd_status temperature_fixed_fit(crd_context *ctx, const crd__calibrator_fit_data *data,
                                        crd__calibrator_fitted *out) {
  out->certificate.converged = 1;
  out->certificate.objective = out->certificate.gradient_norm = (double)NAN;
  return crd__calibrator_learn(ctx, &out->learnt, "temperature", &data->settings[0], 1);
}

const crd__calibrator_method crd__calibrator_method_temperature_fixed = {
  .info = { .name = "temperature-fixed",
            .summary = "temperature scaling with a given temperature",
            .meaning = "Learns nothing: the temperature is a setting. For comparing models at the "
                       "same temperature, or trying one found elsewhere.",
            .reference = "Guo, Pleiss, Sun, Weinberger 2017, On calibration of modern neural "
                         "networks",
            .keeps_argmax = 1,
            .setting_count = sizeof settings / sizeof *settings,
            .settings = settings },
  .given = true,
  .learns = crd__calibrator_temper_learns,
  .fit = temperature_fixed_fit,
  .apply = crd__calibrator_temper_apply,
  .describe = crd__calibrator_temper_describe,
};
