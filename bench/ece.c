/* ece.c -- accuracy, mean confidence and 15-bin ECE from float32 logits.
 *
 * Through the public API: predictions in memory, one evaluation, one thread.
 */
#include "data.h"

#include <stdio.h>

static const bench_case cases[] = {
  { "ece-10000x10", 10000, 10, 10 },
  { "ece-10000x100", 10000, 100, 4 },
  { "ece-200000x1000", 200000, 1000, 4 },
};

static bool run(void *self, double *answers) {
  bench_data *data = self;
  crd_evaluate_options options = { .size = sizeof options,
                                   .metrics = "accuracy,confidence,ece",
                                   .bins = 15 };
  crd_predictions *predictions = bench_data_predictions(data);
  const crd_result *result = NULL;
  if (predictions && crd_evaluate(data->ctx, predictions, &options, &result) != CRD_OK)
    fprintf(stderr, "bench: ece: %s\n", crd_context_message(data->ctx));
  const bool good = result;
  for (size_t i = 0; result && i < result->value_count && i < 3; i++)
    answers[i] = result->values[i].value;
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  return good;
}

const bench_workload bench_workload_ece = {
  .name = "ece",
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .answer_count = 3,
  .tolerance = 1e-9,
  .peer_tolerance = 1e-4,
  .prepare = bench_data_prepare,
  .bytes = bench_data_bytes,
  .run = run,
  .release = bench_data_release,
};
