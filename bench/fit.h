/* fit.h -- fit calibrators through the public API, on one thread. */
#ifndef BENCH_FIT_H
#define BENCH_FIT_H

#include "data.h"

/* Fits a calibrator on predictions, and destroys these; NULL, with a message, on failure. */
crd_calibrator *bench_fit(crd_context *ctx, const char *method, const char *settings,
                          crd_predictions *predictions);

/* Returns the answers of methods with one temperature: the temperature, and the objective. */
bool bench_fit_temperature(bench_data *data, const char *method, double *answers);

/* Answers of methods with a solver: the objective, and its largest derivative at the end. The peers
 * must reach the same: they read that derivative from gradient.npy. */
bool bench_fit_solved(bench_data *data, const char *method, const char *settings, double *answers);
void *bench_fit_prepare(const bench_case *size, const char *folder, const char *method,
                        const char *settings);

/* Defines the workload of a method with a solver, on 5000 rows of 100 classes. */
#define BENCH_SOLVED(workload, method, settings)                                                   \
  static const bench_case cases[] = { { method "-5000x100", 5000, 100, 5 } };                      \
  static void *prepare(const bench_case *size, const char *folder) {                               \
    return bench_fit_prepare(size, folder, method, settings);                                      \
  }                                                                                                \
  static bool run(void *data, double *answers) {                                                   \
    return bench_fit_solved(data, method, settings, answers);                                      \
  }                                                                                                \
  const bench_workload bench_workload_##workload = { .name = #workload,                            \
                                                     .cases = cases,                               \
                                                     .case_count = 1,                              \
                                                     .answer_count = 2,                            \
                                                     .tolerance = 1e-9,                            \
                                                     .peer_tolerance = 1e-6,                       \
                                                     .prepare = prepare,                           \
                                                     .bytes = bench_data_bytes,                    \
                                                     .run = run,                                   \
                                                     .release = bench_data_release };

#endif
