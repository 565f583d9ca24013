/* ConvTranspose.c -- transposed convolution: each input element adds the kernel, times its value,
 * to the result. */
#include "ref/op.h"

#include <math.h>
#include <string.h>

typedef struct {
  int64_t stride[CRD_RANK_MAX], dilation[CRD_RANK_MAX], before[CRD_RANK_MAX], out[CRD_RANK_MAX];
} shape;

static void read_list(const ref_node *node, const char *name, size_t count, int64_t otherwise,
                      int64_t *out) {
  int64_t list[REF_NUMBERS_MAX];
  size_t given;
  ref_ints(node, name, NULL, &given, list);
  for (size_t i = 0; i < count; i++) out[i] = given ? list[i] : otherwise;
}

static shape shape_of(const ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const w = node->inputs[1];
  const ref_attribute *const pad = ref_find(node, "auto_pad");
  const char *const how = pad ? pad->word : "NOTSET";
  const size_t spatial = x->rank - 2;
  int64_t pads[REF_NUMBERS_MAX], more[CRD_RANK_MAX], wanted[CRD_RANK_MAX];
  shape s;
  read_list(node, "strides", spatial, 1, s.stride);
  read_list(node, "dilations", spatial, 1, s.dilation);
  read_list(node, "pads", 2 * spatial, 0, pads);
  read_list(node, "output_padding", spatial, 0, more);
  read_list(node, "output_shape", spatial, -1, wanted);
  for (size_t k = 0; k < spatial; k++) {
    const int64_t reach = (w->dims[2 + k] - 1) * s.dilation[k] + 1;
    const int64_t full = s.stride[k] * (x->dims[2 + k] - 1) + more[k] + reach;
    if (!strncmp(how, "SAME", 4) && wanted[k] < 0) wanted[k] = s.stride[k] * x->dims[2 + k];
    if (!strcmp(how, "VALID")) pads[k] = pads[spatial + k] = 0;
    s.before[k] = pads[k];
    s.out[k] = full - pads[k] - pads[spatial + k];
    if (wanted[k] < 0) continue;
    const int64_t total = full > wanted[k] ? full - wanted[k] : 0;
    s.before[k] = !strcmp(how, "SAME_UPPER") ? total / 2 : total - total / 2;
    s.out[k] = wanted[k];
  }
  return s;
}

void ref_ConvTranspose(ref_node *node) {
  const ref_tensor *const x = node->inputs[0], *const w = node->inputs[1];
  const ref_tensor *const bias = ref_input(node, 2);
  const int64_t groups = ref_int(node, "group", 1), each = w->dims[1];
  const shape s = shape_of(node);
  int64_t dims[CRD_RANK_MAX] = { x->dims[0], each * groups };
  int64_t from[CRD_RANK_MAX], cell[CRD_RANK_MAX], to[CRD_RANK_MAX];
  for (size_t k = 2; k < x->rank; k++) dims[k] = s.out[k - 2];
  ref_tensor *const y = ref_make(node, 0, x->dtype, x->rank, dims, true);
  for (size_t n = 0; n < ref_count(y); n++) {
    ref_index(y, n, to);
    y->values[n] = bias ? bias->values[to[1]] : 0;
    y->slack[n] = fabs(y->values[n]);
  }
  for (size_t n = 0; n < ref_count(x); n++)
    for (size_t c = 0; c < ref_count(w); c++) {
      bool inside = true;
      ref_index(x, n, from);
      ref_index(w, c, cell);
      if (cell[0] != from[1]) continue;
      to[0] = from[0];
      to[1] = from[1] / (x->dims[1] / groups) * each + cell[1];
      for (size_t k = 0; k + 2 < x->rank; k++) {
        to[2 + k] = from[2 + k] * s.stride[k] + cell[2 + k] * s.dilation[k] - s.before[k];
        inside = inside && to[2 + k] >= 0 && to[2 + k] < s.out[k];
      }
      if (!inside) continue;
      const double term = x->values[n] * w->values[c];
      y->values[ref_place(y, to)] += term;
      y->slack[ref_place(y, to)] += (double)x->dims[1] * fabs(term) + 4 * fabs(term);
    }
}
