/*
 * affine.h -- probs = softmax(W x + b), fitted by penalised likelihood.
 *
 * The objective, with mean the weighted mean over the rows, is
 *
 *   mean -log p_y + on sum_j (W_jj - 1)^2 + off sum_{j != k} W_jk^2 + bias sum_j b_j^2
 *     + ridge |(W, b) - (I, 0)|^2
 *
 * and convex. theta is W in row-major order (or its diagonal, if W is diagonal), then b.
 */
#ifndef CRD_CALIBRATOR_AFFINE_H
#define CRD_CALIBRATOR_AFFINE_H

#include "base/reduce.h"
#include "calibrator/method.h"

/* The preconditioner: a pooled approximation of the Hessian (affine_pool.c), or, if that converges
 * too slowly and there are not too many classes, the factored diagonal block of each class
 * (affine_preconditioner.c); the Hessian's diagonal if W is diagonal. */
typedef struct {
  double *mass, *mean; /* of each class: the sum of p (1 - p), and the mean of x weighted by it */
  double *inverse;     /* of the pooled covariance */
  double *own;         /* of each class: correction of the variance of its own logit */
  double *image;       /* of each class: `inverse`, corrected for that class, times its mean */
  double *scratch;
} crd__calibrator_affine_pool;

typedef struct {
  double *blocks, *diagonal;
  double *rows, *solution; /* scratch buffers of each worker */
  crd__calibrator_affine_pool pool;
  bool pooled;
  size_t applied; /* applications since it was last prepared */
} crd__calibrator_affine_preconditioner;

/* The setting of vector and matrix. */
#define CRD__AFFINE_COMPAT                                                                         \
  {                                                                                                \
    .name = "compat",                                                                              \
    .help = "return the map at which another implementation stops, optimal or not; the list of "   \
            "conventions gives the reasons",                                                       \
    .standard = "none", .words = "none neural-clamping neural-clamping-sum"                        \
  }

typedef struct {
  const crd__calibrator_fit_data *data;
  bool diagonal;        /* W is diagonal */
  double on, off, bias; /* penalties */
  const double
      *weights; /* of the rows, set by crd__calibrator_affine_set_weights together with ... */
  double total, ridge; /* ... their sum, a ridge, nonzero only if a class has no weight, ... */
  size_t absent;       /* ... and the number of such classes */
  const double *theta; /* current point, or the direction of a Hessian product */
  double *p, *s;       /* rows x classes */
  double *partial, *sums;
  crd__calibrator_affine_preconditioner preconditioner;
} crd__calibrator_affine;

/* Allocates a problem over the data; ENOMEM. */
crd_status crd__calibrator_affine_create(crd_context *ctx, const crd__calibrator_fit_data *data,
                                         bool diagonal, crd__calibrator_affine *out);
void crd__calibrator_affine_clear(crd_context *ctx, crd__calibrator_affine *a);
size_t crd__calibrator_affine_size(const crd__calibrator_affine *a); /* of theta */
/* Sets the weights of the rows. */
void crd__calibrator_affine_set_weights(crd__calibrator_affine *a, const double *weights);

/* Sets theta to a starting point for any data: the identity, shrunk while that lowers the loss. */
crd_status crd__calibrator_affine_start(crd_context *ctx, crd__calibrator_affine *a, double *theta);
/* Minimises from theta on until the largest derivative is at most `gradient`; sets the
 * certificate's objective, gradient, iterations, converged, separable and note. */
crd_status crd__calibrator_affine_fit(crd_context *ctx, crd__calibrator_affine *a, double gradient,
                                      double *theta, crd_certificate *certificate);

/* Appends w or W, and b, to the learnt parameters. */
crd_status crd__calibrator_affine_learn(crd_context *ctx, const crd__calibrator_affine *a,
                                        const double *theta, crd__calibrator_learnt *learnt);
/* Starts, fits to a gradient of 1e-12, and learns w or W, and b. */
crd_status crd__calibrator_affine_solve(crd_context *ctx, crd__calibrator_affine *a,
                                        crd__calibrator_fitted *out);
void crd__calibrator_affine_apply(const crd__calibrator_model *model, const double *logits,
                                  size_t rows, double *out);
crd_status crd__calibrator_affine_describe(crd_context *ctx, const crd__calibrator_model *model,
                                           crd__calibrator_map *out);

/* Compute value and gradient at theta; then, at the same point, Hessian times direction, and, if W
 * is diagonal, the Hessian's diagonal. `affine` is a crd__calibrator_affine. */
crd_status crd__calibrator_affine_evaluate(crd_context *ctx, void *affine, const double *theta,
                                           double *value, double *gradient);
crd_status crd__calibrator_affine_multiply(crd_context *ctx, void *affine, const double *direction,
                                           double *out);
crd_status crd__calibrator_affine_curvature(crd_context *ctx, void *affine, double *out);

/* ---- For affine_fit.c, affine_preconditioner.c and affine_pool.c alone. */

crd_status crd__calibrator_affine_preconditioner_create(crd_context *ctx,
                                                        crd__calibrator_affine *a);
void crd__calibrator_affine_preconditioner_clear(crd_context *ctx, crd__calibrator_affine *a);
void crd__calibrator_affine_preconditioner_begin(crd__calibrator_affine *a); /* a fit */
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
                                      size_t t); /* coefficient of theta[t]'s square */

size_t crd__calibrator_affine_slopes(
    const crd__calibrator_affine *a); /* number of elements of theta that belong to W */
bool crd__calibrator_affine_on_diagonal(const crd__calibrator_affine *a, size_t t);
/* Sets u = W x + b for each row. */
void crd__calibrator_affine_map(const double *w, const double *b, bool diagonal, const double *x,
                                size_t rows, size_t classes, double *u);
/* Adds S' X (or its diagonal) and the column sums of S to `sums`. */
void crd__calibrator_affine_gather(const crd__calibrator_affine *a, const double *s,
                                   const double *x, size_t rows, double *sums);
/* Sets a->theta, then a->sums to the means over the rows of what `fn`, called with `a`, adds up. */
crd_status crd__calibrator_affine_sum(crd_context *ctx, crd__calibrator_affine *a,
                                      const double *theta, size_t terms, crd__partial_fn fn);

#endif
