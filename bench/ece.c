/* ece.c -- accuracy, mean confidence and 15-bin ECE from single-precision logits.
 *
 * The whole public path: predictions over memory, one evaluation, one thread.
 */
#include "npy.h"
#include "workload.h"

#include "credence/credence.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  crd_context *ctx;
  float *logits;
  int64_t *labels;
  size_t rows, cols;
} ece_state;

static const bench_case cases[] = {
  { "ece-10000x10", 10000, 10, 10 },
  { "ece-10000x100", 10000, 100, 4 },
  { "ece-200000x1000", 200000, 1000, 4 },
};

/* SplitMix64: good enough to make data, and the same on every machine. */
static uint64_t mix(uint64_t counter) {
  uint64_t z = counter * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Near-normal with mean 0 and variance 1: the sum of four uniform numbers out of one word. */
static float noise(uint64_t counter) {
  uint64_t word = mix(counter);
  uint64_t sum = (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48);
  return ((float)sum / 65536.0f - 2.0f) * 1.7320508f;
}

/* Rows in which the true class leads by a random margin: some sure, some not, some wrong. */
static void fill(ece_state *state) {
  float reach = 4.0f + 1.5f * logf((float)state->cols);
  for (size_t i = 0; i < state->rows; i++) {
    float *row = state->logits + i * state->cols;
    for (size_t k = 0; k < state->cols; k++) row[k] = 1.5f * noise(i * state->cols + k + 1);
    uint64_t word = mix(~(uint64_t)i);
    state->labels[i] = (int64_t)(word % state->cols);
    row[state->labels[i]] += reach * (float)(word >> 40) / 16777216.0f;
  }
}

static void release(void *self) {
  ece_state *state = self;
  if (!state) return;
  crd_context_destroy(state->ctx);
  free(state->logits);
  free(state->labels);
  free(state);
}

static void *prepare(const bench_case *size, const char *folder) {
  ece_state *state = calloc(1, sizeof *state);
  if (!state) return NULL;
  state->rows = size->rows;
  state->cols = size->cols;
  state->logits = malloc(size->rows * size->cols * sizeof *state->logits);
  state->labels = malloc(size->rows * sizeof *state->labels);
  bool good = state->logits && state->labels && crd_context_create(NULL, &state->ctx) == CRD_OK;
  if (good) {
    crd_context_set_threads(state->ctx, 1);
    fill(state);
    good = bench_npy_write(folder, "logits", "f4", state->logits, size->rows, size->cols) &&
           bench_npy_write(folder, "labels", "i8", state->labels, size->rows, 1);
  }
  if (good) return state;
  release(state);
  return NULL;
}

static size_t bytes(const bench_case *size) {
  return size->rows * (size->cols * sizeof(float) + sizeof(int64_t));
}

static bool run(void *self, double *answers) {
  ece_state *state = self;
  crd_predictions_parts parts = {
    .scores = crd_view_make(state->logits, CRD_F32, state->rows, state->cols),
    .labels = crd_view_make(state->labels, CRD_I64, state->rows, 1),
    .input = CRD_INPUT_LOGITS,
  };
  crd_evaluate_options options = { .metrics = "accuracy,confidence,ece", .bins = 15 };
  crd_predictions *predictions = NULL;
  crd_result *result = NULL;
  crd_status status = crd_predictions_create(state->ctx, &parts, &predictions);
  if (status == CRD_OK) status = crd_evaluate(state->ctx, predictions, &options, &result);
  if (status != CRD_OK) fprintf(stderr, "bench: ece: %s\n", crd_context_message(state->ctx));
  for (size_t i = 0; result && i < result->value_count && i < 3; i++)
    answers[i] = result->values[i].value;
  crd_result_destroy(result);
  crd_predictions_destroy(predictions);
  return status == CRD_OK;
}

const bench_workload bench_workload_ece = {
  .name = "ece",
  .cases = cases,
  .case_count = sizeof cases / sizeof *cases,
  .answer_count = 3,
  .tolerance = 1e-9,
  .peer_tolerance = 1e-4,
  .prepare = prepare,
  .bytes = bytes,
  .run = run,
  .release = release,
};
