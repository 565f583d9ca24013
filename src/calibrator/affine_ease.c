/*
 * affine_ease.c -- preconditioner of conjugate gradients: the block diagonal of the Hessian.
 *
 * Logits of a row are strongly correlated, so the Hessian's diagonal is a poor preconditioner. The
 * block of class j, (x, 1)' (x, 1) weighted by p_j (1 - p_j), is a good one: it neglects only the
 * coupling between classes. Rows of small weight for a class are left out of its block, which costs
 * little accuracy and saves most of the time.
 *
 * Blocks are still expensive. A pooled approximation (affine_pool.c) takes two to three times as
 * many steps, but preparing it costs almost nothing: it is used first, and blocks only if it is
 * slow.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "calibrator/affine.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

enum { POOL_MIN = 16, CLASSES_MAX = 256, BATCH = 128, STRIP = 32 };
static const double matters =
    1e-1; /* rows below this share of the block's mean weight are skipped */

crd_status crd__calibrator_affine_ease_create(crd_context *ctx, crd__calibrator_affine *a) {
  const size_t classes = a->data->classes, side = classes + 1;
  const size_t workers = crd__parallel_workers(ctx, classes);
  if (a->diagonal)
    return crd__new(ctx, crd__calibrator_affine_size(a), sizeof(double), "a fit",
                    &a->preconditioner.diagonal);
  CRD_TRY(crd__calibrator_affine_pool_create(ctx, a));
  if (classes > CLASSES_MAX) return CRD_OK;
  CRD_TRY(crd__new(ctx, classes * side * side, sizeof(double), "a fit", &a->preconditioner.blocks));
  CRD_TRY(crd__new(ctx, workers * BATCH * side, sizeof(double), "a fit", &a->preconditioner.rows));
  return crd__new(ctx, workers * side, sizeof(double), "a fit", &a->preconditioner.solution);
}

void crd__calibrator_affine_ease_clear(crd_context *ctx, crd__calibrator_affine *a) {
  crd__free(&ctx->alloc, a->preconditioner.blocks);
  crd__free(&ctx->alloc, a->preconditioner.diagonal);
  crd__free(&ctx->alloc, a->preconditioner.rows);
  crd__free(&ctx->alloc, a->preconditioner.solution);
  crd__calibrator_affine_pool_clear(ctx, a);
}

/* Preparing blocks costs a quarter of a Hessian product per class: with strong penalties, the
 * pooled preconditioner has converged by then. */
static bool is_slow(const crd__calibrator_affine *a) {
  return a->preconditioner.blocks && a->preconditioner.applied > a->data->classes / 4;
}

void crd__calibrator_affine_ease_begin(crd__calibrator_affine *a) {
  a->preconditioner.pooled =
      !a->diagonal && (!a->preconditioner.blocks || a->data->classes >= POOL_MIN);
  a->preconditioner.applied = 0;
}

/* ---- The blocks. */

static double weight_at(const crd__calibrator_affine *a, size_t row, size_t class) {
  const double p = a->p[row * a->data->classes + class];
  return a->weights[row] * p * (1 - p) / a->total;
}

/* Adds the outer products of the batch's rows to the block, on and above the diagonal only. */
static void add_batch(const double *batch, size_t rows, size_t side, double *block) {
  for (size_t i = 0; i < side; i += STRIP)
    crd__math_product_add(side - i < STRIP ? side - i : STRIP, side - i, rows,
                          (crd__math_matrix){ batch + i, 1, side },
                          (crd__math_matrix){ batch + i, side, 1 }, block + i * side + i, side);
}

static void fill_block(const crd__calibrator_affine *a, size_t class, double *batch,
                       double *block) {
  const size_t classes = a->data->classes, side = classes + 1;
  double mean = 0;
  size_t held = 0;
  memset(block, 0, side * side * sizeof *block);
  for (size_t i = 0; i < a->data->rows; i++) mean += weight_at(a, i, class);
  mean /= (double)a->data->rows;
  for (size_t i = 0; i < a->data->rows; i++) {
    const double weight = weight_at(a, i, class), root = sqrt(weight);
    if (!(weight > matters * mean)) continue;
    double *const row = batch + held * side;
    for (size_t k = 0; k < classes; k++) row[k] = root * a->data->logits[i * classes + k];
    row[classes] = root;
    if (++held < BATCH) continue;
    add_batch(batch, held, side, block);
    held = 0;
  }
  add_batch(batch, held, side, block);
}

/* Adds the penalties, and a small multiple of the identity, because blocks may be singular. */
static void add_penalties(const crd__calibrator_affine *a, size_t class, double *block) {
  const size_t classes = a->data->classes, side = classes + 1;
  double most = 0;
  for (size_t k = 0; k < side; k++) {
    const size_t t = k < classes ? class * classes + k : classes * classes + class;
    block[k * (side + 1)] += 2 * crd__calibrator_affine_penalty(a, t);
    most = fmax(most, block[k * (side + 1)]);
  }
  for (size_t k = 0; k < side; k++) block[k * (side + 1)] += most > 0 ? 1e-10 * most : 1;
}

/* Cholesky factorisation: L on and below the diagonal, L' above it, so that both substitutions run
 * along rows. */
static void factor(double *block, size_t side) {
  for (size_t k = 0; k < side; k++) {
    double *const top = block + k * side;
    const double pivot = sqrt(fmax(top[k], 1e-300));
    for (size_t i = k; i < side; i++) top[i] /= pivot;
    for (size_t i = k + 1; i < side; i++) {
      double *const row = block + i * side;
      const double factor_of = top[i];
      for (size_t j = i; j < side; j++) row[j] -= factor_of * top[j];
    }
  }
  for (size_t k = 0; k < side; k++)
    for (size_t i = k + 1; i < side; i++) block[i * side + k] = block[k * side + i];
}

static void substitute(const double *block, size_t side, double *x) {
  for (size_t k = 0; k < side; k++) {
    const double *const row = block + k * side;
    x[k] /= row[k];
    for (size_t i = k + 1; i < side; i++) x[i] -= x[k] * row[i];
  }
  for (size_t k = side; k-- > 0;) {
    const double *const row = block + k * side;
    x[k] /= row[k];
    for (size_t i = 0; i < k; i++) x[i] -= x[k] * row[i];
  }
}

/* Returns the smallest number of classes that is worth a thread. */
static size_t share(const crd__calibrator_affine *a) {
  const double side = (double)a->data->classes + 1;
  return 1 + (size_t)(0x1p20 / ((double)a->data->rows * side * side));
}

static crd_status prepare_classes(crd_context *ctx, void *arg, unsigned worker, size_t from,
                                  size_t to) {
  const crd__calibrator_affine *const a = arg;
  const size_t side = a->data->classes + 1;
  (void)ctx;
  for (size_t class = from; class < to; class ++) {
    double *const block = a->preconditioner.blocks + class * side * side;
    fill_block(a, class, a->preconditioner.rows + (size_t)worker * BATCH * side, block);
    add_penalties(a, class, block);
    factor(block, side);
  }
  return CRD_OK;
}

/* ---- Callbacks of the solver. */

crd_status crd__calibrator_affine_prepare(crd_context *ctx, void *affine) {
  crd__calibrator_affine *const a = affine;
  a->preconditioner.pooled = a->preconditioner.pooled && !is_slow(a);
  a->preconditioner.applied = 0;
  if (a->preconditioner.pooled) return crd__calibrator_affine_pool_prepare(ctx, a);
  if (!a->diagonal)
    return crd__parallel_for(ctx, NULL, a->data->classes, share(a), prepare_classes, a);
  const size_t size = crd__calibrator_affine_size(a);
  double *const diagonal = a->preconditioner.diagonal, most = 0;
  CRD_TRY(crd__calibrator_affine_curvature(ctx, a, diagonal));
  for (size_t t = 0; t < size; t++) most = fmax(most, diagonal[t]);
  for (size_t t = 0; t < size; t++) diagonal[t] = fmax(diagonal[t], most > 0 ? 1e-10 * most : 1);
  return CRD_OK;
}

typedef struct {
  const crd__calibrator_affine *a;
  const double *residual;
  double *out;
} preconditioning;

static crd_status precondition_classes(crd_context *ctx, void *arg, unsigned worker, size_t from,
                                       size_t to) {
  const preconditioning *const e = arg;
  const size_t classes = e->a->data->classes, side = classes + 1;
  double *const x = e->a->preconditioner.solution + worker * side;
  (void)ctx;
  for (size_t class = from; class < to; class ++) {
    memcpy(x, e->residual + class * classes, classes * sizeof *x);
    x[classes] = e->residual[classes * classes + class];
    substitute(e->a->preconditioner.blocks + class * side * side, side, x);
    memcpy(e->out + class * classes, x, classes * sizeof *x);
    e->out[classes * classes + class] = x[classes];
  }
  return CRD_OK;
}

/* Adding the same row to all rows of W, or the same number to all of b, changes no probability: in
 * these directions the Hessian consists of the penalties alone, which the blocks underestimate. */
static void add_common(const crd__calibrator_affine *a, const double *residual, double *out) {
  const size_t classes = a->data->classes, square = classes * classes;
  const double count = (double)classes, slopes = 2 * (a->off * (count - 1) + a->ridge * count),
               offsets = 2 * (a->bias + a->ridge) * count;
  double *const sums = a->sums, sum = 0; /* free between products */
  memset(sums, 0, classes * sizeof *sums);
  for (size_t t = 0; t < square; t += classes)
    for (size_t k = 0; k < classes; k++) sums[k] += residual[t + k];
  for (size_t t = 0; slopes > 0 && t < square; t += classes)
    for (size_t k = 0; k < classes; k++) out[t + k] += sums[k] / slopes;
  for (size_t k = 0; k < classes; k++) sum += residual[square + k];
  for (size_t k = 0; offsets > 0 && k < classes; k++) out[square + k] += sum / offsets;
}

crd_status crd__calibrator_affine_precondition(crd_context *ctx, void *affine,
                                               const double *residual, double *out) {
  crd__calibrator_affine *const a = affine;
  preconditioning e = { .a = a, .residual = residual, .out = out };
  for (size_t t = 0; a->diagonal && t < crd__calibrator_affine_size(a); t++)
    out[t] = residual[t] / a->preconditioner.diagonal[t];
  if (a->diagonal) return CRD_OK;
  a->preconditioner.applied++;
  CRD_TRY(a->preconditioner.pooled
              ? crd__calibrator_affine_pool_apply(ctx, a, residual, out)
              : crd__parallel_for(ctx, NULL, a->data->classes, 64, precondition_classes, &e));
  add_common(a, residual, out);
  return CRD_OK;
}
