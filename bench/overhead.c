/*
 * overhead.c -- the C side of python-overhead: credence-overhead FILE ROWS CLASSES
 *
 * FILE holds scores as float64 and then labels as int64. For each line "RESAMPLES THREADS" of
 * standard input evaluates them once, from creating the context to destroying everything, and
 * writes the seconds that this took.
 */
#include <credence/credence.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static crd_status evaluate(crd_context *ctx, const crd_predictions_parts *parts,
                           const crd_evaluate_options *options) {
  crd_predictions *predictions;
  const crd_result *result = NULL;
  crd_status status = crd_predictions_create(ctx, parts, &predictions);
  if (status != CRD_OK) return status;
  status = crd_evaluate(ctx, predictions, options, &result);
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const size_t rows = strtoull(argv[2], NULL, 10), classes = strtoull(argv[3], NULL, 10);
  double *const scores = malloc(rows * classes * sizeof *scores);
  int64_t *const labels = malloc(rows * sizeof *labels);
  FILE *const file = fopen(argv[1], "rb");
  if (!scores || !labels || !file ||
      fread(scores, sizeof *scores, rows * classes, file) < rows * classes ||
      fread(labels, sizeof *labels, rows, file) < rows)
    return 1;
  fclose(file);
  const int64_t shape[] = { (int64_t)rows, (int64_t)classes };
  const crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = { .data = scores, .dtype = CRD_F64, .rank = 2, .dims = { shape[0], shape[1] } },
    .labels = { .data = labels, .dtype = CRD_I64, .rank = 2, .dims = { shape[0], 1 } },
  };
  unsigned resamples, threads;
  while (scanf("%u %u", &resamples, &threads) == 2) {
    const crd_evaluate_options options = { .size = sizeof options, .resamples = resamples };
    crd_context *ctx;
    const double start = seconds_now();
    if (crd_context_create(NULL, &ctx) != CRD_OK) return 1;
    crd_context_set_threads(ctx, threads);
    const crd_status status = evaluate(ctx, &parts, &options);
    if (status != CRD_OK) fprintf(stderr, "%s\n", crd_context_message(ctx));
    crd_context_destroy(ctx);
    printf("%.9f\n", seconds_now() - start);
    fflush(stdout);
    if (status != CRD_OK) return 1;
  }
  free(scores);
  free(labels);
  return 0;
}
