/* data.h -- rows of logits and labels, shared by most workloads. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "workload.h"

#include "credence/credence.h"

#include <stdint.h>

typedef struct {
  crd_context *ctx; /* with one thread */
  float *logits;
  int64_t *labels;
  size_t rows, cols;
} bench_data;

/* Returns 64 random bits from a counter, the same on every machine. */
uint64_t bench_bits(uint64_t counter);
/* Returns a near-normal number with mean 0 and variance 1. */
float bench_noise(uint64_t counter);

/* Functions of a workload whose state is a bench_data: float32 logits.npy, labels.npy. */
void *bench_data_prepare(const bench_case *size, const char *folder);
size_t bench_data_bytes(const bench_case *size);
void bench_data_release(void *self);

/* Returns predictions that borrow the rows; NULL, with a message, on failure. */
crd_predictions *bench_data_predictions(const bench_data *data);

/* Sets the path of a network of tools/make-networks, which is made if missing; `suffix` follows its
 * name. */
bool bench_find_network(const char *name, const char *suffix, char *path, size_t size);

#endif
