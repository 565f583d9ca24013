/* fit.h -- fit calibrators through the public API, on one thread. */
#ifndef BENCH_FIT_H
#define BENCH_FIT_H

#include "data.h"

/* Fits a calibrator on predictions, and destroys these; NULL, with a message, on failure. */
crd_calibrator *bench_fit(crd_context *ctx, const char *method, const char *settings,
                          crd_predictions *predictions);

/* Answers of methods with one temperature: that, and the objective. */
bool bench_fit_temperature(bench_data *data, const char *method, double *answers);

/* Answers of methods with a solver: the objective, and its largest derivative at the end. The peers
 * must reach the same: they read that derivative from gradient.npy. */
bool bench_fit_solved(bench_data *data, const char *method, const char *settings, double *answers);
void *bench_fit_prepare(const bench_case *size, const char *folder, const char *method,
                        const char *settings);

#endif
