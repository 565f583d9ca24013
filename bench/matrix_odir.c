/* matrix_odir.c -- matrix scaling with a given ODIR penalty. */
#include "fit.h"

static const bench_case cases[] = {
  { "matrix-odir-5000x100", 5000, 100, 5 },
};
static const char *const method = "matrix-odir", *const settings = "lambda=1,mu=1";

static void *prepare(const bench_case *size, const char *folder) {
  return bench_fit_prepare(size, folder, method, settings);
}

static bool run(void *data, double *answers) {
  return bench_fit_solved(data, method, settings, answers);
}

const bench_workload bench_workload_matrix_odir = {
  .name = "matrix_odir",
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
