/*
 * window.c -- the sliding window of a convolution or a pooling.
 *
 *   positions = floor((in + begin + end - ((kernel - 1) * dilation + 1)) / stride) + 1
 *
 * (with ceil_mode ceil, but no window may begin in the padding at the end). auto_pad SAME_UPPER and
 * SAME_LOWER give ceil(in / stride) positions and split the padding between begin and end; an odd
 * one goes to the end or to the begin.
 */
#include "graph/op/window.h"

crd_status crd__graph_window_list(crd_context *ctx, const crd__graph_node *node, const char *name,
                                  size_t count, int64_t least, int64_t standard, int64_t *out) {
  crd__graph_list list;
  CRD_TRY(crd__graph_node_list(ctx, node, name, &list));
  if (list.given && list.count != count)
    return crd__graph_node_fail(ctx, node, "its '%s' has %zu elements, expected %zu", name,
                                list.count, count);
  for (size_t i = 0; i < count; i++) {
    out[i] = list.given ? list.items[i] : standard;
    if (out[i] < least || out[i] > INT32_MAX)
      return crd__graph_node_fail(ctx, node, "its '%s' has %lld; %lld to 2^31 is allowed", name,
                                  (long long)out[i], (long long)least);
  }
  return CRD_OK;
}

static void share(bool upper, int64_t in, crd__engine_window *w, size_t i, int64_t *positions) {
  *positions = (in + w->strides[i] - 1) / w->strides[i];
  const int64_t reach = (w->kernel[i] - 1) * w->dilations[i] + 1;
  const int64_t needed = (*positions - 1) * w->strides[i] + reach - in;
  const int64_t padding = needed > 0 ? needed : 0;
  w->begin[i] = upper ? padding / 2 : padding - padding / 2;
  w->end[i] = padding - w->begin[i];
}

static crd_status count_positions(crd_context *ctx, const crd__graph_node *node, int64_t in,
                                  crd__engine_window *w, size_t i, int64_t *positions) {
  const int64_t reach = (w->kernel[i] - 1) * w->dilations[i] + 1;
  const int64_t slack = in + w->begin[i] + w->end[i] - reach;
  if (slack < 0)
    return crd__graph_node_fail(
        ctx, node, "a window of %lld does not fit into %lld with padding %lld and %lld",
        (long long)reach, (long long)in, (long long)w->begin[i], (long long)w->end[i]);
  *positions = slack / w->strides[i] + 1;
  if (slack % w->strides[i] && crd__graph_node_int(node, "ceil_mode", 0) &&
      *positions * w->strides[i] < in + w->begin[i]) {
    w->over[i] = *positions * w->strides[i] - slack;
    w->end[i] += w->over[i];
    ++*positions;
  }
  return CRD_OK;
}

crd_status crd__graph_window_read(crd_context *ctx, const crd__graph_node *node,
                                  const crd__engine_tensor *src, const int64_t *kernel,
                                  crd__engine_window *window, int64_t *positions) {
  int64_t pads[2 * CRD_RANK_MAX];
  const bool upper = crd__graph_node_word_is(node, "auto_pad", "SAME_UPPER", "NOTSET");
  const bool lower = crd__graph_node_word_is(node, "auto_pad", "SAME_LOWER", "NOTSET");
  const bool valid = crd__graph_node_word_is(node, "auto_pad", "VALID", "NOTSET");
  if (!upper && !lower && !valid && !crd__graph_node_word_is(node, "auto_pad", "NOTSET", "NOTSET"))
    return crd__graph_node_fail(ctx, node,
                                "its 'auto_pad' is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER");
  if (src->rank < 3)
    return crd__graph_node_fail(ctx, node, "its input has %zu dimensions; at least 3 are needed",
                                src->rank);
  *window = (crd__engine_window){ .count = src->rank - 2 };
  const size_t count = window->count;
  CRD_TRY(crd__graph_window_list(ctx, node, "kernel_shape", count, 0, 0, window->kernel));
  for (size_t i = 0; i < count && kernel; i++) {
    if (window->kernel[i] && window->kernel[i] != kernel[i])
      return crd__graph_node_fail(ctx, node,
                                  "its 'kernel_shape' has %lld where its weights have %lld",
                                  (long long)window->kernel[i], (long long)kernel[i]);
    window->kernel[i] = kernel[i];
  }
  CRD_TRY(crd__graph_window_list(ctx, node, "strides", count, 1, 1, window->strides));
  CRD_TRY(crd__graph_window_list(ctx, node, "dilations", count, 1, 1, window->dilations));
  CRD_TRY(crd__graph_window_list(ctx, node, "pads", 2 * count, 0, 0, pads));
  for (size_t i = 0; i < count; i++) {
    window->begin[i] = valid ? 0 : pads[i];
    window->end[i] = valid ? 0 : pads[count + i];
    if (window->kernel[i] < 1)
      return crd__graph_node_fail(ctx, node, "its window has %lld in dimension %zu",
                                  (long long)window->kernel[i], i);
    if (upper || lower) share(upper, src->dims[2 + i], window, i, &positions[i]);
    else CRD_TRY(count_positions(ctx, node, src->dims[2 + i], window, i, &positions[i]));
  }
  return CRD_OK;
}

crd__engine_window crd__graph_window_whole(const crd__engine_tensor *src) {
  crd__engine_window window = { .count = src->rank - 2 };
  for (size_t i = 0; i < window.count; i++) {
    window.kernel[i] = src->dims[2 + i];
    window.strides[i] = window.dilations[i] = 1;
  }
  return window;
}
