/* reduction.c -- see reduction.h. */
#include "graph/op/reduction.h"

#include <string.h>

const crd__op_attribute crd__reduction_attributes[] = {
  { "axes", CRD__ATTRIBUTE_INTS },
  { "keepdims", CRD__ATTRIBUTE_INT },
  { "noop_with_empty_axes", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

typedef struct {
  crd__reduce_id id;
  crd_dtype dtype;
  crd__shape in;
  bool reduced[CRD_RANK_MAX];
} reducing;

/* An attribute up to operator set 12 (ReduceSum) or 17, then an input. */
static crd_status find_axes(crd_context *ctx, const crd__net *net, const crd__node *node,
                            bool *reduced) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  const int last = node->op->kind == CRD__SUM ? 12 : 17;
  const bool none = crd__node_int(node, "noop_with_empty_axes", 0);
  crd__list axes;
  CRD_TRY(crd__plain_list(ctx, net, node, "axes", last, 1, &axes));
  return crd__node_axes(ctx, node, &axes, x->rank, !none, reduced);
}

crd_status crd__reduction_infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  const bool keep = crd__node_int(node, "keepdims", 1);
  bool reduced[CRD_RANK_MAX];
  int64_t dims[CRD_RANK_MAX];
  size_t rank = 0;
  if (x->dtype == CRD_BOOL)
    return crd__node_fail(ctx, node, "its input holds truth values, not numbers");
  CRD_TRY(find_axes(ctx, net, node, reduced));
  for (size_t i = 0; i < x->rank; i++) {
    if (!reduced[i]) dims[rank++] = x->dims[i];
    else if (keep) dims[rank++] = 1;
  }
  return crd__node_set(ctx, net, node, 0, x->dtype, rank, dims);
}

/* The axes, where they are an input, are not read again. */
static crd_status run(crd_context *ctx, const crd__step *step) {
  const reducing *const r = step->self;
  (void)ctx;
  crd__reduce_axes(step->threads, r->id, r->dtype, r->in.rank, r->in.dims, r->reduced,
                   step->memory[0], step->memory[1]);
  return CRD_OK;
}

crd_status crd__reduction_plan(crd_context *ctx, crd__plan *plan, const crd__node *node) {
  const crd__net *const net = crd__plan_net(plan);
  const crd__tensor *const x = crd__node_input(net, node, 0);
  reducing r = { .id = (crd__reduce_id)node->op->kind, .dtype = x->dtype, .in = crd__shape_of(x) };
  int places[2];
  CRD_TRY(find_axes(ctx, net, node, r.reduced));
  CRD_TRY(crd__plan_plain(ctx, plan, node->inputs[0], &places[0]));
  CRD_TRY(crd__plan_output(ctx, plan, node->outputs[0], &places[1]));
  return crd__plan_step(ctx, plan, node, run, &r, sizeof r, 2, places);
}

/* Memory: x, y, dy, ties, dx for maxima; else dy, dx. */
static crd_status run_back(crd_context *ctx, const crd__step *step) {
  const crd__reduction *const r = step->self;
  void *const *const m = step->memory;
  (void)ctx;
  if (r->id == CRD__MAX) crd__reduce_back(step->threads, r, m[0], m[1], m[2], m[3], m[4]);
  else crd__reduce_back(step->threads, r, NULL, NULL, m[0], NULL, m[1]);
  return CRD_OK;
}

crd_status crd__reduction_backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  const crd__reduce_id id = (crd__reduce_id)node->op->kind;
  crd__plan *const plan = crd__back_plan(back);
  const crd__net *const net = crd__plan_net(plan);
  const crd__shape in = crd__shape_of(crd__node_input(net, node, 0));
  const int64_t results = (int64_t)crd__tensor_count(crd__node_output(net, node, 0));
  crd__reduction r = { .id = id, .rank = in.rank };
  int places[5], result;
  size_t count = 0;
  crd__form ties;
  memcpy(r.dims, in.dims, sizeof r.dims);
  CRD_TRY(find_axes(ctx, net, node, r.reduced));
  if (id == CRD__MAX) {
    CRD_TRY(crd__plan_plain(ctx, plan, node->inputs[0], &places[count++]));
    CRD_TRY(crd__plan_plain(ctx, plan, node->outputs[0], &places[count++]));
  }
  CRD_TRY(crd__plan_plain(ctx, plan, crd__back_incoming(back, node, 0), &places[count++]));
  if (id == CRD__MAX) {
    CRD_TRY(crd__form_plain(ctx, net->engine.dnn, 1, &results, &ties));
    CRD_TRY(crd__plan_scratch(ctx, plan, ties, &places[count++]));
  }
  CRD_TRY(crd__back_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__plan_output(ctx, plan, result, &places[count++]));
  CRD_TRY(crd__plan_step(ctx, plan, node, run_back, &r, sizeof r, count, places));
  return crd__back_give(ctx, back, node, 0, result);
}

uint64_t crd__reduction_flops(const crd__net *net, const crd__node *node) {
  return crd__tensor_count(crd__node_input(net, node, 0));
}
