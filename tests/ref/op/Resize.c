/* Resize.c -- Resize and Upsample: every output element from all of its neighbours, axis by axis.
 * Positions are rounded to float32, as other implementations do. */
#include "ref/op.h"

#include <math.h>
#include <string.h>

typedef struct {
  const ref_node *node;
  const ref_tensor *x;
  int64_t out[CRD_RANK_MAX];
  float factor[CRD_RANK_MAX];
  const char *mode, *coordinate, *nearest;
  double slack; /* the magnitude of the terms */
} resize;

static const char *word(const ref_node *node, const char *name, const char *otherwise) {
  const ref_attribute *const a = ref_find(node, name);
  return a ? a->word : otherwise;
}

static double position(const resize *r, size_t k, int64_t j) {
  const float f = r->factor[k], in = (float)r->x->dims[k], out = (float)r->out[k], at = (float)j;
  const float half = (at + .5F) / f - .5F;
  if (!strcmp(r->coordinate, "half_pixel")) return (double)half;
  if (!strcmp(r->coordinate, "pytorch_half_pixel")) return out > 1 ? (double)half : 0;
  if (!strcmp(r->coordinate, "align_corners"))
    return out > 1 ? (double)(at * (in - 1) / (out - 1)) : 0;
  if (!strcmp(r->coordinate, "tf_half_pixel_for_nn")) return (double)((at + .5F) / f);
  if (!strcmp(r->coordinate, "half_pixel_symmetric"))
    return (double)(in / 2 * (1 - out / (f * in)) + half);
  return (double)(at / f); /* asymmetric */
}

static double nearest(const resize *r, size_t k, double x) {
  if (r->node->opset <= 10) return r->factor[k] < 1 ? ceil(x) : floor(x);
  if (!strcmp(r->nearest, "floor")) return floor(x);
  if (!strcmp(r->nearest, "ceil")) return ceil(x);
  const bool tie = x - floor(x) == .5;
  if (tie) return !strcmp(r->nearest, "round_prefer_ceil") ? ceil(x) : floor(x);
  return round(x);
}

static double weight(const resize *r, double distance) {
  const double d = fabs(distance), a = (double)(float)ref_number(r->node, "cubic_coeff_a", -.75);
  if (!strcmp(r->mode, "linear")) return d < 1 ? 1 - d : 0;
  if (d < 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

static double clamp(double x, int64_t length) {
  return x < 0 ? 0 : x > (double)(length - 1) ? (double)(length - 1) : x;
}

/* Interpolates along axis k and those after it; `from` has the positions before. */
static double sample(resize *r, size_t k, const int64_t *at, int64_t *from, double share) {
  if (k == r->x->rank) {
    const double value = r->x->values[ref_place(r->x, from)];
    r->slack += fabs(share * value);
    return value;
  }
  const int64_t length = r->x->dims[k];
  const double x = position(r, k, at[k]);
  if (!strcmp(r->mode, "nearest")) {
    from[k] = (int64_t)clamp(nearest(r, k, x), length);
    return sample(r, k + 1, at, from, share);
  }
  const bool smooth = ref_int(r->node, "antialias", 0) && r->factor[k] < 1;
  const bool exclude = ref_int(r->node, "exclude_outside", 0);
  const double scale = smooth ? (double)r->factor[k] : 1, reach = ceil(2 / scale) + 1;
  double sum = 0, total = 0;
  for (double p = floor(x) - reach; p <= floor(x) + reach; p++)
    if (!exclude || p == clamp(p, length)) total += weight(r, scale * (p - x));
  for (double p = floor(x) - reach; p <= floor(x) + reach; p++) {
    const double w = exclude && p != clamp(p, length) ? 0 : weight(r, scale * (p - x)) / total;
    from[k] = (int64_t)clamp(p, length);
    if (w != 0) sum += w * sample(r, k + 1, at, from, share * w);
  }
  return sum;
}

/* Reads the factors of all axes, and the shape of the result. */
static void read_shape(resize *r) {
  const ref_node *const node = r->node;
  const ref_tensor *const sizes = ref_input(node, 3);
  const ref_tensor *const scales =
      node->opset < 9 ? NULL : ref_input(node, node->opset > 10 ? 2 : 1);
  const char *const policy = word(node, "keep_aspect_ratio_policy", "stretch");
  int64_t axes[REF_NUMBERS_MAX];
  size_t count;
  const bool some = ref_ints(node, "axes", NULL, &count, axes);
  float best = 0;
  if (!some) count = r->x->rank;
  for (size_t k = 0; k < r->x->rank; k++) {
    r->out[k] = r->x->dims[k];
    r->factor[k] = 1;
  }
  for (size_t i = 0; i < count; i++) {
    const size_t k = some ? ref_axis(axes[i], r->x->rank) : i;
    if (sizes && ref_count(sizes)) {
      r->out[k] = (int64_t)sizes->values[i];
      r->factor[k] = (float)r->out[k] / (float)r->x->dims[k];
    } else {
      r->factor[k] =
          scales ? (float)scales->values[i] : (float)ref_find(node, "scales")->numbers[i];
      r->out[k] = (int64_t)floorf((float)r->x->dims[k] * r->factor[k]);
    }
    const bool larger = !strcmp(policy, "not_smaller");
    if (i == 0 || (larger ? r->factor[k] > best : r->factor[k] < best)) best = r->factor[k];
  }
  for (size_t i = 0; i < count && strcmp(policy, "stretch") != 0; i++) {
    const size_t k = some ? ref_axis(axes[i], r->x->rank) : i;
    r->factor[k] = best;
    r->out[k] = (int64_t)floorf(best * (float)r->x->dims[k] + .5F);
  }
}

void ref_Resize(ref_node *node) {
  const bool old = node->opset <= 10;
  resize r = { .node = node,
               .x = node->inputs[0],
               .mode = word(node, "mode", "nearest"),
               .coordinate =
                   old ? "asymmetric" : word(node, "coordinate_transformation_mode", "half_pixel"),
               .nearest = word(node, "nearest_mode", "round_prefer_floor") };
  const bool real = ref_is_float(r.x->dtype), exact = !strcmp(r.mode, "nearest") || !real;
  int64_t at[CRD_RANK_MAX], from[CRD_RANK_MAX];
  read_shape(&r);
  ref_tensor *const y = ref_make(node, 0, r.x->dtype, r.x->rank, r.out, !exact);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, at);
    r.slack = 0;
    y->values[n] = sample(&r, 0, at, from, 1);
    if (!real) y->values[n] = trunc(y->values[n]);
    if (!exact) y->slack[n] = 16 * r.slack;
  }
}

void ref_Upsample(ref_node *node) { ref_Resize(node); }
