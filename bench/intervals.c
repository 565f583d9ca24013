/* intervals.c -- ECE and classwise calibration error with bootstrap intervals of 200 resamples.
 *
 * One thread. Resamples differ between implementations, so the answers compared are the estimates;
 * the time is that of the resamples.
 */
#include "data.h"

#include <stdio.h>

static const bench_case cases[] = {
  { "intervals-10000x10", 10000, 10, 1.5 },
  { "intervals-5000x1000", 5000, 1000, 5 },
};

static bool run(void *self, double *answers) {
  bench_data *data = self;
  crd_evaluate_options options = {
    .size = sizeof options, .metrics = "ece,sce", .bins = 15, .resamples = 200
  };
  crd_predictions *predictions = bench_data_predictions(data);
  const crd_result *result = NULL;
  if (predictions && crd_evaluate(data->ctx, predictions, &options, &result) != CRD_OK)
    fprintf(stderr, "bench: intervals: %s\n", crd_context_message(data->ctx));
  const bool good = result && result->resamples == 200;
  for (size_t i = 0; result && i < result->value_count && i < 2; i++)
    answers[i] = result->values[i].value;
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  return good;
}

/* Two operations per row, class and resample. */
static double flops(const void *self) {
  const bench_data *data = self;
  return 2.0 * 200 * (double)data->rows * (double)data->cols;
}

const bench_workload bench_workload_intervals = {
  .name = "intervals",
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .answer_count = 2,
  .tolerance = 1e-9,
  .peer_tolerance = 1e-4,
  .prepare = bench_data_prepare,
  .flops = flops,
  .run = run,
  .release = bench_data_release,
};
