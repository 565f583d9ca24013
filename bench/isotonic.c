/* isotonic.c -- isotonic regression over 200000 confidences. */
#include "fit.h"

#include "npy.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
  crd_context *ctx;
  double *confidence;
  unsigned char *correct;
  size_t rows;
} pairs;

static const bench_case cases[] = {
  { "isotonic-200000", 200000, 1, 5 },
};

/* Overconfident, most so in the middle. */
static void fill(pairs *data) {
  for (size_t i = 0; i < data->rows; i++) {
    const double c = (double)(bench_bits(2 * i + 1) >> 11) * 0x1p-53;
    data->confidence[i] = c;
    data->correct[i] = (double)(bench_bits(2 * i + 2) >> 11) * 0x1p-53 < c - 0.4 * c * (1 - c);
  }
}

static void release(void *self) {
  pairs *data = self;
  if (!data) return;
  crd_context_destroy(data->ctx);
  free(data->confidence);
  free(data->correct);
  free(data);
}

static void *prepare(const bench_case *size, const char *folder) {
  pairs *data = calloc(1, sizeof *data);
  if (!data) return NULL;
  data->rows = size->rows;
  data->confidence = malloc(size->rows * sizeof *data->confidence);
  data->correct = malloc(size->rows * sizeof *data->correct);
  bool good = data->confidence && data->correct && crd_context_create(NULL, &data->ctx) == CRD_OK;
  if (good) {
    crd_context_set_threads(data->ctx, 1);
    fill(data);
    good = bench_npy_write(folder, "confidence", "f8", data->confidence, size->rows, 1) &&
           bench_npy_write(folder, "correct", "u1", data->correct, size->rows, 1);
  }
  if (good) return data;
  release(data);
  return NULL;
}

static size_t bytes(const bench_case *size) { return size->rows * (sizeof(double) + 1); }

static crd_predictions *as_predictions(const pairs *data) {
  crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data->confidence, CRD_F64, data->rows, 1),
    .correct = crd_array_matrix(data->correct, CRD_U8, data->rows, 1),
    .input = CRD_INPUT_PAIRS,
  };
  crd_predictions *predictions = NULL;
  if (crd_predictions_create(data->ctx, &parts, &predictions) != CRD_OK)
    fprintf(stderr, "bench: isotonic: %s\n", crd_context_message(data->ctx));
  return predictions;
}

/* Returns the value of the fitted step function at 1/2. */
static double at_half(const crd_learnt *probability, const crd_learnt *calibrated) {
  size_t last = 0;
  while (last + 1 < probability->start[1] && probability->values[last + 1] <= 0.5) last++;
  return calibrated->values[last];
}

static bool run(void *self, double *answers) {
  pairs *data = self;
  crd_calibrator *calibrator = bench_fit(data->ctx, "isotonic", NULL, as_predictions(data));
  if (!calibrator) return false;
  answers[0] = crd_calibrator_certificate(calibrator)->objective;
  answers[1] = at_half(crd_calibrator_learnt(calibrator, 0), crd_calibrator_learnt(calibrator, 1));
  crd_calibrator_destroy(calibrator);
  return true;
}

const bench_workload bench_workload_isotonic = {
  .name = "isotonic",
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .answer_count = 2,
  .tolerance = 1e-9,
  .peer_tolerance = 1e-9,
  .prepare = prepare,
  .bytes = bytes,
  .run = run,
  .release = release,
};
