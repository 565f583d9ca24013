/*
 * affine.h -- probs = softmax(W x + b), fitted by penalised likelihood.
 *
 * What is minimised, with mean the weighted mean over the rows:
 *
 *   mean -log p_y + off sum_{j != k} W_jk^2 + bias sum_j b_j^2 + ridge |(W, b) - (I, 0)|^2
 *
 * It is convex. theta is W, row by row (or its diagonal, where W is diagonal), and then b.
 */
#ifndef CRD_CALIBRATOR_AFFINE_H
#define CRD_CALIBRATOR_AFFINE_H

#include "base/reduce.h"
#include "calibrator/method.h"

/* The preconditioner: a pooled one (affine_pool.c), or, where that converges too slowly and classes
 * are not too many, each class's own block of the Hessian, factored (affine_ease.c); its diagonal,
 * where W is diagonal. */
typedef struct {
  double *mass, *mean; /* of each class: the sum of p (1 - p), and the mean of x weighted by it */
  double *inverse;     /* of the pooled covariance */
  double *own;         /* of each class: what is added for its own logit */
  double *image;       /* mean times the inverse for the class */
  double *scratch;
} crd__calibrator_affine_pool;

typedef struct {
  double *blocks, *diagonal;
  double *rows, *solution; /* for each worker */
  crd__calibrator_affine_pool pool;
  bool pooled;
  size_t applied; /* how often, since it was prepared last */
} crd__calibrator_affine_ease;

typedef struct {
  const crd__calibrator_fit_data *data;
  bool diagonal;         /* W is */
  double off, bias;      /* penalties */
  const double *weights; /* of the rows, set by crd__calibrator_affine_weigh ... */
  double total, ridge;   /* ... with these: a ridge only where a class has no weight at all */
  size_t absent;         /* such classes */
  const double *theta;   /* where we look, or the direction of a product */
  double *p, *s;         /* rows x classes */
  double *partial, *sums;
  crd__calibrator_affine_ease ease;
} crd__calibrator_affine;

crd_status crd__calibrator_affine_create(crd_context *ctx, const crd__calibrator_fit_data *data,
                                         bool diagonal, crd__calibrator_affine *out);
void crd__calibrator_affine_clear(crd_context *ctx, crd__calibrator_affine *a);
size_t crd__calibrator_affine_size(const crd__calibrator_affine *a); /* of theta */
void crd__calibrator_affine_weigh(crd__calibrator_affine *a, const double *weights);

/* Identity and 0, shrunk where that fits better: a start for any data. */
crd_status crd__calibrator_affine_start(crd_context *ctx, crd__calibrator_affine *a, double *theta);
/* From theta on to a derivative of at most `gradient`; the certificate's objective, gradient,
 * iterations, converged, separable and note. */
crd_status crd__calibrator_affine_fit(crd_context *ctx, crd__calibrator_affine *a, double gradient,
                                      double *theta, crd_certificate *certificate);

/* Start, fit tightly, learn: w or W, and b. */
crd_status crd__calibrator_affine_solve(crd_context *ctx, crd__calibrator_affine *a,
                                        crd__calibrator_fitted *out);
void crd__calibrator_affine_apply(const crd__calibrator_model *model, const double *logits,
                                  size_t rows, double *out);
crd_status crd__calibrator_affine_describe(crd_context *ctx, const crd__calibrator_model *model,
                                           crd__calibrator_map *out);

/* Value and gradient, and at the point of these: Hessian times direction, and, where W is diagonal,
 * the Hessian's diagonal. `affine` is a crd__calibrator_affine. */
crd_status crd__calibrator_affine_look(crd_context *ctx, void *affine, const double *theta,
                                       double *value, double *gradient);
crd_status crd__calibrator_affine_multiply(crd_context *ctx, void *affine, const double *direction,
                                           double *out);
crd_status crd__calibrator_affine_curvature(crd_context *ctx, void *affine, double *out);

/* ---- For affine_fit.c, affine_ease.c and affine_pool.c alone. */

crd_status crd__calibrator_affine_ease_create(crd_context *ctx, crd__calibrator_affine *a);
void crd__calibrator_affine_ease_clear(crd_context *ctx, crd__calibrator_affine *a);
void crd__calibrator_affine_ease_begin(crd__calibrator_affine *a); /* a fit */
crd_status crd__calibrator_affine_prepare(crd_context *ctx, void *affine);
crd_status crd__calibrator_affine_precondition(crd_context *ctx, void *affine,
                                               const double *residual, double *out);
crd_status crd__calibrator_affine_pool_create(crd_context *ctx, crd__calibrator_affine *a);
void crd__calibrator_affine_pool_clear(crd_context *ctx, crd__calibrator_affine *a);
crd_status crd__calibrator_affine_pool_prepare(crd_context *ctx, crd__calibrator_affine *a);
crd_status crd__calibrator_affine_pool_apply(crd_context *ctx, crd__calibrator_affine *a,
                                             const double *residual, double *out);

enum { CRD__AFFINE_BLOCK = 128 }; /* rows that stay in the cache from step to step */
double crd__calibrator_affine_penalty(const crd__calibrator_affine *a,
                                      size_t t); /* the coefficient of a square */

size_t
crd__calibrator_affine_slopes(const crd__calibrator_affine *a); /* numbers of theta that are W's */
bool crd__calibrator_affine_on_diagonal(const crd__calibrator_affine *a, size_t t);
/* u = W x + b for rows. */
void crd__calibrator_affine_map(const double *w, const double *b, bool diagonal, const double *x,
                                size_t rows, size_t classes, double *u);
/* sums += S' X (or its diagonal) and the column sums of S. */
void crd__calibrator_affine_gather(const crd__calibrator_affine *a, const double *s,
                                   const double *x, size_t rows, double *sums);
/* a->sums = means over the rows, with a->theta set for `fn`, whose arg is `a`. */
crd_status crd__calibrator_affine_sum(crd_context *ctx, crd__calibrator_affine *a,
                                      const double *theta, size_t terms, crd__partial_fn fn);

#endif
