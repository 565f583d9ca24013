/*
 * tsne.c -- the t-SNE embedding of rows, for tests/long/tsne:
 *
 *   tsne THREADS ROWS WIDTH <rows in float64 >points, two float64 a row; seconds to standard error
 */
#include "math/tsne/tsne.h"
#include "credence/credence.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int map(crd_context *ctx, size_t rows, size_t width) {
  double *const x = malloc(rows * width * sizeof *x), *const y = malloc(2 * rows * sizeof *y);
  int code = 1;
  if (x && y && fread(x, width * sizeof *x, rows, stdin) == rows) {
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (crd__math_tsne(ctx, x, rows, width, NULL, y) == CRD_OK)
      code = fwrite(y, 2 * sizeof *y, rows, stdout) != rows;
    else fprintf(stderr, "%s\n", crd_context_message(ctx));
    fprintf(stderr, "%.2f %.2f\n", seconds(CLOCK_MONOTONIC) - wall,
            seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
  }
  free(x);
  free(y);
  return code;
}

int main(int argc, char **argv) {
  crd_context *ctx = NULL;
  if (argc != 4 || crd_context_create(NULL, &ctx) != CRD_OK) return 1;
  crd_context_set_threads(ctx, (unsigned)strtoul(argv[1], NULL, 10));
  const int code = map(ctx, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
  crd_context_destroy(ctx);
  return code;
}
