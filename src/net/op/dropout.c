/* dropout.c -- Dropout outside of training: its input, and a mask that keeps all. */
#include "net/op.h"

#include <string.h>

/* Truth values from operator set 10 on, before numbers of the input's type. */
static crd_status make_mask(crd_context *ctx, crd__net *net, const crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  unsigned char *mask;
  if (!crd__node_output(net, node, 1)) return CRD_OK;
  if (node->opset < 10)
    return crd__node_fail(ctx, node, "its mask is supported from operator set 10 on");
  const size_t count = crd__tensor_count(x);
  CRD_TRY(crd__net_memory(ctx, net, count ? count : 1, 1, &mask));
  memset(mask, 1, count);
  CRD_TRY(crd__node_set(ctx, net, node, 1, CRD_BOOL, x->rank, x->dims));
  net->tensors[node->outputs[1]].constant = mask;
  return CRD_OK;
}

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  double ratio, training;
  CRD_TRY(crd__node_number_input(ctx, net, node, 1, .5, &ratio));
  CRD_TRY(crd__node_number_input(ctx, net, node, 2, 0, &training));
  if (training != 0 && ratio != 0)
    return crd__node_fail(ctx, node,
                          "the model was exported for training: export it again in evaluation "
                          "mode");
  CRD_TRY(make_mask(ctx, net, node));
  return crd__node_set_like(ctx, net, node, 0, 0);
}

static const crd__op_attribute attributes[] = {
  { "ratio", CRD__ATTRIBUTE_FLOAT },
  { "seed", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__op crd__op_dropout = {
  .info = { "Dropout", "as in evaluation: does nothing", 7, 20 },
  .inputs_least = 1,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 2,
  .attributes = attributes,
  .infer = infer,
  .view = true,
};
