/* fit.h -- fits of calibrators by the whole public path, on one thread. */
#ifndef BENCH_FIT_H
#define BENCH_FIT_H

#include "data.h"

/* A calibrator fitted on predictions, which are destroyed; NULL, with words, on failure. */
crd_calibrator *bench_fit(crd_context *ctx, const char *method, const char *settings,
                          crd_predictions *predictions);

/* Methods of one temperature: that, and the objective. */
bool bench_fit_temperature(bench_data *data, const char *method, double *answers);

/* Methods that a solver fits: the objective, and its largest derivative where the solver ended.
 * The peers are to come as far: they find that derivative in gradient.npy. */
bool bench_fit_solved(bench_data *data, const char *method, const char *settings, double *answers);
void *bench_fit_prepare(const bench_case *size, const char *folder, const char *method,
                        const char *settings);

#endif
