/*
 * confidnet.h -- the struct behind crd_confidnet, and the functions that its files share.
 *
 *   confidnet.c           creates it, and the course of an epoch
 *   confidnet_settings.c  its settings
 *   confidnet_rows.c      features and true class probabilities of all rows
 *   confidnet_head.c      the head as ONNX nodes
 *   confidnet_loss.c      the loss and its gradient
 *   confidnet_step.c      steps and evaluations of the head
 *   confidnet_into.c      the classifier with the head in it
 */
#ifndef CRD_REFINE_CONFIDNET_H
#define CRD_REFINE_CONFIDNET_H

#include "base/text.h"
#include "credence/confidnet.h"
#include "onnx/graph.h"
#include "train/parameters.h"

/* ---- Settings. */

enum { CRD__REFINE_HIDDEN_MAX = 16 };

/* In the order of the table. */
typedef struct {
  double hidden; /* number of hidden layers */
  double weighting, rate, weight_decay, batch, epochs, patience;
} crd__refine_settings;

/* Parses the settings; `widths` gets those of the hidden layers. CRD_EUSAGE. */
crd_status crd__refine_settings_read(crd_context *ctx, const char *text, crd__refine_settings *out,
                                     double widths[static CRD__REFINE_HIDDEN_MAX]);
/* Appends all of them, "hidden=400,400,weighting=1,...". */
void crd__refine_settings_spell(const crd__refine_settings *settings, const double *widths,
                                crd__text *text);

/* ---- The head. */

typedef struct {
  size_t layers;                            /* fully connected ones */
  size_t sizes[CRD__REFINE_HIDDEN_MAX + 2]; /* of the input, and of the output of each layer */
} crd__refine_head;

/* Returns the number of weights and biases: of each layer its weights (output x input), then its
 * biases. */
size_t crd__refine_head_count(const crd__refine_head *head);
/* Draws weights as He et al. (2015) do; biases are 0. */
void crd__refine_head_draw(const crd__refine_head *head, uint64_t seed, float *values);
/* Adds the layers to a graph, and returns their output before the sigmoid: (rows, 1). Names of
 * parameters follow the graph's prefix. */
crd__onnx_graph_value crd__refine_head_add(crd__onnx_graph *graph, const crd__refine_head *head,
                                           const float *values, crd__onnx_graph_value input);
/* Makes a model of the head alone, from features (rows, sizes[0]) to (rows, 1). */
crd_status crd__refine_head_model(crd_context *ctx, const crd__refine_head *head,
                                  const float *values, crd_model **out);

/* ---- Rows. */

typedef struct {
  size_t rows, features, classes;
  size_t rank; /* of the features, with the rows */
  float *x;    /* rows x features */
  float *tcp;  /* p_y */
  float *top;  /* the largest probability */
  int64_t *correct;
  double *weights; /* of the data; NULL: all 1 */
  double *factors; /* of the loss: weights of mean 1, times `weighting` where a row is wrong */
  size_t errors;
} crd__refine_rows;

/* Runs the classifier over a dataset. `logits` and `tensor` are values of the model. Call clear
 * also after a failure. */
typedef struct {
  const crd_model *model;
  const char *logits, *tensor;
  const crd_feed_options *feed;
  double weighting;
} crd__refine_source;
crd_status crd__refine_rows_make(crd_context *ctx, const crd__refine_source *source,
                                 const crd_dataset *data, crd__refine_rows *out);
void crd__refine_rows_clear(const crd_allocator *alloc, crd__refine_rows *rows);
/* Returns the name of the logits: `name`, or the first output, or what the softmax there reads.
 * NULL: the model has no output. */
const char *crd__refine_logits(const crd_model *model, const char *name);

/* ---- The loss. */

/* Returns the sum over rows of f (sigmoid(v) - p)^2; sets the gradient with respect to v of that
 * sum divided by `rows`; NULL: none. */
double crd__refine_loss(const float *v, const float *p, const double *f, size_t rows,
                        float *gradient);
double crd__refine_sigmoid(double v);

/* ---- Steps. */

/* The head compiled for batches of one size. */
typedef struct {
  size_t batch;
  crd_network *network;
  crd__train_parameters parameters;
  uint64_t steps;
  float *input, *gradient; /* batch x features; batch */
  float *p;                /* of a batch: p_y and factors */
  double *f;
} crd__refine_stage;

/* Compiles the head. Call clear also after a failure. */
crd_status crd__refine_stage_make(crd_context *ctx, const crd__refine_head *head,
                                  const float *values, size_t batch, crd__refine_stage *out);
void crd__refine_stage_clear(const crd_allocator *alloc, crd__refine_stage *stage);
/* Trains on rows order[0 .. count), count <= batch, and adds their loss to *sum. */
crd_status crd__refine_step(crd_context *ctx, crd__refine_stage *stage,
                            const crd__refine_settings *settings, const crd__refine_rows *rows,
                            const size_t *order, size_t count, double *sum);
/* Computes the confidences of all rows, and their mean loss. */
crd_status crd__refine_confidences(crd_context *ctx, crd__refine_stage *stage,
                                   const crd__refine_rows *rows, float *out, double *loss);
/* Evaluates confidences. */
crd_status crd__refine_quality(crd_context *ctx, const crd__refine_rows *rows,
                               const float *confidences, crd_confidnet_quality *out);

/* ---- The object. */

struct crd_confidnet {
  crd_allocator alloc;
  const crd_model *model; /* borrowed */
  crd__refine_settings settings;
  double widths[CRD__REFINE_HIDDEN_MAX];
  crd__refine_head head;
  crd__refine_rows training, validation;
  crd__refine_stage stage;
  uint64_t seed;
  size_t *order;
  float *confidences; /* of the validation rows */
  float *best;        /* weights of the best epoch */
  double best_value;
  crd_confidnet_summary summary; /* its texts are the following */
  char *text, *tensor, *logits;
};

#endif
