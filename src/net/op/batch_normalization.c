/*
 * batch_normalization.c -- BatchNormalization with the statistics of the training:
 *
 *   y = scale[c] (x - mean[c]) / sqrt(variance[c] + epsilon) + shift[c]
 *
 * Behind a convolution it is folded into that one's weights (fuse/batch_norm.c) and never gets
 * here.
 */
#include "net/op.h"

static crd_status infer(crd_context *ctx, crd__net *net, crd__node *node) {
  const crd__tensor *const x = crd__node_input(net, node, 0);
  if (x->rank < 2)
    return crd__node_fail(ctx, node, "its input has %zu dimensions, of at least 2", x->rank);
  const bool old = node->opset < 7; /* where nothing is said, it trains */
  if (crd__node_int(node, "training_mode", 0) || node->output_count > 1 ||
      !crd__node_int(node, "is_test", !old))
    return crd__node_fail(
        ctx, node, "the model was exported for training: export it again in evaluation mode");
  for (size_t i = 0; i < 5; i++) {
    const crd__tensor *const t = crd__node_input(net, node, i);
    CRD_TRY(crd__node_needs(ctx, net, node, i, CRD_F32));
    if (i && (t->rank != 1 || t->dims[0] != x->dims[1]))
      return crd__node_fail(ctx, node, "its input %zu must have %lld numbers", i,
                            (long long)x->dims[1]);
  }
  return crd__node_set_like(ctx, net, node, 0, 0);
}

static crd_status plan(crd_context *ctx, crd__plan *p, const crd__node *node) {
  static const crd__argument names[] = { CRD__ARG_SRC, CRD__ARG_SCALE, CRD__ARG_SHIFT,
                                         CRD__ARG_MEAN, CRD__ARG_VARIANCE };
  const crd__net *const net = crd__plan_net(p);
  const bool relu = node->after.count > 0;
  crd__plan_argument arguments[6];
  crd__form form;
  crd__primitive primitive;
  CRD_TRY(crd__plan_find(ctx, p, node->inputs[0], &arguments[0].place));
  for (size_t i = 0; i < 5; i++) {
    arguments[i].argument = names[i];
    if (i) CRD_TRY(crd__plan_plain(ctx, p, node->inputs[i], &arguments[i].place));
  }
  CRD_TRY(crd__plan_form(ctx, p, arguments[0].place, &form));
  CRD_TRY(crd__dnn_batch_norm(ctx, net->dnn, crd__node_float(node, "epsilon", 1e-5F), relu, form,
                              &primitive));
  arguments[5].argument = CRD__ARG_DST;
  CRD_TRY(crd__plan_output_over(ctx, p, node->outputs[0], arguments[0].place, node->inputs[0],
                                &arguments[5].place));
  return crd__plan_primitive(ctx, p, node, &primitive, 6, arguments);
}

static uint64_t flops(const crd__net *net, const crd__node *node) {
  return 2 * crd__tensor_count(crd__node_output(net, node, 0));
}

/* is_test: before operator set 7. */
static const crd__op_attribute attributes[] = {
  { "epsilon", CRD__ATTRIBUTE_FLOAT },
  { "is_test", CRD__ATTRIBUTE_INT },
  { "momentum", CRD__ATTRIBUTE_FLOAT },
  { "training_mode", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__op crd__op_batch_normalization = {
  .info = { "BatchNormalization", "with the statistics of the training; f32", 6, 20 },
  .inputs_least = 5,
  .inputs_most = 5,
  .outputs_least = 1,
  .outputs_most = 5,
  .attributes = attributes,
  .infer = infer,
  .plan = plan,
  .flops = flops,
};
