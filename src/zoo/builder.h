/*
 * builder.h -- the layers of a network, added one after another to an ONNX graph.
 *
 * No call fails: the first failure is remembered, and crd__zoo_status returns it. Parameters are
 * called as in PyTorch, NAME.weight, NAME.bias, NAME.running_mean, and have its shapes; each is
 * drawn from the context's seed and its own name, so that no other layer changes it.
 */
#ifndef CRD_ZOO_BUILDER_H
#define CRD_ZOO_BUILDER_H

#include "credence/zoo.h"
#include "onnx/graph.h"

typedef struct {
  crd__onnx_graph_value value;
  size_t rank;
  int64_t dims[CRD_RANK_MAX]; /* of one sample: channels, height, width */
} crd__zoo_tensor;

typedef struct {
  crd_context *ctx;
  crd_status status;
  crd__onnx_graph graph;
  bool counting;          /* parameters are counted, not drawn */
  uint64_t parameters;    /* number of trainable elements */
  const char *as;         /* the name of the next result; NULL: generated */
  const char *owner;      /* the architecture, for error messages */
  int variant;            /* of the architecture's entry (zoo.h) */
  const double *settings; /* in the order of its table */
  const double *list;     /* the numbers of the setting that takes a list */
  size_t list_count;
  const crd_architecture_shape *shape;
} crd__zoo_builder;

void crd__zoo_begin(crd__zoo_builder *b, crd_context *ctx, const crd_architecture_shape *shape);
void crd__zoo_clear(crd__zoo_builder *b);
crd_status crd__zoo_status(const crd__zoo_builder *b);

/* How weights are drawn; biases are 0. */
typedef enum {
  CRD__ZOO_HE,     /* normal, variance 2 / fan-in (He et al. 2015) */
  CRD__ZOO_HE_OUT, /* normal, variance 2 / fan-out */
  CRD__ZOO_GLOROT, /* uniform, |w| < sqrt(6 / (fan-in + fan-out)) (Glorot, Bengio 2010) */
  CRD__ZOO_PLAIN,  /* uniform, |w| < 1 / sqrt(fan-in): PyTorch's default for linear layers */
  CRD__ZOO_LECUN,  /* uniform, |w| < 2.4 / fan-in (LeCun et al. 1998) */
  CRD__ZOO_SMALL   /* uniform, |w| < 0.05 */
} crd__zoo_init;

typedef struct {
  const char *name;
  int64_t channels, kernel;
  int64_t stride;  /* 0: 1 */
  int64_t padding; /* on both sides */
  bool bias;
  crd__zoo_init init;
} crd__zoo_convolution;

/* The input `input` (rows, dims), of integers for texts. */
crd__zoo_tensor crd__zoo_input(crd__zoo_builder *b, crd_sample_type type);
/* Over one or two spatial dimensions. */
crd__zoo_tensor crd__zoo_conv(crd__zoo_builder *b, crd__zoo_tensor x,
                              const crd__zoo_convolution *how);
/* Batch normalization: epsilon 1e-5, momentum 0.9. */
crd__zoo_tensor crd__zoo_norm(crd__zoo_builder *b, crd__zoo_tensor x, const char *name);
/* Fully connected, for tensors of rank 1. */
crd__zoo_tensor crd__zoo_linear(crd__zoo_builder *b, crd__zoo_tensor x, const char *name,
                                int64_t outputs, crd__zoo_init init);
/* Tokens (length) become (width, length). */
crd__zoo_tensor crd__zoo_embed(crd__zoo_builder *b, crd__zoo_tensor x, const char *name,
                               int64_t words, int64_t width);
/* An element-wise operator: "Relu", "Tanh", "LeakyRelu" (slope 0.01). */
crd__zoo_tensor crd__zoo_apply(crd__zoo_builder *b, crd__zoo_tensor x, const char *op);
crd__zoo_tensor crd__zoo_add(crd__zoo_builder *b, crd__zoo_tensor x, crd__zoo_tensor y);
/* "MaxPool" or "AveragePool" without padding. A dimension shorter than the window is its own
 * window. */
crd__zoo_tensor crd__zoo_pool(crd__zoo_builder *b, crd__zoo_tensor x, const char *op, int64_t size,
                              int64_t stride);
/* "GlobalAveragePool" or "GlobalMaxPool", as a tensor of rank 1. */
crd__zoo_tensor crd__zoo_pool_all(crd__zoo_builder *b, crd__zoo_tensor x, const char *op);
crd__zoo_tensor crd__zoo_flatten(crd__zoo_builder *b, crd__zoo_tensor x);
/* In training, sets elements to 0 with this probability; 0: returns x. */
crd__zoo_tensor crd__zoo_dropout(crd__zoo_builder *b, crd__zoo_tensor x, double ratio);
/* Calls the result of the next layer `name`: "conv", "penultimate". */
void crd__zoo_name_next(crd__zoo_builder *b, const char *name);
/* The last layer: fully connected, its output `logits`. */
void crd__zoo_classify(crd__zoo_builder *b, crd__zoo_tensor x, const char *name,
                       crd__zoo_init init);

#endif
