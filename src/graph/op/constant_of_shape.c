/* constant_of_shape.c -- ConstantOfShape: a tensor filled with one value, by default 0 of f32. */
#include "engine/kernel/copy.h"
#include "engine/kernel/element.h"
#include "graph/op/plain.h"

#include <string.h>

typedef struct {
  crd__graph_shape out;
  size_t size;
  unsigned char value[8];
} filling;

static crd_status find_value(crd_context *ctx, const crd__graph_node *node, crd_dtype *dtype,
                             unsigned char value[8]) {
  *dtype = CRD_F32;
  memset(value, 0, 8);
  if (!node->attribute_count) return CRD_OK;
  const crd__onnx_tensor *const t = node->attributes[0].t;
  if (!t->numbers || t->strings || t->count != 1)
    return crd__graph_node_fail(ctx, node, "its value must have one element");
  *dtype = t->dtype;
  crd__kernel_cast(1, t->dtype, crd__engine_computed(t->dtype), 1, t->bytes, value);
  return CRD_OK;
}

static crd_status constant_of_shape_infer(crd_context *ctx, crd__graph *net,
                                          crd__graph_node *node) {
  unsigned char value[8];
  crd_dtype dtype;
  crd__graph_list shape;
  CRD_TRY(find_value(ctx, node, &dtype, value));
  CRD_TRY(crd__graph_node_list_input(ctx, net, node, 0, &shape));
  return crd__graph_node_set(ctx, net, node, 0, dtype, shape.count, shape.items);
}

static crd_status run(crd_context *ctx, const crd__engine_step *step) {
  const filling *const f = step->self;
  (void)ctx;
  crd__kernel_fill(step->threads, f->size, f->out.rank, f->out.dims, step->memory[1], NULL,
                   f->value);
  return CRD_OK;
}

static crd_status constant_of_shape_plan(crd_context *ctx, crd__engine_plan *p,
                                         const crd__graph_node *node) {
  filling f = { .out =
                    crd__graph_shape_of(crd__graph_node_output(crd__graph_plan_net(p), node, 0)) };
  crd_dtype dtype;
  CRD_TRY(find_value(ctx, node, &dtype, f.value));
  f.size = crd_dtype_size(crd__engine_computed(dtype));
  return crd__graph_plain_plan(ctx, p, node, run, &f, sizeof f);
}

static const crd__graph_op_attribute attributes[] = {
  { "value", CRD__ATTRIBUTE_TENSOR },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_constant_of_shape = {
  .info = { "ConstantOfShape", "any type; the shape must not depend on data", 9, CRD__OPSET, 0, 0 },
  .inputs_least = 1,
  .inputs_most = 1,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = constant_of_shape_infer,
  .plan = constant_of_shape_plan,
  .flat = true,
};
