/*
 * affine_pool.c -- pooled preconditioner: an approximate inverse of the Hessian that is cheap with
 * many classes.
 *
 * The block of class k is the second moment of (x, 1) weighted by q = p_k (1 - p_k). Its weight s_k
 * and the mean m_k of x are exact and take one product over the rows; the covariance around that
 * mean is replaced by C, pooled over the classes. Then, with A = s_k C + penalty,
 *
 *   [ A + s m m'   s m   ] [u]   [r]        a = A^-1 (r - t m),  g = A^-1 m,
 *   [   s m'     s + bias] [v] = [t]   =>   v = (t - s m' a) / (s + bias + s bias m' g),
 *                                           u = a + bias v g.
 *
 * One matrix is inverted, C + penalty / mean s, and scaled by s_k for each class, so an application
 * is one matrix product. The diagonal element of row k of W differs from all others: it has no
 * penalty, and x_k varies most in the rows that matter to class k. It gets its own variance, by a
 * rank-one update (Sherman-Morrison).
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "calibrator/affine.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

enum { SMALL = 32, SHARE = 64 };

crd_status crd__calibrator_affine_pool_create(crd_context *ctx, crd__calibrator_affine *a) {
  const size_t classes = a->data->classes, cells = classes * classes;
  crd__calibrator_affine_pool *const pool = &a->preconditioner.pool;
  CRD_TRY(crd__new(ctx, classes, sizeof(double), "a fit", &pool->mass));
  CRD_TRY(crd__new(ctx, classes, sizeof(double), "a fit", &pool->own));
  CRD_TRY(crd__new(ctx, cells, sizeof(double), "a fit", &pool->mean));
  CRD_TRY(crd__new(ctx, cells, sizeof(double), "a fit", &pool->image));
  CRD_TRY(crd__new(ctx, cells, sizeof(double), "a fit", &pool->inverse));
  return crd__new(ctx, cells, sizeof(double), "a fit", &pool->scratch);
}

void crd__calibrator_affine_pool_clear(crd_context *ctx, crd__calibrator_affine *a) {
  crd__calibrator_affine_pool *const pool = &a->preconditioner.pool;
  crd__free(&ctx->alloc, pool->mass);
  crd__free(&ctx->alloc, pool->own);
  crd__free(&ctx->alloc, pool->mean);
  crd__free(&ctx->alloc, pool->image);
  crd__free(&ctx->alloc, pool->inverse);
  crd__free(&ctx->alloc, pool->scratch);
}

/* ---- Products of square matrices, in parallel over strips of rows. */

typedef struct {
  const double *left, *right;
  double *out;
  size_t side;
} product;

static crd_status multiply_strip(crd_context *ctx, void *arg, unsigned worker, size_t from,
                                 size_t to) {
  const product *const p = arg;
  (void)ctx;
  (void)worker;
  memset(p->out + from * p->side, 0, (to - from) * p->side * sizeof *p->out);
  crd__math_product_add(
      to - from, p->side, p->side, (crd__math_matrix){ p->left + from * p->side, p->side, 1 },
      (crd__math_matrix){ p->right, p->side, 1 }, p->out + from * p->side, p->side);
  return CRD_OK;
}

static crd_status multiply(crd_context *ctx, const double *left, const double *right, size_t side,
                           double *out) {
  product p = { left, right, out, side };
  return crd__parallel_for(ctx, NULL, side, SHARE, multiply_strip, &p);
}

/* ---- The inverse of a symmetric positive definite matrix, in place. */

/* Gauss-Jordan elimination. */
static void invert_small(double *m, size_t side, size_t step) {
  for (size_t k = 0; k < side; k++) {
    double *const top = m + k * step;
    const double pivot = 1 / top[k];
    for (size_t i = 0; i < side; i++) {
      double *const row = m + i * step;
      if (i == k) continue;
      const double factor = row[k] * pivot;
      row[k] = 0;
      for (size_t j = 0; j < side; j++) row[j] -= factor * top[j];
      row[k] = -factor;
    }
    for (size_t j = 0; j < side; j++) top[j] *= pivot;
    top[k] = pivot;
  }
}

/*
 * Recursive block inversion of [E F; F' H]: with G = -E^-1 F and S = H + F' G the inverse is
 * [E^-1 + G S^-1 G', G S^-1; (G S^-1)', S^-1]. `scratch` has the size of the matrix.
 */
static void invert(double *m, size_t side, size_t step, double *scratch) {
  if (side <= SMALL) {
    invert_small(m, side, step);
    return;
  }
  const size_t high = side / 2, low = side - high;
  double *const right = m + high, *const below = m + high * step, *const corner = below + high;
  double *const g = scratch, *const gs = scratch + high * low;
  invert(m, high, step, scratch);
  memset(g, 0, 2 * high * low * sizeof *g);
  crd__math_product_add(high, low, high, (crd__math_matrix){ m, step, 1 },
                        (crd__math_matrix){ right, step, 1 }, g, low);
  for (size_t i = 0; i < high * low; i++) g[i] = -g[i];
  crd__math_product_add(low, low, high, (crd__math_matrix){ right, 1, step },
                        (crd__math_matrix){ g, low, 1 }, corner, step);
  invert(corner, low, step, gs + high * low);
  crd__math_product_add(high, low, low, (crd__math_matrix){ g, low, 1 },
                        (crd__math_matrix){ corner, step, 1 }, gs, low);
  crd__math_product_add(high, high, low, (crd__math_matrix){ gs, low, 1 },
                        (crd__math_matrix){ g, 1, low }, m, step);
  for (size_t i = 0; i < high; i++)
    for (size_t j = 0; j < low; j++) right[i * step + j] = below[j * step + i] = gs[i * low + j];
}

/* ---- Moments of the rows. */

/* Computes q, and adds q' x and the sums of q. */
static void mean_rows(void *arg, size_t from, size_t to, double *sums) {
  const crd__calibrator_affine *const a = arg;
  const size_t classes = a->data->classes;
  for (size_t i = from; i < to; i += CRD__AFFINE_BLOCK) {
    const size_t rows = to - i < CRD__AFFINE_BLOCK ? to - i : CRD__AFFINE_BLOCK;
    double *const q = a->s + i * classes;
    for (size_t r = 0; r < rows; r++)
      for (size_t k = 0; k < classes; k++) {
        const double p = a->p[(i + r) * classes + k];
        q[r * classes + k] = a->weights[i + r] * p * (1 - p);
      }
    crd__calibrator_affine_gather(a, q, a->data->logits + i * classes, rows, sums);
  }
}

/* Adds x' x weighted by the sum of q over the classes, and q' x^2, the square of the class's own
 * logit; overwrites q. */
static void pooled_rows(void *arg, size_t from, size_t to, double *sums) {
  const crd__calibrator_affine *const a = arg;
  const size_t classes = a->data->classes;
  double *const own = sums + classes * classes;
  for (size_t i = from; i < to; i += CRD__AFFINE_BLOCK) {
    const size_t rows = to - i < CRD__AFFINE_BLOCK ? to - i : CRD__AFFINE_BLOCK;
    const double *const x = a->data->logits + i * classes;
    double *const s = a->s + i * classes;
    for (size_t r = 0; r < rows; r++) {
      double all = 0;
      for (size_t k = 0, t = r * classes; k < classes; k++, t++) {
        all += s[t];
        own[k] += s[t] * x[t] * x[t];
      }
      for (size_t t = r * classes; t < (r + 1) * classes; t++) s[t] = all * x[t];
    }
    crd__math_product_add(classes, classes, rows, (crd__math_matrix){ s, 1, classes },
                          (crd__math_matrix){ x, classes, 1 }, sums, classes);
  }
}

/* Computes mass and mean of each class. */
static crd_status find_means(crd_context *ctx, crd__calibrator_affine *a) {
  const size_t classes = a->data->classes;
  const crd__calibrator_affine_pool *const pool = &a->preconditioner.pool;
  double most = 0;
  CRD_TRY(crd__calibrator_affine_sum(ctx, a, NULL, crd__calibrator_affine_size(a), mean_rows));
  const double *const mass = a->sums + classes * classes;
  for (size_t k = 0; k < classes; k++) most = fmax(most, mass[k]);
  for (size_t k = 0; k < classes; k++) {
    pool->mass[k] = fmax(mass[k], most > 0 ? 1e-10 * most : 1); /* a class may have no mass */
    for (size_t j = 0; j < classes; j++)
      pool->mean[k * classes + j] = a->sums[k * classes + j] / pool->mass[k];
  }
  return CRD_OK;
}

/* Computes inverse = (C + penalty / mean mass)^-1; a small diagonal term, because C may be
 * singular.
 */
static crd_status find_inverse(crd_context *ctx, crd__calibrator_affine *a) {
  const size_t classes = a->data->classes;
  const crd__calibrator_affine_pool *const pool = &a->preconditioner.pool;
  double *const c = pool->inverse, all = 0, most = 0;
  CRD_TRY(crd__calibrator_affine_sum(ctx, a, NULL, crd__calibrator_affine_size(a), pooled_rows));
  memcpy(c, a->sums, classes * classes * sizeof *c);
  for (size_t k = 0; k < classes; k++) {
    all += pool->mass[k];
    for (size_t j = 0; j < classes; j++)
      pool->scratch[k * classes + j] = -pool->mass[k] * pool->mean[k * classes + j];
  }
  crd__math_product_add(classes, classes, classes, (crd__math_matrix){ pool->mean, 1, classes },
                        (crd__math_matrix){ pool->scratch, classes, 1 }, c, classes);
  for (size_t t = 0; t < classes * classes; t++) c[t] /= all;
  for (size_t k = 0; k < classes; k++) most = fmax(most, c[k * (classes + 1)]);
  const double penalty = 2 * (a->off + a->ridge) * (double)classes / all;
  for (size_t k = 0; k < classes; k++)
    c[k * (classes + 1)] += penalty + (most > 0 ? 1e-8 * most : 1);
  for (size_t k = 0; k < classes; k++) {
    const double mean = pool->mean[k * (classes + 1)], mass = pool->mass[k];
    const double variance = a->sums[classes * classes + k] / mass - mean * mean;
    pool->own[k] = fmax(variance, 1e-8 * most) + 2 * (a->on + a->ridge) * (double)classes / all -
                   c[k * (classes + 1)];
  }
  invert(c, classes, classes, pool->scratch);
  for (size_t i = 0; i < classes; i++) /* keep it symmetric despite rounding */
    for (size_t j = 0; j < i; j++) c[j * classes + i] = c[i * classes + j];
  return CRD_OK;
}

/* Turns a right-hand side times the pooled inverse into one times A^-1 of class k. */
static void correct_row(const crd__calibrator_affine *a, size_t k, double *row) {
  const size_t classes = a->data->classes;
  const crd__calibrator_affine_pool *const pool = &a->preconditioner.pool;
  const double *const column = pool->inverse + k * classes;
  /* The updated element must stay positive. */
  const double share = pool->own[k] * row[k] / fmax(1 + pool->own[k] * column[k], 1e-8);
  for (size_t j = 0; j < classes; j++) row[j] = (row[j] - share * column[j]) / pool->mass[k];
}

crd_status crd__calibrator_affine_pool_prepare(crd_context *ctx, crd__calibrator_affine *a) {
  const crd__calibrator_affine_pool *const pool = &a->preconditioner.pool;
  const size_t classes = a->data->classes;
  CRD_TRY(find_means(ctx, a));
  CRD_TRY(find_inverse(ctx, a));
  CRD_TRY(multiply(ctx, pool->mean, pool->inverse, classes, pool->image));
  for (size_t k = 0; k < classes; k++) correct_row(a, k, pool->image + k * classes);
  return CRD_OK;
}

crd_status crd__calibrator_affine_pool_apply(crd_context *ctx, crd__calibrator_affine *a,
                                             const double *residual, double *out) {
  const size_t classes = a->data->classes;
  const crd__calibrator_affine_pool *const pool = &a->preconditioner.pool;
  const double *const t = residual + classes * classes, bias = 2 * (a->bias + a->ridge);
  for (size_t k = 0; k < classes; k++)
    for (size_t j = k * classes; j < (k + 1) * classes; j++)
      pool->scratch[j] = residual[j] - t[k] * pool->mean[j];
  CRD_TRY(multiply(ctx, pool->scratch, pool->inverse, classes, out));
  for (size_t k = 0; k < classes; k++) {
    const double *const mean = pool->mean + k * classes, *const image = pool->image + k * classes;
    double *const u = out + k * classes, mass = pool->mass[k], along = 0, length = 0;
    correct_row(a, k, u);
    for (size_t j = 0; j < classes; j++) {
      along += mean[j] * u[j];
      length += mean[j] * image[j];
    }
    const double v = (t[k] - mass * along) / (mass + bias + mass * bias * length);
    for (size_t j = 0; j < classes; j++) u[j] += bias * v * image[j];
    out[classes * classes + k] = v;
  }
  return CRD_OK;
}
