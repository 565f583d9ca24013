/*
 * logic.c -- And, Or and Xor of bool, and the functions of two integers' bits, with NumPy
 * broadcasting. A bool is 0 or 1, so that the same kernels serve both.
 */
#include "engine/kernel/binary.h"
#include "engine/kernel/walk.h"
#include "graph/op/plain.h"

typedef struct {
  crd__kernel_pair_id id;
  crd_dtype dtype;
  crd__graph_shape out;
  int64_t strides[2][CRD_RANK_MAX];
} combining;

/* Set the output of two inputs of one type. */
static crd_status set_output(crd_context *ctx, crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__graph_shape out = crd__graph_shape_of(x);
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 1, x->dtype));
  CRD_TRY(crd__graph_node_broadcast(ctx, node, crd__graph_node_input(net, node, 1), &out.rank,
                                    out.dims));
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, out.rank, out.dims);
}

static crd_status logic_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  CRD_TRY(crd__graph_node_needs(ctx, net, node, 0, CRD_BOOL));
  return set_output(ctx, net, node);
}

static crd_status bits_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  if (x->dtype == CRD_BOOL || crd__kernel_carrier_of(x->dtype) == CRD__REAL)
    return crd__graph_node_fail(ctx, node, "its inputs are %s; only integers are supported",
                                crd_dtype_name(x->dtype));
  return set_output(ctx, net, node);
}

static crd_status shift_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  if (crd__kernel_carrier_of(x->dtype) != CRD__UNSIGNED)
    return crd__graph_node_fail(ctx, node, "its inputs are %s, expected unsigned integers",
                                crd_dtype_name(x->dtype));
  if (!crd__graph_node_word_is(node, "direction", "LEFT", "") &&
      !crd__graph_node_word_is(node, "direction", "RIGHT", ""))
    return crd__graph_node_fail(ctx, node, "its 'direction' is neither 'LEFT' nor 'RIGHT'");
  return set_output(ctx, net, node);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const combining *const c = step->self;
  (void)ctx;
  crd__kernel_binary(step->threads, c->id, c->out.rank, c->out.dims, step->memory[2],
                     (crd__kernel_operand){ step->memory[0], c->dtype, c->strides[0] },
                     (crd__kernel_operand){ step->memory[1], c->dtype, c->strides[1] });
  return CRD_OK;
}

static crd_status logic_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  combining c = { .id = (crd__kernel_pair_id)node->op->kind,
                  .dtype = y->dtype,
                  .out = crd__graph_shape_of(y) };
  if (crd__graph_node_word_is(node, "direction", "RIGHT", "")) c.id = CRD__PAIR_SHIFT_RIGHT;
  for (size_t i = 0; i < 2; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    crd__kernel_strides_broadcast(t->rank, t->dims, c.out.rank, c.strides[i]);
  }
  return crd__graph_plain_plan(ctx, p, node, run, &c, sizeof c);
}

static const crd__graph_op_attribute direction[] = {
  { "direction", CRD__ATTRIBUTE_STRING },
  { .name = NULL },
};

#define LOGIC(entry, id, name, types, since, names, check)                                         \
  const crd__graph_op crd__graph_op_##entry = {                                                    \
    .info = { name, types "; NumPy broadcasting", since, CRD__OPSET, 0, 0 },                       \
    .kind = id,                                                                                    \
    .inputs_least = 2,                                                                             \
    .inputs_most = 2,                                                                              \
    .outputs_least = 1,                                                                            \
    .outputs_most = 1,                                                                             \
    .attributes = names,                                                                           \
    .infer = check,                                                                                \
    .plan = logic_plan,                                                                            \
    .flat = true,                                                                                  \
  }

LOGIC(and, CRD__PAIR_BIT_AND, "And", "bool", 7, NULL, logic_infer);
LOGIC(or, CRD__PAIR_BIT_OR, "Or", "bool", 7, NULL, logic_infer);
LOGIC(xor, CRD__PAIR_BIT_XOR, "Xor", "bool", 7, NULL, logic_infer);
LOGIC(bitwise_and, CRD__PAIR_BIT_AND, "BitwiseAnd", "integers", 18, NULL, bits_infer);
LOGIC(bitwise_or, CRD__PAIR_BIT_OR, "BitwiseOr", "integers", 18, NULL, bits_infer);
LOGIC(bitwise_xor, CRD__PAIR_BIT_XOR, "BitwiseXor", "integers", 18, NULL, bits_infer);
LOGIC(bit_shift, CRD__PAIR_SHIFT_LEFT, "BitShift", "unsigned integers", 11, direction, shift_infer);
