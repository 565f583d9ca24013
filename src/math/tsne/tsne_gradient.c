/* tsne_gradient.c -- attraction and repulsion of each row; Z is summed in order. */
#include "math/tsne/tsne_gradient.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <float.h>
#include <math.h>

enum { CHUNK = 64 };

typedef struct {
  const crd__math_tsne_forces *forces;
  const double *y;
  double *pull; /* rows x 2: the first sum */
} pass;

crd_status crd__math_tsne_forces_init(crd_context *ctx, const crd__math_affinities *affinities,
                                      double angle, crd__math_tsne_forces *out) {
  const size_t rows = affinities->rows;
  *out = (crd__math_tsne_forces){ .affinities = affinities, .angle = angle };
  crd_status status = crd__math_quadtree_create(ctx, rows, &out->tree);
  if (status == CRD_OK) status = crd__new(ctx, rows, 2 * sizeof *out->push, "a map", &out->push);
  if (status == CRD_OK) status = crd__new(ctx, rows, sizeof *out->share, "a map", &out->share);
  if (status != CRD_OK) crd__math_tsne_forces_free(&ctx->alloc, out);
  return status;
}

void crd__math_tsne_forces_free(const crd_allocator *alloc, crd__math_tsne_forces *forces) {
  crd__math_quadtree_destroy(alloc, forces->tree);
  crd__free(alloc, forces->push);
  crd__free(alloc, forces->share);
  *forces = (crd__math_tsne_forces){ 0 };
}

static void attract(const crd__math_affinities *a, const double *y, size_t i, double pull[2]) {
  double right = 0, up = 0;
  for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
    const double *const other = y + 2 * a->column[e];
    const double dx = y[2 * i] - other[0], dy = y[2 * i + 1] - other[1];
    const double strength = a->value[e] / (1 + dx * dx + dy * dy);
    right += strength * dx;
    up += strength * dy;
  }
  pull[0] = right;
  pull[1] = up;
}

/* In the order of the curve, on which close positions need the same memory. */
static crd_status feel(crd_context *ctx, void *arg, unsigned worker, size_t from, size_t to) {
  const pass *const p = arg;
  const crd__math_tsne_forces *const f = p->forces;
  (void)ctx;
  (void)worker;
  for (size_t place = from; place < to; place++) {
    const size_t i = crd__math_quadtree_point(f->tree, place);
    attract(f->affinities, p->y, i, p->pull + 2 * i);
    crd__math_quadtree_repel(f->tree, place, f->push + 2 * i, f->share + i);
  }
  return CRD_OK;
}

crd_status crd__math_tsne_gradient(crd_context *ctx, crd__math_tsne_forces *forces,
                                   double exaggeration, const double *y, double *gradient) {
  const size_t rows = forces->affinities->rows;
  pass p = { .forces = forces, .y = y, .pull = gradient };
  double z = 0;
  crd__math_quadtree_build(forces->tree, y, forces->angle);
  CRD_TRY(crd__parallel_for(ctx, NULL, rows, CHUNK, feel, &p));
  for (size_t i = 0; i < rows; i++) z += forces->share[i];
  z = fmax(z, DBL_MIN);
  for (size_t i = 0; i < 2 * rows; i++)
    gradient[i] = 4 * (exaggeration * gradient[i] - forces->push[i] / z);
  return CRD_OK;
}
