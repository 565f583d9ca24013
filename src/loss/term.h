/*
 * term.h -- what a loss must supply.
 *
 * Every gradient of a loss with respect to the logits z of a row (p = softmax z, t the target,
 * c = p of the predicted class j, H the entropy) is put together from
 *
 *   label       A:  A (p - t)                             what the target pulls
 *   confidence  s:  s c (1[k = j] - p_k)                   dL/dc = s
 *   entropy     h:  -h p_k (log p_k + H)                   dL/dH = h
 *
 * and, where that is not enough, from a row of its own. So a loss writes down three numbers a row
 * (`slopes`), the frame makes the gradient of all terms in one sweep, and only few losses touch the
 * classes. The predicted class is a constant: no gradient goes through it.
 */
#ifndef CRD_LOSS_TERM_H
#define CRD_LOSS_TERM_H

#include "base/nearest.h"
#include "credence/loss.h"

#include <math.h>
#include <stdbool.h>

/* A batch, as terms see it. Arrays have one number a row, unless something else is said. */
typedef struct {
  size_t rows, classes;
  const double *p;          /* rows x classes */
  const double *logits;     /* rows x classes */
  const double *log_sum;    /* log sum exp z: log p_k = z_k - log_sum */
  const size_t *label;      /* NULL: targets are shares */
  const double *target;     /* rows x classes shares; NULL: targets are labels */
  const double *label_log;  /* log p of the label, near 0 as log1p(-q); of shares: sum t log p */
  const double *label_rest; /* q = 1 - p of the label, summed without cancellation; NULL: shares */
  const size_t *predicted;  /* the class of the largest logit, the lowest of equal ones */
  const double *confidence, *entropy;
  const double *confidence_rest; /* 1 - confidence, summed without cancellation */
  const double *correct;         /* 1 or 0; of shares: that of the predicted class */
  const double *weight;          /* 0 for rows that are ignored */
  double total;                  /* of the weights, above 0 */
  const crd_targets *targets;
} crd__loss_batch;

/* What the gradient is made of; all terms add to it. */
typedef struct {
  double *label, *confidence, *entropy;
} crd__loss_slopes;

/* A term of an expression. */
typedef struct crd__loss_term crd__loss_term;

/* A class of a row, as if it were the row's label. */
typedef struct {
  size_t row, k;
  double p, log, rest; /* its probability, the logarithm of that, and what is missing to 1 */
} crd__loss_class;

/* What that costs. The gradient is slope (p - e_k) + other_slope (p - e_other). */
typedef struct {
  double value, slope, other_slope;
  size_t other; /* any class, where its slope is 0 */
} crd__loss_class_loss;

typedef struct {
  crd_loss_info info;
  size_t scratch; /* numbers for each row that the term wants to keep from one step to the next */
  size_t scratch_classes; /* ... and for each class */
  /* Are its settings possible together? NULL: whatever the table allows. */
  crd_status (*check)(crd_context *ctx, const crd__loss_term *term);
  /* Do they fit the batch? NULL: they fit all. */
  crd_status (*admit)(crd_context *ctx, const crd__loss_term *term, const crd__loss_batch *batch);
  /* For losses that mix what single classes cost (below). NULL: this is none. */
  crd__loss_class_loss (*of_class)(const crd__loss_term *term, const crd__loss_batch *batch,
                                   const crd__loss_class *class);
  /* Each row alone, in any order, on any thread: what is kept of it. NULL: nothing. */
  void (*prepare)(const crd__loss_term *term, const crd__loss_batch *batch, size_t row);
  /*
   * The value, a mean over the rows' weights or a quantity of the batch. Adds to the slopes
   * `term->scale` times the derivatives of it.
   */
  double (*measure)(const crd__loss_term *term, const crd__loss_batch *batch,
                    const crd__loss_slopes *slopes);
  /* Adds the rest of a row's gradient, times `term->scale`. NULL: there is none. */
  void (*add_row)(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                  double *gradient);
} crd__loss;

struct crd__loss_term {
  const crd__loss *loss;
  const double *settings; /* in the order of the loss's table; words are their numbers */
  const double *list;     /* numbers given as a list, for settings that take one */
  size_t list_count;
  const crd_loss_options *options;
  double scale;       /* factor of the expression, times the total weight where sums are wanted */
  double *row_kept;   /* rows x scratch */
  double *class_kept; /* classes x scratch_classes */
};

#define LOSS(name) extern const crd__loss crd__loss_##name;
#include "loss/kind/list.h"
#undef LOSS

const crd__loss *crd__loss_at(size_t index); /* NULL past the end */
extern const crd__names crd__loss_names;

/*
 * For losses that are the mean of one number a row: value and dvalue, the factor of (p - t).
 * Calls `one` for every row that counts, adds weights up.
 */
typedef struct {
  double value, slope;
} crd__loss_row_loss;
double crd__loss_measure_rows(const crd__loss_term *term, const crd__loss_batch *batch,
                              const crd__loss_slopes *slopes,
                              crd__loss_row_loss (*one)(const crd__loss_term *term,
                                                        const crd__loss_batch *batch, size_t row));

/*
 * Sums over the classes of a row run in eight lanes, which the compiler can put side by side, and
 * which one fixed tree adds up.
 */
enum { CRD__LANES = 8 };
static inline double crd__loss_sum_lanes(const double lane[static CRD__LANES]) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}
static inline double crd__loss_sum_above(const double *x, double low,
                                         size_t count) { /* x_k - low */
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
 * For losses that are defined for a label, by `of_class`. Of shares t they are sum t_k l_k, the
 * gradient sum t_k (slope_k (p - e_k) + ...): what mixup makes of a loss. Such a loss takes all
 * three, and says so in `scratch`.
 */
enum { CRD__MIXED_KEPT = 3 };
void crd__loss_mixed_prepare(const crd__loss_term *term, const crd__loss_batch *batch, size_t row);
double crd__loss_mixed_measure(const crd__loss_term *term, const crd__loss_batch *batch,
                               const crd__loss_slopes *slopes);
void crd__loss_mixed_add_row(const crd__loss_term *term, const crd__loss_batch *batch, size_t row,
                             double *gradient);

/* log p of class k in a row. */
static inline double crd__loss_log_p(const crd__loss_batch *batch, size_t row, size_t k) {
  return batch->logits[row * batch->classes + k] - batch->log_sum[row];
}

/* The share of class k in a row's target. */
static inline double crd__loss_share(const crd__loss_batch *batch, size_t row, size_t k) {
  return batch->label ? batch->label[row] == k : batch->target[row * batch->classes + k];
}

/* The logarithm of a probability of which `rest` is missing to 1. */
static inline double crd__loss_log_of(double rest, double logit, double log_sum) {
  return rest < 0.5 ? log1p(-rest) : logit - log_sum;
}

#endif
