/* temperature_ece.c -- temperature scaling: the best of 1000 temperatures by 15-bin ECE. */
#include "fit.h"

static const bench_case cases[] = {
  { "temperature-ece-10000x100", 10000, 100, 50 },
};

static bool run(void *data, double *answers) {
  return bench_fit_temperature(data, "temperature-ece", answers);
}

const bench_workload bench_workload_temperature_ece = {
  .name = "temperature_ece",
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .answer_count = 2,
  .tolerance = 1e-9,
  .peer_tolerance = 1e-4,
  .prepare = bench_data_prepare,
  .bytes = bench_data_bytes,
  .run = run,
  .release = bench_data_release,
};
