/* probe.c -- peak arithmetic and peak memory reading, in plain C that a compiler vectorises.
 *
 * A round of a benchmark counts only while these are near the best seen: on a shared machine,
 * another process on the same core or a lower clock would otherwise look like slow code. On one
 * thread CPU time is measured, so that waiting for the processor does not count; on more it is wall
 * time, because threads that wait for one another all wait.
 */
#include "probe.h"

#include "workload.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, CHAINS = 12, STEPS = 60000, TURNS = 20 };

static volatile float sink_float;
static volatile uint64_t sink_whole;
static uint64_t *block;

/* Twelve independent chains of sixteen lanes: enough to fill the pipelines, and they fit registers.
 */
static float multiply_add(float factor, float addend) {
  float chain[CHAINS][LANES];
  for (int c = 0; c < CHAINS; c++)
    for (int l = 0; l < LANES; l++) chain[c][l] = (float)(c + l) * 1e-3f;
  for (int step = 0; step < STEPS; step++)
    for (int c = 0; c < CHAINS; c++)
      for (int l = 0; l < LANES; l++) chain[c][l] = chain[c][l] * factor + addend;
  float sum = 0;
  for (int c = 0; c < CHAINS; c++)
    for (int l = 0; l < LANES; l++) sum += chain[c][l];
  return sum;
}

double bench_probe_flops(unsigned threads) {
  const int count = threads > 1 ? (int)threads : 1;
  const int turns = threads > 1 ? TURNS : 1; /* longer than it takes to wake the other threads */
  const double start = bench_seconds(threads);
  const float addend = 1e-4f + sink_float * 0; /* unknown to the compiler */
  float sum = 0;
#pragma omp parallel for num_threads(count) schedule(static, 1) reduction(+ : sum)
  for (int i = 0; i < count; i++)
    for (int turn = 0; turn < turns; turn++) sum += multiply_add(0.9999f, addend + (float)turn);
  sink_float = sum;
  return 2.0 * LANES * CHAINS * STEPS * count * turns / (bench_seconds(threads) - start);
}

static uint64_t read_all(const uint64_t *words, size_t count) {
  uint64_t sum[32] = { 0 };
  for (size_t i = 0; i + 32 <= count; i += 32)
    for (size_t l = 0; l < 32; l++) sum[l] += words[i + l];
  uint64_t total = 0;
  for (size_t l = 0; l < 32; l++) total += sum[l];
  return total;
}

double bench_probe_read(size_t bytes) {
  if (!block && (block = malloc(BENCH_PROBE_BYTES))) memset(block, 1, BENCH_PROBE_BYTES);
  if (!block) return 0;
  if (bytes > BENCH_PROBE_BYTES) bytes = BENCH_PROBE_BYTES;
  size_t passes = 1 + ((size_t)64 << 20) / bytes;
  sink_whole = read_all(block, bytes / sizeof *block);
  double start = bench_seconds(1);
  for (size_t i = 0; i < passes; i++) sink_whole += read_all(block, bytes / sizeof *block);
  return (double)passes * (double)bytes / (bench_seconds(1) - start);
}

void bench_probe_end(void) {
  free(block);
  block = NULL;
}
