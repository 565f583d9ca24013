/*
 * affine.c -- value, gradient and Hessian products of softmax(W x + b).
 *
 * With S = weights o (P - Y) the gradient is S' X for W and the column sums of S for b. For a
 * direction (V, v): U = X V' + v, S = weights o P o (U - rowsum(P o U)), and the product is again
 * S' X and column sums. So only two steps, "map" (x to u) and "gather" (s to sums), depend on
 * whether W is diagonal.
 */
#include "calibrator/affine.h"
#include "base/memory.h"
#include "math/product.h"
#include "math/rows.h"

#include <math.h>
#include <string.h>

enum { BLOCK = CRD__AFFINE_BLOCK };
static const double absent_ridge = 1e-8;

size_t crd__calibrator_affine_slopes(const crd__calibrator_affine *a) {
  return a->diagonal ? a->data->classes : a->data->classes * a->data->classes;
}
size_t crd__calibrator_affine_size(const crd__calibrator_affine *a) {
  return crd__calibrator_affine_slopes(a) + a->data->classes;
}
bool crd__calibrator_affine_on_diagonal(const crd__calibrator_affine *a, size_t t) {
  return t < crd__calibrator_affine_slopes(a) && (a->diagonal || t % (a->data->classes + 1) == 0);
}

/* ---- Rows to linear terms, and the transpose. */

void crd__calibrator_affine_map(const double *w, const double *b, bool diagonal, const double *x,
                                size_t rows, size_t classes, double *u) {
  for (size_t i = 0; i < rows; i++) memcpy(u + i * classes, b, classes * sizeof *u);
  if (diagonal) {
    for (size_t i = 0; i < rows * classes; i += classes)
      for (size_t k = 0; k < classes; k++) u[i + k] += w[k] * x[i + k];
  } else
    crd__math_product_add(rows, classes, classes, (crd__math_matrix){ x, classes, 1 },
                          (crd__math_matrix){ w, 1, classes }, u, classes);
}

void crd__calibrator_affine_gather(const crd__calibrator_affine *a, const double *s,
                                   const double *x, size_t rows, double *sums) {
  const size_t classes = a->data->classes;
  double *const b = sums + crd__calibrator_affine_slopes(a);
  for (size_t i = 0; i < rows * classes; i += classes)
    for (size_t k = 0; k < classes; k++) {
      b[k] += s[i + k];
      if (a->diagonal) sums[k] += s[i + k] * x[i + k];
    }
  if (!a->diagonal)
    crd__math_product_add(classes, classes, rows, (crd__math_matrix){ s, 1, classes },
                          (crd__math_matrix){ x, classes, 1 }, sums, classes);
}

/* The same with the squares of X, for diagonal W. */
static void gather_squares(const crd__calibrator_affine *a, const double *s, const double *x,
                           size_t rows, double *sums) {
  const size_t classes = a->data->classes;
  for (size_t i = 0; i < rows * classes; i += classes)
    for (size_t k = 0; k < classes; k++) {
      sums[k] += s[i + k] * x[i + k] * x[i + k];
      sums[classes + k] += s[i + k];
    }
}

/* ---- Sums over rows, by blocks that stay in the cache. */

static void look_rows(void *arg, size_t from, size_t to, double *sums) {
  const crd__calibrator_affine *const a = arg;
  const crd__calibrator_fit_data *const data = a->data;
  const crd__math_row_kernels *const kernels = crd__math_row_kernels_best();
  const size_t classes = data->classes;
  double *const value = sums + crd__calibrator_affine_size(a);
  for (size_t first = from; first < to; first += BLOCK) {
    crd__math_row_summary summary[BLOCK];
    const size_t rows = to - first < BLOCK ? to - first : BLOCK;
    const double *const x = data->logits + first * classes;
    double *const p = a->p + first * classes, *const s = a->s + first * classes;
    crd__calibrator_affine_map(a->theta, a->theta + crd__calibrator_affine_slopes(a), a->diagonal,
                               x, rows, classes, p);
    kernels->logits(p, CRD__ROW_F64, rows, classes, 0, summary);
    for (size_t i = 0; i < rows; i++)
      *value +=
          a->weights[first + i] *
          (log(summary[i].mass) + (summary[i].top - p[i * classes + data->labels[first + i]]));
    kernels->softmax(p, CRD__ROW_F64, rows, classes, p);
    for (size_t i = 0; i < rows; i++) {
      const double weight = a->weights[first + i];
      for (size_t k = 0; k < classes; k++) s[i * classes + k] = weight * p[i * classes + k];
      s[i * classes + data->labels[first + i]] =
          weight * (p[i * classes + data->labels[first + i]] - 1);
    }
    crd__calibrator_affine_gather(a, s, x, rows, sums);
  }
}

static void multiply_rows(void *arg, size_t from, size_t to, double *sums) {
  const crd__calibrator_affine *const a = arg;
  const size_t classes = a->data->classes;
  for (size_t first = from; first < to; first += BLOCK) {
    const size_t rows = to - first < BLOCK ? to - first : BLOCK;
    const double *const x = a->data->logits + first * classes;
    double *const s = a->s + first * classes;
    crd__calibrator_affine_map(a->theta, a->theta + crd__calibrator_affine_slopes(a), a->diagonal,
                               x, rows, classes, s);
    for (size_t i = 0; i < rows; i++) {
      const double *const p = a->p + (first + i) * classes;
      double *const u = s + i * classes, mean = 0;
      for (size_t k = 0; k < classes; k++) mean += p[k] * u[k];
      for (size_t k = 0; k < classes; k++) u[k] = a->weights[first + i] * p[k] * (u[k] - mean);
    }
    crd__calibrator_affine_gather(a, s, x, rows, sums);
  }
}

static void curve_rows(void *arg, size_t from, size_t to, double *sums) {
  const crd__calibrator_affine *const a = arg;
  const size_t classes = a->data->classes;
  for (size_t first = from; first < to; first += BLOCK) {
    const size_t rows = to - first < BLOCK ? to - first : BLOCK;
    double *const s = a->s + first * classes;
    for (size_t i = 0; i < rows; i++) {
      const double *const p = a->p + (first + i) * classes;
      for (size_t k = 0; k < classes; k++)
        s[i * classes + k] = a->weights[first + i] * p[k] * (1 - p[k]);
    }
    gather_squares(a, s, a->data->logits + first * classes, rows, sums);
  }
}

/* ---- Penalties: the coefficient of the square of theta[t] - (identity, 0). The off-diagonal
 * elements and b are penalised themselves, since the identity is 0 there. */

double crd__calibrator_affine_penalty(const crd__calibrator_affine *a, size_t t) {
  return a->ridge + (t >= crd__calibrator_affine_slopes(a)      ? a->bias
                     : crd__calibrator_affine_on_diagonal(a, t) ? a->on
                                                                : a->off);
}

/* ---- Callbacks of the solver. */

crd_status crd__calibrator_affine_sum(crd_context *ctx, crd__calibrator_affine *a,
                                      const double *theta, size_t terms, crd__partial_fn fn) {
  const size_t classes = a->data->classes;
  const crd__load load = { a->data->rows, (a->diagonal ? 16 : 16 + classes) * classes };
  a->theta = theta;
  CRD_TRY(crd__reduce_in(ctx, load, terms, fn, a, a->partial, a->sums));
  for (size_t t = 0; t < terms; t++) a->sums[t] /= a->total;
  return CRD_OK;
}

crd_status crd__calibrator_affine_evaluate(crd_context *ctx, void *affine, const double *theta,
                                           double *value, double *gradient) {
  crd__calibrator_affine *const a = affine;
  const size_t size = crd__calibrator_affine_size(a);
  CRD_TRY(crd__calibrator_affine_sum(ctx, a, theta, size + 1, look_rows));
  *value = a->sums[size];
  for (size_t t = 0; t < size; t++) {
    const double off = theta[t] - (crd__calibrator_affine_on_diagonal(a, t) ? 1 : 0),
                 weight = crd__calibrator_affine_penalty(a, t);
    *value += weight * off * off;
    gradient[t] = a->sums[t] + 2 * weight * off;
  }
  return CRD_OK;
}

crd_status crd__calibrator_affine_multiply(crd_context *ctx, void *affine, const double *direction,
                                           double *out) {
  crd__calibrator_affine *const a = affine;
  const size_t size = crd__calibrator_affine_size(a);
  CRD_TRY(crd__calibrator_affine_sum(ctx, a, direction, size, multiply_rows));
  for (size_t t = 0; t < size; t++)
    out[t] = a->sums[t] + 2 * crd__calibrator_affine_penalty(a, t) * direction[t];
  return CRD_OK;
}

crd_status crd__calibrator_affine_curvature(crd_context *ctx, void *affine, double *out) {
  crd__calibrator_affine *const a = affine;
  const size_t size = crd__calibrator_affine_size(a);
  CRD_TRY(crd__calibrator_affine_sum(ctx, a, NULL, size, curve_rows));
  for (size_t t = 0; t < size; t++) out[t] = a->sums[t] + 2 * crd__calibrator_affine_penalty(a, t);
  return CRD_OK;
}

/* ---- Memory, and weights. */

crd_status crd__calibrator_affine_create(crd_context *ctx, const crd__calibrator_fit_data *data,
                                         bool diagonal, crd__calibrator_affine *out) {
  *out = (crd__calibrator_affine){ .data = data, .diagonal = diagonal };
  size_t cells, square;
  if (!crd__size_mul(data->rows, data->classes, &cells)) cells = SIZE_MAX;
  if (!crd__size_mul(data->classes, data->classes, &square))
    return crd__fail(ctx, CRD_ENOMEM, "no memory for a matrix of %zu classes", data->classes);
  const size_t terms = crd__calibrator_affine_size(out) + 1;
  crd_status status = crd__new(ctx, cells, sizeof *out->p, "probabilities", &out->p);
  if (status == CRD_OK) status = crd__new(ctx, cells, sizeof *out->s, "a fit", &out->s);
  if (status == CRD_OK) status = crd__new(ctx, terms, sizeof *out->sums, "a fit", &out->sums);
  if (status == CRD_OK)
    status = crd__new(ctx, crd__reduce_cells(data->rows, terms), sizeof *out->partial, "a fit",
                      &out->partial);
  if (status == CRD_OK) status = crd__calibrator_affine_preconditioner_create(ctx, out);
  if (status == CRD_OK) crd__calibrator_affine_set_weights(out, data->weights);
  else crd__calibrator_affine_clear(ctx, out);
  return status;
}

void crd__calibrator_affine_clear(crd_context *ctx, crd__calibrator_affine *a) {
  crd__free(&ctx->alloc, a->p);
  crd__free(&ctx->alloc, a->s);
  crd__free(&ctx->alloc, a->sums);
  crd__free(&ctx->alloc, a->partial);
  crd__calibrator_affine_preconditioner_clear(ctx, a);
  *a = (crd__calibrator_affine){ 0 };
}

void crd__calibrator_affine_set_weights(crd__calibrator_affine *a, const double *weights) {
  double *const seen = a->sums; /* scratch buffer, at least `classes` long */
  a->weights = weights;
  a->total = 0;
  a->absent = 0;
  for (size_t k = 0; k < a->data->classes; k++) seen[k] = 0;
  for (size_t i = 0; i < a->data->rows; i++) {
    a->total += weights[i];
    seen[a->data->labels[i]] += weights[i];
  }
  for (size_t k = 0; k < a->data->classes; k++) a->absent += !(seen[k] > 0);
  a->ridge = a->absent ? absent_ridge : 0;
}
