/*
 * windows.c -- the arithmetic of auto_pad, ceil_mode, strides and dilations.
 *
 *   NOTSET   floor (ceil) of (input + padding - reach) / stride, plus 1
 *   SAME_*   ceil(input / stride); padding makes up for it, half on each side, and
 *            an odd one at the end (UPPER) or at the beginning (LOWER)
 *   VALID    NOTSET without padding
 *
 * where reach = (size - 1) dilation + 1. A window of ceil_mode that would begin after the input and
 * the padding before it does not count.
 */
#include "ref/op/windows.h"

#include <string.h>

static void read_list(const ref_node *node, const char *name, size_t count, int64_t otherwise,
                      int64_t *out) {
  int64_t list[REF_NUMBERS_MAX];
  size_t given;
  ref_ints(node, name, NULL, &given, list);
  for (size_t i = 0; i < count; i++) out[i] = given ? list[i] : otherwise;
}

static void place(ref_windows *w, size_t k, int64_t length, const char *pad, bool upwards) {
  const int64_t reach = (w->size[k] - 1) * w->dilation[k] + 1, stride = w->stride[k];
  if (!strncmp(pad, "SAME", 4)) {
    w->count[k] = (length + stride - 1) / stride;
    const int64_t missing = (w->count[k] - 1) * stride + reach - length;
    const int64_t all = missing > 0 ? missing : 0;
    w->before[k] = !strcmp(pad, "SAME_UPPER") ? all / 2 : all - all / 2;
    w->after[k] = all - w->before[k];
    return;
  }
  if (!strcmp(pad, "VALID")) w->before[k] = w->after[k] = 0;
  const int64_t room = length + w->before[k] + w->after[k] - reach;
  w->count[k] = (room + (upwards ? stride - 1 : 0)) / stride + 1;
  if (upwards && (w->count[k] - 1) * stride >= length + w->before[k]) w->count[k]--;
}

ref_windows ref_windows_of(const ref_node *node, const int64_t *size) {
  const ref_tensor *const x = node->inputs[0];
  const ref_attribute *const pad = ref_find(node, "auto_pad");
  int64_t pads[REF_NUMBERS_MAX];
  ref_windows w = { .rank = x->rank - 2 };
  read_list(node, "strides", w.rank, 1, w.stride);
  read_list(node, "dilations", w.rank, 1, w.dilation);
  read_list(node, "pads", 2 * w.rank, 0, pads);
  for (size_t k = 0; k < w.rank; k++) {
    w.size[k] = size[k];
    w.before[k] = pads[k];
    w.after[k] = pads[w.rank + k];
    place(&w, k, x->dims[2 + k], pad ? pad->word : "NOTSET", ref_int(node, "ceil_mode", 0) != 0);
  }
  return w;
}
