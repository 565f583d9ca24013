/*
 * testing.h -- helpers of this room's tests: a small network of callbacks, data in memory, and the
 * same objective in plain loops over float64.
 */
#ifndef CRD_CLAMP_TESTING_H
#define CRD_CLAMP_TESTING_H

#include "io/testing.h"

#include "base/random.h"
#include "clamp/clamp.h"

#include <math.h>

enum { INPUTS = 6, HIDDEN = 4, CLASSES = 3, ROWS = 203, BATCH = 32 };

/* ---- The network: logits = W2 tanh(W1 x), or W2 W1 x. */

typedef struct {
  double w1[HIDDEN * INPUTS], w2[CLASSES * HIDDEN];
  bool linear;
  float hidden[BATCH * HIDDEN]; /* of the last run */
  /* What was seen. */
  size_t runs;
  float least, most; /* of all inputs */
  /* What happens at the run of this number, from 1 on; 0: never. */
  size_t interrupt_at, overflow_at;
} net;

static inline double net_activate(const net *n, double a) { return n->linear ? a : tanh(a); }

static inline crd_status net_run(void *self, crd_context *ctx, const float *input, float *output) {
  net *const n = self;
  n->runs++;
  if (n->runs == n->interrupt_at) crd_context_interrupt(ctx);
  for (size_t i = 0; i < BATCH * INPUTS; i++) {
    n->least = fminf(n->least, input[i]);
    n->most = fmaxf(n->most, input[i]);
  }
  for (size_t r = 0; r < BATCH; r++) {
    double h[HIDDEN];
    for (size_t j = 0; j < HIDDEN; j++) {
      double a = 0;
      for (size_t i = 0; i < INPUTS; i++) a += n->w1[j * INPUTS + i] * input[r * INPUTS + i];
      h[j] = net_activate(n, a);
      n->hidden[r * HIDDEN + j] = (float)h[j];
    }
    for (size_t k = 0; k < CLASSES; k++) {
      double z = 0;
      for (size_t j = 0; j < HIDDEN; j++) z += n->w2[k * HIDDEN + j] * h[j];
      output[r * CLASSES + k] = n->runs == n->overflow_at ? (float)INFINITY : (float)z;
    }
  }
  return CRD_OK;
}

static inline crd_status net_backward(void *self, crd_context *ctx, const float *output_gradient,
                                      float *input_gradient) {
  const net *const n = self;
  (void)ctx;
  for (size_t r = 0; r < BATCH; r++) {
    double up[HIDDEN];
    for (size_t j = 0; j < HIDDEN; j++) {
      const double h = n->hidden[r * HIDDEN + j];
      up[j] = 0;
      for (size_t k = 0; k < CLASSES; k++)
        up[j] += n->w2[k * HIDDEN + j] * output_gradient[r * CLASSES + k];
      if (!n->linear) up[j] *= 1 - h * h;
    }
    for (size_t i = 0; i < INPUTS; i++) {
      double g = 0;
      for (size_t j = 0; j < HIDDEN; j++) g += n->w1[j * INPUTS + i] * up[j];
      input_gradient[r * INPUTS + i] = (float)g;
    }
  }
  return CRD_OK;
}

/* ---- Data. */

typedef struct {
  float inputs[ROWS * INPUTS];
  int64_t labels[ROWS];
  double weights[ROWS];
  int64_t groups[ROWS];
  size_t rows;
  bool weighted, grouped;
} samples;

typedef struct {
  net net;
  samples samples;
  crd_network *network;
  crd_dataset *data;
} scene;

/* Inputs are uniform in [0.2, 0.8]. Labels are drawn from softmax(sharpness * logits) of the inputs
 * before `shift` is added to them: 0 is overconfidence without end, below 1 some of it. */
typedef struct {
  double sharpness;
  const double *shift; /* NULL: none */
  bool linear, weighted;
  size_t rows;  /* 0: ROWS */
  size_t group; /* rows of a group, which are equal; 0: no groups */
  uint64_t seed;
} plan;

/* Computes the logits of one row. */
static inline void plain_logits(const net *n, const float *x, const double *delta, double *z) {
  double h[HIDDEN];
  for (size_t j = 0; j < HIDDEN; j++) {
    double a = 0;
    for (size_t i = 0; i < INPUTS; i++)
      a += n->w1[j * INPUTS + i] * (x[i] + (delta ? delta[i] : 0));
    h[j] = net_activate(n, a);
  }
  for (size_t k = 0; k < CLASSES; k++) {
    z[k] = 0;
    for (size_t j = 0; j < HIDDEN; j++) z[k] += n->w2[k * HIDDEN + j] * h[j];
  }
}

static inline void plain_softmax(const double *z, double temperature, double *q) {
  double sum = 0;
  for (size_t k = 0; k < CLASSES; k++) sum += q[k] = exp(z[k] / temperature);
  for (size_t k = 0; k < CLASSES; k++) q[k] /= sum;
}

static inline void draw_rows(const net *n, const plan *p, samples *s) {
  s->rows = p->rows ? p->rows : ROWS;
  s->weighted = p->weighted;
  s->grouped = p->group > 0;
  for (size_t r = 0; r < s->rows; r++) {
    float *const x = s->inputs + r * INPUTS;
    double z[CLASSES], q[CLASSES], u = crd__random_uniform(p->seed + 5, 1, r);
    for (size_t i = 0; i < INPUTS; i++)
      x[i] = (float)(0.2 + 0.6 * crd__random_uniform(p->seed + 5, 2, r * INPUTS + i));
    plain_logits(n, x, NULL, z);
    plain_softmax(z, 1 / p->sharpness, q);
    s->labels[r] = 0;
    while (s->labels[r] < CLASSES - 1 && u >= q[s->labels[r]]) u -= q[s->labels[r]++];
    s->weights[r] = (double)(r % 4);
    for (size_t i = 0; p->shift && i < INPUTS; i++) x[i] = (float)(x[i] + p->shift[i]);
    if (!p->group) continue;
    const size_t first = r / p->group * p->group;
    s->groups[r] = (int64_t)first;
    s->labels[r] = s->labels[first];
    memcpy(x, s->inputs + first * INPUTS, INPUTS * sizeof *x);
  }
}

static inline crd_network *make_network(crd_context *ctx, net *n) {
  static const crd_network_ops ops = { .size = sizeof ops,
                                       .run = net_run,
                                       .backward = net_backward };
  const crd_array in = crd_array_matrix(NULL, CRD_F32, BATCH, INPUTS);
  const crd_array out = crd_array_matrix(NULL, CRD_F32, BATCH, CLASSES);
  crd_network *network;
  WORKS(ctx, crd_network_create(ctx, &ops, n, &in, &out, &network));
  return network;
}

static inline crd_dataset *make_dataset(crd_context *ctx, const samples *s) {
  const crd_dataset_arrays arrays = {
    .size = sizeof arrays,
    .inputs = crd_array_matrix(s->inputs, CRD_F32, s->rows, INPUTS),
    .labels = crd_array_matrix(s->labels, CRD_I64, s->rows, 1),
    .weights = crd_array_matrix(s->weighted ? s->weights : NULL, CRD_F64, s->rows, 1),
    .groups = crd_array_matrix(s->grouped ? s->groups : NULL, CRD_I64, s->rows, 1),
    .classes = CLASSES
  };
  crd_dataset *data;
  WORKS(ctx, crd_dataset_create(ctx, &arrays, &data));
  return data;
}

/* Sets a scene, which must not be moved in memory. */
static inline void open_scene(crd_context *ctx, const plan *p, scene *s) {
  *s = (scene){ .net = { .linear = p->linear, .least = 1e9F, .most = -1e9F } };
  if (!ctx->threads) crd_context_set_threads(ctx, 1); /* quicker on a busy machine */
  for (size_t i = 0; i < HIDDEN * INPUTS; i++)
    s->net.w1[i] = crd__random_normal(3, 0, i) * (p->linear ? 0.7 : 1.5);
  for (size_t i = 0; i < CLASSES * HIDDEN; i++) s->net.w2[i] = 2 * crd__random_normal(3, 1, i);
  draw_rows(&s->net, p, &s->samples);
  s->network = make_network(ctx, &s->net);
  s->data = make_dataset(ctx, &s->samples);
}

static inline void close_scene(scene *s) {
  crd_network_destroy(s->network);
  crd_dataset_destroy(s->data);
}

static inline crd_clamp *fit_with(crd_context *ctx, scene *s, const char *settings) {
  const crd_clamp_options options = { .size = sizeof options, .settings = settings };
  crd_clamp *clamp;
  WORKS(ctx, crd_clamp_fit(ctx, s->network, s->data, &options, &clamp));
  return clamp;
}

/* ---- The objective in plain loops. */

static inline double plain_weight(const samples *s, size_t row) {
  return s->weighted ? s->weights[row] : 1;
}

static inline double plain_total(const samples *s) {
  double total = 0;
  for (size_t r = 0; r < s->rows; r++) total += plain_weight(s, r);
  return total;
}

/* Computes the mean focal loss. */
static inline double plain_loss(const scene *s, double gamma, const double *delta,
                                double temperature) {
  double sum = 0;
  for (size_t r = 0; r < s->samples.rows; r++) {
    double z[CLASSES], q[CLASSES];
    plain_logits(&s->net, s->samples.inputs + r * INPUTS, delta, z);
    plain_softmax(z, temperature, q);
    const double p = q[s->samples.labels[r]];
    sum -= plain_weight(&s->samples, r) * pow(1 - p, gamma) * log(p);
  }
  return sum / plain_total(&s->samples);
}

/* Computes the mean entropy. */
static inline double plain_entropy(const scene *s, const double *delta, double temperature) {
  double sum = 0;
  for (size_t r = 0; r < s->samples.rows; r++) {
    double z[CLASSES], q[CLASSES];
    plain_logits(&s->net, s->samples.inputs + r * INPUTS, delta, z);
    plain_softmax(z, temperature, q);
    for (size_t k = 0; k < CLASSES; k++) sum -= plain_weight(&s->samples, r) * q[k] * log(q[k]);
  }
  return sum / plain_total(&s->samples);
}

/* Computes the mean of the sum of all logits / T. */
static inline double plain_sum(const scene *s, const double *delta, double temperature) {
  double sum = 0;
  for (size_t r = 0; r < s->samples.rows; r++) {
    double z[CLASSES];
    plain_logits(&s->net, s->samples.inputs + r * INPUTS, delta, z);
    for (size_t k = 0; k < CLASSES; k++) sum += plain_weight(&s->samples, r) * z[k] / temperature;
  }
  return sum / plain_total(&s->samples);
}

static inline double plain_norm(const double *delta) {
  double sum = 0;
  for (size_t i = 0; i < INPUTS; i++) sum += delta[i] * delta[i];
  return sqrt(sum);
}

/* Computes the gradient of the mean loss by central differences; the last element is with respect
 * to T. */
static inline void plain_gradient(const scene *s, double gamma, const double *delta,
                                  double temperature, double *out) {
  static const double h = 1e-5;
  for (size_t i = 0; i < INPUTS; i++) {
    double up[INPUTS], down[INPUTS];
    memcpy(up, delta, sizeof up);
    memcpy(down, delta, sizeof down);
    up[i] += h;
    down[i] -= h;
    out[i] =
        (plain_loss(s, gamma, up, temperature) - plain_loss(s, gamma, down, temperature)) / (2 * h);
  }
  out[INPUTS] = (plain_loss(s, gamma, delta, temperature + h) -
                 plain_loss(s, gamma, delta, temperature - h)) /
                (2 * h);
}

#endif
