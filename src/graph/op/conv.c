/*
 * conv.c -- Conv: weights (out, in / groups, kernel ...), plus a bias.
 *
 *   y[n, o, p] = bias[o] + sum over c, k of w[o, c, k] x[n, c, p * stride + k * dilation - begin]
 *
 * oneDNN's direct convolution in the layout it chooses, or Winograd's if allowed and available: 2
 * to 2.4 times as fast from 128 channels on, with errors of 2e-4 instead of 4e-7 in a whole
 * network. Post-ops (a sum, an activation) are applied to each block of the result in registers.
 */
#include "base/parallel.h"
#include "engine/kernel/f32.h"
#include "engine/kernel/slide.h"
#include "graph/op/grouped.h"
#include "graph/op/plain.h"
#include "graph/op/window.h"

#include <string.h>

typedef struct {
  crd__engine_window window;
  int64_t groups, positions[CRD_RANK_MAX];
} setup;

static crd_status read_setup(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             setup *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0),
                                  *const w = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const bias = crd__graph_node_input(net, node, 2);
  out->groups = crd__graph_node_int(node, "group", 1);
  for (size_t i = 1; i < 3; i++) CRD_TRY(crd__graph_node_needs(ctx, net, node, i, x->dtype));
  CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  if (x->rank < 3 || w->rank != x->rank)
    return crd__graph_node_fail(
        ctx, node, "its input has %zu dimensions and its weights %zu; 3 or more each are supported",
        x->rank, w->rank);
  if (out->groups < 1 || w->dims[0] % out->groups || x->dims[1] % out->groups ||
      w->dims[1] != x->dims[1] / out->groups)
    return crd__graph_node_fail(
        ctx, node,
        "weights for %lld channels in %lld groups do not match an input of %lld channels",
        (long long)w->dims[1], (long long)out->groups, (long long)x->dims[1]);
  if (bias && (bias->rank != 1 || bias->dims[0] != w->dims[0]))
    return crd__graph_node_fail(ctx, node, "its bias must have %lld elements",
                                (long long)w->dims[0]);
  return crd__graph_window_read(ctx, node, x, w->dims + 2, &out->window, out->positions);
}

static crd_status conv_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  setup s;
  int64_t dims[CRD_RANK_MAX];
  CRD_TRY(read_setup(ctx, net, node, &s));
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  dims[0] = x->dims[0];
  dims[1] = crd__graph_node_input(net, node, 1)->dims[0];
  for (size_t i = 2; i < x->rank; i++) dims[i] = s.positions[i - 2];
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, x->rank, dims);
}

/* With 16 channels and fewer, transforming takes longer than the products that it saves. */
static bool winograd_pays(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const w = crd__graph_node_input(net, node, 1);
  return net->winograd && !node->exact && w->dims[0] >= 32 && w->dims[1] >= 32;
}

/* Create oneDNN's primitive for the gradient with respect to the input, by Winograd's transform if
 * allowed and available. */
static crd_status make_back(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                            const setup *s, int64_t batch, crd__engine_primitive *out) {
  crd__graph_shape x = crd__graph_shape_of(crd__graph_node_input(net, node, 0));
  crd__graph_shape y = crd__graph_shape_of(crd__graph_node_output(net, node, 0));
  int64_t dims[CRD_RANK_MAX + 1];
  crd__engine_layout layouts[3];
  const size_t rank = crd__graph_grouped_dims(crd__graph_node_input(net, node, 1), s->groups, dims);
  x.dims[0] = y.dims[0] = batch;
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, x.rank, x.dims, &layouts[0]));
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, rank, dims, &layouts[1]));
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, y.rank, y.dims, &layouts[2]));
  if (winograd_pays(net, node) && crd__engine_dnn_convolution_back(ctx, net->engine.dnn, layouts,
                                                                   &s->window, true, out) == CRD_OK)
    return CRD_OK;
  return crd__engine_dnn_convolution_back(ctx, net->engine.dnn, layouts, &s->window, false, out);
}

static crd_status make_weights(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               const setup *s, crd__engine_primitive *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const w = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const bias = crd__graph_node_input(net, node, 2);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  int64_t dims[CRD_RANK_MAX + 1];
  crd__engine_layout layouts[4] = { { NULL } };
  const size_t rank = crd__graph_grouped_dims(w, s->groups, dims);
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, x->rank, x->dims, &layouts[0]));
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, rank, dims, &layouts[1]));
  if (bias) CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, 1, bias->dims, &layouts[2]));
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, y->rank, y->dims, &layouts[3]));
  if (winograd_pays(net, node) &&
      crd__engine_dnn_convolution_weights(ctx, net->engine.dnn, layouts, &s->window, true, out) ==
          CRD_OK)
    return CRD_OK;
  return crd__engine_dnn_convolution_weights(ctx, net->engine.dnn, layouts, &s->window, false, out);
}

/* The slowest primitive of the backward pass determines the layouts of input and result: otherwise
 * they would all be reordered between the passes. */
static crd_status choose_layouts(crd_context *ctx, const crd__graph *net,
                                 const crd__graph_node *node, const setup *s,
                                 crd__engine_layout *src, crd__engine_layout *dst) {
  const bool input = net->engine.tensors[node->inputs[0]].wants;
  crd__engine_primitive back;
  const crd_status status =
      input ? make_back(ctx, net, node, s, crd__graph_node_input(net, node, 0)->dims[0], &back)
            : make_weights(ctx, net, node, s, &back);
  if (status == CRD_EABSENT) return CRD_OK;
  CRD_TRY(status);
  *src = crd__engine_primitive_layout(&back, input ? CRD__ARG_DIFF_SRC : CRD__ARG_SRC);
  *dst = crd__engine_primitive_layout(&back, CRD__ARG_DIFF_DST);
  return CRD_OK;
}

/* Create the primitive. Without a backward pass, oneDNN may choose all layouts. */
static crd_status make(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                       const setup *s, crd__engine_primitive *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0),
                                  *const w = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const bias = crd__graph_node_input(net, node, 2),
                                  *const y = crd__graph_node_output(net, node, 0);
  int64_t dims[CRD_RANK_MAX + 1];
  crd__engine_layout layouts[4] = { { NULL } };
  const size_t rank = crd__graph_grouped_dims(w, s->groups, dims);
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, x->rank, x->dims, &layouts[0]));
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, rank, dims, &layouts[1]));
  if (bias) CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, 1, bias->dims, &layouts[2]));
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, y->rank, y->dims, &layouts[3]));
  const bool winograd = winograd_pays(net, node);
  if (!node->back)
    return crd__engine_dnn_convolution(ctx, net->engine.dnn, layouts, &s->window, winograd,
                                       &node->after, out);
  const crd__engine_layout any = layouts[0];
  CRD_TRY(choose_layouts(ctx, net, node, s, &layouts[0], &layouts[3]));
  const crd_status status = crd__engine_dnn_convolution(ctx, net->engine.dnn, layouts, &s->window,
                                                        winograd, &node->after, out);
  if (status == CRD_OK && strncmp(crd__engine_primitive_implementation(out), "ref", 3) != 0)
    return CRD_OK;
  layouts[0] = any; /* as for images: blocks of 16 would waste memory on three channels */
  return crd__engine_dnn_convolution(ctx, net->engine.dnn, layouts, &s->window, winograd,
                                     &node->after, out);
}

/* ---- By our own kernel. */

static crd_status run_own(crd_context *ctx, const crd__engine_step *step) {
  crd__kernel_conv conv = *(const crd__kernel_conv *)step->self;
  (void)ctx;
  conv.weights = step->memory[1];
  conv.bias = step->count > 3 ? step->memory[2] : NULL;
  crd__kernel_conv_run(step->threads, &conv, step->memory[0], step->memory[step->count - 1]);
  return CRD_OK;
}

static crd_status plan_own(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                           const setup *s) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const w = crd__graph_node_input(net, node, 1);
  crd__kernel_conv conv = { .dtype = x->dtype,
                            .batch = (size_t)x->dims[0],
                            .groups = (size_t)s->groups,
                            .inputs = (size_t)w->dims[1],
                            .outputs = (size_t)(w->dims[0] / s->groups),
                            .window = { .spatial = s->window.count } };
  for (size_t i = 0; i < s->window.count; i++) {
    conv.window.in[i] = x->dims[2 + i];
    conv.window.out[i] = s->positions[i];
    conv.window.size[i] = s->window.kernel[i];
    conv.window.stride[i] = s->window.strides[i];
    conv.window.dilation[i] = s->window.dilations[i];
    conv.window.before[i] = s->window.begin[i];
    conv.window.after[i] = s->window.end[i];
  }
  return crd__graph_plain_plan(ctx, p, node, run_own, &conv, sizeof conv);
}

/* True if oneDNN has the convolution; only then it can have post-ops. */
static bool for_dnn(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  return x->dtype == CRD_F32 && x->rank <= 5 && x->dims[1] > 0;
}

static crd_status conv_plan(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(p);
  crd__engine_plan_argument arguments[4] = { { CRD__ARG_SRC, 0 }, { CRD__ARG_WEIGHTS, 0 } };
  size_t count = 2;
  setup s;
  crd__engine_primitive conv;
  CRD_TRY(read_setup(ctx, net, node, &s));
  if (!for_dnn(net, node)) return plan_own(ctx, p, node, &s);
  const crd_status made = make(ctx, net, node, &s, &conv);
  if (made == CRD_EABSENT && !node->after.count) return plan_own(ctx, p, node, &s);
  if (made == CRD_EABSENT)
    return crd__graph_node_fail(ctx, node, "oneDNN has no convolution of this kind");
  CRD_TRY(made);
  CRD_TRY(crd__engine_plan_as(ctx, p, node->inputs[0],
                              crd__engine_primitive_layout(&conv, CRD__ARG_SRC),
                              &arguments[0].place));
  CRD_TRY(crd__graph_grouped_place(ctx, p, node, s.groups, &conv, &arguments[1].place));
  if (crd__graph_node_input(net, node, 2)) {
    arguments[count] = (crd__engine_plan_argument){ CRD__ARG_BIAS, 0 };
    CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[2], &arguments[count++].place));
  }
  arguments[count] = (crd__engine_plan_argument){ CRD__ARG_DST, 0 };
  CRD_TRY(crd__engine_plan_result(ctx, p, node->outputs[0], node->addend,
                                  crd__engine_primitive_layout(&conv, CRD__ARG_DST),
                                  &arguments[count++].place));
  return crd__engine_plan_primitive(ctx, p, node, &conv, count, arguments);
}

/* ---- Backward pass. The gradient with respect to the input is a convolution with the flipped
 * weights; with respect to the weights, one of the input with the gradient. */

/* Sums a gradient over the batch. Convolution is linear, so that this may come first if only the
 * sum is needed in the end. The batch is the outermost dimension in every layout of convolutions,
 * so that this needs no reorder. */
typedef struct {
  size_t rows, columns;
  const float *from;
  float *to;
} batch_sum;

static void sum_columns(void *arg, size_t from, size_t to) {
  const batch_sum *const s = arg;
  double sums[512];
  for (size_t c = from; c < to; c += 512) {
    const size_t n = to - c < 512 ? to - c : 512;
    memset(sums, 0, sizeof sums);
    for (size_t r = 0; r < s->rows; r++)
      crd__kernel_f32_kernels_best()->add_to(n, s->from + r * s->columns + c, sums);
    for (size_t i = 0; i < n; i++) s->to[c + i] = (float)sums[i];
  }
}

static crd_status run_batch_sum(crd_context *ctx, const crd__engine_step *step) {
  batch_sum s = *(const batch_sum *)step->self;
  (void)ctx;
  s.from = step->memory[0];
  s.to = step->memory[1];
  crd__parallel_spans(step->threads, s.columns, 1024, sum_columns, &s);
  return CRD_OK;
}

static crd_status sum_batch(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                            int gradient, crd__engine_layout layout, crd__engine_layout one,
                            int *place) {
  const batch_sum s = { .rows = (size_t)crd__graph_plan_net(p)->engine.tensors[gradient].dims[0],
                        .columns = crd__engine_layout_bytes(one) / sizeof(float) };
  int places[2];
  CRD_TRY(crd__engine_plan_as(ctx, p, gradient, layout, &places[0]));
  CRD_TRY(crd__engine_plan_scratch(ctx, p, one, &places[1]));
  *place = places[1];
  return crd__engine_plan_step(ctx, p, node, run_batch_sum, &s, sizeof s, 2, places);
}

/* Create the primitive for the whole batch, or for its sum if that is enough; sets *shared. */
static crd_status choose_back(crd_context *ctx, crd__graph_backward *back,
                              const crd__graph_node *node, const setup *s, bool *shared,
                              crd__engine_layout *whole, crd__engine_primitive *out) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  const int64_t batch = crd__graph_node_input(net, node, 0)->dims[0];
  crd__engine_primitive one;
  CRD_TRY(make_back(ctx, net, node, s, batch, out));
  *whole = crd__engine_primitive_layout(out, CRD__ARG_DIFF_DST);
  *shared = false;
  if (batch < 2 || !crd__graph_backward_shares(back, node, 0)) return CRD_OK;
  CRD_TRY(make_back(ctx, net, node, s, 1, &one));
  *shared = crd__engine_layout_bytes(*whole) ==
            (size_t)batch *
                crd__engine_layout_bytes(crd__engine_primitive_layout(&one, CRD__ARG_DIFF_DST));
  if (*shared) *out = one;
  return CRD_OK;
}

static crd_status back_input(crd_context *ctx, crd__graph_backward *back,
                             const crd__graph_node *node, const setup *s) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const int gradient = crd__graph_backward_incoming(back, node, 0);
  crd__engine_plan_argument arguments[] = { { CRD__ARG_DIFF_DST, 0 },
                                            { CRD__ARG_WEIGHTS, 0 },
                                            { CRD__ARG_DIFF_SRC, 0 } };
  crd__graph_shape x = crd__graph_shape_of(crd__graph_node_input(crd__graph_plan_net(p), node, 0));
  crd__engine_primitive primitive;
  crd__engine_layout whole;
  bool shared;
  int result;
  CRD_TRY(choose_back(ctx, back, node, s, &shared, &whole, &primitive));
  const crd__engine_layout wanted = crd__engine_primitive_layout(&primitive, CRD__ARG_DIFF_DST);
  if (shared) {
    x.dims[0] = 1;
    CRD_TRY(sum_batch(ctx, p, node, gradient, whole, wanted, &arguments[0].place));
    CRD_TRY(crd__engine_plan_tensor(ctx, p, "a shared gradient", x.rank, x.dims, &result));
  } else {
    CRD_TRY(crd__engine_plan_as(ctx, p, gradient, wanted, &arguments[0].place));
    CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  }
  CRD_TRY(crd__graph_grouped_place(ctx, p, node, s->groups, &primitive, &arguments[1].place));
  CRD_TRY(crd__engine_plan_output_as(ctx, p, result,
                                     crd__engine_primitive_layout(&primitive, CRD__ARG_DIFF_SRC),
                                     &arguments[2].place));
  CRD_TRY(crd__engine_plan_primitive(ctx, p, node, &primitive, 3, arguments));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

static crd_status back_weights(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node, const setup *s) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const crd__graph *const net = crd__graph_plan_net(p);
  crd__engine_plan_argument arguments[4] = { { CRD__ARG_SRC, 0 },
                                             { CRD__ARG_DIFF_DST, 0 },
                                             { CRD__ARG_DIFF_WEIGHTS, 0 },
                                             { CRD__ARG_DIFF_BIAS, 0 } };
  const bool bias = crd__graph_node_input(net, node, 2);
  crd__engine_primitive primitive;
  int weights, shift = CRD__NONE, plain;
  CRD_TRY(make_weights(ctx, net, node, s, &primitive));
  CRD_TRY(crd__engine_plan_as(ctx, p, node->inputs[0],
                              crd__engine_primitive_layout(&primitive, CRD__ARG_SRC),
                              &arguments[0].place));
  CRD_TRY(crd__engine_plan_as(ctx, p, crd__graph_backward_incoming(back, node, 0),
                              crd__engine_primitive_layout(&primitive, CRD__ARG_DIFF_DST),
                              &arguments[1].place));
  CRD_TRY(crd__graph_grouped_result(ctx, back, node, s->groups,
                                    crd__engine_primitive_layout(&primitive, CRD__ARG_DIFF_WEIGHTS),
                                    &weights, &plain, &arguments[2].place));
  if (bias) {
    CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 2, &shift));
    CRD_TRY(crd__engine_plan_output(ctx, p, shift, &arguments[3].place));
  }
  CRD_TRY(crd__engine_plan_primitive(ctx, p, node, &primitive, bias ? 4 : 3, arguments));
  if (plain != arguments[2].place)
    CRD_TRY(crd__engine_plan_reorder(ctx, p, arguments[2].place, plain));
  if (crd__graph_backward_wants(back, node, 1))
    CRD_TRY(crd__graph_backward_give(ctx, back, node, 1, weights));
  return crd__graph_backward_wants(back, node, 2)
             ? crd__graph_backward_give(ctx, back, node, 2, shift)
             : CRD_OK;
}

static crd_status conv_backward(crd_context *ctx, crd__graph_backward *back,
                                const crd__graph_node *node) {
  setup s;
  if (crd__graph_node_input(crd__graph_plan_net(crd__graph_backward_plan(back)), node, 0)
          ->dims[1] == 0) /* without input channels, only the bias has a gradient */
    return crd__graph_grouped_back_bias(ctx, back, node);
  CRD_TRY(read_setup(ctx, crd__graph_plan_net(crd__graph_backward_plan(back)), node, &s));
  crd_status status = CRD_OK;
  if (crd__graph_backward_wants(back, node, 0)) status = back_input(ctx, back, node, &s);
  if (status == CRD_OK &&
      (crd__graph_backward_wants(back, node, 1) || crd__graph_backward_wants(back, node, 2)))
    status = back_weights(ctx, back, node, &s);
  return status == CRD_EABSENT
             ? crd__graph_node_fail(ctx, node, "oneDNN has no gradient of this kind of convolution")
             : status;
}

static bool conv_takes_after(const crd__graph *net, const crd__graph_node *node,
                             const crd__engine_post_op *after) {
  (void)after;
  return for_dnn(net, node);
}

static uint64_t conv_flops(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const w = crd__graph_node_input(net, node, 1);
  const uint64_t each = w->dims[0] ? crd__engine_tensor_count(w) / (uint64_t)w->dims[0] : 0;
  return 2 * each * crd__engine_tensor_count(crd__graph_node_output(net, node, 0));
}

static const crd__graph_op_attribute attributes[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "group", CRD__ATTRIBUTE_INT },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_conv = {
  .info = { "Conv", "any spatial dimensions, groups, dilations, auto_pad; f16, f32, f64", 1,
            CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = conv_infer,
  .plan = conv_plan,
  .flops = conv_flops,
  .takes_after = conv_takes_after,
  .backward = conv_backward,
  .keep = CRD__KEEP_X1,
  .keep_training = CRD__KEEP_X,
};
