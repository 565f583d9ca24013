/* fit.c -- predictions in memory, one fit, one thread. */
#include "fit.h"

#include "npy.h"

#include <stdio.h>

crd_calibrator *bench_fit(crd_context *ctx, const char *method, const char *settings,
                          crd_predictions *predictions) {
  crd_calibrator *calibrator = NULL;
  if (predictions && crd_calibrator_fit(ctx, method, settings, predictions, &calibrator) != CRD_OK)
    fprintf(stderr, "bench: %s: %s\n", method, crd_context_message(ctx));
  crd_predictions_destroy(predictions);
  return calibrator;
}

bool bench_fit_temperature(bench_data *data, const char *method, double *answers) {
  crd_calibrator *calibrator = bench_fit(data->ctx, method, NULL, bench_data_predictions(data));
  if (!calibrator) return false;
  answers[0] = crd_calibrator_learnt(calibrator, 0)->values[0];
  answers[1] = crd_calibrator_certificate(calibrator)->objective;
  crd_calibrator_destroy(calibrator);
  return true;
}

bool bench_fit_solved(bench_data *data, const char *method, const char *settings, double *answers) {
  crd_calibrator *calibrator = bench_fit(data->ctx, method, settings, bench_data_predictions(data));
  if (!calibrator) return false;
  answers[0] = crd_calibrator_certificate(calibrator)->objective;
  answers[1] = crd_calibrator_certificate(calibrator)->gradient_norm;
  crd_calibrator_destroy(calibrator);
  return true;
}

void *bench_fit_prepare(const bench_case *size, const char *folder, const char *method,
                        const char *settings) {
  double answers[2];
  bench_data *data = bench_data_prepare(size, folder);
  if (data && bench_fit_solved(data, method, settings, answers) &&
      bench_npy_write(folder, "gradient", "f8", &answers[1], 1, 1))
    return data;
  bench_data_release(data);
  return NULL;
}
