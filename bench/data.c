/* data.c -- synthetic data from counters: the same rows in every run. */
#include "data.h"

#include "npy.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* SplitMix64: good enough for synthetic data. */
uint64_t bench_bits(uint64_t counter) {
  uint64_t z = counter * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Returns the sum of four uniform numbers from one word. */
float bench_noise(uint64_t counter) {
  uint64_t word = bench_bits(counter);
  uint64_t sum = (word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48);
  return ((float)sum / 65536.0f - 2.0f) * 1.7320508f;
}

/* The true class leads by a random margin: some rows are confident, some not, some wrong. */
static void fill(bench_data *data) {
  assert(data->cols > 0);
  float reach = 4.0f + 1.5f * logf((float)data->cols);
  for (size_t i = 0; i < data->rows; i++) {
    float *row = data->logits + i * data->cols;
    for (size_t k = 0; k < data->cols; k++) row[k] = 1.5f * bench_noise(i * data->cols + k + 1);
    uint64_t word = bench_bits(~(uint64_t)i);
    data->labels[i] = (int64_t)(word % data->cols);
    row[data->labels[i]] += reach * (float)(word >> 40) / 16777216.0f;
  }
}

void bench_data_release(void *self) {
  bench_data *data = self;
  if (!data) return;
  crd_context_destroy(data->ctx);
  free(data->logits);
  free(data->labels);
  free(data);
}

void *bench_data_prepare(const bench_case *size, const char *folder) {
  bench_data *data = calloc(1, sizeof *data);
  if (!data) return NULL;
  data->rows = size->rows;
  data->cols = size->cols;
  data->logits = malloc(size->rows * size->cols * sizeof *data->logits);
  data->labels = malloc(size->rows * sizeof *data->labels);
  bool good = data->logits && data->labels && crd_context_create(NULL, &data->ctx) == CRD_OK;
  if (good) {
    crd_context_set_threads(data->ctx, 1);
    fill(data);
    good = bench_npy_write(folder, "logits", "f4", data->logits, size->rows, size->cols) &&
           bench_npy_write(folder, "labels", "i8", data->labels, size->rows, 1);
  }
  if (good) return data;
  bench_data_release(data);
  return NULL;
}

size_t bench_data_bytes(const bench_case *size) {
  return size->rows * (size->cols * sizeof(float) + sizeof(int64_t));
}

crd_predictions *bench_data_predictions(const bench_data *data) {
  crd_predictions_parts parts = {
    .size = sizeof parts,
    .scores = crd_array_matrix(data->logits, CRD_F32, data->rows, data->cols),
    .labels = crd_array_matrix(data->labels, CRD_I64, data->rows, 1),
    .input = CRD_INPUT_LOGITS,
  };
  crd_predictions *predictions = NULL;
  if (crd_predictions_create(data->ctx, &parts, &predictions) != CRD_OK)
    fprintf(stderr, "bench: %s\n", crd_context_message(data->ctx));
  return predictions;
}

bool bench_find_network(const char *name, const char *suffix, char *path, size_t size) {
  char command[1024];
  snprintf(path, size, "%s/%s%s-opset17-dynamic.onnx", BENCH_NETWORKS, name, suffix);
  if (access(path, R_OK) == 0) return true;
  snprintf(command, sizeof command, "'%s' full '%s' %s%s-opset17-dynamic >&2", BENCH_MAKE_NETWORKS,
           BENCH_NETWORKS, name, suffix);
  return system(command) == 0;
}
