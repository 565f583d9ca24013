/*
 * range.c -- Range: start, start + delta, ... up to limit, which is left out. The three must be
 * constants, since they determine the shape; integers are exact.
 */
#include "engine/kernel/element.h"
#include "graph/op/plain.h"

#include <math.h>

typedef struct {
  crd_dtype dtype;
  size_t count;
  bool whole;
  int64_t first, step;
  double start, delta;
} counting;

/* ceil((limit - start) / delta), at least 0; INT64_MAX if there are more. */
static int64_t count_of(int64_t start, int64_t limit, int64_t delta) {
  if (delta > 0 ? limit <= start : limit >= start) return 0;
  const uint64_t wide =
      delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
  const uint64_t step = delta > 0 ? (uint64_t)delta : 0 - (uint64_t)delta;
  const uint64_t count = wide / step + (wide % step != 0);
  return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

/* Read an integer, which may be a list of one. */
static crd_status read_integer(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               size_t index, int64_t *out) {
  crd__graph_list list;
  CRD_TRY(crd__graph_node_list_input(ctx, net, node, index, &list));
  if (list.count != 1)
    return crd__graph_node_fail(ctx, node, "its input %zu has %zu elements, expected 1", index,
                                list.count);
  *out = list.items[0];
  return CRD_OK;
}

static crd_status read_range(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             counting *out, int64_t *count) {
  const crd_dtype dtype = crd__graph_node_input(net, node, 0)->dtype;
  int64_t limit = 0;
  double most, number;
  *out = (counting){ .dtype = dtype, .whole = crd__kernel_carrier_of(dtype) != CRD__REAL };
  for (size_t i = 1; i < 3; i++) CRD_TRY(crd__graph_node_needs(ctx, net, node, i, dtype));
  if (out->whole) {
    CRD_TRY(read_integer(ctx, net, node, 0, &out->first));
    CRD_TRY(read_integer(ctx, net, node, 1, &limit));
    CRD_TRY(read_integer(ctx, net, node, 2, &out->step));
    if (out->step == 0) return crd__graph_node_fail(ctx, node, "its delta is 0");
    *count = count_of(out->first, limit, out->step);
    return CRD_OK;
  }
  CRD_TRY(crd__graph_node_number_input(ctx, net, node, 0, 0, &out->start));
  CRD_TRY(crd__graph_node_number_input(ctx, net, node, 1, 0, &most));
  CRD_TRY(crd__graph_node_number_input(ctx, net, node, 2, 0, &out->delta));
  number = ceil((most - out->start) / out->delta);
  if (out->delta == 0 || !isfinite(number))
    return crd__graph_node_fail(ctx, node, "from %g to %g in steps of %g is not a finite range",
                                out->start, most, out->delta);
  *count = number < 0 ? 0 : number >= 0x1p62 ? INT64_MAX : (int64_t)number;
  return CRD_OK;
}

static crd_status range_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  counting c;
  int64_t count;
  CRD_TRY(read_range(ctx, net, node, &c, &count));
  return crd__graph_node_set(ctx, net, node, 0, c.dtype, 1, &count);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const counting *const c = step->self;
  char *const to = step->memory[3];
  (void)ctx;
  for (size_t k = 0; k < c->count; k += CRD__BLOCK) {
    const size_t n = c->count - k < CRD__BLOCK ? c->count - k : CRD__BLOCK;
    crd__kernel_block v;
    for (size_t i = 0; i < n; i++) {
      if (c->whole) v.natural[i] = (uint64_t)c->first + (uint64_t)(k + i) * (uint64_t)c->step;
      else v.real[i] = c->start + (double)(k + i) * c->delta;
    }
    crd__kernel_block_store(c->dtype, n, &v, to + k * crd_dtype_size(c->dtype), 1);
  }
  return CRD_OK;
}

static crd_status range_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  counting c;
  int64_t count;
  CRD_TRY(read_range(ctx, crd__graph_plan_net(p), node, &c, &count));
  c.count = (size_t)count;
  return crd__graph_plain_plan(ctx, p, node, run, &c, sizeof c);
}

static const crd__graph_op_attribute attributes[] = {
  { "stash_type", CRD__ATTRIBUTE_INT }, /* of types that are not supported */
  { .name = NULL },
};

const crd__graph_op crd__graph_op_range = {
  .info = { "Range", "i32, i64, f16, f32, f64; must not depend on data", 11, CRD__OPSET, 0, 0 },
  .inputs_least = 3,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = range_infer,
  .plan = range_plan,
  .flops = crd__graph_plain_flops,
  .flat = true,
};
