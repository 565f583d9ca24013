/*
 * arithmetic.c -- operators of two arrays. Arrays of the same shape are combined by oneDNN in the
 * form in which the first one lies, so that a residual connection needs no other order; all else is
 * done in C order.
 */
#include "net/op/arithmetic.h"

#include "net/kernel/binary.h"
#include "net/kernel/walk.h"
#include "net/op/plain.h"

#include <string.h>

crd_status crd__arithmetic_infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const a = crd__node_input(net, node, 0), *const b =
                                                                  crd__node_input(net, node, 1);
  int64_t dims[CRD_RANK_MAX] = { 0 };
  size_t rank = a->rank;
  if (a->dtype != b->dtype)
    return crd__node_fail(ctx, node, "its inputs are %s and %s, and must be of one type",
                          crd_dtype_name(a->dtype), crd_dtype_name(b->dtype));
  memcpy(dims, a->dims, rank * sizeof *dims);
  CRD_TRY(crd__node_broadcast(ctx, node, b, &rank, dims));
  return crd__node_set(ctx, net, node, 0, a->dtype, rank, dims);
}

static bool same_shape(const crd__tensor *a, const crd__tensor *b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* Both in the form of the one that is not in C order, if there is one. */
static crd_status plan_same(crd_context *ctx, crd__plan *plan, const crd__node *node,
                            crd__dnn_binary kind) {
  const crd__net *const net = crd__plan_net(plan);
  crd__plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                     { CRD__ARG_SRC_1, 0 },
                                     { CRD__ARG_DST, 0 } };
  crd__form form;
  crd__primitive primitive;
  CRD_TRY(crd__plan_find(ctx, plan, node->inputs[0], &arguments[0].place));
  CRD_TRY(crd__plan_find(ctx, plan, node->inputs[1], &arguments[1].place));
  const size_t leader = crd__plan_is_plain(plan, arguments[0].place);
  CRD_TRY(crd__plan_form(ctx, plan, arguments[leader].place, &form));
  for (size_t i = 0; i < 2; i++)
    CRD_TRY(crd__plan_as(ctx, plan, node->inputs[i], form, &arguments[i].place));
  CRD_TRY(crd__dnn_combine(ctx, net->dnn, kind, form, form, form, &node->after, &primitive));
  CRD_TRY(crd__plan_output_over(ctx, plan, node->outputs[0], arguments[0].place, node->inputs[0],
                                &arguments[2].place));
  return crd__plan_primitive(ctx, plan, node, &primitive, 3, arguments);
}

/* ---- Any other shapes and types. */

typedef struct {
  crd__pair_id id;
  crd_dtype dtype;
  crd__shape out;
  int64_t strides[2][CRD_RANK_MAX];
} pairing;

static crd_status run(crd_context *ctx, const crd__step *step) {
  const pairing *const p = step->self;
  (void)ctx;
  crd__binary(step->threads, p->id, p->out.rank, p->out.dims, step->memory[2],
              (crd__operand){ step->memory[0], p->dtype, p->strides[0] },
              (crd__operand){ step->memory[1], p->dtype, p->strides[1] });
  return CRD_OK;
}

static crd_status plan_pair(crd_context *ctx, crd__plan *plan, const crd__node *node,
                            crd__pair_id id) {
  const crd__net *const net = crd__plan_net(plan);
  const crd__tensor *const y = crd__node_output(net, node, 0);
  pairing p = { .id = id, .dtype = y->dtype, .out = crd__shape_of(y) };
  for (size_t i = 0; i < 2; i++) {
    const crd__tensor *const t = crd__node_input(net, node, i);
    crd__strides_broadcast(t->rank, t->dims, p.out.rank, p.strides[i]);
  }
  return crd__plain_plan(ctx, plan, node, run, &p, sizeof p);
}

crd_status crd__arithmetic_plan(crd_context *ctx, crd__plan *plan, const crd__node *node,
                                crd__dnn_binary kind) {
  const crd__net *const net = crd__plan_net(plan);
  const crd__tensor *const a = crd__node_input(net, node, 0), *const b =
                                                                  crd__node_input(net, node, 1);
  if (a->dtype == CRD_F32 && same_shape(a, b)) return plan_same(ctx, plan, node, kind);
  static const crd__pair_id pairs[] = { [CRD__BINARY_ADD] = CRD__PAIR_ADD,
                                        [CRD__BINARY_SUB] = CRD__PAIR_SUB,
                                        [CRD__BINARY_MUL] = CRD__PAIR_MUL,
                                        [CRD__BINARY_DIV] = CRD__PAIR_DIV };
  return plan_pair(ctx, plan, node, pairs[kind]);
}
