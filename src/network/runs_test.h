/* runs_test.h -- run a model once, and compare outputs. */
#ifndef CRD_NETWORK_RUNS_TEST_H
#define CRD_NETWORK_RUNS_TEST_H

#include "io/testing.h"

#include "base/memory.h"
#include "credence/edit.h"

#include <math.h>

/* Runs a model on an input, and returns a copy of its first output. */
static inline crd_array run_once(crd_context *ctx, const crd_model *model, const crd_array *x) {
  crd_network *network;
  crd_array shape = *x;
  shape.data = NULL; /* with data it would be a constant */
  const crd_compile_options how = { .size = sizeof how, .inputs = &shape, .input_count = 1 };
  WORKS(ctx, crd_network_compile(ctx, model, &how, &network));
  WORKS(ctx, crd_network_run(ctx, network, x, 1));
  crd_array y = *crd_network_output(network, 0);
  const size_t bytes = crd_array_count(&y) * crd_dtype_size(y.dtype);
  void *const copy = crd__calloc(&ctx->alloc, bytes ? bytes : 1, 1);
  assert_non_null(copy);
  memcpy(copy, y.data, bytes);
  y.data = copy;
  crd_network_destroy(network);
  return y;
}

static inline void drop(crd_context *ctx, crd_array *array) {
  crd__free(&ctx->alloc, (void *)array->data);
}

/* Compares relative to the largest value. */
static inline void check_near(const char *where, const crd_array *got, const crd_array *want) {
  const float *const a = got->data, *const b = want->data;
  float largest = 0;
  assert_int_equal(crd_array_count(got), crd_array_count(want));
  for (size_t i = 0; i < crd_array_count(want); i++) largest = fmaxf(largest, fabsf(b[i]));
  for (size_t i = 0; i < crd_array_count(want); i++)
    if (!(fabsf(a[i] - b[i]) <= 1e-5F * largest))
      fail_msg("%s: %g instead of %g at %zu", where, (double)a[i], (double)b[i], i);
}

#define DATA_FILE(name) CREDENCE_SOURCE "/tests/cli/data/" name

static inline crd_model *open_model(crd_context *ctx, const char *path) {
  crd_model *model;
  WORKS(ctx, crd_model_open(ctx, path, &model));
  return model;
}

static inline crd_model *cut(crd_context *ctx, const crd_model *model, const char *at,
                             crd_model_part part) {
  crd_model *out;
  WORKS(ctx, crd_model_cut(ctx, model, at, part, &out));
  return out;
}

#endif
