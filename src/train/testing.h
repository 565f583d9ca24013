/* testing.h -- helpers of this room's tests: a small network, data in memory, trainers. */
#ifndef CRD_TRAIN_TESTING_H
#define CRD_TRAIN_TESTING_H

#include "io/testing.h"

#include "base/random.h"
#include "network/model.h"
#include "onnx/graph.h"
#include "train/trainer.h"

#include <math.h>

enum { INPUTS = 4, HIDDEN = 8, CLASSES = 3, ROWS = 50, BATCH = 16 };

/* ---- The network: Gemm, BatchNormalization, Relu, Dropout, Gemm. */

typedef struct {
  crd__onnx_graph graph;
  float values[INPUTS * HIDDEN];
} sketch;

static inline crd__onnx_graph_value weights_of(sketch *s, const char *name, uint64_t stream,
                                               const int64_t *dims, size_t rank) {
  size_t count = 1;
  for (size_t i = 0; i < rank; i++) count *= (size_t)dims[i];
  for (size_t i = 0; i < count; i++)
    s->values[i] = (float)(crd__random_uniform(7, stream, i) - 0.5);
  return crd__onnx_graph_floats(&s->graph, name, s->values, dims, rank);
}

static inline crd__onnx_graph_value filled(sketch *s, const char *name, float value) {
  static const int64_t dims[] = { HIDDEN };
  for (size_t i = 0; i < HIDDEN; i++) s->values[i] = value;
  return crd__onnx_graph_floats(&s->graph, name, s->values, dims, 1);
}

static inline crd__onnx_graph_value gemm(sketch *s, crd__onnx_graph_value x, const char *name,
                                         int64_t in, int64_t out) {
  char weight[40], bias[40];
  const int64_t matrix[] = { in, out }, vector[] = { out };
  snprintf(weight, sizeof weight, "%s.weight", name);
  snprintf(bias, sizeof bias, "%s.bias", name);
  const crd__onnx_graph_value w = weights_of(s, weight, (uint64_t)in, matrix, 2);
  const crd__onnx_graph_value b = weights_of(s, bias, (uint64_t)(in + 100), vector, 1);
  return crd__onnx_graph_node_as(&s->graph, name, "Gemm",
                                 (const crd__onnx_graph_value[]){ x, w, b }, 3, NULL);
}

/* `last` is the operator of the output, NULL: logits. */
static inline crd_model *small_model_ending(crd_context *ctx, const char *last) {
  static const int64_t in[] = { -1, INPUTS }, out[] = { -1, CLASSES };
  static const float half = 0.3F;
  sketch s;
  crd__text bytes;
  crd_model *model;
  crd__onnx_graph_init(&s.graph, &ctx->alloc);
  crd__onnx_graph_value x = crd__onnx_graph_input_of(&s.graph, "x", CRD__ONNX_FLOAT, in, 2);
  x = gemm(&s, x, "first", INPUTS, HIDDEN);
  const crd__onnx_graph_value scale = filled(&s, "bn.scale", 1), shift = filled(&s, "bn.shift", 0),
                              mean = filled(&s, "bn.mean", 0), var = filled(&s, "bn.var", 1);
  x = crd__onnx_graph_node_as(&s.graph, "normal", "BatchNormalization",
                              (const crd__onnx_graph_value[]){ x, scale, shift, mean, var }, 5,
                              NULL);
  x = crd__onnx_graph_node_as(&s.graph, "relu", "Relu", &x, 1, NULL);
  const crd__onnx_graph_value ratio = crd__onnx_graph_floats(&s.graph, "ratio", &half, NULL, 0);
  x = crd__onnx_graph_node_as(&s.graph, "dropout", "Dropout",
                              (const crd__onnx_graph_value[]){ x, ratio }, 2, NULL);
  x = gemm(&s, x, "second", HIDDEN, CLASSES);
  if (last) x = crd__onnx_graph_node_as(&s.graph, "last", last, &x, 1, NULL);
  crd__onnx_graph_output_of(&s.graph, x, CRD__ONNX_FLOAT, out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  WORKS(ctx, crd__onnx_graph_finish(ctx, &s.graph, "small", "", &bytes));
  crd__onnx_graph_clear(&s.graph);
  WORKS(ctx, crd__network_model_adopt(ctx, "small.onnx", &bytes, &model));
  return model;
}

static inline crd_model *small_model(crd_context *ctx) { return small_model_ending(ctx, NULL); }

/* ---- Data: three clusters, with some labels wrong. */

typedef struct {
  float inputs[2 * ROWS * INPUTS];
  int64_t labels[2 * ROWS];
  double weights[2 * ROWS];
} samples;

static inline const samples *all_samples(void) {
  static samples s;
  for (size_t i = 0; i < 2 * ROWS; i++) {
    const size_t k = i % CLASSES;
    s.labels[i] = (int64_t)(i % 11 == 0 ? (k + 1) % CLASSES : k);
    s.weights[i] = 1 + (double)(i % 3);
    for (size_t j = 0; j < INPUTS; j++)
      s.inputs[i * INPUTS + j] =
          (float)(crd__random_normal(3, j, i) + (j == k ? 2.5 : 0)) + (j == 3 ? 5 : 0);
  }
  return &s;
}

static inline crd_dataset *rows_from(crd_context *ctx, size_t from, size_t count, bool weighted) {
  const samples *const s = all_samples();
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = crd_array_matrix(s->inputs + from * INPUTS, CRD_F32, count, INPUTS),
    .labels = crd_array_matrix(s->labels + from, CRD_I64, count, 1),
    .weights = crd_array_matrix(weighted ? s->weights + from : NULL, CRD_F64, count, 1),
    .classes = CLASSES
  };
  crd_dataset *data;
  WORKS(ctx, crd_dataset_create(ctx, &arrays, &data));
  return data;
}

/* ---- A trainer with what it needs. */

typedef struct {
  crd_context *ctx;
  crd_model *model;
  crd_dataset *training, *validation;
  crd_encoding *encoding;
  crd_monitor monitor;
  crd_train_options options;
  crd_trainer *trainer;
} school;

/* Data and options without a trainer. */
static inline school prepare(crd_context *ctx, const crd_train_options *options) {
  if (!ctx->threads) crd_context_set_threads(ctx, 1); /* quicker on a busy machine */
  school s = { .ctx = ctx, .model = small_model(ctx) };
  if (options) s.options = *options;
  s.options.size = sizeof s.options; /* tables of options leave it out */
  if (!s.options.batch) s.options.batch = BATCH;
  if (!s.options.epochs) s.options.epochs = 3;
  s.training = rows_from(ctx, 0, ROWS, false);
  s.validation = rows_from(ctx, ROWS, ROWS, false);
  WORKS(ctx, crd_encoding_learn(ctx, s.training, NULL, &s.encoding));
  return s;
}

static inline crd_status enrol(school *s) {
  if (s->options.best || s->options.monitor_count) {
    s->monitor = (crd_monitor){ .name = "validation", .data = s->validation };
    s->options.monitors = &s->monitor;
    s->options.monitor_count = 1;
  }
  return crd_trainer_create(s->ctx, s->model, s->training, s->encoding, &s->options, &s->trainer);
}

static inline school begin(crd_context *ctx, const crd_train_options *options) {
  school s = prepare(ctx, options);
  WORKS(ctx, enrol(&s));
  return s;
}

static inline void finish(school *s) {
  crd_trainer_destroy(s->trainer);
  crd_dataset_destroy(s->training);
  crd_dataset_destroy(s->validation);
  crd_encoding_destroy(s->encoding);
  crd_model_destroy(s->model);
}

/* Trains to the end; `out` is the last epoch. */
static inline void train_all(const school *s, crd_epoch *out) {
  *out = (crd_epoch){ 0 };
  for (int done = crd_trainer_done(s->trainer); !done;)
    WORKS(s->ctx, crd_trainer_epoch(s->ctx, s->trainer, out, &done));
}

static inline double epoch_value(const crd_epoch *epoch, const char *name) {
  for (size_t i = 0; i < epoch->count; i++)
    if (strcmp(epoch->values[i].name, name) == 0) return epoch->values[i].value;
  fail_msg("no column '%s'", name);
}

/* Values of all parameters and running statistics. */
static inline size_t parameters_of(const crd_trainer *t, float out[static 256]) {
  assert_true(t->pass.parameters.all <= 256);
  crd__train_parameters_read(&t->pass.parameters, out);
  return t->pass.parameters.all;
}

#endif
