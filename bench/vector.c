/* vector.c -- vector scaling: a slope and an offset for each class, without a penalty. */
#include "fit.h"

static const bench_case cases[] = {
  { "vector-5000x100", 5000, 100, 5 },
};
static const char *const method = "vector", *const settings = NULL;

static void *prepare(const bench_case *size, const char *folder) {
  return bench_fit_prepare(size, folder, method, settings);
}

static bool run(void *data, double *answers) {
  return bench_fit_solved(data, method, settings, answers);
}

const bench_workload bench_workload_vector = {
  .name = "vector",
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .answer_count = 2,
  .tolerance = 1e-9,
  .peer_tolerance = 1e-6,
  .prepare = prepare,
  .bytes = bench_data_bytes,
  .run = run,
  .release = bench_data_release,
};
