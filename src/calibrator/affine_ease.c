/*
 * affine_ease.c -- what makes conjugate gradients converge: an approximate inverse of the Hessian.
 *
 * Logits of a row rise and fall together, so the columns of X are strongly correlated and the
 * Hessian's diagonal says little. The block of class j, (x, 1)' (x, 1) weighted by p_j (1 - p_j),
 * says nearly all: what it leaves out is the coupling of classes. Rows that hardly matter to a
 * class are left out of its block, which costs little accuracy and saves most of the time.
 *
 * Still blocks are dear. A pooled approximation (affine_pool.c) takes two to three times as many
 * steps and is prepared in no time: it comes first, and blocks only where it turns out slow.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "calibrator/affine.h"
#include "math/product.h"

#include <math.h>
#include <string.h>

enum { POOL_MIN = 16, CLASSES_MAX = 256, BATCH = 128, STRIP = 32 };
static const double matters = 1e-1; /* of the mean weight in a block */

crd_status crd__calibrator_affine_ease_create(crd_context *ctx, crd__calibrator_affine *a) {
  const size_t classes = a->data->classes, side = classes + 1;
  const size_t workers = crd__parallel_workers(ctx, classes);
  if (a->diagonal)
    return crd__new(ctx, crd__calibrator_affine_size(a), sizeof(double), "a fit",
                    &a->ease.diagonal);
  CRD_TRY(crd__calibrator_affine_pool_create(ctx, a));
  if (classes > CLASSES_MAX) return CRD_OK;
  CRD_TRY(crd__new(ctx, classes * side * side, sizeof(double), "a fit", &a->ease.blocks));
  CRD_TRY(crd__new(ctx, workers * BATCH * side, sizeof(double), "a fit", &a->ease.rows));
  return crd__new(ctx, workers * side, sizeof(double), "a fit", &a->ease.solution);
}

void crd__calibrator_affine_ease_clear(crd_context *ctx, crd__calibrator_affine *a) {
  crd__free(&ctx->alloc, a->ease.blocks);
  crd__free(&ctx->alloc, a->ease.diagonal);
  crd__free(&ctx->alloc, a->ease.rows);
  crd__free(&ctx->alloc, a->ease.solution);
  crd__calibrator_affine_pool_clear(ctx, a);
}

/* Blocks cost as much as a quarter of a product with the Hessian for each class: where penalties
 * are strong, the pool has arrived by then. */
static bool is_slow(const crd__calibrator_affine *a) {
  return a->ease.blocks && a->ease.applied > a->data->classes / 4;
}

void crd__calibrator_affine_ease_begin(crd__calibrator_affine *a) {
  a->ease.pooled = !a->diagonal && (!a->ease.blocks || a->data->classes >= POOL_MIN);
  a->ease.applied = 0;
}

/* ---- The blocks. */

static double weight_at(const crd__calibrator_affine *a, size_t row, size_t class) {
  const double p = a->p[row * a->data->classes + class];
  return a->weights[row] * p * (1 - p) / a->total;
}

/* block += the rows of the batch, each by itself; on and above the diagonal, where it is read. */
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

/* The penalties, and a little on the diagonal: blocks may be singular. */
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

/* Cholesky: L below and on the diagonal, L' above it, so that both substitutions run along rows. */
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

/* Classes that are worth waking a thread for. */
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
    double *const block = a->ease.blocks + class * side * side;
    fill_block(a, class, a->ease.rows + worker * BATCH * side, block);
    add_penalties(a, class, block);
    factor(block, side);
  }
  return CRD_OK;
}

/* ---- What the solver asks for. */

crd_status crd__calibrator_affine_prepare(crd_context *ctx, void *affine) {
  crd__calibrator_affine *const a = affine;
  a->ease.pooled = a->ease.pooled && !is_slow(a);
  a->ease.applied = 0;
  if (a->ease.pooled) return crd__calibrator_affine_pool_prepare(ctx, a);
  if (!a->diagonal)
    return crd__parallel_for(ctx, NULL, a->data->classes, share(a), prepare_classes, a);
  const size_t size = crd__calibrator_affine_size(a);
  double *const diagonal = a->ease.diagonal, most = 0;
  CRD_TRY(crd__calibrator_affine_curvature(ctx, a, diagonal));
  for (size_t t = 0; t < size; t++) most = fmax(most, diagonal[t]);
  for (size_t t = 0; t < size; t++) diagonal[t] = fmax(diagonal[t], most > 0 ? 1e-10 * most : 1);
  return CRD_OK;
}

typedef struct {
  const crd__calibrator_affine *a;
  const double *residual;
  double *out;
} easing;

static crd_status ease_classes(crd_context *ctx, void *arg, unsigned worker, size_t from,
                               size_t to) {
  const easing *const e = arg;
  const size_t classes = e->a->data->classes, side = classes + 1;
  double *const x = e->a->ease.solution + worker * side;
  (void)ctx;
  for (size_t class = from; class < to; class ++) {
    memcpy(x, e->residual + class * classes, classes * sizeof *x);
    x[classes] = e->residual[classes * classes + class];
    substitute(e->a->ease.blocks + class * side * side, side, x);
    memcpy(e->out + class * classes, x, classes * sizeof *x);
    e->out[classes * classes + class] = x[classes];
  }
  return CRD_OK;
}

/* Adding the same row to all rows of W, or the same number to all of b, changes no probability: the
 * Hessian has the penalties alone there, of which blocks know little. */
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
  easing e = { .a = a, .residual = residual, .out = out };
  for (size_t t = 0; a->diagonal && t < crd__calibrator_affine_size(a); t++)
    out[t] = residual[t] / a->ease.diagonal[t];
  if (a->diagonal) return CRD_OK;
  a->ease.applied++;
  CRD_TRY(a->ease.pooled ? crd__calibrator_affine_pool_apply(ctx, a, residual, out)
                         : crd__parallel_for(ctx, NULL, a->data->classes, 64, ease_classes, &e));
  add_common(a, residual, out);
  return CRD_OK;
}
