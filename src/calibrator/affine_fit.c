/*
 * affine_fit.c -- fits softmax(W x + b) by truncated Newton, and applies it.
 *
 * There may be no finite optimum: a class without rows, or linearly separable classes. A tiny ridge
 * bounds the first; the second is detected and reported in the certificate.
 */
#include "base/memory.h"
#include "calibrator/affine.h"
#include "calibrator/map.h"
#include "math/newton_cg.h"
#include "math/rows.h"

#include <math.h>

enum { STEPS_MAX = 100, PRODUCTS_MAX = 500, SHRINKS_MAX = 60 };

crd_status crd__calibrator_affine_start(crd_context *ctx, crd__calibrator_affine *a,
                                        double *theta) {
  const size_t size = crd__calibrator_affine_size(a);
  double *gradient, value, least = INFINITY, scale = 1;
  CRD_TRY(crd__new(ctx, size, sizeof *gradient, "a fit", &gradient));
  crd_status status = CRD_OK;
  for (size_t i = 0; i < SHRINKS_MAX; i++, scale /= 2) {
    for (size_t t = 0; t < size; t++)
      theta[t] = crd__calibrator_affine_on_diagonal(a, t) ? scale : 0;
    status = crd__calibrator_affine_evaluate(ctx, a, theta, &value, gradient);
    if (status != CRD_OK || !(value < least)) break;
    least = value;
  }
  for (size_t t = 0; t < size; t++)
    theta[t] *= 2; /* back to the previous scale, which was better */
  crd__free(&ctx->alloc, gradient);
  return status;
}

/* Removes the invariance of softmax where no penalty does: b sums to 0 and the columns of W sum to
 * those of the identity. Adding a constant to b, or a row to all rows of W, changes no probability.
 */
static void settle(const crd__calibrator_affine *a, double *theta) {
  const size_t classes = a->data->classes;
  double *const b = theta + crd__calibrator_affine_slopes(a), mean = 0;
  for (size_t k = 0; k < classes; k++) mean += b[k] / (double)classes;
  for (size_t k = 0; a->bias == 0 && k < classes; k++) b[k] -= mean;
  for (size_t k = 0; a->off == 0 && !a->diagonal && k < classes; k++) {
    double column = -1;
    for (size_t j = 0; j < classes; j++) column += theta[j * classes + k];
    for (size_t j = 0; j < classes; j++) theta[j * classes + k] -= column / (double)classes;
  }
}

/* Returns the mean loss below which the data is separable: every row's true class has a probability
 * above 1/2, so scaling theta up lowers the loss for ever. A penalty prevents that. */
static double proof_of_separation(const crd__calibrator_affine *a) {
  double least = INFINITY;
  if (a->on > 0 || a->off > 0 || a->bias > 0 || a->ridge > 0) return -INFINITY;
  for (size_t i = 0; i < a->data->rows; i++)
    if (a->weights[i] > 0) least = fmin(least, a->weights[i]);
  return log(2) * least / a->total;
}

/* Adds, for each class, the absolute differences of probabilities and labels. */
static void miss_rows(void *arg, size_t from, size_t to, double *sums) {
  const crd__calibrator_affine *const a = arg;
  const size_t classes = a->data->classes;
  for (size_t i = from; i < to; i++)
    for (size_t k = 0; k < classes; k++)
      sums[k] += a->weights[i] * fabs(a->p[i * classes + k] - (k == a->data->labels[i] ? 1 : 0));
}

/* Sets *out to whether a class is separated from all others with certainty. If classes overlap, at
 * least one row is off by about 1/2. */
static crd_status find_separated(crd_context *ctx, crd__calibrator_affine *a, bool *out) {
  const size_t classes = a->data->classes;
  CRD_TRY(crd__calibrator_affine_sum(ctx, a, NULL, classes, miss_rows));
  *out = false;
  for (size_t k = 0; k < classes; k++) *out |= a->sums[k] < 1e-3 / (double)a->data->rows;
  return CRD_OK;
}

static const char *explain(const crd__calibrator_affine *a, crd__math_newton_end end,
                           bool separated) {
  if (a->absent) return "a class has no rows: a ridge penalty of 1e-8 bounds its parameters";
  if (separated) return "separable: there is no finite optimum, the solver stopped early";
  if (end == CRD__MATH_NEWTON_STEP_LIMIT) return "the solver reached its limit of iterations";
  return end == CRD__MATH_NEWTON_NO_DESCENT ? "the solver's line search failed" : "";
}

crd_status crd__calibrator_affine_fit(crd_context *ctx, crd__calibrator_affine *a, double gradient,
                                      double *theta, crd_certificate *certificate) {
  const crd__math_convex_problem problem = { .size = crd__calibrator_affine_size(a),
                                             .self = a,
                                             .look = crd__calibrator_affine_evaluate,
                                             .multiply = crd__calibrator_affine_multiply,
                                             .prepare = crd__calibrator_affine_prepare,
                                             .precondition = crd__calibrator_affine_precondition };
  const crd__math_newton_limits limits = { .gradient = gradient,
                                           .floor = proof_of_separation(a),
                                           .steps = STEPS_MAX,
                                           .products = PRODUCTS_MAX };
  crd__math_newton_result result;
  bool separated;
  crd__calibrator_affine_preconditioner_begin(a);
  CRD_TRY(crd__math_newton_cg(ctx, &problem, &limits, theta, &result));
  CRD_TRY(find_separated(ctx, a, &separated));
  separated |= result.end == CRD__NEWTON_FLOOR;
  settle(a, theta);
  certificate->objective = result.value;
  certificate->gradient_norm = result.gradient;
  certificate->iterations = result.steps;
  certificate->separable = separated || a->absent;
  certificate->converged = result.end == CRD__MATH_NEWTON_CONVERGED && (!separated || a->absent);
  certificate->note = explain(a, result.end, separated);
  return CRD_OK;
}

/* ---- Parameters, apply and describe. */

crd_status crd__calibrator_affine_learn(crd_context *ctx, const crd__calibrator_affine *a,
                                        const double *theta, crd__calibrator_learnt *learnt) {
  const size_t classes = a->data->classes;
  for (size_t t = 0; t < crd__calibrator_affine_slopes(a); t += classes)
    CRD_TRY(crd__calibrator_learnt_add(ctx, learnt, a->diagonal ? "w" : "W", theta + t, classes));
  return crd__calibrator_learnt_add(ctx, learnt, "b", theta + crd__calibrator_affine_slopes(a),
                                    classes);
}

crd_status crd__calibrator_affine_solve(crd_context *ctx, crd__calibrator_affine *a,
                                        crd__calibrator_fitted *out) {
  double *theta;
  CRD_TRY(crd__new(ctx, crd__calibrator_affine_size(a), sizeof *theta, "a fit", &theta));
  crd_status status = crd__calibrator_affine_start(ctx, a, theta);
  if (status == CRD_OK)
    status = crd__calibrator_affine_fit(ctx, a, 1e-12, theta, &out->certificate);
  if (status == CRD_OK) status = crd__calibrator_affine_learn(ctx, a, theta, &out->learnt);
  crd__free(&ctx->alloc, theta);
  return status;
}

void crd__calibrator_affine_apply(const crd__calibrator_model *model, const double *logits,
                                  size_t rows, double *out) {
  const bool diagonal = crd__calibrator_learnt_find(model->learnt, "w") != NULL;
  crd__calibrator_affine_map(
      crd__calibrator_learnt_get(model->learnt, diagonal ? "w" : "W", 0, NULL),
      crd__calibrator_learnt_get(model->learnt, "b", 0, NULL), diagonal, logits, rows,
      model->classes, out);
  crd__math_row_kernels_best()->softmax(out, CRD__ROW_F64, rows, model->classes, out);
}

crd_status crd__calibrator_affine_describe(crd_context *ctx, const crd__calibrator_model *model,
                                           crd__calibrator_map *out) {
  const size_t classes = model->classes;
  const bool diagonal = crd__calibrator_learnt_find(model->learnt, "w") != NULL;
  const double *const b = crd__calibrator_learnt_get(model->learnt, "b", 0, NULL);
  /* The parts of W are contiguous: the first one points to the whole matrix. */
  const double *const w = crd__calibrator_learnt_get(model->learnt, diagonal ? "w" : "W", 0, NULL);
  CRD_TRY(crd__calibrator_map_add(ctx, out, diagonal ? CRD__DIAGONAL : CRD__AFFINE, w,
                                  diagonal ? classes : classes * classes, b, classes));
  return crd__calibrator_map_add(ctx, out, CRD__SOFTMAX, NULL, 0, NULL, 0);
}
