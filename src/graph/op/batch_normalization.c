/*
 * batch_normalization.c -- BatchNormalization, in inference with the running statistics:
 *
 *   y = scale[c] (x - mean[c]) / sqrt(variance[c] + epsilon) + shift[c]
 *
 * After a convolution it is folded into the weights (fuse/batch_norm.c) and never gets here. With
 * training_mode the statistics are those of the batch, and the running ones move towards them:
 * running = momentum * running + (1 - momentum) * batch. The same happens in training
 * (batch_training.c).
 */
#include "engine/kernel/batch_norm.h"
#include "engine/kernel/element.h"
#include "graph/op/batch_training.h"
#include "graph/op/plain.h"

#include <math.h>

static crd_status batch_normalization_infer(crd_context *ctx, crd__graph *net,
                                            crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  if (x->rank < 2)
    return crd__graph_node_fail(ctx, node, "its input has %zu dimensions; at least 2 are needed",
                                x->rank);
  const bool training = crd__graph_node_int(node, "training_mode", 0);
  const bool tested = node->opset >= 7 || crd__graph_node_int(node, "is_test", 0);
  if (!crd__graph_node_int(node, "spatial", 1))
    return crd__graph_node_fail(ctx, node, "statistics per position (spatial=0) are not supported");
  if (!training && (node->output_count > 1 || !tested))
    return crd__graph_node_fail(
        ctx, node,
        "the model was exported for training: export it again in evaluation mode, or with "
        "operator set 14 or later");
  if (node->output_count > 3)
    return crd__graph_node_fail(ctx, node, "it has %zu outputs; at most 3 are supported",
                                node->output_count);
  if (!crd__graph_node_output(net, node, 1) && crd__graph_node_output(net, node, 2))
    return crd__graph_node_fail(ctx, node,
                                "the running variance is an output without the running mean");
  for (size_t i = 0; i < 5; i++) {
    const crd__engine_tensor *const t = crd__graph_node_input(net, node, i);
    if (crd__kernel_carrier_of(t->dtype) != CRD__REAL)
      return crd__graph_node_fail(ctx, node, "its input %zu is %s; it must be f16, f32 or f64", i,
                                  crd_dtype_name(t->dtype));
    if (i == 2 || i == 4) /* shift has the type of scale, the variance that of the mean */
      CRD_TRY(
          crd__graph_node_needs(ctx, net, node, i, crd__graph_node_input(net, node, i - 1)->dtype));
    if (i && (t->rank != 1 || t->dims[0] != x->dims[1]))
      return crd__graph_node_fail(ctx, node, "its input %zu must have %lld elements", i,
                                  (long long)x->dims[1]);
  }
  for (size_t i = 1; i < 3; i++) CRD_TRY(crd__graph_node_set_like(ctx, net, node, i, 2 + i));
  return crd__graph_node_set_like(ctx, net, node, 0, 0);
}

/* ---- By our own kernel: with the statistics of the batch, or for other types. */

static crd_status run_own(crd_context *ctx, const crd__engine_step *step) {
  (void)ctx;
  const crd__kernel_batch_norm_arrays arrays = {
    .x = step->memory[0],
    .scale = step->memory[1],
    .shift = step->memory[2],
    .mean = step->memory[3],
    .variance = step->memory[4],
    .y = step->memory[5],
    .running_mean = step->count > 6 ? step->memory[6] : NULL,
    .running_variance = step->count > 7 ? step->memory[7] : NULL,
  };
  crd__kernel_batch_norm_run(step->threads, step->self, &arrays);
  return CRD_OK;
}

static crd__kernel_batch_norm own_norm(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__kernel_batch_norm self = { .dtype = x->dtype,
                                  .scale_type = crd__graph_node_input(net, node, 1)->dtype,
                                  .mean_type = crd__graph_node_input(net, node, 3)->dtype,
                                  .batch = (size_t)x->dims[0],
                                  .channels = (size_t)x->dims[1],
                                  .space = 1,
                                  .epsilon = (double)crd__graph_node_float(node, "epsilon", 1e-5F),
                                  .momentum = (double)crd__graph_node_float(node, "momentum", .9F),
                                  .own = crd__graph_node_int(node, "training_mode", 0) };
  for (size_t i = 2; i < x->rank; i++) self.space *= (size_t)x->dims[i];
  return self;
}

static crd_status plan_own(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__kernel_batch_norm self = own_norm(crd__graph_plan_net(p), node);
  return crd__graph_plain_plan(ctx, p, node, run_own, &self, sizeof self);
}

/* ---- Choice of implementation. */

static bool is_float32(const crd__graph *net, const crd__graph_node *node) {
  for (size_t i = 0; i < 5; i++)
    if (crd__graph_node_input(net, node, i)->dtype != CRD_F32) return false;
  return true;
}

/* With the statistics of the batch, and possibly gradients. */
static bool trains(const crd__graph *net, const crd__graph_node *node) {
  const bool own = crd__graph_node_int(node, "training_mode", 0);
  return is_float32(net, node) &&
         (net->mode == CRD_MODE_TRAINING || (own && net->mode == CRD_MODE_INPUT_GRADIENT));
}

static bool for_dnn(const crd__graph *net, const crd__graph_node *node) {
  return is_float32(net, node) && !crd__graph_node_int(node, "training_mode", 0);
}

/* ---- With the running statistics. */

static crd_status batch_normalization_plan(crd_context *ctx, crd__engine_plan *p,
                                           const crd__graph_node *node) {
  static const crd__engine_argument names[] = { CRD__ARG_SRC, CRD__ARG_SCALE, CRD__ARG_SHIFT,
                                                CRD__ARG_MEAN, CRD__ARG_VARIANCE };
  const crd__graph *const net = crd__graph_plan_net(p);
  const bool relu = node->after.count > 0;
  crd__engine_plan_argument arguments[6];
  crd__engine_layout layout;
  crd__engine_primitive primitive;
  if (trains(net, node)) return crd__graph_batch_training_plan(ctx, p, node);
  if (!for_dnn(net, node)) return plan_own(ctx, p, node);
  CRD_TRY(crd__engine_plan_find(ctx, p, node->inputs[0], &arguments[0].place));
  for (size_t i = 0; i < 5; i++) {
    arguments[i].argument = names[i];
    if (i) CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[i], &arguments[i].place));
  }
  CRD_TRY(crd__engine_plan_layout(ctx, p, arguments[0].place, &layout));
  CRD_TRY(crd__engine_dnn_batch_norm(ctx, net->engine.dnn,
                                     crd__graph_node_float(node, "epsilon", 1e-5F), relu, layout,
                                     &primitive));
  arguments[5].argument = CRD__ARG_DST;
  CRD_TRY(crd__engine_plan_output_over(ctx, p, node->outputs[0], arguments[0].place,
                                       node->inputs[0], &arguments[5].place));
  return crd__engine_plan_primitive(ctx, p, node, &primitive, 6, arguments);
}

/* ---- Backward. */

/* With fixed statistics, the gradient is multiplied by scale / sd of each channel. That is again a
 * batch normalization, of mean 0 and variance 1, and oneDNN's works in every layout. */
static crd_status back_given(crd_context *ctx, crd__graph_backward *back,
                             const crd__graph_node *node) {
  static const crd__engine_argument names[] = { CRD__ARG_SCALE, CRD__ARG_VARIANCE, CRD__ARG_SHIFT,
                                                CRD__ARG_MEAN };
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor scale = *crd__graph_node_input(net, node, 1),
                           sd = *crd__graph_node_input(net, node, 4);
  const double epsilon = (double)crd__graph_node_float(node, "epsilon", 1e-5F);
  const int incoming = crd__graph_backward_incoming(back, node, 0);
  crd__engine_plan_argument arguments[6] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_DST, 0 } };
  crd__engine_layout layout, list;
  crd__engine_primitive primitive;
  int result;
  if (!scale.constant || !sd.constant)
    return crd__graph_node_fail(ctx, node, "its scale and variance depend on the data of a run");
  CRD_TRY(crd__engine_plan_find(ctx, p, incoming, &arguments[0].place));
  CRD_TRY(crd__engine_plan_layout(ctx, p, arguments[0].place, &layout));
  CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, 1, scale.dims, &list));
  CRD_TRY(crd__engine_dnn_batch_norm(ctx, net->engine.dnn, 0, false, layout, &primitive));
  for (size_t k = 0; k < 4; k++) {
    float *values;
    int tensor;
    CRD_TRY(crd__graph_floats(ctx, net, node->name, 1, scale.dims, &tensor, &values));
    for (size_t c = 0; c < (size_t)scale.dims[0] && k < 2; c++)
      values[c] = k ? 1
                    : (float)(crd__engine_tensor_number(&scale, c) /
                              sqrt(crd__engine_tensor_number(&sd, c) + epsilon));
    arguments[2 + k].argument = names[k];
    CRD_TRY(crd__engine_plan_constant(ctx, p, tensor, list, list, &arguments[2 + k].place));
  }
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__engine_plan_output_over(ctx, p, result, arguments[0].place, incoming,
                                       &arguments[1].place));
  CRD_TRY(crd__engine_plan_primitive(ctx, p, node, &primitive, 6, arguments));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

static crd_status batch_normalization_backward(crd_context *ctx, crd__graph_backward *back,
                                               const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  if (trains(net, node)) return crd__graph_batch_training_back(ctx, back, node);
  if (for_dnn(net, node)) return back_given(ctx, back, node);
  return crd__graph_node_fail(ctx, node,
                              "its gradient is not supported with these types or attributes");
}

static uint64_t batch_normalization_flops(const crd__graph *net, const crd__graph_node *node) {
  return 2 * crd__engine_tensor_count(crd__graph_node_output(net, node, 0));
}

static const crd__graph_op_attribute attributes[] = {
  { "epsilon", CRD__ATTRIBUTE_FLOAT },
  { "is_test", CRD__ATTRIBUTE_INT }, /* up to operator set 6 */
  { "momentum", CRD__ATTRIBUTE_FLOAT },
  { "spatial", CRD__ATTRIBUTE_INT }, /* up to operator set 8 */
  { "training_mode", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

/* True for ReLU, which oneDNN applies in the same pass; in training also for a sum before it. */
static bool batch_normalization_takes_after(const crd__graph *net, const crd__graph_node *node,
                                            const crd__engine_post_op *after) {
  const bool training = net->mode == CRD_MODE_TRAINING;
  const size_t sums = node->after.count && node->after.items[0].sum;
  if (!is_float32(net, node) || node->after.count > sums) return false;
  if (after->sum) return training && !sums;
  return after->function == CRD__UNARY_RELU && (training || for_dnn(net, node));
}

const crd__graph_op crd__graph_op_batch_normalization = {
  .info = { "BatchNormalization",
            "running statistics, or those of the batch in training; f16, f32, f64", 6, CRD__OPSET,
            1, 1 },
  .inputs_least = 5,
  .inputs_most = 5,
  .outputs_least = 1,
  .outputs_most = 5,
  .attributes = attributes,
  .infer = batch_normalization_infer,
  .plan = batch_normalization_plan,
  .flops = batch_normalization_flops,
  .takes_after = batch_normalization_takes_after,
  .backward = batch_normalization_backward,
  .undoes = true,
  .keep_training = CRD__KEEP_X | CRD__KEEP_X1 | CRD__KEEP_X2,
  .statistics = 1U << 3 | 1U << 4,
};
