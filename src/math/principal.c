/* principal.c -- orthogonal iteration with two vectors; sums over rows as in reduce.h. */
#include "math/principal.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/reduce.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MAX = 100, STREAM = 0x706c616e /* "plan" */ };
/* A second eigenvalue below this fraction of the first is rounding error. */
static const double nothing = 1e-13, settled = 1e-8;

typedef struct {
  const double *x;
  size_t width;
  double *axes; /* 2 x width */
} plane;

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void multiply_rows(void *arg, size_t from, size_t to, double *sums) {
  const plane *const p = arg;
  for (size_t i = from; i < to; i++) {
    const double *const row = p->x + i * p->width;
    const double first = dot(row, p->axes, p->width),
                 second = dot(row, p->axes + p->width, p->width);
    for (size_t j = 0; j < p->width; j++) {
      sums[j] += first * row[j];
      sums[p->width + j] += second * row[j];
    }
  }
}

/* Scales v to length 1, or to 0 if it is not longer than `least`; returns its old length. */
static double normalise(double *v, size_t n, double least) {
  const double length = sqrt(dot(v, v, n));
  for (size_t i = 0; i < n; i++) v[i] = length > least ? v[i] / length : 0;
  return length;
}

/* Twice: rounding of the first pass may leave a significant part of the other axis. */
static void make_orthonormal(double *axes, size_t width) {
  double *const second = axes + width;
  const double length = normalise(axes, width, 0);
  for (int t = 0; t < 2; t++) {
    const double common = dot(axes, second, width);
    for (size_t j = 0; j < width; j++) second[j] -= common * axes[j];
  }
  normalise(second, width, nothing * length);
}

static double largest_change(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void fix_sign(double *axis, size_t width) {
  double most = 0;
  for (size_t j = 0; j < width; j++)
    if (fabs(axis[j]) > fabs(most)) most = axis[j];
  for (size_t j = 0; j < width; j++) axis[j] = most < 0 ? -axis[j] : axis[j];
}

/* One iteration. next and partial: scratch buffers for the product and its partial sums. */
static crd_status turn(crd_context *ctx, plane *p, size_t rows, double *next, double *partial) {
  const size_t terms = 2 * p->width;
  const crd__load load = { rows, 4 * terms };
  double change = 1;
  for (size_t j = 0; j < terms; j++) p->axes[j] = crd__random_uniform(0, STREAM, j) - 0.5;
  make_orthonormal(p->axes, p->width);
  for (size_t round = 0; round < ROUNDS_MAX && change > settled; round++) {
    CRD_TRY(crd__reduce_in(ctx, load, terms, multiply_rows, p, partial, next));
    make_orthonormal(next, p->width);
    change = largest_change(next, p->axes, terms);
    memcpy(p->axes, next, terms * sizeof *next);
  }
  fix_sign(p->axes, p->width);
  fix_sign(p->axes + p->width, p->width);
  return CRD_OK;
}

crd_status crd__math_principal_plane(crd_context *ctx, const double *x, size_t rows, size_t width,
                                     double *out) {
  double *next = NULL, *partial = NULL;
  plane p = { .x = x, .width = width };
  crd_status status = crd__new(ctx, width, 2 * sizeof *p.axes, "a plane", &p.axes);
  if (status == CRD_OK) status = crd__new(ctx, width, 2 * sizeof *next, "a plane", &next);
  if (status == CRD_OK)
    status =
        crd__new(ctx, crd__reduce_cells(rows, 2 * width), sizeof *partial, "a plane", &partial);
  if (status == CRD_OK) status = turn(ctx, &p, rows, next, partial);
  for (size_t i = 0; status == CRD_OK && i < rows; i++) {
    out[2 * i] = dot(x + i * width, p.axes, width);
    out[2 * i + 1] = dot(x + i * width, p.axes + width, width);
  }
  crd__free(&ctx->alloc, p.axes);
  crd__free(&ctx->alloc, next);
  crd__free(&ctx->alloc, partial);
  return status;
}
