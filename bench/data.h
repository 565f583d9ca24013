/* data.h -- rows of logits and labels that most workloads share. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "workload.h"

#include "credence/credence.h"

#include <stdint.h>

typedef struct {
  crd_context *ctx; /* of one thread */
  float *logits;
  int64_t *labels;
  size_t rows, cols;
} bench_data;

/* 64 random bits from a counter, the same on every machine. */
uint64_t bench_bits(uint64_t counter);
/* Near-normal with mean 0 and variance 1. */
float bench_noise(uint64_t counter);

/* Members of a workload whose state is a bench_data: single-precision logits.npy, labels.npy. */
void *bench_data_prepare(const bench_case *size, const char *folder);
size_t bench_data_bytes(const bench_case *size);
void bench_data_release(void *data);

/* The rows as predictions, which borrow them; NULL, with words, on failure. */
crd_predictions *bench_data_predictions(const bench_data *data);

#endif
