/* predicate.c -- see predicate.h. */
#include "engine/kernel/predicate.h"

#include "base/parallel.h"
#include "engine/kernel/element.h"

#include <math.h>

typedef void block_map(size_t n, crd__kernel_block *x);

#define PREDICATE(name, result, value)                                                             \
  static void name(size_t n, crd__kernel_block *v) {                                               \
    for (size_t i = 0; i < n; i++) v->result[i] = (value);                                         \
  }

PREDICATE(is_nan, whole, isnan(v->real[i]))
PREDICATE(is_infinite, whole, isinf(v->real[i]) != 0)
PREDICATE(is_top, whole, isinf(v->real[i]) && v->real[i] > 0)
PREDICATE(is_bottom, whole, isinf(v->real[i]) && v->real[i] < 0)
PREDICATE(is_nothing, whole, 0)
PREDICATE(is_false, whole, !v->whole[i])
PREDICATE(complement, natural, ~v->natural[i])

static block_map *const maps[] = {
  [CRD__IS_NAN] = is_nan,         [CRD__IS_INFINITE] = is_infinite, [CRD__IS_TOP] = is_top,
  [CRD__IS_BOTTOM] = is_bottom,   [CRD__IS_NOTHING] = is_nothing,   [CRD__NOT] = is_false,
  [CRD__COMPLEMENT] = complement,
};

typedef struct {
  block_map *map;
  crd_dtype from, to;
  const char *x;
  char *y;
} mapping;

static void map_span(void *arg, size_t from, size_t to) {
  const mapping *const m = arg;
  const size_t in = crd_dtype_size(m->from), out = crd_dtype_size(m->to);
  for (size_t k = from; k < to; k += CRD__BLOCK) {
    const size_t n = to - k < CRD__BLOCK ? to - k : CRD__BLOCK;
    crd__kernel_block v;
    crd__kernel_block_load(m->from, n, m->x + k * in, 1, &v);
    m->map(n, &v);
    crd__kernel_block_store(m->to, n, &v, m->y + k * out, 1);
  }
}

void crd__kernel_predicate(unsigned threads, crd__kernel_predicate_id id, crd_dtype dtype, size_t n,
                           const void *x, void *y) {
  mapping m = {
    .map = maps[id], .from = dtype, .to = id == CRD__COMPLEMENT ? dtype : CRD_BOOL, .x = x, .y = y
  };
  crd__parallel_spans(threads, n, 1 << 14, map_span, &m);
}
