/* resample.c -- see resample.h. */
#include "graph/op/resample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Words. */

static const char *const modes[] = {
  [CRD__SAMPLE_NEAREST] = "nearest", [CRD__SAMPLE_LINEAR] = "linear", [CRD__SAMPLE_CUBIC] = "cubic"
};
static const char *const coordinates[] = {
  [CRD__HALF_PIXEL] = "half_pixel",
  [CRD__HALF_PIXEL_SYMMETRIC] = "half_pixel_symmetric",
  [CRD__PYTORCH_HALF_PIXEL] = "pytorch_half_pixel",
  [CRD__ALIGN_CORNERS] = "align_corners",
  [CRD__ASYMMETRIC] = "asymmetric",
  [CRD__TF_HALF_PIXEL] = "tf_half_pixel_for_nn",
};
static const char *const roundings[] = {
  [CRD__ROUND_PREFER_FLOOR] = "round_prefer_floor",
  [CRD__ROUND_PREFER_CEIL] = "round_prefer_ceil",
  [CRD__ROUND_FLOOR] = "floor",
  [CRD__ROUND_CEIL] = "ceil",
};
/* Which of the axes' factors all of them get. */
static const char *const policies[] = { "stretch", "not_larger", "not_smaller" };
typedef enum { STRETCH, NOT_LARGER, NOT_SMALLER } policy;

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Find an attribute's word in a list; the first one is the default. */
static crd_status read_word(crd_context *ctx, const crd__graph_node *node, const char *attribute,
                            const char *const *words, size_t count, int *out) {
  char list[200] = "";
  for (size_t i = 0; i < count; i++) {
    *out = (int)i;
    if (crd__graph_node_word_is(node, attribute, words[i], words[0])) return CRD_OK;
    const size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", words[i]);
  }
  return crd__graph_node_fail(ctx, node, "its '%s' is not one of those supported: %s", attribute,
                              list);
}

static crd_status read_how(crd_context *ctx, const crd__graph_node *node,
                           crd__kernel_sampling *how) {
  int mode, coordinate = CRD__ASYMMETRIC, rounding = CRD__ROUND_FLOOR;
  const size_t known = node->opset > 10 ? COUNT(modes) : CRD__SAMPLE_CUBIC;
  CRD_TRY(read_word(ctx, node, "mode", modes, known, &mode));
  if (node->opset > 10) {
    CRD_TRY(read_word(ctx, node, "coordinate_transformation_mode", coordinates, COUNT(coordinates),
                      &coordinate));
    CRD_TRY(read_word(ctx, node, "nearest_mode", roundings, COUNT(roundings), &rounding));
  }
  *how = (crd__kernel_sampling){
    .mode = (crd__kernel_sample_id)mode,
    .coordinate = (crd__kernel_coordinate_id)coordinate,
    .rounding = (crd__kernel_rounding_id)rounding,
    .cubic = (double)crd__graph_node_float(node, "cubic_coeff_a", -.75F),
    .exclude_outside = crd__graph_node_int(node, "exclude_outside", 0),
    .antialias = crd__graph_node_int(node, "antialias", 0),
  };
  return CRD_OK;
}

crd__kernel_sampling crd__graph_resampling_of(const crd__graph_node *node,
                                              const crd__graph_resampling *r, size_t axis) {
  crd__kernel_sampling how = r->how;
  if (node->opset <= 10 && r->factor[axis] < 1) how.rounding = CRD__ROUND_CEIL;
  return how;
}

/* ---- Factors and sizes. */

typedef struct {
  size_t count; /* 0: none */
  double items[CRD_RANK_MAX];
} numbers;

static crd_status read_numbers(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                               size_t input, numbers *out) {
  const crd__engine_tensor *const t = crd__graph_node_input(net, node, input);
  out->count = t ? crd__engine_tensor_count(t) : 0;
  if (!out->count) return CRD_OK;
  if (!t->constant)
    return crd__graph_node_fail(
        ctx, node,
        "its input %zu ('%.60s') depends on the data of a run, but must be a constant: export the "
        "model with fixed shapes",
        input, t->name);
  if (t->rank > 1 || out->count > CRD_RANK_MAX)
    return crd__graph_node_fail(ctx, node, "its input %zu has %zu dimensions and %zu elements",
                                input, t->rank, out->count);
  for (size_t i = 0; i < out->count; i++) out->items[i] = crd__engine_tensor_number(t, i);
  return CRD_OK;
}

/* Upsample has an attribute up to operator set 8. */
static crd_status read_scales(crd_context *ctx, const crd__graph *net, const crd__graph_node *node,
                              numbers *out) {
  if (node->opset >= 9) return read_numbers(ctx, net, node, node->opset > 10 ? 2 : 1, out);
  out->count = 0;
  for (size_t i = 0; i < node->attribute_count; i++) {
    const crd__onnx_attribute *const a = &node->attributes[i];
    if (strcmp(a->name, "scales") != 0 || a->count > CRD_RANK_MAX) continue;
    out->count = a->count;
    for (size_t k = 0; k < a->count; k++) out->items[k] = (double)a->floats[k];
  }
  return CRD_OK;
}

/* Read which axes the numbers belong to: all of them unless an attribute lists some. */
static crd_status read_axes(crd_context *ctx, const crd__graph_node *node, size_t rank,
                            size_t *count, size_t axes[CRD_RANK_MAX]) {
  crd__graph_list list;
  bool marks[CRD_RANK_MAX];
  CRD_TRY(crd__graph_node_list(ctx, node, "axes", &list));
  CRD_TRY(crd__graph_node_axes(ctx, node, &list, rank, true, marks));
  *count = list.given ? list.count : rank;
  for (size_t i = 0; i < *count; i++) {
    axes[i] = i;
    if (list.given) CRD_TRY(crd__graph_node_axis(ctx, node, list.items[i], rank, &axes[i]));
  }
  return CRD_OK;
}

static crd_status set_sizes(crd_context *ctx, const crd__graph_node *node, const numbers *sizes,
                            const size_t *axes, crd__graph_resampling *r) {
  int kind;
  float common = 0;
  CRD_TRY(read_word(ctx, node, "keep_aspect_ratio_policy", policies, COUNT(policies), &kind));
  for (size_t i = 0; i < sizes->count; i++) {
    const size_t d = axes[i];
    if (!(sizes->items[i] >= 0) || sizes->items[i] >= INT32_MAX ||
        (r->in[d] == 0 && sizes->items[i] > 0))
      return crd__graph_node_fail(ctx, node, "axis %zu has length %lld, and would have %.0f", d,
                                  (long long)r->in[d], sizes->items[i]);
    r->out[d] = (int64_t)sizes->items[i];
    r->factor[d] = r->in[d] ? (float)r->out[d] / (float)r->in[d] : 1;
    const bool less = r->factor[d] < common;
    if (i == 0 || less == (kind == NOT_LARGER)) common = r->factor[d];
  }
  for (size_t i = 0; i < sizes->count && kind != STRETCH; i++) {
    r->factor[axes[i]] = common;
    r->out[axes[i]] = (int64_t)floorf(common * (float)r->in[axes[i]] + .5F);
  }
  return CRD_OK;
}

static crd_status set_scales(crd_context *ctx, const crd__graph_node *node, const numbers *scales,
                             const size_t *axes, crd__graph_resampling *r) {
  for (size_t i = 0; i < scales->count; i++) {
    const size_t d = axes[i];
    const float out = (float)r->in[d] * (float)scales->items[i];
    if (!(scales->items[i] > 0) || !(out < (float)INT32_MAX))
      return crd__graph_node_fail(ctx, node, "it scales axis %zu, of length %lld, by %g", d,
                                  (long long)r->in[d], scales->items[i]);
    r->factor[d] = (float)scales->items[i];
    r->out[d] = (int64_t)floorf(out);
  }
  return CRD_OK;
}

crd_status crd__graph_resampling_read(crd_context *ctx, const crd__graph *net,
                                      const crd__graph_node *node, crd__graph_resampling *out) {
  const crd__engine_tensor *const x = crd__graph_node_input(net, node, 0);
  numbers scales, sizes = { .count = 0 };
  size_t count = 0, axes[CRD_RANK_MAX];
  CRD_TRY(read_how(ctx, node, &out->how));
  const bool bytes = x->dtype == CRD_I8 || x->dtype == CRD_U8; /* quantised */
  if (out->how.mode != CRD__SAMPLE_NEAREST && !bytes)
    CRD_TRY(crd__graph_node_needs_reals(ctx, net, node));
  out->rank = x->rank;
  for (size_t d = 0; d < x->rank; d++) {
    out->in[d] = out->out[d] = x->dims[d];
    out->factor[d] = 1;
    if (x->dims[d] >= INT32_MAX)
      return crd__graph_node_fail(ctx, node, "axis %zu has length %lld", d, (long long)x->dims[d]);
  }
  CRD_TRY(read_axes(ctx, node, x->rank, &count, axes));
  CRD_TRY(read_scales(ctx, net, node, &scales));
  CRD_TRY(read_numbers(ctx, net, node, 3, &sizes));
  if ((scales.count > 0) == (sizes.count > 0) || scales.count + sizes.count != count)
    return crd__graph_node_fail(
        ctx, node, "it has %zu scales and %zu sizes; one of them must be given, for %zu axes",
        scales.count, sizes.count, count);
  return sizes.count ? set_sizes(ctx, node, &sizes, axes, out)
                     : set_scales(ctx, node, &scales, axes, out);
}
