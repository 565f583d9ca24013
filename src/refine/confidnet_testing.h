/*
 * confidnet_testing.h -- helpers of ConfidNet's tests: a small classifier, and data on which its
 * errors can be learned.
 */
#ifndef CRD_REFINE_CONFIDNET_TESTING_H
#define CRD_REFINE_CONFIDNET_TESTING_H

#include "io/testing.h"

#include "base/random.h"
#include "network/model.h"
#include "refine/confidnet.h"

#include <math.h>

/* Both values differ by at most `tolerance`. */
#define NEAR(found, wanted, tolerance)                                                             \
  do {                                                                                             \
    const double near_found = (found), near_wanted = (wanted);                                     \
    if (!(fabs(near_found - near_wanted) <= (tolerance)))                                          \
      fail_msg("found %.17g, expected %.17g", near_found, near_wanted);                            \
  } while (0)

enum { INPUTS = 2, HIDDEN = 4, CLASSES = 3, ROWS = 300 };

/* ---- The classifier: h = relu(x W1), logits = h W2, with W2 the first columns of a unit matrix.
 */

typedef struct {
  const char *last; /* an operator behind the logits; NULL: none */
  const char *name; /* of the hidden layer; NULL: "h" */
  size_t classes;   /* 0: CLASSES */
  bool deep;        /* features have two more dimensions */
  bool bare;        /* without the last layer: the output is relu(x W1) */
  int64_t opset;    /* 0: that of new models */
} design;

static inline crd_model *make_model(crd_context *ctx, const design *d) {
  static const float w1[INPUTS * HIDDEN] = { 2, -1, -1, 0.5F, -1, 2, -1, 0.5F };
  const size_t classes = d->bare ? HIDDEN : d->classes ? d->classes : CLASSES;
  const int64_t in[] = { -1, INPUTS }, out[] = { -1, (int64_t)classes };
  const int64_t first[] = { INPUTS, HIDDEN }, second[] = { HIDDEN, (int64_t)classes };
  float w2[HIDDEN * HIDDEN] = { 0 };
  crd__onnx_graph g;
  crd__text bytes;
  crd_model *model;
  for (size_t k = 0; k < classes; k++) w2[k * classes + k] = 1;
  crd__onnx_graph_init(&g, &ctx->alloc);
  if (d->opset) g.opset = d->opset;
  crd__onnx_graph_value x = crd__onnx_graph_input_of(&g, "x", CRD__ONNX_FLOAT, in, 2);
  const crd__onnx_graph_value a = crd__onnx_graph_floats(&g, "w1", w1, first, 2);
  const crd__onnx_graph_value b = crd__onnx_graph_floats(&g, "w2", w2, second, 2);
  x = crd__onnx_graph_node(&g, d->bare ? "Identity" : "MatMul", (crd__onnx_graph_value[]){ x, a },
                           d->bare ? 1 : 2, NULL);
  if (d->deep) {
    const int64_t shape[] = { -1, 2, 2, 1 }, flat[] = { -1, HIDDEN };
    x = crd__onnx_graph_node_as(
        &g, "deep", "Reshape", (crd__onnx_graph_value[]){ x, crd__onnx_graph_int64s(&g, shape, 4) },
        2, NULL);
    x = crd__onnx_graph_node(&g, "Reshape",
                             (crd__onnx_graph_value[]){ x, crd__onnx_graph_int64s(&g, flat, 2) }, 2,
                             NULL);
  }
  x = crd__onnx_graph_node_as(&g, d->name ? d->name : "h", "Relu", &x, 1, NULL);
  if (!d->bare)
    x = crd__onnx_graph_node_as(&g, "logits", "MatMul", (crd__onnx_graph_value[]){ x, b }, 2, NULL);
  if (d->last) x = crd__onnx_graph_node_as(&g, "last", d->last, &x, 1, NULL);
  crd__onnx_graph_output_of(&g, x, CRD__ONNX_FLOAT, d->bare ? in : out, 2);
  crd__text_init(&bytes, &ctx->alloc);
  WORKS(ctx, crd__onnx_graph_finish(ctx, &g, "small", "", &bytes));
  crd__onnx_graph_clear(&g);
  WORKS(ctx, crd__network_model_adopt(ctx, "small.onnx", &bytes, &model));
  return model;
}

/* The same in plain loops, in float64. */
static inline void plain_logits(const float *x, double z[static CLASSES]) {
  for (size_t k = 0; k < CLASSES; k++) {
    const double a = k == 0 ? 2.0 * x[0] - x[1] : k == 1 ? 2.0 * x[1] - x[0] : -x[0] - x[1];
    z[k] = a > 0 ? a : 0;
  }
}

static inline size_t plain_top(const float *x) {
  double z[CLASSES];
  plain_logits(x, z);
  return z[1] > z[0] ? (z[2] > z[1] ? 2 : 1) : z[2] > z[0] ? 2 : 0;
}

/* ---- Data. */

typedef enum { SOME_WRONG, ALL_CORRECT, ALL_WRONG } errors;

typedef struct {
  float inputs[ROWS * INPUTS];
  int64_t labels[ROWS];
  double weights[ROWS];
  size_t rows;
  bool weighted;
} samples;

/* Rows are uniform in [-1, 1]; with SOME_WRONG, those with x0 > 0.4 are wrong, and others seldom,
 * which the largest probability does not show. */
static inline void draw(samples *s, size_t rows, errors kind, uint64_t seed) {
  *s = (samples){ .rows = rows };
  for (size_t i = 0; i < rows; i++) {
    float *const x = s->inputs + i * INPUTS;
    x[0] = (float)(2 * crd__random_uniform(seed, 0, i) - 1);
    x[1] = (float)(2 * crd__random_uniform(seed, 1, i) - 1);
    const bool wrong = kind == ALL_WRONG || (kind == SOME_WRONG && (x[0] > 0.4F || i % 17 == 3));
    const int64_t top = (int64_t)plain_top(x);
    s->labels[i] = wrong ? (top + 1) % CLASSES : top;
    s->weights[i] = 1 + (double)(i % 3);
  }
}

static inline crd_dataset *make_dataset(crd_context *ctx, const samples *s) {
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = crd_array_matrix(s->inputs, CRD_F32, s->rows, INPUTS),
    .labels = crd_array_matrix(s->labels, CRD_I64, s->rows, 1),
    .weights = crd_array_matrix(s->weighted ? s->weights : NULL, CRD_F64, s->rows, 1),
    .classes = CLASSES
  };
  crd_dataset *data;
  WORKS(ctx, crd_dataset_create(ctx, &arrays, &data));
  return data;
}

/* ---- A run. */

typedef struct {
  crd_model *model;
  samples training, validation; /* in memory, borrowed by the data */
  crd_dataset *data, *held_out;
} scene;

static inline void open_scene(crd_context *ctx, const design *d, errors kind, scene *s) {
  crd_context_set_threads(ctx, 1); /* quicker on a busy machine */
  s->model = make_model(ctx, d);
  draw(&s->training, ROWS, kind, 1);
  draw(&s->validation, 150, kind, 2);
  s->data = make_dataset(ctx, &s->training);
  s->held_out = make_dataset(ctx, &s->validation);
}

static inline void close_scene(scene *s) {
  crd_dataset_destroy(s->data);
  crd_dataset_destroy(s->held_out);
  crd_model_destroy(s->model);
}

static inline crd_confidnet *create(crd_context *ctx, const scene *s, const char *settings) {
  const crd_confidnet_options options = { .size = sizeof options, .settings = settings };
  crd_confidnet *c;
  WORKS(ctx, crd_confidnet_create(ctx, s->model, s->data, s->held_out, &options, &c));
  return c;
}

static inline void train_all(crd_context *ctx, crd_confidnet *c) {
  crd_confidnet_epoch epoch;
  for (int done = 0; !done;) WORKS(ctx, crd_confidnet_train(ctx, c, &epoch, &done));
}

#endif
