/*
 * term.h -- the interface of a loss.
 *
 * The gradient of a loss with respect to the logits z of a row (p = softmax z, t the target,
 * c = p of the predicted class j, H the entropy) is composed of
 *
 *   label       A:  A (p - t)                              towards the target
 *   confidence  s:  s c (1[k = j] - p_k)                   dL/dc = s
 *   entropy     h:  -h p_k (log p_k + H)                   dL/dH = h
 *
 * and, where these are not enough, of a general row that the loss adds itself. So most losses set
 * three numbers per row (`slopes`), and the frame computes the gradient of all terms in one pass
 * over the classes. The predicted class is a constant: no gradient flows through it.
 */
#ifndef CRD_LOSS_TERM_H
#define CRD_LOSS_TERM_H

#include "base/nearest.h"
#include "credence/loss.h"

#include <math.h>
#include <stdbool.h>

/* A batch as input of the terms. Arrays have one element per row unless noted. Targets are labels
 * (one class per row) or soft: shares of classes that sum to 1. */
typedef struct {
  size_t rows, classes;
  const double *p;          /* rows x classes */
  const double *logits;     /* rows x classes */
  const double *log_sum;    /* log sum exp z: log p_k = z_k - log_sum */
  const size_t *label;      /* NULL: soft targets */
  const double *target;     /* rows x classes, soft targets; NULL: labels */
  const double *label_log;  /* log p of the label, near 0 as log1p(-q); soft targets: sum t log p */
  const double *label_rest; /* q = 1 - p of the label, summed without cancellation; NULL: soft */
  const size_t *predicted;  /* the class of the largest logit, the lowest index on ties */
  const double *confidence, *entropy;
  const double *confidence_rest; /* 1 - confidence, summed without cancellation */
  const double *correct;         /* 1 or 0; soft targets: the share of the predicted class */
  const double *weight;          /* 0 for ignored rows */
  double total;                  /* sum of the weights, above 0 */
  const crd_targets *targets;
} crd__loss_batch;

/* The coefficients A, s and h of each row; all terms add to them. */
typedef struct {
  double *label, *confidence, *entropy;
} crd__loss_slopes;

/* A term of an expression. */
typedef struct crd__loss_term crd__loss_term;

/* A class k of a row, treated as its label. */
typedef struct {
  size_t row, k;
  double p, log, rest; /* its probability, log p, and 1 - p without cancellation */
} crd__loss_class;

/* The loss for that class. Its gradient is slope (p - e_k) + other_slope (p - e_other). */
typedef struct {
  double value, slope, other_slope;
  size_t other; /* any class if other_slope is 0 */
} crd__loss_class_loss;

typedef struct {
  crd_loss_info info;
  size_t scratch;         /* scratch values per row, kept from `prepare` to `add_row` ... */
  size_t scratch_classes; /* ... and per class */
  /* Fails if its settings are invalid in combination. NULL: all that the table allows are valid. */
  crd_status (*check)(crd_context *ctx, const crd__loss_term *term);
  /* Fails if they do not suit the batch. NULL: they suit every batch. */
  crd_status (*admit)(crd_context *ctx, const crd__loss_term *term, const crd__loss_batch *batch);
  /* The loss of one class, for losses that are linear in soft targets (below). NULL: others. */
  crd__loss_class_loss (*of_class)(const crd__loss_term *term, const crd__loss_batch *batch,
                                   const crd__loss_class *class);
  /* Computes the scratch values of one row; called in any order, on any thread. NULL: none. */
  void (*prepare)(const crd__loss_term *term, const crd__loss_batch *batch, size_t row);
  /*
   * Returns the value, a weighted mean over the rows or a statistic of the batch. Adds
   * `term->scale` times its derivatives to the slopes.
   */
  double (*measure)(const crd__loss_term *term, const crd__loss_batch *batch,
                    const crd__loss_slopes *slopes);
  /* Adds the part of a row's gradient that the slopes cannot express, times `term->scale`. NULL:
   * there is none. */
  void (*add_row)(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                  double *gradient);
} crd__loss;

struct crd__loss_term {
  const crd__loss *loss;
  const double *settings; /* in the order of the loss's table; a word is its index */
  const double *list;     /* for settings that take a list of numbers */
  size_t list_count;
  const crd_loss_options *options;
  double scale;       /* factor in the expression, times the total weight for sum reduction */
  double *row_kept;   /* rows x scratch */
  double *class_kept; /* classes x scratch_classes */
};

#define LOSS(name) extern const crd__loss crd__loss_##name;
#include "loss/kind/list.h"
#undef LOSS

const crd__loss *crd__loss_at(size_t index); /* NULL past the end */
extern const crd__names crd__loss_names;

/*
 * For losses that are a weighted mean of a value per row whose gradient is slope (p - t). Calls
 * `one` for every row of positive weight; returns the mean.
 */
typedef struct {
  double value, slope;
} crd__loss_row_loss;
double crd__loss_measure_rows(const crd__loss_term *term, const crd__loss_batch *batch,
                              const crd__loss_slopes *slopes,
                              crd__loss_row_loss (*one)(const crd__loss_term *term,
                                                        const crd__loss_batch *batch, size_t row));

/*
 * Sums over the classes of a row run in eight lanes, which the compiler can vectorise, reduced by a
 * fixed tree.
 */
enum { CRD__LANES = 8 };
static inline double crd__loss_sum_lanes(const double lane[static CRD__LANES]) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}
static inline double crd__loss_sum_above(const double *x, double low,
                                         size_t count) { /* of x_k - low */
  double lane[CRD__LANES] = { 0 };
  size_t k = 0;
  for (; k + CRD__LANES <= count; k += CRD__LANES)
    for (size_t j = 0; j < CRD__LANES; j++) lane[j] += x[k + j] - low;
  for (size_t j = 0; k + j < count; j++) lane[j] += x[k + j] - low;
  return crd__loss_sum_lanes(lane);
}
static inline double crd__loss_sum(const double *x, size_t count) {
  return crd__loss_sum_above(x, 0, count);
}
static inline double crd__loss_dot(const double *x, const double *y, size_t count) {
  double lane[CRD__LANES] = { 0 };
  size_t k = 0;
  for (; k + CRD__LANES <= count; k += CRD__LANES)
    for (size_t j = 0; j < CRD__LANES; j++) lane[j] += x[k + j] * y[k + j];
  for (size_t j = 0; k + j < count; j++) lane[j] += x[k + j] * y[k + j];
  return crd__loss_sum_lanes(lane);
}

/*
 * For losses that are defined for a label, by `of_class`. For soft targets t they are sum t_k l_k,
 * with the gradient sum t_k (slope_k (p - e_k) + ...), as mixup defines it. Such a loss uses all
 * three functions and `scratch` = CRD__MIXED_KEPT.
 */
enum { CRD__MIXED_KEPT = 3 };
void crd__loss_mixed_prepare(const crd__loss_term *term, const crd__loss_batch *batch, size_t row);
double crd__loss_mixed_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                               const crd__loss_slopes *slopes);
void crd__loss_mixed_add_row(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                             double *gradient);

/* Returns log p of class k in a row. */
static inline double crd__loss_log_p(const crd__loss_batch *batch, size_t row, size_t k) {
  return batch->logits[row * batch->classes + k] - batch->log_sum[row];
}

/* Returns the share of class k in a row's target. */
static inline double crd__loss_share(const crd__loss_batch *batch, size_t row, size_t k) {
  return batch->label ? batch->label[row] == k : batch->target[row * batch->classes + k];
}

/* Returns log p, given rest = 1 - p, without cancellation near p = 1. */
static inline double crd__loss_log_of(double rest, double logit, double log_sum) {
  return rest < 0.5 ? log1p(-rest) : logit - log_sum;
}

#endif
