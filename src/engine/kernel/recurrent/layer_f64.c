/* layer_f64.c -- recurrent layers in float64. */
#include "math/product.h"

#include <math.h>

#define RUN crd__kernel_recurrent_f64
#define SCRATCH crd__kernel_recurrent_f64_scratch
typedef double real;
typedef struct {
  size_t rows, depth;
  const real *weights;
} factor;
#define activate crd__kernel_activation_f64

static size_t factor_size(size_t depth, size_t columns) {
  (void)depth, (void)columns;
  return 0;
}

static factor prepare(unsigned threads, size_t rows, size_t depth, const real *weights,
                      real **next) {
  (void)threads, (void)next;
  return (factor){ rows, depth, weights };
}

static void multiply(size_t rows, const factor *f, const real *a, size_t a_step, real *c,
                     size_t c_step) {
  crd__math_product_add(rows, f->rows, f->depth, (crd__math_matrix){ a, a_step, 1 },
                        (crd__math_matrix){ f->weights, 1, f->depth }, c, c_step);
}

#include "engine/kernel/recurrent/layer_body.h"
