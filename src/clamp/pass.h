/*
 * pass.h -- evaluates a clamped network over all rows of a dataset: logits f(x + delta), the mean
 * loss at a temperature, and its gradient with respect to delta.
 */
#ifndef CRD_CLAMP_PASS_H
#define CRD_CLAMP_PASS_H

#include "credence/clamp.h"
#include "credence/loss.h"

/* Rows that were run, of those that will be at most, for progress. */
typedef struct {
  uint64_t done, total;
} crd__clamp_meter;

/* What is differentiated: the loss; the entropy of softmax(z / T); the sum of all z / T. */
typedef enum { CRD__CLAMP_OF_LOSS, CRD__CLAMP_OF_ENTROPY, CRD__CLAMP_OF_LOGITS } crd__clamp_measure;

/* What samples go through; borrowed. */
typedef struct {
  const crd_encoding *encoding; /* normalises them; NULL: nothing does */
  crd_network *encoder;         /* computes what delta is added to; NULL: it is the samples */
  crd_network *network;
} crd__clamp_chain;

/* Data, and everything that one evaluation needs. */
typedef struct {
  crd_network *encoder, *network; /* of the chain */
  const crd_dataset *data;
  crd_loader *loader;
  crd_loss *loss;
  crd__clamp_measure measure; /* LOSS, unless a start is computed */
  size_t batch;               /* of the network */
  size_t rows, classes;
  size_t sample;           /* elements of a sample of the data */
  crd_dtype dtype;         /* of these */
  size_t count;            /* elements of delta */
  const float *low, *high; /* of each element: where inputs are projected to; NULL: they are not */
  double total;            /* sum of weights */
  int64_t *labels;
  double *weights;           /* NULL: all 1 */
  float *logits;             /* rows x classes, of the last evaluation */
  void *samples;             /* batch x sample, for the encoder; NULL: there is none */
  float *input;              /* batch x count */
  double *scaled, *upstream; /* batch x classes: logits / T, and the loss's gradient */
  float *output_gradient;    /* batch x classes */
  int64_t *batch_labels;
  double *batch_weights;
  unsigned done;           /* evaluations of all rows so far */
  crd__clamp_meter *meter; /* borrowed; NULL: none */
} crd__clamp_pass;

/* Checks that networks and data fit together, and allocates. `loss` is borrowed. Release with
 * clear, also after failure. */
crd_status crd__clamp_pass_make(crd_context *ctx, const crd__clamp_chain *chain,
                                const crd_dataset *data, crd_loss *loss, crd__clamp_pass *out);
void crd__clamp_pass_clear(const crd_allocator *alloc, crd__clamp_pass *pass);

/* Runs the network on all rows, shifted by delta (NULL: not), and keeps the logits. If `gradient`
 * is not NULL, also sets *value to the mean loss (or what pass->measure says) at logits /
 * temperature, and the gradient of that with respect to delta. */
crd_status crd__clamp_pass_run(crd_context *ctx, crd__clamp_pass *pass, const double *delta,
                               double temperature, double *value, double *gradient);

/* Sums over the rows of a batch. */
typedef struct {
  double loss;
  double slope; /* of the loss, with respect to 1 / T */
  double weight;
} crd__clamp_sums;

/* Runs one batch of a loader, shifted by delta, and sets `logits`, rows x classes. If `gradient` is
 * not NULL, adds to `sums` and to the gradient of the sum of losses. */
crd_status crd__clamp_pass_batch(crd_context *ctx, crd__clamp_pass *pass, const crd_batch *batch,
                                 const double *delta, double temperature, float *logits,
                                 crd__clamp_sums *sums, double *gradient);

#endif
