/*
 * conv_transpose.c -- ConvTranspose: weights (in, out / groups, kernel ...), plus a bias.
 *
 *   y[n, o, p * stride + k * dilation - begin] = bias[o] + sum over c, p, k of w[c, o, k] x[n, c,
 * p]
 *
 * It is the gradient of a convolution with the same weights, with respect to its input: oneDNN's
 * primitive for that. Its own gradients are this convolution, and that convolution's gradient with
 * respect to the weights.
 */
#include "engine/kernel/slide.h"
#include "graph/op/grouped.h"
#include "graph/op/plain.h"
#include "graph/op/window.h"

#include <string.h>

typedef struct {
  crd__engine_window window;
  int64_t groups, out[CRD_RANK_MAX]; /* the spatial dimensions of the result */
} setup;

/* Split the padding that leads to a given length: an odd one goes to the end with SAME_UPPER, else
 * to the begin. */
static void share(const crd__graph_node *node, int64_t total, setup *s, size_t i) {
  const int64_t padding = total > 0 ? total : 0;
  const bool upper = crd__graph_node_word_is(node, "auto_pad", "SAME_UPPER", "NOTSET");
  s->window.begin[i] = upper ? padding / 2 : padding - padding / 2;
  s->window.end[i] = padding - s->window.begin[i];
}

static crd_status read_lists(crd_context *ctx, const crd__graph_node *node, size_t count,
                             const crd__engine_tensor *w, setup *s, int64_t *more, int64_t *shape) {
  int64_t pads[2 * CRD_RANK_MAX];
  crd__engine_window *const window = &s->window;
  CRD_TRY(crd__graph_window_list(ctx, node, "kernel_shape", count, 0, 0, window->kernel));
  CRD_TRY(crd__graph_window_list(ctx, node, "strides", count, 1, 1, window->strides));
  CRD_TRY(crd__graph_window_list(ctx, node, "dilations", count, 1, 1, window->dilations));
  CRD_TRY(crd__graph_window_list(ctx, node, "pads", 2 * count, 0, 0, pads));
  CRD_TRY(crd__graph_window_list(ctx, node, "output_padding", count, 0, 0, more));
  CRD_TRY(crd__graph_window_list(ctx, node, "output_shape", count, 1, 1, shape));
  for (size_t i = 0; i < count; i++) {
    if (!crd__graph_node_has(node, "output_shape")) shape[i] = -1;
    if (window->kernel[i] && window->kernel[i] != w->dims[2 + i])
      return crd__graph_node_fail(ctx, node,
                                  "its 'kernel_shape' has %lld where its weights have %lld",
                                  (long long)window->kernel[i], (long long)w->dims[2 + i]);
    window->kernel[i] = w->dims[2 + i];
    window->begin[i] = pads[i];
    window->end[i] = pads[count + i];
  }
  return CRD_OK;
}

static crd_status read_window(crd_context *ctx, const crd__graph_node *node,
                              const crd__engine_tensor *x, const crd__engine_tensor *w, setup *s) {
  int64_t more[CRD_RANK_MAX], shape[CRD_RANK_MAX];
  const bool valid = crd__graph_node_word_is(node, "auto_pad", "VALID", "NOTSET");
  const bool same = crd__graph_node_word_is(node, "auto_pad", "SAME_UPPER", "NOTSET") ||
                    crd__graph_node_word_is(node, "auto_pad", "SAME_LOWER", "NOTSET");
  if (!same && !valid && !crd__graph_node_word_is(node, "auto_pad", "NOTSET", "NOTSET"))
    return crd__graph_node_fail(ctx, node,
                                "its 'auto_pad' is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER");
  s->window = (crd__engine_window){ .count = x->rank - 2 };
  CRD_TRY(read_lists(ctx, node, s->window.count, w, s, more, shape));
  for (size_t i = 0; i < s->window.count; i++) {
    crd__engine_window *const v = &s->window;
    const int64_t in = x->dims[2 + i], reach = (v->kernel[i] - 1) * v->dilations[i] + 1;
    if (in < 1 || in > INT32_MAX || v->kernel[i] < 1)
      return crd__graph_node_fail(ctx, node,
                                  "its input has %lld and its window %lld in dimension "
                                  "%zu",
                                  (long long)in, (long long)v->kernel[i], 2 + i);
    const int64_t full = (in - 1) * v->strides[i] + more[i] + reach;
    if (valid) v->begin[i] = v->end[i] = 0;
    if (same && shape[i] < 0) shape[i] = in * v->strides[i];
    if (shape[i] >= 0) share(node, full - shape[i], s, i);
    s->out[i] = shape[i] >= 0 ? shape[i] : full - v->begin[i] - v->end[i];
    if (s->out[i] < 1)
      return crd__graph_node_fail(
          ctx, node, "dimension %zu of its result would be %lld: padding %lld and %lld of %lld",
          2 + i, (long long)s->out[i], (long long)v->begin[i], (long long)v->end[i],
          (long long)full);
  }
  return CRD_OK;
}

static crd_status read_setup(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                             setup *s) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const w = crd__graph_node_input(net, node, 1);
  const crd__engine_tensor *const bias = crd__graph_node_input(net, node, 2);
  s->groups = crd__graph_node_int(node, "group", 1);
  for (size_t i = 1; i < 3; i++) CRD_TRY(crd__graph_node_needs(ctx, net, node, i, x->dtype));
  CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  if (x->rank < 3 || w->rank != x->rank)
    return crd__graph_node_fail(
        ctx, node, "its input has %zu dimensions and its weights %zu; 3 or more each are supported",
        x->rank, w->rank);
  if (s->groups < 1 || x->dims[1] % s->groups || w->dims[0] != x->dims[1] ||
      s->groups > (x->dims[1] ? x->dims[1] : 1))
    return crd__graph_node_fail(
        ctx, node,
        "weights for %lld channels in %lld groups do not match an input of %lld channels",
        (long long)w->dims[0], (long long)s->groups, (long long)x->dims[1]);
  if (bias && (bias->rank != 1 || bias->dims[0] != w->dims[1] * s->groups))
    return crd__graph_node_fail(ctx, node, "its bias must have %lld elements",
                                (long long)(w->dims[1] * s->groups));
  return read_window(ctx, node, x, w, s);
}

static crd_status conv_transpose_infer(crd_context *ctx, crd__graph *net, crd__graph_node *node) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  int64_t dims[CRD_RANK_MAX];
  setup s;
  CRD_TRY(read_setup(ctx, net, node, &s));
  dims[0] = x->dims[0];
  dims[1] = crd__graph_node_input(net, node, 1)->dims[1] * s.groups;
  for (size_t i = 2; i < x->rank; i++) dims[i] = s.out[i - 2];
  return crd__graph_node_set(ctx, net, node, 0, x->dtype, x->rank, dims);
}

/* ---- By our own kernel. */

static crd_status run_own(crd_context *ctx, const crd__engine_step *step) {
  crd__kernel_conv conv = *(const crd__kernel_conv *)step->self;
  (void)ctx;
  conv.weights = step->memory[1];
  conv.bias = step->count > 3 ? step->memory[2] : NULL;
  crd__kernel_conv_transpose_run(step->threads, &conv, step->memory[0],
                                 step->memory[step->count - 1]);
  return CRD_OK;
}

static crd_status plan_own(crd_context *ctx, crd__engine_plan *p, const crd__graph_node *node,
                           const setup *s) {
  const crd__graph *const net = crd__graph_plan_net(p);
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__kernel_conv conv = { .dtype = x->dtype,
                            .batch = (size_t)x->dims[0],
                            .groups = (size_t)s->groups,
                            .inputs = (size_t)(x->dims[1] / s->groups),
                            .outputs = (size_t)crd__graph_node_input(net, node, 1)->dims[1],
                            .window = { .spatial = s->window.count } };
  for (size_t i = 0; i < s->window.count; i++) {
    conv.window.in[i] = s->out[i];
    conv.window.out[i] = x->dims[2 + i];
    conv.window.size[i] = s->window.kernel[i];
    conv.window.stride[i] = s->window.strides[i];
    conv.window.dilation[i] = s->window.dilations[i];
    conv.window.before[i] = s->window.begin[i];
  }
  return crd__graph_plain_plan(ctx, p, node, run_own, &conv, sizeof conv);
}

/* ---- By oneDNN. */

/* Set the padding at the end with which a convolution has positions for exactly the elements of x;
 * false if there is none, since the result is longer than a stride more than they reach. */
static bool fit_window(const crd__engine_tensor *x, const setup *s, crd__engine_window *window) {
  *window = s->window;
  for (size_t i = 0; i < s->window.count; i++) {
    const int64_t reach = (window->kernel[i] - 1) * window->dilations[i] + 1;
    const int64_t end =
        (x->dims[2 + i] - 1) * window->strides[i] + reach - window->begin[i] - s->out[i];
    window->end[i] = end > 0 ? end : 0;
    if (end <= -window->strides[i]) return false;
  }
  return true;
}

enum { X, WEIGHTS, Y, LAYOUTS };

/* Get layouts of oneDNN's choice for input, weights and result. */
static crd_status make_layouts(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               const setup *s, crd__engine_layout layouts[LAYOUTS]) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  int64_t dims[CRD_RANK_MAX + 1];
  const size_t rank = crd__graph_grouped_dims(crd__graph_node_input(net, node, 1), s->groups, dims);
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, x->rank, x->dims, &layouts[X]));
  CRD_TRY(crd__engine_layout_any(ctx, net->engine.dnn, rank, dims, &layouts[WEIGHTS]));
  return crd__engine_layout_any(ctx, net->engine.dnn, y->rank, y->dims, &layouts[Y]);
}

/* Create the primitives of the forward pass, the second one to add the bias. EABSENT: oneDNN has
 * none. */
static crd_status make(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                       const setup *s, crd__engine_layout *bias, crd__engine_primitive out[2]) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  const crd__engine_tensor *const y = crd__graph_node_output(net, node, 0);
  int64_t dims[CRD_RANK_MAX];
  crd__engine_layout layouts[LAYOUTS];
  crd__engine_window window;
  if (x->dtype != CRD_F32 || x->rank > 5 || x->dims[1] == 0 || !fit_window(x, s, &window))
    return CRD_EABSENT;
  CRD_TRY(make_layouts(ctx, net, node, s, layouts));
  CRD_TRY(crd__engine_dnn_convolution_back(
      ctx, net->engine.dnn, (crd__engine_layout[]){ layouts[Y], layouts[WEIGHTS], layouts[X] },
      &window, false, &out[0]));
  if (!crd__graph_node_input(net, node, 2)) return CRD_OK;
  for (size_t i = 0; i < y->rank; i++) dims[i] = i == 1 ? y->dims[1] : 1;
  CRD_TRY(crd__engine_layout_plain(ctx, net->engine.dnn, y->rank, dims, bias));
  const crd__engine_layout result = crd__engine_primitive_layout(&out[0], CRD__ARG_DIFF_SRC);
  return crd__engine_dnn_combine(ctx, net->engine.dnn, CRD__BINARY_ADD, result, *bias, result, NULL,
                                 &out[1]);
}

static crd_status conv_transpose_plan(crd_context *ctx, crd__engine_plan *p,
                                      const crd__graph_node *node) {
  crd__graph *const net = crd__graph_plan_net(p);
  crd__engine_plan_argument arguments[] = { { CRD__ARG_DIFF_DST, 0 },
                                            { CRD__ARG_WEIGHTS, 0 },
                                            { CRD__ARG_DIFF_SRC, 0 } };
  crd__engine_primitive primitives[2];
  crd__engine_layout bias;
  setup s;
  int place;
  CRD_TRY(read_setup(ctx, net, node, &s));
  const crd_status made = make(ctx, net, node, &s, &bias, primitives);
  if (made == CRD_EABSENT) return plan_own(ctx, p, node, &s);
  CRD_TRY(made);
  CRD_TRY(crd__engine_plan_as(ctx, p, node->inputs[0],
                              crd__engine_primitive_layout(&primitives[0], CRD__ARG_DIFF_DST),
                              &arguments[0].place));
  CRD_TRY(crd__graph_grouped_place(ctx, p, node, s.groups, &primitives[0], &arguments[1].place));
  CRD_TRY(crd__engine_plan_output_as(
      ctx, p, node->outputs[0], crd__engine_primitive_layout(&primitives[0], CRD__ARG_DIFF_SRC),
      &arguments[2].place));
  CRD_TRY(crd__engine_plan_primitive(ctx, p, node, &primitives[0], 3, arguments));
  if (!crd__graph_node_input(net, node, 2)) return CRD_OK;
  CRD_TRY(crd__engine_plan_plain(ctx, p, node->inputs[2], &place));
  CRD_TRY(crd__engine_plan_view(ctx, p, place, bias, &place));
  const crd__engine_plan_argument sum[] = { { CRD__ARG_SRC, arguments[2].place },
                                            { CRD__ARG_SRC_1, place },
                                            { CRD__ARG_DST, arguments[2].place } };
  return crd__engine_plan_primitive(ctx, p, node, &primitives[1], 3, sum);
}

/* ---- Backward pass. */

static crd_status back_input(crd_context *ctx, crd__graph_backward *back,
                             const crd__graph_node *node, const setup *s,
                             const crd__engine_window *window) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const crd__graph *const net = crd__graph_plan_net(p);
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                            { CRD__ARG_WEIGHTS, 0 },
                                            { CRD__ARG_DST, 0 } };
  crd__engine_layout layouts[LAYOUTS];
  crd__engine_primitive primitive;
  int result;
  CRD_TRY(make_layouts(ctx, net, node, s, layouts));
  CRD_TRY(crd__engine_dnn_convolution(
      ctx, net->engine.dnn,
      (crd__engine_layout[]){ layouts[Y], layouts[WEIGHTS], { NULL }, layouts[X] }, window, false,
      NULL, &primitive));
  CRD_TRY(crd__engine_plan_as(ctx, p, crd__graph_backward_incoming(back, node, 0),
                              crd__engine_primitive_layout(&primitive, CRD__ARG_SRC),
                              &arguments[0].place));
  CRD_TRY(crd__graph_grouped_place(ctx, p, node, s->groups, &primitive, &arguments[1].place));
  CRD_TRY(crd__graph_backward_tensor(ctx, back, node, 0, &result));
  CRD_TRY(crd__engine_plan_output_as(
      ctx, p, result, crd__engine_primitive_layout(&primitive, CRD__ARG_DST), &arguments[2].place));
  CRD_TRY(crd__engine_plan_primitive(ctx, p, node, &primitive, 3, arguments));
  return crd__graph_backward_give(ctx, back, node, 0, result);
}

static crd_status back_weights(crd_context *ctx, crd__graph_backward *back,
                               const crd__graph_node *node, const setup *s,
                               const crd__engine_window *window) {
  crd__engine_plan *const p = crd__graph_backward_plan(back);
  const crd__graph *const net = crd__graph_plan_net(p);
  crd__engine_plan_argument arguments[] = { { CRD__ARG_SRC, 0 },
                                            { CRD__ARG_DIFF_DST, 0 },
                                            { CRD__ARG_DIFF_WEIGHTS, 0 } };
  crd__engine_layout layouts[LAYOUTS];
  crd__engine_primitive primitive;
  int result, plain;
  CRD_TRY(make_layouts(ctx, net, node, s, layouts));
  CRD_TRY(crd__engine_dnn_convolution_weights(
      ctx, net->engine.dnn,
      (crd__engine_layout[]){ layouts[Y], layouts[WEIGHTS], { NULL }, layouts[X] }, window, false,
      &primitive));
  CRD_TRY(crd__engine_plan_as(ctx, p, crd__graph_backward_incoming(back, node, 0),
                              crd__engine_primitive_layout(&primitive, CRD__ARG_SRC),
                              &arguments[0].place));
  CRD_TRY(crd__engine_plan_as(ctx, p, node->inputs[0],
                              crd__engine_primitive_layout(&primitive, CRD__ARG_DIFF_DST),
                              &arguments[1].place));
  CRD_TRY(crd__graph_grouped_result(ctx, back, node, s->groups,
                                    crd__engine_primitive_layout(&primitive, CRD__ARG_DIFF_WEIGHTS),
                                    &result, &plain, &arguments[2].place));
  CRD_TRY(crd__engine_plan_primitive(ctx, p, node, &primitive, 3, arguments));
  if (plain != arguments[2].place)
    CRD_TRY(crd__engine_plan_reorder(ctx, p, arguments[2].place, plain));
  return crd__graph_backward_give(ctx, back, node, 1, result);
}

static crd_status conv_transpose_backward(crd_context *ctx, crd__graph_backward *back,
                                          const crd__graph_node *node) {
  const crd__graph *const net = crd__graph_plan_net(crd__graph_backward_plan(back));
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  crd__engine_window window;
  setup s;
  CRD_TRY(read_setup(ctx, net, node, &s));
  crd_status status = x->rank <= 5 && fit_window(x, &s, &window) ? CRD_OK : CRD_EABSENT;
  if (status == CRD_OK && crd__graph_backward_wants(back, node, 0))
    status = back_input(ctx, back, node, &s, &window);
  if (status == CRD_OK && crd__graph_backward_wants(back, node, 1))
    status = back_weights(ctx, back, node, &s, &window);
  if (status == CRD_OK && crd__graph_backward_wants(back, node, 2))
    status = crd__graph_grouped_back_bias(ctx, back, node);
  return status == CRD_EABSENT
             ? crd__graph_node_fail(ctx, node, "oneDNN has no gradient of this kind of convolution")
             : status;
}

static uint64_t conv_transpose_flops(const crd__graph *net, const crd__graph_node *node) {
  const crd__engine_tensor *const w = crd__graph_node_input(net, node, 1);
  const uint64_t each = w->dims[0] ? crd__engine_tensor_count(w) / (uint64_t)w->dims[0] : 0;
  return 2 * each * crd__engine_tensor_count(crd__graph_node_input(net, node, 0));
}

static const crd__graph_op_attribute attributes[] = {
  CRD__WINDOW_ATTRIBUTES,
  { "group", CRD__ATTRIBUTE_INT },
  { "output_padding", CRD__ATTRIBUTE_INTS },
  { "output_shape", CRD__ATTRIBUTE_INTS },
  { .name = NULL },
};

const crd__graph_op crd__graph_op_conv_transpose = {
  .info = { "ConvTranspose",
            "any spatial dimensions, groups, dilations, output_padding, auto_pad; f16, f32, f64", 1,
            CRD__OPSET, 1, 1 },
  .inputs_least = 2,
  .inputs_most = 3,
  .outputs_least = 1,
  .outputs_most = 1,
  .attributes = attributes,
  .infer = conv_transpose_infer,
  .plan = conv_transpose_plan,
  .flops = conv_transpose_flops,
  .backward = conv_transpose_backward,
  .keep = CRD__KEEP_X | CRD__KEEP_X1,
};
