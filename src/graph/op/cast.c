/* cast.c -- Cast: the same numbers in another type. Fractions are cut off; what does not fit an
 * integer becomes its last one, and NaN becomes 0. */
#include "engine/kernel/element.h"
#include "graph/op/plain.h"
#include "onnx/reader.h"

typedef struct {
  crd_dtype from, to;
  size_t count;
} casting;

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  const int64_t to = crd__node_int(node, "to", 0);
  crd_dtype dtype;
  if (!crd__onnx_dtype(to, &dtype))
    return crd__node_fail(ctx, node, "it casts to type %lld of ONNX, which is not supported",
                          (long long)to);
  return crd__node_set(ctx, net, node, 0, dtype, x->rank, x->dims);
}

static crd_status run(crd_context *ctx, const crd__step *step) {
  const casting *const c = step->self;
  (void)ctx;
  crd__cast(step->threads, c->from, c->to, c->count, step->memory[0], step->memory[1]);
  return CRD_OK;
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  const crd__net *const net = crd__plan_net(p);
  const crd__tensor *const x = crd__node_input(net, node, 0);
  const casting c = { x->dtype, crd__node_output(net, node, 0)->dtype, crd__tensor_count(x) };
  return crd__plain_plan(ctx, p, node, run, &c, sizeof c);
}

/* What comes back is f32 and goes to f32: it was no cast at all. */
static crd_status backward(crd_context *ctx, crd__back *back, const crd__node *node) {
  return crd__back_give(ctx, back, node, 0, crd__back_incoming(back, node, 0));
}

static const crd__op_attribute attributes[] = {
  { "to", CRD__ATTRIBUTE_INT },
  { "saturate", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__op crd__op_cast = {
  .info = { "Cast", "between numbers of 8 to 64 bits, f16 and bool", 6, 20, 1, 1 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = infer,
  .plan = plan,
  .backward = backward,
};
