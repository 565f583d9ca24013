/* temperature.c -- temperature scaling by maximum likelihood. */
#include "fit.h"

static const bench_case cases[] = {
  { "temperature-10000x100", 10000, 100, 15 },
  { "temperature-25000x1000", 25000, 1000, 30 },
};

static bool run(void *data, double *answers) {
  return bench_fit_temperature(data, "temperature", answers);
}

const bench_workload bench_workload_temperature = {
  .name = "temperature",
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
